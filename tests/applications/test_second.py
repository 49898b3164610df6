"""A second application works everywhere by its entry alone."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from support import builders
from support.builders import LAUNCH_EFFECTS, make_header, synthetic_record
from support.lattices import lattice_of
from support.tiny import RING, Rings
from weft import applications
from weft.analysis.summary import summarise
from weft.applications.asked import ApplicationsAsked
from weft.errors import WeftError
from weft.measure.lines import case_line
from weft.measure.stopping import Amount
from weft.plan.case import Case
from weft.plan.cases import Experiment, Variants, cases_of, make_cases
from weft.plan.command import words_of
from weft.plan.memory import needed_bytes
from weft.record.run import Run, load
from weft.topics import TOPICS, results_of
from weft.topics.scaling.rows import scaling_of

PATTERNS = {"ring": RING}


@pytest.fixture(autouse=True)
def _with_rings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applications, "ENTRIES", (*applications.ENTRIES, Rings()))
    monkeypatch.setattr(builders, "PATTERNS", (*builders.PATTERNS, RING))


def planned(*ranks: int, whole: str = "") -> tuple[Case, ...]:
    variants = Variants(application=ApplicationsAsked(whole=whole))
    return tuple(
        case
        for many in ranks
        for case in make_cases(
            ("ring",), ("tcp",), "", ranks=many, variants=variants, patterns=PATTERNS
        )
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    cases = planned(1, 2)

    # Twice the ranks, half the cells of each, and 8 ns more.
    def times(case: Case, round_: int) -> list[float]:
        assert case.application is not None
        cells = case.application["cells"] / case.ranks
        return [(10 * cells + 8 * (case.ranks - 1)) * LAUNCH_EFFECTS[round_]] * 5

    return load(synthetic_record(tmp_path / "r.jsonl", cases, launches=3, times_ns=times))


def test_it_is_planned_named_and_asked_for_again_as_its_entry_says() -> None:
    cases = planned(2)
    assert [case.key for case in cases] == ["tcp/ring/8/cells64", "tcp/ring/8/cells256"]
    assert (
        needed_bytes(cases[1], RING.footprint) - needed_bytes(cases[0], RING.footprint)
        == 2 * 100 * (256 - 64) // 2
    )
    again = [one for case in cases for one in cases_of([Experiment.of(case)], ("tcp",), PATTERNS)]
    assert again == list(cases)
    [alone] = planned(2, whole="7")
    plan = msgspec.structs.replace(make_header(()).plan, cases=(alone,))
    assert ("--lattice", "7") in pairwise(words_of(alone, RING, plan))


def test_it_is_measured_by_the_line_that_its_entry_makes() -> None:
    [case] = planned(2, whole="7")
    line = case_line(case, 3, Amount(samples=1, warmup=0, ops_per_sample=1), 1, verify=False)
    assert line["application"] == {"cells": 7}
    assert "lattice" not in line


def test_its_record_is_read_and_every_topic_shows_what_it_is_asked(run: Run) -> None:
    results = results_of(run, summarise(run))
    rows = {row.case: row for row in scaling_of(results).all}
    assert rows.keys() == run.cases.keys()
    two = rows["tcp/ring/8/cells64"]
    assert (two.lattice, two.is_global, two.ranks, two.sites) == ("64", True, 2, 32)
    assert two.iteration_ns.value == pytest.approx(328)
    assert two.flops_per_s is not None
    assert two.flops_per_s.value == pytest.approx(2 * 32 / 328e-9)
    assert two.efficiency is not None
    assert two.efficiency.speed == pytest.approx(640 / 328 / 2, rel=1e-5)
    for topic in TOPICS:
        found = results.of(topic)
        topic.tables(found)
        topic.findings(found)
        topic.charts(found)
        topic.plain(found)


def test_an_application_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="this weft has no application wing"):
        applications.case_of({"kind": "wing"})
    path = synthetic_record(tmp_path / "r.jsonl")
    text = path.read_text().replace('"lattice":null', '"lattice":{"kind":"wing"}', 1)
    path.write_text(text)
    with pytest.raises(WeftError, match="no application wing"):
        load(path)


@dataclass(frozen=True)
class _Named:
    options: dict[str, object]
    key: str
    older: str


@pytest.mark.parametrize(
    "one",
    [
        _Named({"compute_ps_per_site": 1234567}, "1234.567ns_a_site", "1234.57ns_a_site"),
        _Named({"compute_ps_per_site": 1234568}, "1234.568ns_a_site", "1234.57ns_a_site"),
        _Named({"compute_ps_per_site": 60000}, "60ns_a_site", "60ns_a_site"),
        _Named({"compute_ps_per_site": 10**9}, "1000000ns_a_site", "1e+06ns_a_site"),
        _Named({"mass": 0.12345678}, "mass0.12345678", "mass0.123457"),
        _Named({"mass": 10.0}, "mass10", "mass10"),
    ],
)
def test_a_name_has_every_digit_and_older_records_had_six(one: _Named) -> None:
    case = Case(test="halo", transport="tcp", bytes=36, application={"extents": [4], **one.options})
    assert case.key == f"tcp/halo/36/4/{one.key}"
    assert f"tcp/halo/36/4/{one.older}" in case.older_keys
    assert lattice_of(case).shape == "4"


def test_a_record_with_names_of_six_digits_is_read_under_the_names_of_today(tmp_path: Path) -> None:
    options = {"extents": [4], "compute_ps_per_site": 1234567}
    case = Case(test="halo", transport="tcp", bytes=36, application=options)
    path = synthetic_record(tmp_path / "r.jsonl", (case,), launches=2)
    text = path.read_text()
    assert f'"case":"{case.key}"' in text
    path.write_text(text.replace(case.key, case.older_keys[-1]))
    assert {batch.case for batch in load(path).measured} == {case.key}
