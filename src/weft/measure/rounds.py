"""From a plan to a record: rounds of launches, each case until it is precise or the budget ends.

A round is one launch of every transport for each number of ranks, in an order drawn from the
seed; within a launch the cases run in an order drawn from the seed too (Hunold and Carpen-Amarie:
the launch is a factor, and so is the order). Between two batches this process decides, writes and
draws; during a batch it sleeps in a read, so that it takes no core from the ranks.
"""

from __future__ import annotations

import math
import random
import time
from statistics import median
from typing import TYPE_CHECKING, Protocol

import msgspec

from weft.launch.launcher import Job, start_deadline_s
from weft.launch.protocol import Hello, LaunchError
from weft.measure.choice import (
    launch_end_s,
    next_cases,
    next_share_s,
    rounds_ahead,
    share_s,
    smallest_first,
)
from weft.measure.failures import Failures
from weft.measure.lines import launch_line, utc_now
from weft.measure.one_case import CaseRunner, Ranks
from weft.measure.state import CaseState, SoFar, states_of
from weft.measure.stopping import latencies_first
from weft.plan.allocation import Allocation
from weft.plan.budget import REPORT_S, RESERVE, lacking_s, shortfall
from weft.plan.command import START_S
from weft.plan.costs import Costs, RankGroup, guessed_operation_ns
from weft.plan.rounds import tournament_of
from weft.plan.thread_level import with_level
from weft.record.model import Footer, LaunchEnd, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weft.launch.launcher import Launcher, RunningLaunch
    from weft.launch.programs import Program
    from weft.plan.case import CaseAxis
    from weft.plan.plan import Plan
    from weft.record.writer import RecordWriter


class Watcher(Protocol):
    """Receives the progress of a run, between batches."""

    def launched(self, round_: int, transport: str) -> None:
        """A transport's ranks are up; of a varied one with the setting that they have."""

    def measured(self, state: CaseState, left_s: float, done: int, of: int) -> None:
        """A batch is in the record; the time left is infinite where nobody knows it yet."""

    def trouble(self, text: str) -> None:
        """Something failed, and the run continues."""


