"""A resumed run equals one that went through, wherever it was interrupted.

Ranks in virtual time; a record is cut after each of its lines in turn, as a kill cuts it, and what
is known of it is held to what the run itself knew there.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

import weft
from support.builders import make_cases, make_header, write_lines
from support.virtual_ranks import Machine, Sink, footer_of, measure, programs_of
from weft.measure.rounds import Measurement
from weft.measure.state import CaseState, restore
from weft.plan.case import Case
from weft.plan.plan import Plan, make_plan
from weft.record.model import Batch, Footer, Launch, Line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weft.launch.protocol import Answer
    from weft.record.run import Run

LOAD = "offered_load"
CASES = (
    *make_cases(("ping_pong", "stream"), ("mpi", "tcp"), (8, 65536)),
    *(Case(test=LOAD, transport="tcp", bytes=8, point=at) for at in (50, 100)),
    Case(test="random_pairs", transport="mpi", bytes=8, ranks=4),
)
LAUNCHES = 3
SAMPLES = 20


class Uneven(Machine):
    """Samples that are skewed and unlike from batch to batch; a load says when the next is due."""

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        answer = super().run(case, wait_s)
        shift = 7 * case["id"] % 101
        ticks = tuple(
            tick + shift + (tick if at % 9 == 0 else at % 5) for at, tick in enumerate(answer.ticks)
        )
        parts = {"interval": tuple(2 * tick for tick in ticks)} if case["test"] == LOAD else {}
        timed_ns = sum(ticks) + shift
        return msgspec.structs.replace(answer, ticks=ticks, parts=parts, timed_ns=timed_ns)


class Known(NamedTuple):
    """What a run knows of a case."""

    operation_ns: float
    pace_ns: float
    medians_ns: tuple[float, ...]
    resolution_ns: float
    closed: bool


def known_of(states: list[CaseState]) -> dict[str, Known]:
    return {
        one.case.key: Known(
            rounded(one.operation_ns),
            # Of a case that was not measured it is a guess.
            rounded(one.pace_ns if one.operation_ns else 0.0),
            tuple(map(rounded, one.medians_ns)),
            rounded(one.resolution_ns),
            one.closed,
        )
        for one in states
    }


def rounded(value: float) -> float:
    """Without the last digits, which depend on the order of products."""
    return float(f"{value:.9g}")


class Told(Sink):
    """Takes lines, and before each what the run knew then."""

    def __init__(self) -> None:
        super().__init__()
        self.run: Measurement | None = None
        self.known: list[dict[str, Known]] = []

    def write(self, line: Line) -> None:
        assert self.run is not None
        self.known.append(known_of(self.run.states))
        super().write(line)


def plan_of(seed: int) -> Plan:
    return make_plan(
        CASES, precision=0.01, budget_s=600, seed=seed, mpi="none", options={},
        case_deadline_s=20, launches=LAUNCHES, samples=SAMPLES,
    )  # fmt: skip


def whole_run(patch: pytest.MonkeyPatch, seed: int) -> Told:
    """The lines of a run that went through."""
    machine = Uneven(0.001, lambda case, _: 1 + 0.03 * (int(case["bytes"]) % 7))
    patch.setattr(time, "monotonic", lambda: machine.now)
    sink = Told()
    record: Any = sink
    plan = plan_of(seed)
    sink.run = Measurement(
        plan, programs_of(CASES), record, sink, None, launcher=machine, end_s=machine.now + 600
    )
    sink.run.measure()
    return sink


def record_of(path: Path, lines: list[Line], seed: int) -> Run:
    """These lines behind a header as a record."""
    path.unlink(missing_ok=True)
    header = make_header(CASES, launches=LAUNCHES, seed=seed, samples=SAMPLES)
    return weft.load(write_lines(path, [header, *lines]))


def resumed(patch: pytest.MonkeyPatch, run: Run, seed: int) -> Sink:
    sink, _ = measure(
        patch, CASES, 600, 0.001, before=run, seed=seed, ranks=Uneven, launches=LAUNCHES,
        samples=SAMPLES, effect=lambda case, _: 1 + 0.03 * (int(case["bytes"]) % 7),
    )  # fmt: skip
    return sink


@pytest.mark.parametrize("seed", [1, 907])
def test_a_record_tells_at_each_line_what_the_run_knew_there(seed: int, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        sink = whole_run(patch, seed)
        assert footer_of(sink).outcome == "precise"
        # Before line k the run knew what the record's first k lines say.
        for at, known in enumerate(sink.known):
            before = list(sink)[:at]
            so_far = restore(
                plan_of(seed), programs_of(CASES), record_of(tmp_path / "r", before, seed)
            )
            assert known_of(so_far.states) == known, (at, sink[at])
            assert_counts_go_on(so_far, sink[at], before)


def assert_counts_go_on(so_far: Any, line: Line, before: list[Line]) -> None:
    """The next number of each kind is the one that the run took."""
    if isinstance(line, Launch):
        assert so_far.launches == line.launch
        started = [one.round for one in before if isinstance(one, Launch)]
        assert so_far.round == max(started, default=-1) + 1
    elif isinstance(line, Batch):
        assert so_far.order == line.order
    elif isinstance(line, Footer):
        assert so_far.order == line.batches


def plain(line: Line) -> Line:
    """A line without what no two runs have alike: when it was, and which command it is of."""
    if isinstance(line, Launch):
        return msgspec.structs.replace(line, started_utc="", session=0, load_average=0.0)
    if isinstance(line, Footer):
        return msgspec.structs.replace(line, finished_utc="")
    return line


def ends_of_rounds(lines: list[Line]) -> list[int]:
    """Behind which lines a round is over."""
    rounds = [one.round if isinstance(one, Launch) else -1 for one in lines]
    first = {number: rounds.index(number) for number in sorted(set(rounds) - {-1})}
    return [at for number, at in first.items() if number > 0]


@pytest.mark.parametrize("seed", [1, 907])
def test_a_run_that_is_cut_between_rounds_goes_on_line_by_line(seed: int, tmp_path: Path) -> None:
    """The order that is drawn, the counters, the amounts and the footer."""
    with pytest.MonkeyPatch.context() as patch:
        whole = list(whole_run(patch, seed))
        cuts = ends_of_rounds(whole)
        assert len(cuts) == LAUNCHES - 1
        for at in cuts:
            rest = resumed(patch, record_of(tmp_path / "r", whole[:at], seed), seed)
            drawn = [(one.case, one.order) for one in rest if isinstance(one, Batch)]
            wanted = [(one.case, one.order) for one in whole[at:] if isinstance(one, Batch)]
            assert drawn == wanted
            numbers = [(o.launch, o.round, o.transport) for o in rest if isinstance(o, Launch)]
            others = [(o.launch, o.round, o.transport) for o in whole[at:] if isinstance(o, Launch)]
            assert numbers == others
            assert plain(rest[-1]) == plain(whole[-1])


@pytest.mark.parametrize("seed", [1, 907])
def test_a_run_that_is_cut_anywhere_ends_with_the_same_launches_and_footer(
    seed: int, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        whole = list(whole_run(patch, seed))
        for at in range(len(whole)):
            before = whole[:at]
            rest = resumed(patch, record_of(tmp_path / "r", before, seed), seed)
            lines = [*before, *rest]
            measured = [
                (one.case, one.launch)
                for one in lines
                if isinstance(one, Batch) and one.role == "measure"
            ]
            assert len(measured) == len(set(measured)) == len(CASES) * LAUNCHES
            orders = [one.order for one in lines if isinstance(one, Batch)]
            assert orders == list(range(len(orders)))
            started = [one.launch for one in lines if isinstance(one, Launch)]
            assert started == sorted(set(started))
            footer = footer_of(rest)
            assert (footer.outcome, footer.batches) == ("precise", len(orders))
            assert footer.budget_s == 600
