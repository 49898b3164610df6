"""How a budget is shared, on ranks that live in virtual time: the right answer is known."""

from __future__ import annotations

import math
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import weft
from builders import PATTERNS, make_cases, make_clock, make_header, pattern, write_lines
from weft.analysis.summary import summarise
from weft.launch.programs import Program
from weft.launch.protocol import Answer, Bye, Hello
from weft.measure.rounds import Measurement
from weft.measure.state import restore
from weft.plan.case import Case, Schedule
from weft.plan.cases import SIZES
from weft.plan.plan import make_plan
from weft.record.model import Batch, Footer, Launch, RankFacts
from weft.units import parse_seconds, parse_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation
    from weft.record.model import Line
    from weft.record.run import Run

    Effect = Callable[[Mapping[str, Any], int], float]

START_S, END_S = 0.6, 0.2
CLOCK = make_clock(tick_ns=1.0)


class Machine:
    """A clock that only ranks move: what a launch, a case and an operation cost is set here."""

    def __init__(self, overhead_s: float, effect: Effect) -> None:
        self.now = 100.0
        self.overhead_s = overhead_s
        self.effect = effect
        self.ranks = 0
        self.launches = 0
        self.checks: list[tuple[int, bool]] = []

    name = "virtual"
    summary = "ranks in virtual time"

    def refuses(self, _: Allocation) -> str:
        return ""

    def starts(self, _: str) -> bool:
        return True

    def manifests(self, _: Allocation) -> dict[str, dict[str, Any]]:
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
        return Hello(transport="t", mpi="none", ranks=ranks, clock=CLOCK)

    def run(self, case: Mapping[str, Any], _: float) -> Answer:
        self.checks.append((case["bytes"], case["verify"]))
        operation_ns = round((1000 + case["bytes"] // 4) * self.effect(case, self.launches))
        count, ops = case["samples"] + case["warmup"], case["ops_per_sample"]
        timed_ns = count * ops * operation_ns
        self.now += self.overhead_s + timed_ns / 1e9
        ticks = tuple(operation_ns * ops + number % 3 for number in range(count))
        return Answer(
            id=case["id"], status="ok", warmup=case["warmup"], ops_per_sample=ops, ticks=ticks,
            timed_ns=timed_ns,
        )  # fmt: skip

    def finish(self, _: float = 0) -> Bye:
        return Bye(clock=CLOCK)


class Sink(list["Line"]):
    """Takes a record's lines, and hears how the run goes; only a short budget is to be heard of."""

    def __init__(self) -> None:
        super().__init__()
        self.predicted: list[str] = []
        self.checks: list[tuple[int, bool]] = []

    def write(self, line: Line) -> None:
        self.append(line)

    def launched(self, *_: object) -> None:
        pass

    def measured(self, *_: object) -> None:
        pass

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
    **asked: Any,
) -> tuple[Sink, float]:
    """The lines of a run, and how much of the budget was left at its end, in seconds."""
    machine = Machine(overhead_s, effect)
    monkeypatch.setattr(time, "monotonic", lambda: machine.now)
    plan = make_plan(
        cases, precision=0.01, budget_s=budget_s, seed=seed, mpi="none", options={},
        case_deadline_s=20, **{"launches": 5, "samples": 0, **asked},
    )  # fmt: skip
    end_s = machine.now + budget_s
    sink = Sink()
    sink.checks = machine.checks
    so_far = None if before is None else restore(plan, programs_of(cases), before)
    record: Any = sink
    Measurement(
        plan, programs_of(cases), record, sink, so_far, launcher=machine, end_s=end_s
    ).measure()
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


ALL = (0, *(2**power for power in range(23)))
USUAL = make_cases(transports=("mpi", "tcp"), sizes=ALL)
THREE = make_cases(transports=("mpi", "tcp", "ucx"), sizes=ALL)


FEW = make_cases(transports=("mpi", "tcp", "ucx", "ofi"), sizes=parse_sizes(SIZES))


@pytest.mark.parametrize("overhead_s", [0.0, 0.005, 0.01])
def test_all_asked_launches_fit_whatever_a_case_costs_besides(
    monkeypatch: pytest.MonkeyPatch, overhead_s: float
) -> None:
    sink, left_s = measure(monkeypatch, FEW, 60, overhead_s)
    assert set(launches_of(sink).values()) == {5}
    assert footer_of(sink).outcome == "precise"
    assert 0 <= left_s < 30


@pytest.mark.parametrize(("cases", "budget_s"), [(FEW, 60), (FEW, 20), (USUAL, 60), (THREE, 40)])
def test_most_of_any_budget_goes_into_samples(
    monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...], budget_s: float
) -> None:
    """Launches differ, so that no interval is narrow enough before the time is over."""

    def effect(case: Mapping[str, Any], launch: int) -> float:
        return 1.0 + (launch * int(case["bytes"]) % 7) / 50

    sink, left_s = measure(monkeypatch, cases, budget_s, overhead_s=0.005, effect=effect)
    assert {case.key for case in cases} == set(launches_of(sink))
    assert timed_s(sink) >= 0.6 * (budget_s - min(left_s, 0))
    assert -1 < left_s < 0.1 * budget_s


