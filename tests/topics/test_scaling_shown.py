"""What a screen and a page say of scaling: what comes first, what goes first, what says nothing."""

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from support.lattices import lattice_of
from support.shown import tables_of
from support.studies import record_of, rows_of, weak_cases
from weft.analysis.compare.comparison import compare
from weft.analysis.summary import summarise
from weft.record.model import Batch
from weft.record.run import Run
from weft.report.notes import ending_in_words
from weft.report.terminal import render_brief
from weft.sources.sides import load_sides
from weft.topics import results_of
from weft.topics.scaling import Scaling
from weft.units import format_flops, format_time


def test_a_screen_has_what_is_lost_before_the_parts(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases()))
    names = [[table.name for table in Scaling().brief(rows, room)] for room in (48, 24, 3)]
    assert names == [
        ["scaling", "scaling_parts", "scaling_costs"],
        ["scaling", "scaling_costs"],
        ["scaling", "scaling_costs"],
    ]


def test_sums_that_are_usual_are_no_word_of_a_row(tmp_path: Path) -> None:
    [usual] = weak_cases(extents=(4,))[:1]
    lattice = lattice_of(usual)
    cases = [
        msgspec.structs.replace(
            usual, application=msgspec.structs.replace(lattice, sums=sums).options
        )
        for sums in (1, 2)
    ]
    rows = rows_of(record_of(tmp_path, tuple(cases)))
    assert [row.variant for row in rows.all] == ["sums1", ""]


def test_sites_of_unusual_bytes_are_a_word_of_a_row(tmp_path: Path) -> None:
    [usual] = weak_cases(extents=(4,))[:1]
    cases = tuple(msgspec.structs.replace(usual, bytes=size) for size in (4, 360))
    rows = rows_of(record_of(tmp_path, cases))
    assert [row.variant for row in rows.all] == ["", "360B_a_site"]


def test_the_first_sentence_says_what_lattices_keep(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases()))
    assert Scaling().headline(rows) == (
        "milc tcp 4^4 keeps 50.0 % on 4 ranks and 14^4 keeps 96.2 % on 4 ranks"
    )
    (tmp_path / "one").mkdir()
    one = record_of(tmp_path / "one", weak_cases(extents=(4,))[:1])
    assert Scaling().headline(rows_of(one)) == ""


@pytest.mark.parametrize(
    ("slower", "said"),
    [(3.0, "29 % [-1921, 97]"), (5.0, "28.6 % [not known]"), (100.0, "28.6 % [not known]")],
)
def test_an_interval_that_says_nothing_has_no_digits(
    slower: float, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The efficiency is between 2.5 and 2,000 % at 3 times, and 0.5 and 9,600 % at 5 times."""
    monkeypatch.setattr("support.studies.LAUNCH_EFFECTS", (1.0, slower))
    run = record_of(tmp_path, weak_cases(extents=(8,)), launches=2)
    costs = tables_of(run, summarise(run), "scaling")[2]
    assert costs.rows[0][3] == said


def test_one_launch_of_scaling_has_no_interval_at_its_ranks(tmp_path: Path) -> None:
    """Not "not significant": no test was made, at numbers of ranks and not at sizes."""
    runs = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        runs.append(record_of(tmp_path / name, weak_cases(extents=(4,)), launches=1))
    [table] = compare(load_sides(runs)).tables
    assert table.along == "ranks"
    assert [words for words in table.words if "no interval" in words]
    assert not [words for words in table.words if "not significant" in words]


def test_where_nothing_could_be_measured_nothing_is_precise(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases(extents=(4,)))
    assert "within" in ending_in_words(run, summarise(run))
    lost = [
        Batch(case=key, launch=0, order=at, role="measure", status="unsupported", reason="odd")
        for at, key in enumerate(run.cases)
    ]
    nothing = Run(run.path, msgspec.structs.replace(run.lines, batches=tuple(lost)))
    said = ending_in_words(nothing, summarise(nothing))
    assert said == "No case could be measured: the reasons stand above."
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(render_brief(results_of(nothing, summarise(nothing)), screen))
    assert "also measured" not in screen.export_text()


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (1.1e9, "1.10 GFlop/s"),
        (1e9, "1.00 GFlop/s"),
        (999.9e6, "1.00 GFlop/s"),
        (812e6, "812 MFlop/s"),
        (49.94e9, "49.9 GFlop/s"),
        (9.996e9, "10.0 GFlop/s"),
        (99.96e9, "100 GFlop/s"),
        (1.25e12, "1250 GFlop/s"),
        (0.5e6, "0.500 MFlop/s"),
    ],
)
def test_a_rate_of_arithmetic_has_three_digits(rate: float, words: str) -> None:
    assert format_flops(rate) == words


def test_in_plain_data_lattices_costs_follow_all_rows(tmp_path: Path) -> None:
    rows = rows_of(record_of(tmp_path, weak_cases()))
    plain = Scaling().plain(rows)
    assert len(rows.all) == 9
    assert len(rows.costs) == 3
    assert [one.get("case") for one in plain[:9]] == [row.case for row in rows.all]
    assert [one["lattice"] for one in plain[9:]] == [cost.lattice for cost in rows.costs]


def test_the_part_that_grew_most_is_shown_where_any_did(tmp_path: Path) -> None:
    run = record_of(tmp_path, weak_cases())
    shown = [row[-1] for row in tables_of(run, summarise(run), "scaling")[2].rows]
    known = rows_of(run).costs
    assert [cost.most_ns > 0 for cost in known] == [True, True, False]
    assert shown == [
        f"{cost.most_in} +{format_time(cost.most_ns)}" if cost.most_ns > 0 else "-"
        for cost in known
    ]
    assert shown[0] == "local +1.09 µs"


@pytest.mark.parametrize("order", [1, -1])
def test_flops_are_shown_where_any_application_counts_them(tmp_path: Path, order: int) -> None:
    """A halo's exchange has none, milc beside it has."""
    both = [*weak_cases(extents=(4,)), *weak_cases("halo", extents=(8,))][::order]
    shown = {}
    for name, cases in (("both", both), ("halo", weak_cases("halo", extents=(8,)))):
        (tmp_path / name).mkdir()
        run = record_of(tmp_path / name, tuple(cases))
        [table, *_] = tables_of(run, summarise(run), "scaling")
        shown[name] = any("Flops are counted" in note for note in table.notes)
    assert shown == {"both": True, "halo": False}
