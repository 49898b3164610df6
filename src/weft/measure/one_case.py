"""One case in one launch: calibrated where its time is unknown, then measured."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import msgspec

from weft.launch.protocol import Answer, LaunchError
from weft.measure.checked_pairs import CheckedPairs
from weft.measure.lines import batch_line, case_line
from weft.measure.stopping import (
    MOST_OPS,
    MOST_SIMULATED_OPS,
    MOST_TRIES,
    Amount,
    amount,
    budget_of_turns_s,
    calibration_amount,
    is_to_check,
    most_checked,
    too_many_turns,
    too_short,
    unloaded_latency_ns,
)
from weft.measure.timeouts import timeout_s, within_budget_s
from weft.plan.budget import needs_no_probe
from weft.plan.case import Schedule
from weft.plan.rounds import turns_of
from weft.record.launches import launch_median
from weft.record.ranks import ticks_of_samples
from weft.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.launch.launcher import RunningLaunch
    from weft.measure.failures import Failures
    from weft.measure.state import CaseState
    from weft.plan.case import Case
    from weft.plan.plan import Plan
    from weft.record.model import Clock, Role, Status
    from weft.record.writer import RecordWriter


class Listener(Protocol):
    """Receives batches and failures."""

    def measured(self, state: CaseState) -> None:
        """A good batch is in the record."""

    def trouble(self, text: str) -> None:
        """A case failed, and the run continues."""


class Ranks(NamedTuple):
    """A launch that is up, and its number."""

    up: RunningLaunch
    launch: int
    clock: Clock


class CaseRunner:
    """Runs cases, a batch at a time, each into the record.

    `states` are all cases of the run: what is known of some says how to measure others. `order`
    counts the batches; `besides_s` is what the last one took beside its timed pass. `left_s` says
    how much of the budget is left, seconds.
    """

    def __init__(
        self,
        plan: Plan,
        states: Sequence[CaseState],
        writer: RecordWriter,
        listener: Listener,
        failures: Failures,
        order: int,
        left_s: Callable[[], float],
    ) -> None:
        self.plan = plan
        self._left_s = left_s
        self.order = order
        self._writer = writer
        self._listener = listener
        self._failures = failures
        self._states = states
        self._reported: set[str] = set()
        self._checked_pairs = CheckedPairs()
        self.besides_s = 0.0

    def run(self, ranks: Ranks, state: CaseState, share_s: float) -> None:
        """Measure a case for about `share_s`. Raises LaunchError when the launch is over.

        Where nothing tells how long its operations take a probe of them comes first.
        """
        fixed = needs_no_probe(state.case, state.pattern, self.plan.samples)
        simulated = self.plan.simulated
        checks = simulated is None or simulated.checks_messages
        checks = checks and not self._checked_pairs.has_all(state, ranks.launch)
        known = fixed or state.expected_ns > 0
        try:
            if not known:
                probe = calibration_amount(state.case, state.pattern)
                if self._batch(ranks, state, probe, "calibrate", verify=checks) == "bad":
                    return
            if self._refuse_turns(state, ranks.launch):
                return
            verify = checks and known and is_to_check(state.case, len(state.medians_ns))
            # Buffers in turn are used in whole turns, and a simulated rank keeps its core.
            grows = not known and not simulated and state.case.schedule.is_repeated
            tries = 0
            while tries < MOST_TRIES:
                chosen = self._amount(state, ranks.clock, share_s)
                step = state.step_towards(chosen) if grows else chosen
                is_whole = step is chosen
                tries += is_whole
                role: Role = "measure" if is_whole else "calibrate"
                last = tries == MOST_TRIES
                came = self._batch(ranks, state, step, role, verify=verify, last=last)
                verify = False
                if came == "bad" or (is_whole and came == "good"):
                    break
        except LaunchError as error:
            self._failures.ended_launch(state, error.reason)
            if not error.is_recorded:
                self.lose(state, error.status, error.reason, ranks.launch)
            raise

    def lose(self, state: CaseState, status: Status, reason: str, launch: int) -> None:
        """A case without an answer into the record; launch -1: there was none to ask."""
        lost = Answer(id=self.order, status=status, reason=reason, ended_launch=launch >= 0)
        self._write(state, launch, "measure", lost)

    def _refuse_turns(self, state: CaseState, launch: int) -> bool:
        """Whether a case's buffers in turn would take too long; it is recorded as unsupported."""
        plan = self.plan
        needed_s = budget_of_turns_s(state.case, state.pattern, state.expected_ns, plan.launches)
        reason = too_many_turns(state.case, needed_s, plan.budget_s, plan.launches)
        if reason:
            refused = Answer(id=self.order, status="unsupported", reason=reason)
            self._write(state, launch, "measure", refused, needs_budget_s=math.ceil(needed_s))
            self._fail(state, refused)
        return bool(reason)

    def _amount(self, state: CaseState, clock: Clock, share_s: float) -> Amount:
        return amount(
            state.case,
            state.pattern,
            operation_ns=state.expected_ns,
            latency_ns=unloaded_latency_ns(self._states, state.case),
            clock=clock,
            # Every pair has its samples, after the pairs before it.
            share_ns=share_s * 1e9 / _turns(state),
            pace_ns=state.pace_ns,
            asked_samples=self.plan.samples,
            most_ops=MOST_SIMULATED_OPS if self.plan.simulated else MOST_OPS,
        )

    def _batch(
        self,
        ranks: Ranks,
        state: CaseState,
        chosen: Amount,
        role: Role,
        *,
        verify: bool,
        last: bool = True,
    ) -> Literal["good", "short", "bad"]:
        """One batch into the record, and what it was.

        A batch whose samples turned out too short, for the clock or for the latencies of a stream,
        is short and counts as a calibration, unless it is the `last` try. The first batch of a case
        in a launch is to `verify` every message, as far as `is_to_check` says, and unless its pairs
        were in another round.
        """
        begun = time.monotonic()
        pace_ns = max(state.pace_ns, state.expected_ns * state.pattern.time_factor)
        timeout = timeout_s(state.case, state.pattern.footprint, chosen, pace_ns)
        line = case_line(
            _as_run(state.case, role),
            self.order,
            chosen,
            self.plan.seed,
            verify=verify,
            most_checked=most_checked(state.case, state.pattern, chosen),
            file=self.plan.application_file,
            keep_all=self.plan.keep_all,
        )
        answer = self._answer(ranks, line, self.plan.case_deadline_s + timeout)
        pass_ns = state.pass_ns(answer, ranks.clock) if answer.timed_ns else 0.0
        timed_s = _turns(state) * pass_ns / 1e9
        self.besides_s = max(0.0, time.monotonic() - begun - timed_s)
        is_last = last or answer.status != "ok"
        again = not is_last and _too_short(state, chosen, answer, ranks.clock)
        if again:
            role = "calibrate"
        self._write(state, ranks.launch, role, answer)
        if answer.status != "ok":
            self._fail(state, answer)
            return "bad"
        if verify:
            self._checked_pairs.add(state, ranks.launch)
        self._learn(state, answer, ranks, measured=role == "measure")
        self._listener.measured(state)
        return "short" if again else "good"

    def _answer(self, ranks: Ranks, line: dict[str, Any], usual_s: float) -> Answer:
        """What came of a case within the usual time, and within the budget. Raises LaunchError."""
        wait_s = within_budget_s(usual_s, self._left_s(), self.plan.budget_s)
        try:
            return ranks.up.run(line, wait_s)
        except LaunchError as error:
            if error.status == "timeout" and wait_s < usual_s:
                reason = f"{error.reason}, and the budget of {self.plan.budget_s:g} s ended"
                longer = format_duration(self.plan.budget_s + usual_s - wait_s)
                raise LaunchError("timeout", f"{reason}; use --budget {longer}") from None
            raise

    def _fail(self, state: CaseState, answer: Answer) -> None:
        """Raises LaunchError when the ranks say that their link is gone."""
        self._report(state, answer)
        if answer.ended_launch:
            raise LaunchError(answer.status, answer.reason, is_recorded=True)
        if answer.status == "unsupported":
            state.closed = True
        else:
            self._failures.went_wrong(state)

    def _report(self, state: CaseState, answer: Answer) -> None:
        """Report a failure of a case; what a transport does not support, once for all cases."""
        trouble = f"{state.case.transport}: {answer.reason}"
        if answer.status != "unsupported":
            trouble = f"{state.case.key}: {answer.reason}"
        elif trouble in self._reported:
            return
        self._reported.add(trouble)
        self._listener.trouble(trouble)

    def _learn(self, state: CaseState, answer: Answer, ranks: Ranks, *, measured: bool) -> None:
        clock = ranks.clock
        median_ticks = _sample_ticks(state, answer) / answer.ops_per_sample
        state.learn(answer, median_ticks, ranks.launch, clock)
        if measured:
            state.add_launch(ranks.launch, median_ticks, answer.ops_per_sample, clock)
            self._failures.went_well(state)

    def _write(
        self,
        state: CaseState,
        launch: int,
        role: Role,
        answer: Answer,
        *,
        needs_budget_s: float = 0.0,
    ) -> None:
        if self.plan.simulated is not None:
            # That of the simulator, which is one process for all ranks: no rank spent it.
            answer = msgspec.structs.replace(answer, timed_ns=0, cpu_ns=())
        line = batch_line(state.case, launch, self.order, role, answer)
        self._writer.write(msgspec.structs.replace(line, needs_budget_s=needs_budget_s))
        self.order += 1


def _as_run(case: Case, role: Role) -> Case:
    """The case as it is run: a probe, which is shorter than a turn, takes one buffer."""
    is_short = role == "calibrate" and case.schedule.kind == "turn"
    return msgspec.structs.replace(case, schedule=Schedule()) if is_short else case


def _turns(state: CaseState) -> int:
    """How often a batch takes as long as rank 0's own part of it."""
    return turns_of(state.case.ranks, state.case.at_once)


def _sample_ticks(state: CaseState, answer: Answer) -> float:
    """The median sample of a batch without its warm-up, as the summary will have it."""
    ticks = ticks_of_samples(state.pattern.figure, answer)
    return launch_median(ticks[answer.warmup :])


def _too_short(state: CaseState, chosen: Amount, answer: Answer, clock: Clock) -> bool:
    sample_ns = _sample_ticks(state, answer) * clock.tick_ns
    return too_short(state.case, chosen, sample_ns, answer.ops_per_sample)