class Measurement:
    """One run over its plan. `measure` does everything; the record is the result.

    `boots` are the boot ids of hosts by their names, `silent` gives the hosts that are gone, by
    their names, with the names for a reader. Measuring ends at `end_s`, and a launch does not start
    beyond `job_end_s` (both by time.monotonic).
    """

    def __init__(
        self,
        plan: Plan,
        programs: Mapping[str, Program],
        writer: RecordWriter,
        watcher: Watcher,
        so_far: SoFar | None = None,
        *,
        launcher: Launcher,
        allocation: Allocation = Allocation(),  # noqa: B008 - frozen
        boots: Mapping[str, str] | None = None,
        silent: Callable[[], Mapping[str, str]] = dict,
        end_s: float,
        job_end_s: float = math.inf,
    ) -> None:
        self.plan = plan
        self.programs = programs
        self.writer = writer
        self.watcher = watcher
        start = so_far or SoFar(states_of(plan, programs))
        self.states = start.states
        self.launches = start.launches
        self.round = start.round
        self._session = start.session
        self._boots = boots or {}
        self._silent = silent
        self._launcher = launcher
        self._allocation = allocation
        self._begun, self._end = time.monotonic(), min(end_s, job_end_s)
        # What it took to find the hosts, beyond what any command takes to start: the next one, too.
        self._found_s = max(0.0, plan.budget_s - (end_s - self._begun) - START_S - REPORT_S)
        self._job_end, self._job_lacks_s = job_end_s, end_s - self._end
        self._failures = Failures()
        self._runner = CaseRunner(
            plan, self.states, writer, self, self._failures, start.order, self._budget_left_s
        )
        self._costs = Costs()
        self._rounds_done = 0

    def measure(self) -> Footer:
        """Run until everything is precise or the budget ends; writes the footer."""
        outcome: Outcome = "precise"
        try:
            self._write_unsupported()
            self._predict("")
            while chosen := next_cases(self.states, self.plan, self._budget_left_s(), self._costs):
                self._one_round(chosen)
                if self._rounds_done == 1:
                    self._predict("after the first launches: ")
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
            budget_s=self._budget_s(),
            lacking_s=self._lacking_launches_s() if outcome == "budget" else 0.0,
            silent_hosts=self._failures.silent_hosts,
        )
        self.writer.write(footer)
        return footer

    def measured(self, state: CaseState) -> None:
        """A batch is in the record."""
        done = sum(min(len(s.medians_ns), self.plan.launches) for s in self.states)
        of = len(self.states) * self.plan.launches
        left_s = self._budget_left_s()
        if self.plan.simulated is not None:
            # Ends with its launches: more of them say nothing.
            spent_s = time.monotonic() - self._begun
            left_s = min(left_s, spent_s * (of - done) / done) if done else math.inf
        self.watcher.measured(state, left_s, done, of)

    def trouble(self, text: str) -> None:
        """A case went wrong."""
        self.watcher.trouble(text)

    def _lacking_launches_s(self) -> float:
        own_s = lacking_s(self.states, self.plan, self._costs, is_first=not self._rounds_done)
        return own_s + self._found_s if own_s else 0.0

    def _budget_s(self) -> float:
        """The plan's budget, or what of it the job had time for."""
        return max(0.0, self.plan.budget_s - self._job_lacks_s)

    def _say_what_the_job_lacks(self) -> None:
        if self._job_lacks_s > 0:
            self.watcher.trouble(
                f"the job's time ends before the budget of {self.plan.budget_s:g} s: of that"
                f" {self._budget_s():.0f} s are left; ask for more with --time"
            )

    def _start_deadline_s(self, ranks: int) -> float:
        """How long ranks may take to start: in a job not beyond its time."""
        left_s = max(0.0, self._job_end - time.monotonic())
        most_s = start_deadline_s(ranks, self.plan.budget_s)
        return min(most_s, left_s if math.isinf(left_s) else math.ceil(left_s))

    def _predict(self, how: str) -> None:
        """Warn where the budget is too short, before the start and after the first launches."""
        if not how:
            self._say_what_the_job_lacks()
        text = shortfall(
            self.states,
            self.plan,
            self._budget_left_s(),
            self._costs,
            is_first=not self._rounds_done,
        )
        if text:
            self.watcher.trouble(how + text)

    def _budget_left_s(self) -> float:
        return self._end - time.monotonic()

    def _write_unsupported(self) -> None:
        for state in self.states:
            if not state.pattern.supported and not state.closed:
                state.closed = True
                self._runner.lose(state, "unsupported", state.pattern.reason, launch=-1)

    def _one_round(self, chosen: list[CaseState]) -> None:
        """One launch of each group of the chosen cases, as many of them as the time left allows."""
        draw = random.Random(f"{self.plan.seed}/{self.round}")  # noqa: S311 - an order, no secret
        left_s = max(self._budget_left_s(), 0.0)
        rounds = rounds_ahead(
            chosen, self.plan, left_s, self._costs, is_first=not self._rounds_done
        )
        end = time.monotonic() + RESERVE * left_s / rounds
        groups = sorted({state.group for state in chosen})
        draw.shuffle(groups)
        for done, group in enumerate(groups):
            todo = [state for state in chosen if state.group == group]
            draw.shuffle(todo)
            # What has no figure yet comes first: the time may end.
            todo = latencies_first(sorted(todo, key=lambda s: (bool(s.medians_ns), _turn(s))))
            ahead = [state for state in chosen if state.group in groups[done:]]
            while todo and self._budget_left_s() > 0:
                todo = self._one_launch(group, todo, ahead, end - time.monotonic())
        self.round += 1
        self._rounds_done += 1

    def _one_launch(
        self, group: RankGroup, todo: list[CaseState], ahead: list[CaseState], round_s: float
    ) -> list[CaseState]:
        """Measure the cases in one launch; returns those that a failed launch did not measure.

        `round_s` is for all cases that the round has `ahead`. Where it is too little for them each
        launch gets as much of the time as it has cases.
        """
        begun = time.monotonic()
        stop = begun + self._budget_left_s() * len(todo) / len(ahead)
        share = share_s(round_s, ahead, self._costs)
        planned = begun + launch_end_s(round_s, todo, ahead, self._costs)
        number = self.launches
        self.launches += 1
        left = list(todo)
        hello: Hello | None = None
        end = LaunchEnd(launch=number, status="ok")
        cases_s = start_s = 0.0
        try:
            with self._launch(group) as ranks:
                hello = ranks.hello(self._start_deadline_s(group.ranks))
                start_s = time.monotonic() - begun
                self._started(group, number, hello)
                up = Ranks(ranks, number, hello.clock)
                if time.monotonic() >= stop:  # one of them is measured, and it ends soonest
                    left = smallest_first(left)
                while left and (len(left) == len(todo) or time.monotonic() < stop):
                    cases_s += self._timed_case(up, left, planned, share)
                    left.pop(0)
                bye = ranks.finish()
                end = msgspec.structs.replace(
                    end, clock=bye.clock, link_bytes=bye.link_bytes, peak_bytes=bye.peak_bytes
                )
        except LaunchError as error:
            end = LaunchEnd(launch=number, status=error.status, reason=error.reason)
            if hello is None:
                self._failures.did_not_start(group, error.reason)
            else:
                self._costs.launch_took(group, start_s)
            left = self._after_failure(group, left, error, has_started=hello is not None)
        else:
            left = []
            self._costs.launch_took(group, time.monotonic() - begun - cases_s)
        self.writer.write(end)
        for state in todo:
            state.add_clock(number, end.clock)
        return left

    def _started(self, group: RankGroup, number: int, hello: Hello) -> None:
        self._failures.started(group)
        line = launch_line(number, group.transport, hello, self._boots)
        self.writer.write(msgspec.structs.replace(line, round=self.round, session=self._session))
        self.watcher.launched(self.round, group.transport)

    def _after_failure(
        self, group: RankGroup, left: list[CaseState], error: LaunchError, *, has_started: bool
    ) -> list[CaseState]:
        """The cases of a failed launch to try again, smallest first, the failed one last."""
        if not error.is_recorded:
            self.watcher.trouble(f"{group.transport}: {error.reason}")
        if gone := self._silent():
            groups = dict.fromkeys(state.group for state in self.states)
            self._failures.hosts_gone(groups, gone)
        self._failures.close(self.states)
        if not has_started:
            return [state for state in left if not state.closed]
        others = sorted(left[1:], key=lambda state: (state.case.bytes, state.case.key))
        return [state for state in (*others, *left[:1]) if not state.closed]

    def _timed_case(
        self, ranks: Ranks, left: list[CaseState], planned: float, usual_s: float
    ) -> float:
        """Measure the first of the cases left for its part of the time; seconds that it took."""
        state = left[0]
        begun = time.monotonic()
        if not state.operation_ns:
            state.guess_ns, state.pace_ns = self._guesses_ns(state)
        share = next_share_s(planned - begun, left, usual_s, self._costs)
        self._runner.run(ranks, state, share)
        self._costs.case_took(state, self._runner.besides_s)
        return time.monotonic() - begun

    def _guesses_ns(self, state: CaseState) -> tuple[float, float]:
        """An operation's time and average time, guessed from other sizes of the same variant.

        Rounds of pairs are alike whichever they are: the median over those measured counts.
        """
        size = state.case.bytes
        axes: tuple[CaseAxis, ...] = ("bytes",)
        if state.pattern.figure == "pairs":
            axes = ("bytes", "point")
        variant = state.case.but_for(*axes)
        known: dict[int, list[CaseState]] = {}
        for other in self.states:
            if other.operation_ns > 0 and other.case.but_for(*axes) == variant:
                known.setdefault(other.case.bytes, []).append(other)
        return (
            guessed_operation_ns(
                size, {near: median(one.operation_ns for one in own) for near, own in known.items()}
            ),
            guessed_operation_ns(
                size, {near: median(one.pace_ns for one in own) for near, own in known.items()}
            ),
        )

    def _launch(self, group: RankGroup) -> RunningLaunch:
        program = self.programs[group.transport]
        options = with_level(self.plan.options, threaded=group.threaded)
        return self._launcher.start(
            Job(
                program=program.path,
                mpi=program.mpi,
                ranks=group.ranks,
                arguments=(*program.arguments(options), *self._allocation.words),
                environment=program.environment,
                allocation=self._allocation,
            )
        )


def _turn(state: CaseState) -> int:
    """Rounds of pairs after all pairs have met come later, for a budget may end between."""
    point = state.case.point or 0
    return tournament_of(point, state.case.ranks) if state.pattern.figure == "pairs" else 0
