"""Runs of ranks in virtual time that are uneven in whatever a run has to keep account of."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

import weft
from support.builders import make_cases, make_clock, make_header, write_lines
from support.virtual_ranks import Machine, Sink, programs_of
from weft.launch.protocol import Answer, Bye, Hello, LaunchError
from weft.measure.rounds import Measurement
from weft.measure.state import CaseState, restore
from weft.plan.case import Case
from weft.plan.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from support.virtual_ranks import Effect
    from weft.record.model import Line
    from weft.record.run import Run

LOAD = "offered_load"
CASES = (
    *make_cases(("ping_pong", "stream"), ("mpi", "tcp"), (8, 65536)),
    *(Case(test=LOAD, transport="tcp", bytes=8, point=at) for at in (50, 100)),
    Case(test="random_pairs", transport="mpi", bytes=8, ranks=4),
)
LAUNCHES = 3
SAMPLES = 20
BUDGET_S = 600.0
# By launch: coarser and finer than one ns.
TICKS_NS = (0.4, 2.5, 1.0, 0.7)


class Uneven(Machine):
    """Samples that are skewed and unlike from batch to batch; a load says when the next is due.

    Launches differ in the clock's tick, which is calibrated again, and longer, at their end: as
    many ticks are another time in each.
    """

    tick_ns = 1.0

    def hello(self, _: float = 0) -> Hello:
        clock = make_clock(TICKS_NS[self.launches % len(TICKS_NS)])
        return msgspec.structs.replace(super().hello(), clock=clock)

    def finish(self, _: float = 0) -> Bye:
        tick_ns = TICKS_NS[self.launches % len(TICKS_NS)] * 1.003
        return Bye(clock=make_clock(tick_ns, baseline_ns=3_000_000_000))

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


TROUBLES = ("the ranks did not start", "ended by signal", "no answer in", "byte 3 differs")


class Failing(Uneven):
    """Ranks that die, hang, do not come up or send wrong bytes at some of their cases."""

    def __init__(self, overhead_s: float, effect: Effect) -> None:
        super().__init__(overhead_s, effect)
        self.cases = 0

    def hello(self, _: float = 0) -> Hello:
        if self.launches in (2, 7):
            raise LaunchError("failed", "the ranks did not start")
        return super().hello()

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        self.cases += 1
        if self.cases % 11 == 5:
            raise LaunchError("failed", "a rank ended by signal 9")
        if self.cases % 17 == 8:
            self.now += wait_s
            raise LaunchError("timeout", f"no answer in {wait_s:g} s")
        if self.cases % 13 == 3:
            return Answer(id=case["id"], status="failed", reason="byte 3 differs")
        return super().run(case, wait_s)


class Told(Sink):
    """Takes lines, and hears of troubles that the ranks were told to make."""

    def __init__(self) -> None:
        super().__init__()
        self.run: Measurement | None = None

    def trouble(self, text: str) -> None:
        assert "--budget" in text or any(word in text for word in TROUBLES)


class Knowing(Told):
    """Keeps before each line what the run knew then."""

    def __init__(self) -> None:
        super().__init__()
        self.known: list[dict[str, Known]] = []

    def write(self, line: Line) -> None:
        assert self.run is not None
        self.known.append(known_of(self.run.states))
        super().write(line)


def plan_of(seed: int, budget_s: float = BUDGET_S) -> Plan:
    return make_plan(
        CASES, precision=0.01, budget_s=budget_s, seed=seed, mpi="none", options={},
        case_deadline_s=20, launches=LAUNCHES, samples=SAMPLES,
    )  # fmt: skip


def effect(case: Mapping[str, Any], _: int) -> float:
    return 1 + 0.03 * (int(case["bytes"]) % 7)


def uneven_run(
    seed: int,
    ranks: type[Uneven] = Uneven,
    budget_s: float = BUDGET_S,
    sink: Told | None = None,
    before: Run | None = None,
) -> Told:
    """The lines of a run, or of one that goes on after a record."""
    machine = ranks(0.001, effect)
    plan = plan_of(seed, budget_s)
    sink = Told() if sink is None else sink
    record: Any = sink
    so_far = None if before is None else restore(plan, programs_of(CASES), before)
    # Each launch is what it is, whoever starts it.
    machine.launches = so_far.launches if so_far else 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: machine.now)
        sink.run = Measurement(
            plan, programs_of(CASES), record, sink, so_far, launcher=machine,
            end_s=machine.now + budget_s,
        )  # fmt: skip
        sink.run.measure()
    return sink


def record_of(path: Path, lines: list[Line], seed: int) -> Run:
    """These lines behind a header as a record."""
    path.unlink(missing_ok=True)
    header = make_header(CASES, launches=LAUNCHES, seed=seed, samples=SAMPLES)
    return weft.load(write_lines(path, [header, *lines]))