def test_no_case_is_left_without_a_figure_because_of_a_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four launches and 96 cases take less than is guessed of them before the start."""
    sink, left_s = measure(monkeypatch, FEW, 5, overhead_s=0.001)
    assert {case.key for case in FEW} == set(launches_of(sink))
    assert left_s > -1


def test_what_is_left_after_the_asked_launches_goes_where_the_intervals_are_widest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def effect(case: Mapping[str, Any], launch: int) -> float:
        noise = {64: 0.2, 4 << 20: 0.04}.get(case["bytes"], 0.0)
        return 1 + noise * (launch % 5)

    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64, 1024, 4 << 20))
    sink, _ = measure(monkeypatch, cases, 150, overhead_s=0.002, effect=effect)
    counts: dict[int, list[int]] = {}
    for key, count in launches_of(sink).items():
        counts.setdefault(int(key.split("/")[2]), []).append(count)
    assert set(counts[8] + counts[1024]) == {5}
    assert min(counts[64]) > max(counts[4 << 20]) >= 5


def test_resume_adds_what_is_missing_and_then_gains_precision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def effect(_: Mapping[str, Any], launch: int) -> float:
        return 1 + 0.05 * (7919 * launch % 101) / 101

    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64, 1024, 4 << 20))
    lines: list[Line] = [make_header(cases)]
    widths = []
    for session, budget_s in enumerate((6, 60, 60)):
        before = weft.load(write_lines(tmp_path / f"{session}.jsonl", lines))
        sink, _ = measure(monkeypatch, cases, budget_s, 0.005, effect, before if session else None)
        lines += [line for line in sink if not isinstance(line, Footer)]
        whole = weft.load(write_lines(tmp_path / f"{session}-whole.jsonl", lines))
        assert bool(whole.missing) is (session == 0)
        assert len(whole.launches) == len([line for line in lines if isinstance(line, Launch)])
        widths.append([row.relative_half_width or math.inf for row in summarise(whole)])
    assert sum(widths[2]) < sum(widths[1])


def test_a_budget_that_will_not_do_is_said_before_the_start_with_one_that_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, _ = measure(monkeypatch, THREE, 20, overhead_s=0.02)
    assert max(launches_of(sink).values()) < 5
    before, after = sink.predicted
    assert after.startswith("after the first launches: ")
    assert f"{len(THREE)} cases with 5 launches" in before
    match = re.search(r"--budget (\w+),", after)
    assert match is not None
    enough, _ = measure(monkeypatch, THREE, parse_seconds(match[1]), overhead_s=0.02)
    assert set(launches_of(enough).values()) == {5}
    assert len(enough.predicted) < 2


def test_a_known_number_of_samples_needs_no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = tuple(
        Case(test="ping_pong", transport="tcp", bytes=size << 20, single=True)
        for size in range(16, 513, 16)
    )
    sink, _ = measure(monkeypatch, cases, 600, overhead_s=0.1, samples=2)
    assert not [b for b in sink if isinstance(b, Batch) and b.role == "calibrate"]
    assert set(launches_of(sink).values()) == {5}


def test_every_launch_of_a_case_is_checked_and_very_long_messages_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = make_cases(["ping_pong"], ["tcp"], [8, 1 << 20, 16 << 20, 17 << 20, 64 << 20])
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.005)
    assert set(launches_of(sink).values()) == {5}
    checks = Counter(size for size, verify in sink.checks if verify)
    assert checks == {8: 5, 1 << 20: 5, 16 << 20: 5, 17 << 20: 1, 64 << 20: 1}


def test_neighbours_spare_most_calibrations(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, _ = measure(monkeypatch, USUAL, 60, overhead_s=0.005)
    looks = [b for b in sink if isinstance(b, Batch) and b.role == "calibrate"]
    assert len(looks) < len(USUAL) / 3
    least = 100 * CLOCK.overhead_ticks
    batches = [b for b in sink if isinstance(b, Batch) and b.role == "measure"]
    assert min(min(batch.ticks) for batch in batches) >= least


def test_where_time_is_short_each_transport_gets_its_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, left_s = measure(monkeypatch, THREE, 12, overhead_s=0.03)
    launched = [line.transport for line in sink if isinstance(line, Launch)]
    assert set(launched) == {"mpi", "tcp", "ucx"}
    counts = launches_of(sink)
    by_transport = Counter(key.partition("/")[0] for key in counts.elements())
    assert min(by_transport.values()) > 0.5 * max(by_transport.values())
    assert set(counts.values()) == {1}
    assert footer_of(sink).outcome == "budget"
    # No launch or case is broken off: the last of each is what may come after the end.
    assert left_s > -(START_S + END_S + 2)


def test_cases_run_on_their_own_number_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    two = make_cases(transports=("mpi", "tcp"), sizes=(8, 64))
    five = tuple(
        Case(test="hot_spot_send", transport=transport, bytes=8, ranks=5, point=point)
        for transport in ("mpi", "tcp")
        for point in (1, 4)
    )
    sink, _ = measure(monkeypatch, (*two, *five), 60, overhead_s=0.005)
    ranks = {line.launch: len(line.ranks) for line in sink if isinstance(line, Launch)}
    asked = {case.key: case.ranks for case in (*two, *five)}
    batches = [line for line in sink if isinstance(line, Batch)]
    assert {ranks[batch.launch] - asked[batch.case] for batch in batches} == {0}
    assert set(launches_of(sink).values()) == {5}


def test_what_a_transport_cannot_do_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    cases = make_cases(transports=("mpi", "tcp"), sizes=(8, 64))

    def refuse(_: Machine, case: Mapping[str, Any], __: float) -> Answer:
        return Answer(id=case["id"], status="unsupported", reason="it cannot wait by block")

    monkeypatch.setattr(Machine, "run", refuse)
    monkeypatch.setattr(Sink, "trouble", lambda _, text: reported.append(text))
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.0)
    assert sorted(reported) == ["mpi: it cannot wait by block", "tcp: it cannot wait by block"]
    lost = [line for line in sink if isinstance(line, Batch)]
    assert {batch.case for batch in lost} == {case.key for case in cases}


LATENCY_NS = 30_000.0
# The time of one operation: what must not be taken for a latency takes far less than one.
OPERATIONS_NS = {"copy": 40.0, "registration": 90.0, "late_receive": 200.0, "sendrecv": 31_000.0}


class Fabric(Machine):
    """Ranks whose streams hold as many latencies as their description says."""

    def run(self, case: Mapping[str, Any], _: float) -> Answer:
        known = pattern(case["test"])
        latency_ns = LATENCY_NS * (3 if case["wait"] == "block" else 1)
        operation_ns = OPERATIONS_NS.get(case["test"], known.latency_divisor * latency_ns)
        if known.latencies_per_sample:
            operation_ns = 300.0
        count, ops = case["samples"] + case["warmup"], max(case["ops_per_sample"], 64)
        ops = ops if known.latencies_per_sample else case["ops_per_sample"]
        sample_ns = ops * operation_ns + known.latencies_per_sample * latency_ns
        self.now += self.overhead_s + count * sample_ns / 1e9
        return Answer(
            id=case["id"],
            status="ok",
            warmup=case["warmup"],
            ops_per_sample=ops,
            ticks=(round(sample_ns),) * count,
            timed_ns=round(count * sample_ns),
        )


@pytest.mark.parametrize("seed", range(8))
def test_the_latencies_in_a_streams_samples_are_under_one_per_cent(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever else the suite measures, in whatever order, and for each way of waiting."""
    monkeypatch.setattr(sys.modules[__name__], "Machine", Fabric)
    tests = ("ping_pong", "stream", "message_rate", "hot_spot_receive", *OPERATIONS_NS)
    cases = tuple(
        Case(test=test, transport="tcp", bytes=size, wait=wait)
        for test in tests
        for size in (8, 64)
        for wait in ("", "block")
    )
    sink, _ = measure(monkeypatch, cases, 60, overhead_s=0.005, seed=seed)
    by_key = {case.key: case for case in cases}
    looked_at = 0
    for batch in sink:
        if not isinstance(batch, Batch) or batch.role != "measure":
            continue
        case = by_key[batch.case]
        held_ns = pattern(case.test).latencies_per_sample * LATENCY_NS
        held_ns *= 3 if case.wait == "block" else 1
        looked_at += held_ns > 0
        assert held_ns <= 0.01 * batch.ticks[-1], batch.case
    assert looked_at == 5 * 3 * 4


