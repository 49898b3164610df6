"""What a record is, how it ended and how it was made, in words: of every kind of record."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

import weft
from support.builders import HOST, LAUNCH_EFFECTS, lost_batch, make_cases, synthetic_record
from support.simulations import platform
from weft.analysis.stats.launches import next_session_of
from weft.analysis.summary import summarise
from weft.charts import Matrix
from weft.plan.budget import RESERVE
from weft.record.run import Run
from weft.report import drawing, page
from weft.report.methods import methods_of
from weft.report.notes import ending_in_words, flags_in_words, state_of
from weft.topics import results_of

if TYPE_CHECKING:
    from pathlib import Path

CASES = make_cases(("ping_pong",), ("tcp",), (8, 64, 512))
REACHED = "3 of 3 cases are within ±1 % over 5 launches of one session"


def simulated(run: Run) -> Run:
    return with_plan(run, simulated=platform(), launches=1)


def with_plan(run: Run, **changed: Any) -> Run:
    plan = msgspec.structs.replace(run.header.plan, **changed)
    header = msgspec.structs.replace(run.header, plan=plan)
    if plan.simulated:
        header = msgspec.structs.replace(header, hosts={})
    return Run(run.path, msgspec.structs.replace(run.lines, header=header))


def ended(run: Run, **changed: Any) -> Run:
    assert run.footer is not None
    footer = msgspec.structs.replace(run.footer, **changed)
    return Run(run.path, msgspec.structs.replace(run.lines, footer=footer))


def lasting(run: Run, seconds: float) -> Run:
    """The same, whose launches took so long in all."""
    begun = min(datetime.fromisoformat(one.started_utc) for one in run.lines.launches)
    return ended(run, finished_utc=(begun + timedelta(seconds=seconds)).isoformat())


def killed(run: Run) -> Run:
    return Run(run.path, msgspec.structs.replace(run.lines, footer=None))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return weft.load(synthetic_record(tmp_path / "r.jsonl", CASES))


def said_of(run: Run) -> tuple[str, str]:
    summaries = summarise(run)
    return state_of(run, summaries), ending_in_words(run, summaries).replace(str(run.path), "R")


def test_a_page_says_where_it_was_measured_or_that_it_was_not(run: Run) -> None:
    two = [run, simulated(run)]
    said = page._summary([results_of(one, summarise(one)) for one in two])
    assert f"2 ranks on {HOST['host']}" in said
    assert f"2 ranks, {platform().label}" in said


def test_a_page_of_a_measured_and_a_simulated_record_has_what_disturbed(run: Run) -> None:
    def title_of(*runs: Run) -> str:
        return page._conditions_title([results_of(one, summarise(one)) for one in runs])

    assert title_of(simulated(run), simulated(run)) == "Simulated platform"
    for runs in ((run, simulated(run)), (simulated(run), run), (run,)):
        assert title_of(*runs) == "Interference"


def test_each_ending_has_its_words(run: Run) -> None:
    assert said_of(run) == ("settled", f"Every case is precise: {REACHED}.")
    assert said_of(with_plan(run, samples=100)) == (
        "settled", f"Every case has its 100 samples in each launch: {REACHED}.",
    )  # fmt: skip
    state, words = said_of(killed(run))
    assert state == "incomplete"
    assert words.startswith(f"The record is incomplete: the run was killed; {REACHED}. ")
    assert words.endswith("Continue with: weft run --resume R")
    assert said_of(ended(run, outcome="interrupted")) == (
        "interrupted",
        f"The run was interrupted: {REACHED}. Continue with: weft run --resume R",
    )
    for samples in (0, 100):
        assert said_of(ended(with_plan(run, samples=samples), outcome="budget"))[1].startswith(
            f"The budget of 60 s ended first: {REACHED}; the others show the interval they reached."
        )
    once = with_plan(simulated(run), launches=5)
    assert said_of(once) == (
        "simulated",
        "Simulated: repeats are identical, so one launch of each case says all; no interval.",
    )
    cut = ended(once, outcome="budget")
    state, words = said_of(cut)
    assert state == "simulated"
    assert words.startswith("The budget of 60 s ended")
    assert said_of(ended(once, outcome="interrupted"))[0] == "interrupted"


@pytest.mark.parametrize(
    ("budget_s", "lacking", "advised"),
    [
        # Ten launches of a case took 100 s, so one 10 s; 5 % are kept, and 8 s start and draw.
        (60.0, 20, " --budget 4min"),
        (60.0, 3, ""),
        (240.0, 20, ""),
    ],
)
def test_the_way_on_has_a_budget_that_suffices(
    tmp_path: Path, budget_s: float, lacking: int, advised: str
) -> None:
    """With too short a budget `--resume` measured nothing new, however often it was typed."""
    case, *_ = CASES
    made = 10
    path = synthetic_record(
        tmp_path / "r.jsonl", (case,), launches=made, budget_s=budget_s, outcome="budget"
    )
    run = lasting(with_plan(weft.load(path), launches=made + lacking), 100)
    state, words = said_of(run)
    assert state == "not settled"
    assert words.endswith(f"Continue with: weft run --resume R{advised}")
    # What was interrupted, or killed, had its budget before it.
    for one in (ended(run, outcome="interrupted"), killed(run)):
        assert said_of(one)[1].endswith("Continue with: weft run --resume R")
    # The plan keeps its budget when it is resumed with another.
    longer = ended(run, outcome="interrupted", budget_s=1200.0)
    assert said_of(longer)[1].endswith("Continue with: weft run --resume R --budget 20min")


def test_a_launch_that_ended_after_its_first_case_has_cost_its_start_once(tmp_path: Path) -> None:
    """It was taken for what each of the other cases would take: of a large map, for hours."""
    path = synthetic_record(
        tmp_path / "r.jsonl", CASES, launches=1, outcome="budget",
        times_ns=lambda case, at: [1e3 * LAUNCH_EFFECTS[at]] * 9 if case == CASES[0] else [],
    )  # fmt: skip
    run = lasting(with_plan(weft.load(path), launches=4), 40)
    assert len(run.missing) == len(CASES) == 3
    assert next_session_of(run).lacking_s == pytest.approx(4 * 40 / RESERVE, rel=1e-3)


def test_a_record_without_any_figure_has_no_precision(tmp_path: Path) -> None:
    lost = [lost_batch(case, 0, 900, "failed", "the link failed") for case in CASES]
    path = synthetic_record(tmp_path / "r.jsonl", CASES, times_ns=lambda _, __: [], more=lost)
    run = weft.load(path)
    for one in (run, killed(run), simulated(run)):
        state, words = said_of(one)
        assert (state, words) == (
            "nothing measured", "No case could be measured: the reasons stand above.",
        )  # fmt: skip
    rules = {one.number: (one.state, one.reason) for one in methods_of(of(run)).rules}
    assert rules[5] == ("not kept", "no case was measured")
    assert rules[11] == ("not asked", "the record has no bandwidth")
    state, why = rules[2]
    assert (state, why.partition("; ")[0]) == ("yours", "the record has 1 test")
    assert why.endswith("; 3 of 3 cases have a reason instead of a result")


def test_a_kind_of_notes_is_said_once_with_its_first_case(run: Run) -> None:
    """Kinds are told apart by their words before the numbers."""
    first, second, third = summarise(run)

    def said(*flags: tuple[str, ...]) -> list[str]:
        every = (first, second, third)
        return flags_in_words([
            msgspec.structs.replace(one, flags=own) for one, own in zip(every, flags, strict=True)
        ])  # fmt: skip

    slow, other = "samples get slower by 3 %", "two modes"
    assert said((), (slow,), ()) == [f"note: {second.case}: {slow}"]
    assert said((), (slow,), (slow.replace("3", "9"), other)) == [
        f"note: 2 of 3 cases, first {second.case}: {slow}",
        f"note: {third.case}: {other}",
    ]
    assert said((), (), ()) == []


def of(run: Run) -> Any:
    return results_of(run, summarise(run))


def test_the_methods_of_a_simulation_claim_no_measurement(run: Run) -> None:
    found = methods_of(of(simulated(run)))
    sections = dict(found.sections)
    label = platform().in_words
    assert sections["Hardware"] == f"Results are simulated, not measured. Platform: {label}."
    assert (
        sections["Statistics"] == "Repeated simulations are identical, so results have no interval."
    )
    assert "Times come from" not in sections["Measurement"]
    assert "Times come from" in dict(methods_of(of(run)).sections)["Measurement"]
    rules = {one.number: (one.state, one.reason) for one in found.rules}
    assert rules[5] == ("kept", "simulations are deterministic, and the record says so")
    assert rules[6] == ("not asked", "no interval is computed")
    assert rules[9] == ("kept", "the record has the simulated platform")


def test_a_machine_is_said_as_far_as_it_is_known(run: Run) -> None:
    def hardware(*hosts: tuple[str, dict[str, Any]]) -> str:
        header = msgspec.structs.replace(run.header, hosts=dict(hosts))
        one = Run(run.path, msgspec.structs.replace(run.lines, header=header))
        return dict(methods_of(of(one)).sections)["Hardware"]

    full = {
        **HOST, "system": {"is_virtual": True, "hypervisor": "kvm"},
        "interfaces": [
            {"name": "eth0", "speed_mbit_per_s": 25000}, {"name": "lo", "speed_mbit_per_s": None},
            {"name": "down", "speed_mbit_per_s": -1},
        ],
        "rdma": [
            {"name": "mlx5_0", "board": "CX6", "ports": [{"port": 1, "rate_gbit_per_s": 200.0}]},
            {"name": "rxe0", "driver": "rxe", "ports": [{"port": 1}]}, {"name": "x"},
        ],
    }  # fmt: skip
    known = (
        "Test CPU, 4 cores, 16 GiB of memory, CX6 mlx5_0 at 200 Gbit/s, rxe rxe0, RDMA x, eth0 at"
        " 25 Gbit/s, the governor performance, a virtual machine ({})."
    )
    assert hardware(("a", full)) == "a has " + known.format("kvm")
    unnamed = {**full, "system": {"is_virtual": True}}
    several = hardware(("a", full), ("b", full), ("c", unnamed), ("d", {}))
    assert several == (
        f"a and b have {known.format('kvm')} c has {known.format('unknown hypervisor')} The record"
        " does not describe d."
    )
    assert hardware() == "The record does not name its hosts."


class Axes:
    """Keeps what is drawn into it."""

    def __init__(self) -> None:
        self.done: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        def keep(*given: Any, **more: Any) -> Any:
            self.done[name] = (given, more)
            return name

        return keep


@pytest.mark.parametrize(
    ("count", "begins", "places"),
    [
        (3, (), [0, 1, 2]),
        (drawing.MOST_NAMES, (2,), list(range(drawing.MOST_NAMES))),
        (drawing.MOST_NAMES + 1, (), list(range(0, drawing.MOST_NAMES + 1, 2))),
        (drawing.MOST_NAMES + 1, (4, 9), [0, 4, 9]),
        (2 * drawing.MOST_NAMES + 1, (), list(range(0, 2 * drawing.MOST_NAMES + 1, 3))),
        (2 * drawing.MOST_NAMES, tuple(range(1, drawing.MOST_NAMES + 1)),
         list(range(0, 2 * drawing.MOST_NAMES, 2))),
    ],
)  # fmt: skip
def test_the_names_of_a_matrix_are_as_many_as_can_be_read(
    count: int, begins: tuple[int, ...], places: list[int]
) -> None:
    names = tuple(f"n{at}" for at in range(count))
    for is_signed, map_, extend in ((True, "RdBu_r", "both"), (False, "viridis", "max")):
        matrix = Matrix(
            values=np.arange(4.0).reshape(2, 2), ends=(-1.5, 7.0), label="in %", names=names,
            begins=begins, is_signed=is_signed,
        )  # fmt: skip
        canvas, axes = Axes(), Axes()
        drawing._draw_matrix(canvas, axes, matrix)
        (shown,), how = axes.done["imshow"]
        assert shown is matrix.values
        assert (how["cmap"].name, how["cmap"].N) == (map_, drawing.MATRIX_COLOURS)
        assert (how["vmin"], how["vmax"]) == (-1.5, 7.0)
        (image,), bar = canvas.done["colorbar"]
        assert (image, bar["ax"]) == ("imshow", axes)
        assert (bar["label"], bar["extend"]) == ("in %", extend)
        for way in ("set_xticks", "set_yticks"):
            at, words = axes.done[way][0]
            assert (list(at), words) == (places, [names[one] for one in places])


def test_how_it_was_measured_has_each_fact_of_the_record(run: Run) -> None:
    clock = msgspec.structs.replace(run.clocks[0], tick_ns=0.123456789, overhead_ticks=37)
    launches = tuple(msgspec.structs.replace(one, clock=clock) for one in run.lines.launches)
    lines = msgspec.structs.replace(run.lines, launches=launches, ends=())
    facts = [
        ("record", "r.jsonl"),
        ("command", "weft run"),
        ("measured", "2026-01-02T03:04:05+00:00"),
        ("weft", "0.1.0"),
        ("MPI", "Open MPI v4.1.4"),
        ("launches", "5 made, 5 asked of each case"),
        ("order", "random, seed 1"),
        ("budget and precision", "60 s, ±1 %"),
        ("clock", "tsc, 0.123457 ns a tick, two reads cost 37 ticks"),
        ("Latency", "Latency between two ranks"),
    ]
    assert page._method(Run(run.path, lines)) == facts
    bare = msgspec.structs.replace(lines, launches=(), batches=())
    found = page._method(simulated(Run(run.path, bare)))
    assert found[2] == ("simulated", facts[2][1])
    assert found[4:6] == [("MPI", "openmpi"), ("launches", "0 made, 1 asked of each case")]
    assert found[8:] == facts[9:]
