"""An effort over sessions that are told how they end, and figures that a prediction lacks."""

from __future__ import annotations

import resource
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, lost_batch, make_cases, make_footer, synthetic_record
from support.simulations import platform
from support.studies import iteration_ns, record_of, weak_cases
from weft import session
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment
from weft.sim.predicted import Variant
from weft.studies.placed_tests import placed_tests_of
from weft.studies.predicted_figures import answer_of, figures_of
from weft.studies.simulations import Effort, has_ended, peak_bytes_of, processor_s
from weft.topics import results_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.plan.request import Request
    from weft.record.model import Footer, Outcome
    from weft.topics.base import Results

VARIANT = Variant(fabric=FabricAsked(nodes=4, switch="3", blocking="2:1"))
ASKED = Experiment(tests=("random_pairs", "sendrecv"), sizes="8", ranks=4)
CASES = make_cases(("ping_pong", "stream"), ("sim",), (8, 64))


@pytest.mark.parametrize("outcome", ["precise", "budget", "interrupted"])
def test_an_interrupt_of_a_simulation_ends_them_all(
    tmp_path: Path, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []
    said: list[str] = []

    def start(request: Request, say: Callable[[str], None]) -> tuple[Path, Footer]:
        assert request.output is not None
        asked.append(request)
        say("a line")
        return synthetic_record(request.output, CASES), make_footer(1, outcome)

    monkeypatch.setattr(session, "start", start)
    effort = Effort(60.0, 3, tmp_path / "new" / "folder", said.append)
    placed = placed_tests_of(platform(), VARIANT, ASKED)
    if outcome == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            effort.run(placed, 1)
        words = f"weft: interrupted; the records of finished fabrics are in {tmp_path}/new/folder"
        assert said == ["a line", words]
        return
    runs = effort.run(placed, 1)
    stem = effort.page.stem
    names = [f"{stem}-2-{at + 1}.jsonl.zst" for at in range(len(placed))]
    assert [run.path.name for run in runs] == names
    assert said == ["a line"]
    for request, one in zip(asked, placed, strict=True):
        # Of draws each is a launch with one sample.
        is_drawn = one.experiment.tests == ("random_pairs",)
        assert (request.launches, request.samples) == ((8, 1) if is_drawn else (1, 3))
        assert (request.platform, request.experiments) == (one.platform, (one.experiment,))
        assert (request.precision, request.budget_s, request.is_quiet) == (1.0, 60.0, False)
        assert 1.0 <= request.case_deadline_s <= 60.0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    effort = Effort(60.0, 1, tmp_path / "file" / "folder", lambda _: None)
    with pytest.raises(WeftError, match=r"cannot write into .*/file/folder: Not a directory"):
        effort.run([], 0)


@pytest.mark.parametrize("name", ["p.html", "r.jsonl", "r.jsonl.zst", "r.json", "p.svg", "p.pdf"])
def test_the_name_of_a_file_is_no_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(WeftError, match="is the name of a file, and -o takes a folder") as refused:
        Effort(60.0, 1, tmp_path / name, lambda _: None)
    assert refused.value.fix == f"use -o {(tmp_path / name).with_suffix('')}"
    (tmp_path / "there").touch()
    with pytest.raises(WeftError, match="is the name of a file"):
        Effort(60.0, 1, tmp_path / "there", lambda _: None)
    assert Effort(60.0, 1, tmp_path, lambda _: None).page.parent == tmp_path
    assert Effort(60.0, 1, None, lambda _: None).page.parent == Path()


def test_the_most_memory_of_its_launches_is_a_simulations() -> None:
    def run(*peaks: int) -> Any:
        ends = [SimpleNamespace(peak_bytes=peak) for peak in peaks]
        return SimpleNamespace(lines=SimpleNamespace(ends=ends))

    assert [peak_bytes_of(run(*peaks)) for peaks in ((), (3,), (3, 7, 5))] == [0, 3, 7]


def test_what_processors_took_is_of_this_process_and_of_those_that_it_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    took = {
        resource.RUSAGE_SELF: SimpleNamespace(ru_utime=1.0, ru_stime=20.0),
        resource.RUSAGE_CHILDREN: SimpleNamespace(ru_utime=300.0, ru_stime=4000.0),
    }
    monkeypatch.setattr(resource, "getrusage", took.__getitem__)
    assert processor_s() == 4321.0


def test_a_simulation_has_ended_where_each_case_has_however_it_did() -> None:
    def run(**statuses: str) -> Any:
        measured = [SimpleNamespace(case=case, status=own) for case, own in statuses.items()]
        return SimpleNamespace(measured=measured, cases=("a", "b"))

    assert has_ended(run(a="ok", b="failed"))
    assert has_ended(run(a="unsupported", b="ok", c="ok"))
    assert not has_ended(run(a="ok"))
    assert not has_ended(run(a="ok", b="timeout"))


def results(path: Path, **more: Any) -> Results:
    run = weft.load(synthetic_record(path, CASES, **more))
    return results_of(run, summarise(run))


def test_a_case_without_a_figure_is_refused_with_the_budget_that_all_need(tmp_path: Path) -> None:
    """Of four cases one has a figure after 60 s: four times as long, of those that are asked."""
    lost = [lost_batch(case, 0, 900, "timeout", "it took too long.") for case in CASES[1:]]
    found = results(
        tmp_path / "r.jsonl", more=lost,
        times_ns=lambda case, round_: [1e3 * LAUNCH_EFFECTS[round_]] * 9 * (case == CASES[0]),
    )  # fmt: skip
    for lacking, budget in (((), "4min"), ((CASES[3].key,), "3min"), ((CASES[0].key,), "3min")):
        with pytest.raises(WeftError) as refused:
            figures_of([found], [1.0], lacking)
        assert refused.value.what == f"{CASES[1].key} has no figure: it took too long"
        assert refused.value.fix == f"use another test, or --budget {budget}"
    # Half of them have one.
    half = results(
        tmp_path / "half.jsonl", more=lost[1:],
        times_ns=lambda case, round_: (
            [1e3 * LAUNCH_EFFECTS[round_]] * 9 * (case in CASES[:2])
        ),
    )  # fmt: skip
    with pytest.raises(WeftError, match=r"use another test, or --budget 120s$"):
        figures_of([half], [1.0], ())
    [one] = figures_of([found], [1.0], [case.key for case in CASES[1:]])
    assert (one.case, one.bytes, one.draws) == ("ping_pong 8 B", 8, 5)


def test_an_application_is_told_by_its_lattice_and_its_iteration(tmp_path: Path) -> None:
    cases = [one for one in weak_cases(extents=(8, 4)) if one.ranks == 2]
    run = record_of(tmp_path, tuple(cases), launches=1)
    found = figures_of([results_of(run, summarise(run))], [1.0], ())
    assert [one.case for one in found] == ["milc 8^4", "milc 4^4"]
    for one, case in zip(found, cases, strict=True):
        # A slow sample in ten is in no median; there is one launch, and its clock has ticks.
        assert one.value == pytest.approx(LAUNCH_EFFECTS[0] * iteration_ns(case), rel=1e-3)
        assert (one.is_rate, one.bytes, one.draws) == (False, 0, 0)
        assert one.largest_bytes == case.message_bytes


def test_an_answer_is_of_its_variant_with_the_most_switches_on_a_way() -> None:
    for fabric, most in ((VARIANT.fabric, 3), (FabricAsked(nodes=4, switch="4"), 1)):
        variant = Variant(fabric=fabric, algorithm="ring")
        found = answer_of(variant, (), (((), ()), ()), "r.jsonl")
        assert (found.switches, found.nodes, found.record) == (most, 4, "r.jsonl")
        assert (found.variant, found.algorithm) == (variant.label, "ring")
        assert found.moved == ((), ())