def test_a_batch_that_was_lucky_on_a_busy_machine_is_no_pace_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Most operations take a microsecond; a few, at random, wait for a core."""
    draw = random.Random(1)  # noqa: S311 - noise, no secret
    batches: list[float] = []

    def interrupted(self: Machine, case: Mapping[str, Any], _: float) -> Answer:
        count, ops = case["samples"] + case["warmup"], case["ops_per_sample"]
        waits = sum(draw.random() < 0.05 for _ in range(min(count * ops, 10_000)))
        timed_ns = count * ops * 1000 + round(waits * 10e6 * max(1, count * ops / 10_000))
        self.now += timed_ns / 1e9
        batches.append(timed_ns / 1e9)
        return Answer(
            id=case["id"], status="ok", warmup=case["warmup"], ops_per_sample=ops,
            ticks=(1000 * ops,) * count, timed_ns=timed_ns,
        )  # fmt: skip

    monkeypatch.setattr(Machine, "run", interrupted)
    cases = make_cases(["ping_pong"], ["tcp"], [8, 64, 1024])
    measure(monkeypatch, cases, 60, 0.0)
    assert max(batches) < 20


def in_turn(count: int, size: int = 524288) -> tuple[Case, ...]:
    schedule = Schedule(kind="turn", count=count)
    return tuple(
        Case(test=test, transport="tcp", bytes=size, schedule=schedule)
        for test in ("ping_pong", "stream")
    )


@pytest.mark.parametrize("count", [2, 16, 1000, 1024])
def test_buffers_in_turn_are_used_a_turn_before_and_two_behind(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asked: list[Mapping[str, Any]] = []
    usual = Machine.run

    def listen(machine: Machine, case: Mapping[str, Any], wait_s: float) -> Answer:
        asked.append(case)
        return usual(machine, case, wait_s)

    monkeypatch.setattr(Machine, "run", listen)
    sink, _ = measure(monkeypatch, in_turn(count), 60, overhead_s=0.01)
    assert launches_of(sink).total() == 10
    measured = [case for case in asked if case["schedule"]["kind"] == "turn"]
    assert len(measured) == 10
    assert all(case["warmup"] * case["ops_per_sample"] >= count for case in measured)
    assert all(case["samples"] * case["ops_per_sample"] >= 2 * count for case in measured)
    # A look at how long an operation takes is shorter than a turn.
    assert len(asked) - len(measured) == 2


def test_turns_that_take_too_long_are_unsupported_with_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[str] = []
    monkeypatch.setattr(Sink, "trouble", lambda _, text: reported.append(text))
    # An operation takes 1.05 ms, so three turns take 3.2 s.
    sink, _ = measure(monkeypatch, in_turn(1024, size=1 << 22), 20, overhead_s=0.0)
    lost = [b for b in sink if isinstance(b, Batch) and b.role == "measure"]
    assert [batch.status for batch in lost] == ["unsupported"] * 2
    assert lost[0].reason == (
        "1024 buffers of 4 MiB in turn need 3.22 s in each launch for one turn of warm-up and two"
        " of samples, where this budget has 2 s; type fewer --buffers, or --budget 33s"
    )
    assert reported == [f"tcp: {lost[0].reason}"]
    assert footer_of(sink).outcome == "precise"
    again, _ = measure(monkeypatch, in_turn(1024, size=1 << 22), 33, overhead_s=0.0)
    assert all(b.status == "ok" for b in again if isinstance(b, Batch))
