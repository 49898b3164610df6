"""Ranks that live in virtual time, under a real measurement: the right answer is known."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.builders import PATTERNS, make_clock
from weft.launch.programs import Program
from weft.launch.protocol import Answer, Bye, Hello
from weft.measure.rounds import Measurement
from weft.measure.state import restore
from weft.plan.plan import make_plan
from weft.record.model import Batch, Footer, RankFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation
    from weft.plan.case import Case
    from weft.record.model import Line
    from weft.record.run import Run

    Effect = Callable[[Mapping[str, Any], int], float]

START_S, END_S = 0.6, 0.2
# No number of ticks is one of nanoseconds.
TICK_NS = 0.4


class Machine:
    """A clock that only ranks move: what a launch, a case and an operation cost is set here."""

    def __init__(self, overhead_s: float, effect: Effect) -> None:
        self.now = 100.0
        self.overhead_s = overhead_s
        self.effect = effect
        self.ranks = 0
        self.launches = 0
        self.checks: list[tuple[int, bool]] = []

    tick_ns = TICK_NS
    name = "virtual"
    summary = "ranks in virtual time"

    def refuses(self, _: Allocation) -> str:
        return ""

    def starts(self, _: str) -> bool:
        return True

    def manifests(self, _: Allocation, __: float = 0) -> dict[str, dict[str, Any]]:
        return {}

    def start(self, job: Job) -> Machine:
        self.ranks = job.ranks
        return self

    def __enter__(self) -> Machine:
        self.now += START_S
        self.launches += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.now += END_S

    def hello(self, _: float = 0) -> Hello:
        ranks = tuple(RankFacts(rank=r, host="n", pid=1, cpu=r, numa=0) for r in range(self.ranks))
        return Hello(transport="t", mpi="none", ranks=ranks, clock=make_clock(self.tick_ns))

    def run(self, case: Mapping[str, Any], _: float) -> Answer:
        self.checks.append((case["bytes"], case["verify"]))
        operation_ns = round((1000 + case["bytes"] // 4) * self.effect(case, self.launches))
        count, ops = case["samples"] + case["warmup"], case["ops_per_sample"]
        timed_ns = count * ops * operation_ns
        self.now += self.overhead_s + timed_ns / 1e9
        sample = round(operation_ns * ops / self.tick_ns)
        ticks = tuple(sample + number % 3 for number in range(count))
        return Answer(
            id=case["id"], status="ok", warmup=case["warmup"], ops_per_sample=ops, ticks=ticks,
            timed_ns=timed_ns,
        )  # fmt: skip

    def finish(self, _: float = 0) -> Bye:
        return Bye(clock=make_clock(self.tick_ns))


class Sink(list["Line"]):
    """Takes a record's lines, and hears how the run goes; only a short budget is to be heard of."""

    def __init__(self) -> None:
        super().__init__()
        self.predicted: list[str] = []
        # By batch what is done, of how much.
        self.counts: list[tuple[int, int]] = []
        self.checks: list[tuple[int, bool]] = []

    def write(self, line: Line) -> None:
        self.append(line)

    def launched(self, *_: object) -> None:
        pass

    def measured(self, _: object, __: float, done: int, of: int) -> None:
        self.counts.append((done, of))

    def trouble(self, text: str) -> None:
        assert "--budget" in text
        self.predicted.append(text)


def measure(
    monkeypatch: pytest.MonkeyPatch,
    cases: tuple[Case, ...],
    budget_s: float,
    overhead_s: float,
    effect: Effect = lambda _, __: 1.0,
    before: Run | None = None,
    seed: int = 1,
    ranks: type[Machine] = Machine,
    silent: Callable[[], Mapping[str, str]] = dict,
    late_s: float = 0.0,
    **asked: Any,
) -> tuple[Sink, float]:
    """The lines of a run, and how much of the budget was left at its end, in seconds."""
    machine = ranks(overhead_s, effect)
    monkeypatch.setattr(time, "monotonic", lambda: machine.now)
    plan = make_plan(
        cases, precision=0.01, budget_s=budget_s, seed=seed, mpi="none", options={},
        case_deadline_s=20, **{"launches": 5, "samples": 0, **asked},
    )  # fmt: skip
    end_s = machine.now + budget_s - late_s
    sink = Sink()
    sink.checks = machine.checks
    so_far = None if before is None else restore(plan, programs_of(cases), before)
    record: Any = sink
    Measurement(
        plan, programs_of(cases), record, sink, so_far,
        launcher=machine, end_s=end_s, silent=silent,
    ).measure()  # fmt: skip
    return sink, end_s - machine.now


def programs_of(cases: tuple[Case, ...]) -> dict[str, Program]:
    return {
        name: Program(transport=name, mpi="none", path=Path("rank"), patterns=PATTERNS)
        for name in {case.transport for case in cases}
    }


def timed_s(sink: Sink) -> float:
    """Seconds of measured batches."""
    batches = [line for line in sink if isinstance(line, Batch)]
    return sum(batch.timed_ns for batch in batches if batch.role == "measure") / 1e9


def launches_of(sink: Sink) -> Counter[str]:
    return Counter(line.case for line in sink if isinstance(line, Batch) if line.role == "measure")


def footer_of(sink: Sink) -> Footer:
    last = sink[-1]
    assert isinstance(last, Footer)
    return last
