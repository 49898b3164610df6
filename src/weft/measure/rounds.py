"""From a plan to a record: rounds of launches, each case until it is precise or the budget ends.

A round is one launch of every transport for each number of ranks, in an order drawn from the
seed; within a launch the cases run in an order drawn from the seed too (Hunold and Carpen-Amarie:
the launch is a factor, and so is the order). Between two batches this process decides, writes and
draws; during a batch it sleeps in a read, so that it takes no core from the ranks.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Protocol

import msgspec

from weft.launch.local import Hello, LaunchError, LocalLauncher
from weft.measure.failures import Failures
from weft.measure.lines import launch_line, utc_now
from weft.measure.one_case import CaseRunner
from weft.measure.state import CaseState, Crew, SoFar, states_of
from weft.record.model import Clock, Footer, LaunchEnd, Outcome
from weft.stopping import case_share_s, latencies_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.engine import Program
    from weft.record.model import Plan
    from weft.record.writer import RecordWriter

# Guess for the first case; what cases really cost is measured from then on.
GUESSED_OVERHEAD_S = 0.03
RESERVE = 0.88


class Watcher(Protocol):
    """Who is told, between batches, how the run goes."""

    def launched(self, round_: int, hello: Hello) -> None:
        """A transport's ranks are up."""

    def measured(self, state: CaseState, left_s: float, done: int, of: int) -> None:
        """A batch is in the record."""

    def trouble(self, text: str) -> None:
        """Something went wrong that the run survives."""


class Measurement:
    """One run over its plan. `measure` does everything; the record is the result."""

    def __init__(
        self,
        plan: Plan,
        programs: Mapping[str, Program],
        writer: RecordWriter,
        watcher: Watcher,
        so_far: SoFar | None = None,
        *,
        end_s: float,
    ) -> None:
        self.plan = plan
        self.programs = programs
        self.writer = writer
        self.watcher = watcher
        self.resuming = so_far is not None
        start = so_far or SoFar(states_of(plan, programs))
        self.states = start.states
        self.launches = start.launches
        self.round = start.round
        self._end = end_s
        self._failures = Failures()
        self._runner = CaseRunner(plan, self.states, writer, self, self._failures, start.order)
        self._overheads_s: dict[str, list[float]] = {}

    def measure(self) -> Footer:
        """Run until everything is precise or the budget ends; writes the footer."""
        outcome: Outcome = "precise"
        self._write_unsupported()
        try:
            while self._needed() and not self._is_over():
                self._one_round()
            if any(state.is_unfinished(self.plan) for state in self.states):
                outcome = "budget"
        except KeyboardInterrupt:
            outcome = "interrupted"
        footer = Footer(
            finished_utc=utc_now(),
            outcome=outcome,
            batches=self._runner.order,
            unsettled=tuple(s.case.key for s in self.states if not s.is_settled(self.plan)),
            notes=tuple(gone.in_words for gone in self._failures.given_up),
            given_up=tuple(self._failures.given_up),
        )
        self.writer.write(footer)
        return footer

    def measured(self, state: CaseState) -> None:
        """A batch is in the record."""
        done = sum(min(len(s.medians_ns), self.plan.launches) for s in self.states)
        of = len(self.states) * self.plan.launches
        self.watcher.measured(state, self._end - time.monotonic(), done, of)

    def trouble(self, text: str) -> None:
        """A case went wrong."""
        self.watcher.trouble(text)

    def _needed(self) -> list[CaseState]:
        short = [state for state in self.states if state.is_short(self.plan)]
        if self.resuming or short:
            return short
        return [state for state in self.states if state.is_unfinished(self.plan)]

    def _is_over(self) -> bool:
        return time.monotonic() >= self._end

    def _write_unsupported(self) -> None:
        for state in self.states:
            if not state.pattern.supported and not state.closed:
                state.closed = True
                self._runner.lose(state, "unsupported", state.pattern.reason, launch=-1)

    def _one_round(self) -> None:
        draw = random.Random(f"{self.plan.seed}/{self.round}")  # noqa: S311 - an order, no secret
        crews = sorted({state.crew for state in self._needed()})
        draw.shuffle(crews)
        for done, crew in enumerate(crews):
            todo = [state for state in self._needed() if state.crew == crew]
            draw.shuffle(todo)
            todo = latencies_first(todo)
            ahead = [state for state in self._needed() if state.crew in crews[done:]]
            part = len(todo) / max(1, len(ahead))
            while todo and not self._is_over():
                todo = self._one_launch(crew, todo, part)
        self.round += 1

    def _one_launch(self, crew: Crew, todo: list[CaseState], part: float) -> list[CaseState]:
        """Measure the cases in one launch; gives back those that a broken launch left over.

        It takes at most a `part` of the time left: where that is too little for every launch of a
        round, each gets as much of it as it has cases.
        """
        now = time.monotonic()
        stop = now + (self._end - now) * part
        planned = now + self._slice_s(len(todo))
        number = self.launches
        self.launches += 1
        left = list(todo)
        hello: Hello | None = None
        end = LaunchEnd(launch=number, status="ok")
        try:
            with self._launcher(crew) as ranks:
                hello = ranks.hello()
                self._started(crew, number, hello)
                while left and (len(left) == len(todo) or time.monotonic() < stop):
                    self._timed_case(ranks, number, hello.clock, left, planned)
                    left.pop(0)
                end = msgspec.structs.replace(end, clock=ranks.finish().clock)
        except LaunchError as error:
            end = LaunchEnd(launch=number, status=error.status, reason=error.reason)
            if hello is None:
                self._failures.did_not_start(crew, error.reason)
            left = self._after_failure(crew, left, error, has_started=hello is not None)
        else:
            left = []
        self.writer.write(end)
        return left

    def _started(self, crew: Crew, number: int, hello: Hello) -> None:
        self._failures.started(crew)
        self.writer.write(launch_line(number, crew.transport, hello))
        self.watcher.launched(self.round, hello)

    def _after_failure(
        self, crew: Crew, left: list[CaseState], error: LaunchError, *, has_started: bool
    ) -> list[CaseState]:
        """What of a broken launch is worth another one, smallest first, the broken case last."""
        if not error.is_recorded:
            self.watcher.trouble(f"{crew.transport}: {error.reason}")
        self._failures.close(self.states)
        if not has_started:
            return [state for state in left if not state.closed]
        others = sorted(left[1:], key=lambda state: (state.case.bytes, state.case.key))
        return [state for state in (*others, *left[:1]) if not state.closed]

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
        share_s = case_share_s(planned - now, len(left), overhead_s)
        self._runner.run(ranks, launch, clock, left[0], share_s)
        known_s.append(max(0.0, time.monotonic() - now - share_s))

    def _launcher(self, crew: Crew) -> LocalLauncher:
        program = self.programs[crew.transport]
        words = program.arguments(self.plan.options)
        return LocalLauncher(program.path, self.plan.mpi, crew.ranks, words)

    def _slice_s(self, cases: int) -> float:
        """The time that a launch of so many cases may take, so that all asked launches fit."""
        wanted = sum(max(1, self.plan.launches - len(s.medians_ns)) for s in self._needed())
        return (self._end - time.monotonic()) * RESERVE * cases / max(1, wanted)
