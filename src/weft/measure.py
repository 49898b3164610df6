"""From a plan to a record: rounds of launches, each case until it is precise or the budget ends.

A round is one launch of every transport for each number of ranks, in an order drawn from the
seed; within a launch the cases run in an order drawn from the seed too (Hunold and Carpen-Amarie:
the launch is a factor, and so is the order). Between two batches this process decides, writes and
draws; during a batch it sleeps in a read, so that it takes no core from the ranks.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from weft.launch.local import Answer, Hello, LaunchError, LocalLauncher
from weft.record.model import (
    Batch,
    Case,
    Clock,
    Footer,
    Launch,
    LaunchEnd,
    Outcome,
    Pattern,
    Plan,
    Role,
    Status,
)
from weft.record.run import is_given_up
from weft.stopping import (
    MOST_TRIES,
    Amount,
    amount,
    calibration_amount,
    case_share_s,
    clock_costs_too_much,
    settled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.engine import Program
    from weft.record.run import Run
    from weft.record.writer import RecordWriter

# A transport that dies this often without a single batch is given up.
MOST_BARREN_LAUNCHES = 2
# Guesses for the first case; what cases really cost is measured from then on.
GUESSED_OVERHEAD_S = 0.03
GUESSED_LATENCY_NS = 20_000.0
RESERVE = 0.88
# The series of a test whose messages are due at a rate: how long after one the next is.
INTERVAL = "interval"


class Watcher(Protocol):
    """Who is told, between batches, how the run goes."""

    def launched(self, round_: int, hello: Hello) -> None:
        """A transport's ranks are up."""

    def measured(self, state: CaseState, left_s: float, done: int, of: int) -> None:
        """A batch is in the record."""

    def trouble(self, text: str) -> None:
        """Something went wrong that the run survives."""


class Crew(NamedTuple):
    """What a launch starts: a transport's ranks, so many of them."""

    transport: str
    ranks: int


class CaseState:
    """What is known of a case so far."""

    def __init__(self, case: Case, pattern: Pattern) -> None:
        self.case = case
        self.pattern = pattern
        self.medians_ns: list[float] = []
        self.operation_ns = 0.0
        self.lost: list[Status] = []
        self.closed = False

    def is_settled(self, plan: Plan) -> bool:
        """Precise over the asked launches."""
        return settled(self.medians_ns, plan.precision, plan.launches)

    def is_short(self, plan: Plan) -> bool:
        """Lacks some of the asked launches."""
        return not self.closed and len(self.medians_ns) < plan.launches


class SoFar:
    """What a record already holds: the state of its cases, and where numbering goes on."""

    def __init__(self, states: list[CaseState]) -> None:
        self.states = states
        self.launches = 0
        self.order = 0
        self.round = 0


def states_of(plan: Plan, programs: Mapping[str, Program]) -> list[CaseState]:
    """The planned cases, nothing known of them yet."""
    return [CaseState(case, _pattern(programs, case)) for case in plan.cases]


def restore(plan: Plan, programs: Mapping[str, Program], run: Run) -> SoFar:
    """Take what a record holds as done, so that only what is missing will be measured."""
    import numpy as np  # noqa: PLC0415 - not needed to start the program

    so_far = SoFar(states_of(plan, programs))
    by_key = {state.case.key: state for state in so_far.states}
    for batch in run.lines.batches:
        state = by_key[batch.case]
        so_far.order = max(so_far.order, batch.order + 1)
        if batch.status != "ok":
            state.lost.append(batch.status)
            state.closed = is_given_up(state.lost)
        elif batch.role == "measure":
            state.medians_ns.append(float(np.median(run.time_ns(batch))))
            series = INTERVAL if INTERVAL in batch.parts else ""
            state.operation_ns = float(np.median(run.time_ns(batch, series)))
    so_far.launches = max(run.launches, default=-1) + 1
    so_far.round = min((len(s.medians_ns) for s in so_far.states if not s.closed), default=0)
    return so_far


def utc_now() -> str:
    """The time for the record, UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


class Measurement:
    """One run over its plan. `measure` does everything; the record is the result."""

    def __init__(
        self,
        plan: Plan,
        programs: Mapping[str, Program],
        writer: RecordWriter,
        watcher: Watcher,
        case_deadline_s: float,
        so_far: SoFar | None = None,
        *,
        end_s: float,
    ) -> None:
        self.plan = plan
        self.programs = programs
        self.writer = writer
        self.watcher = watcher
        self.case_deadline_s = case_deadline_s
        self.resuming = so_far is not None
        start = so_far or SoFar(states_of(plan, programs))
        self.states = start.states
        self.launches = start.launches
        self.order = start.order
        self.round = start.round
        self.notes: list[str] = []
        self._end = end_s
        self._overheads_s: dict[str, list[float]] = {}
        self._latency_ns: dict[str, float] = {}
        self._barren: dict[str, int] = {}
        self._told: set[str] = set()

    def measure(self) -> Footer:
        """Run until everything is precise or the budget ends; writes the footer."""
        outcome: Outcome = "precise"
        self._write_unsupported()
        try:
            while self._needed() and not self._is_over():
                self._one_round()
            if any(self._is_unfinished(state) for state in self.states):
                outcome = "budget"
        except KeyboardInterrupt:
            outcome = "interrupted"
        footer = Footer(
            finished_utc=utc_now(),
            outcome=outcome,
            batches=self.order,
            unsettled=tuple(s.case.key for s in self.states if not s.is_settled(self.plan)),
            notes=tuple(self.notes),
        )
        self.writer.write(footer)
        return footer

    def _needed(self) -> list[CaseState]:
        short = [state for state in self.states if state.is_short(self.plan)]
        if self.resuming or short:
            return short
        return [state for state in self.states if self._is_unfinished(state)]

    def _is_unfinished(self, state: CaseState) -> bool:
        """Whether a case lacks what was asked: precision, or its launches of so many samples."""
        # Under load the tail is what is asked for, and beyond saturation no median settles.
        if self.plan.samples or state.pattern.every_operation:
            return state.is_short(self.plan)
        return not state.closed and not state.is_settled(self.plan)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._end

    def _write_unsupported(self) -> None:
        for state in self.states:
            if not state.pattern.supported and not state.closed:
                state.closed = True
                self._write_lost(state, "unsupported", state.pattern.reason, launch=-1)

    def _one_round(self) -> None:
        draw = random.Random(f"{self.plan.seed}/{self.round}")  # noqa: S311 - an order, no secret
        crews = sorted({_crew(state) for state in self._needed()})
        draw.shuffle(crews)
        for done, crew in enumerate(crews):
            todo = [state for state in self._needed() if _crew(state) == crew]
            draw.shuffle(todo)
            ahead = [state for state in self._needed() if _crew(state) in crews[done:]]
            part = len(todo) / max(1, len(ahead))
            while todo and not self._is_over():
                todo = self._one_launch(crew, todo, part)
        self.round += 1

    def _one_launch(self, crew: Crew, todo: list[CaseState], part: float) -> list[CaseState]:
        """Measure the cases in one launch; gives back those that a broken launch left over.

        It takes at most a `part` of the time left: where that is too little for every launch of a
        round, each gets as much of it as it has cases.
        """
        transport = crew.transport
        now = time.monotonic()
        stop = now + (self._end - now) * part
        planned = now + self._slice_s(len(todo))
        number = self.launches
        self.launches += 1
        left = list(todo)
        end = LaunchEnd(launch=number, status="ok")
        try:
            with self._launcher(crew) as ranks:
                hello = ranks.hello()
                self._write_launch(number, transport, hello)
                self.watcher.launched(self.round, hello)
                while left and (len(left) == len(todo) or time.monotonic() < stop):
                    self._timed_case(ranks, number, hello.clock, left, planned)
                    left.pop(0)
                end = msgspec.structs.replace(end, clock=ranks.finish().clock)
        except LaunchError as error:
            end = LaunchEnd(launch=number, status=error.status, reason=error.reason)
            left = self._after_failure(transport, left, error, barren=len(left) == len(todo))
        else:
            left = []
        self.writer.write(end)
        return left

    def _timed_case(
        self,
        ranks: LocalLauncher,
        launch: int,
        clock: Clock,
        left: list[CaseState],
        planned: float,
    ) -> None:
        """Measure the first of the cases left for as long as the plan gives it, and learn from it.

        The overheads are what cases took beside their samples: filling, checking, calibrating.
        """
        known_s = self._overheads_s.setdefault(left[0].case.transport, [])
        overhead_s = sum(known_s) / len(known_s) if known_s else GUESSED_OVERHEAD_S
        now = time.monotonic()
        share = case_share_s(planned - now, len(left), overhead_s)
        spent_s = self._one_case(ranks, launch, clock, left[0], share)
        known_s.append(max(0.0, time.monotonic() - now - spent_s))

    def _launcher(self, crew: Crew) -> LocalLauncher:
        program = self.programs[crew.transport]
        words = program.arguments(self.plan.options)
        return LocalLauncher(program.path, self.plan.mpi, crew.ranks, words)

    def _one_case(
        self, ranks: LocalLauncher, launch: int, clock: Clock, state: CaseState, share_s: float
    ) -> float:
        """Calibrate a case if it is new, then measure it; seconds its samples took."""
        try:
            if state.operation_ns == 0:
                look = calibration_amount(state.case, state.pattern)
                self._batch(ranks, launch, clock, state, look, "calibrate")
                if state.closed:
                    return 0.0
            for tried in range(MOST_TRIES):
                chosen = self._amount(state, clock, share_s)
                last = tried == MOST_TRIES - 1
                again = self._batch(ranks, launch, clock, state, chosen, "measure", last=last)
                if not again:
                    break
        except LaunchError as error:
            self._close_after(state, error)
            self._write_lost(state, error.status, error.reason, launch)
            raise
        return share_s

    def _amount(self, state: CaseState, clock: Clock, share_s: float) -> Amount:
        return amount(
            state.case,
            state.pattern,
            operation_ns=state.operation_ns,
            latency_ns=self._latency_ns.get(state.case.transport, GUESSED_LATENCY_NS),
            clock=clock,
            share_ns=share_s * 1e9,
            asked_samples=self.plan.samples,
        )

    def _batch(
        self,
        ranks: LocalLauncher,
        launch: int,
        clock: Clock,
        state: CaseState,
        chosen: Amount,
        role: Role,
        *,
        last: bool = True,
    ) -> bool:
        """One batch into the record; a bad one closes the case. Whether to measure it again.

        A batch whose samples turned out too short for the clock counts as a calibration, unless
        it is the `last` try.
        """
        expected_s = (
            (chosen.samples + chosen.warmup)
            * chosen.ops_per_sample
            * state.operation_ns
            * state.pattern.time_factor
            / 1e9
        )
        verify = role == "calibrate" or len(state.medians_ns) > 0
        answer = ranks.run(
            _case_line(state.case, self.order, chosen, self.plan.seed, verify=verify),
            self.case_deadline_s + 5 * expected_s,
        )
        again = answer.status == "ok" and not last and _too_short(state, answer, clock)
        if again:
            role = "calibrate"
        self._write_batch(state, launch, role, answer)
        if answer.status != "ok":
            state.closed = True
            self._tell(state, answer)
            return False
        self._learn(state, answer, clock, measured=role == "measure")
        done = sum(min(len(s.medians_ns), self.plan.launches) for s in self.states)
        self.watcher.measured(
            state, self._end - time.monotonic(), done, len(self.states) * self.plan.launches
        )
        return again

    def _tell(self, state: CaseState, answer: Answer) -> None:
        """Say what went wrong; what a transport cannot do at all, once and not for every case."""
        trouble = f"{state.case.transport}: {answer.reason}"
        if answer.status != "unsupported":
            trouble = f"{state.case.key}: {answer.reason}"
        elif trouble in self._told:
            return
        self._told.add(trouble)
        self.watcher.trouble(trouble)

    def _learn(self, state: CaseState, answer: Answer, clock: Clock, *, measured: bool) -> None:
        time_ns = _sample_ns(answer, clock) / answer.ops_per_sample
        state.operation_ns = time_ns
        if measured:
            state.medians_ns.append(time_ns)
            # No further launch gives a time where the clock did not move during the samples.
            state.closed = time_ns <= 0
        if INTERVAL in answer.parts:
            # The next operation waits for its turn and not for this one's end.
            state.operation_ns = answer.parts[INTERVAL][-1] * clock.tick_ns
        if state.pattern.latency_divisor > 0:
            latency = time_ns / state.pattern.latency_divisor
            known = self._latency_ns.get(state.case.transport, latency)
            self._latency_ns[state.case.transport] = min(latency, known)

    def _slice_s(self, cases: int) -> float:
        """The time that a launch of so many cases may take, so that all asked launches fit."""
        wanted = sum(max(1, self.plan.launches - len(s.medians_ns)) for s in self._needed())
        return (self._end - time.monotonic()) * RESERVE * cases / max(1, wanted)

    def _after_failure(
        self, transport: str, left: list[CaseState], error: LaunchError, *, barren: bool
    ) -> list[CaseState]:
        """What of a broken launch is worth another one."""
        self.watcher.trouble(f"{transport}: {error.reason}")
        self._barren[transport] = self._barren.get(transport, 0) + 1 if barren else 0
        if self._barren[transport] < MOST_BARREN_LAUNCHES:
            return [state for state in left if not state.closed]
        self.notes.append(f"{transport} was given up: {error.reason}")
        for state in self.states:
            if state.case.transport == transport and not state.closed:
                state.closed = True
                if not state.medians_ns:
                    self._write_lost(state, error.status, error.reason, launch=-1)
        return []

    def _close_after(self, state: CaseState, error: LaunchError) -> None:
        state.lost.append(error.status)
        state.closed = is_given_up(state.lost)

    def _write_launch(self, number: int, transport: str, hello: Hello) -> None:
        self.writer.write(
            Launch(
                launch=number,
                transport=transport,
                started_utc=utc_now(),
                mpi=hello.mpi,
                ranks=hello.ranks,
                clock=hello.clock,
                details=hello.details,
                load_average=os.getloadavg()[0],
            )
        )

    def _write_batch(self, state: CaseState, launch: int, role: Role, answer: Answer) -> None:
        batch = Batch(
            case=state.case.key,
            launch=launch,
            order=self.order,
            role=role,
            status=answer.status,
            reason=answer.reason,
            ops_per_sample=answer.ops_per_sample,
            warmup=answer.warmup,
            verified_bytes=answer.verified_bytes,
            elapsed_ns=answer.elapsed_ns,
            timed_ns=answer.timed_ns,
            cpu_ns=answer.cpu_ns,
            memory_bytes=answer.memory_bytes,
            huge_bytes=answer.huge_bytes,
            ticks=answer.ticks,
            parts=answer.parts,
        )
        self.order += 1
        self.writer.write(batch)

    def _write_lost(self, state: CaseState, status: Any, reason: str, launch: int) -> None:
        lost = Answer(id=self.order, status=status, reason=reason)
        self._write_batch(state, launch, "measure", lost)


def _crew(state: CaseState) -> Crew:
    return Crew(state.case.transport, state.case.ranks)


def _sample_ns(answer: Answer, clock: Clock) -> float:
    """The median sample of a batch."""
    ticks = sorted(answer.ticks[answer.warmup :])
    return ticks[len(ticks) // 2] * clock.tick_ns


def _too_short(state: CaseState, answer: Answer, clock: Clock) -> bool:
    sample_ns = _sample_ns(answer, clock)
    return clock_costs_too_much(state.case, state.pattern, sample_ns, answer.ops_per_sample, clock)


def _pattern(programs: Mapping[str, Program], case: Case) -> Pattern:
    return next(p for p in programs[case.transport].patterns if p.name == case.test)


def _case_line(
    case: Case, number: int, chosen: Amount, seed: int, *, verify: bool
) -> dict[str, Any]:
    return {
        "id": number,
        "test": case.test,
        "bytes": case.bytes,
        "samples": chosen.samples,
        "warmup": chosen.warmup,
        "ops_per_sample": chosen.ops_per_sample,
        "queue_depth": case.queue_depth,
        "schedule": msgspec.to_builtins(case.schedule),
        "wait": case.wait,
        "pages": case.pages,
        "point": case.point or 0,
        "seed": seed,
        "verify": verify,
    }


@contextlib.contextmanager
def ends_like_an_interrupt() -> Any:
    """Have SIGTERM and SIGHUP end a run as Ctrl-C does: ranks ended, footer written."""
    import signal  # noqa: PLC0415 - only here

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
