"""What is known of each case: its launches so far, and whether it is worth another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weft.analysis.stats.precision import settled
from weft.analysis.stats.rounds import rounds_of
from weft.measure.stopping import step_towards
from weft.plan.costs import RankGroup, group_of
from weft.plan.rounds import partners_in
from weft.record.launches import by_launch, launch_median, samples_of_groups
from weft.record.ranks import ticks_of_slowest_pair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.launch.programs import Program
    from weft.measure.stopping import Amount
    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.plan.plan import Plan
    from weft.record.model import Clock, Sampled
    from weft.record.run import Run

# The series of a test whose messages are due at a rate: how long after one the next is.
INTERVAL = "interval"


class _OfLaunch(NamedTuple):
    median_ticks: float
    ops_per_sample: int
    clock: Clock


class CaseState:
    """What is known of a case so far.

    `operation_ns` is 0 while it is unknown, and `guess_ns` an estimate from neighbouring sizes.
    `pace_ns` is what an operation took on average, with all interruptions, and 0 or a guess like
    the other. `failures` counts the launches in a row that failed with it in this run.
    """

    def __init__(self, case: Case, pattern: Pattern) -> None:
        self.case = case
        self.pattern = pattern
        self._launches: dict[int, _OfLaunch] = {}
        # Asked for by every other case after each batch.
        self._medians_ns: tuple[float, ...] = ()
        self._next_ticks = 0.0
        self._learnt_in: tuple[int, Clock] | None = None
        self.guess_ns = 0.0
        self.pace_ns = 0.0
        self._timed_ns = 0.0
        self._timed_operations = 0
        self.failures = 0
        self.closed = False

    @property
    def operation_ns(self) -> float:
        """The time until the next operation as measured, by the best calibration of its launch."""
        return self._next_ticks * self._learnt_in[1].tick_ns if self._learnt_in else 0.0

    @property
    def expected_ns(self) -> float:
        """How long an operation will take, as far as anything is known; else 0."""
        return self.operation_ns or self.guess_ns

    @property
    def group(self) -> RankGroup:
        """The ranks that measure it."""
        return group_of(self.case)

    @property
    def medians_ns(self) -> tuple[float, ...]:
        """The median time of an operation in each launch."""
        return self._medians_ns

    @property
    def resolution_ns(self) -> float:
        """What one tick of the clock is worth in an operation's time, at worst; 0 of no launch."""
        worth = (own.clock.resolution_ns(own.ops_per_sample) for own in self._launches.values())
        return max(worth, default=0.0)

    def add_launch(
        self, launch: int, median_ticks: float, ops_per_sample: int, clock: Clock
    ) -> None:
        """A launch's median of one operation in ticks, of samples of so many.

        Where the clock did not move during the samples no further launch gives a time.
        """
        self._set(launch, _OfLaunch(median_ticks, ops_per_sample, clock))
        self.closed = self.closed or median_ticks <= 0

    def add_clock(self, launch: int, clock: Clock | None) -> None:
        """A further calibration of a launch's clock: the analysis takes the better one, too."""
        own = self._launches.get(launch)
        if own:
            self._set(launch, own._replace(clock=own.clock.or_longer(clock)))
        if self._learnt_in and self._learnt_in[0] == launch:
            self._learnt_in = (launch, self._learnt_in[1].or_longer(clock))

    def _set(self, launch: int, own: _OfLaunch) -> None:
        self._launches[launch] = own
        self._medians_ns = tuple(
            one.median_ticks * one.clock.tick_ns for one in self._launches.values()
        )

    def learn(self, seen: Sampled, median_ticks: float, launch: int, clock: Clock) -> None:
        """What a batch of a launch tells of the next one: its median operation in ticks, its pace.

        All batches count for the pace: one that went well is none.
        """
        self._learnt_in = (launch, clock)
        # The next operation of a load waits for its turn and not for this one's end.
        due = seen.parts.get(INTERVAL, ())
        self._next_ticks = due[-1] if due else median_ticks
        self._timed_ns += self.pass_ns(seen, clock)
        self._timed_operations += len(seen.ticks) * seen.ops_per_sample
        self.pace_ns = self._timed_ns / max(1, self._timed_operations)

    def pass_ns(self, seen: Sampled, clock: Clock) -> float:
        """What the samples of a batch took. Of pairs the slowest: all wait for it at the end."""
        # Of simulated ranks there is no time of a pass: that of the whole batch stands for it.
        own_ns = seen.timed_ns or seen.elapsed_ns
        if self.pattern.figure != "pairs":
            return own_ns
        partners = partners_in(self.case.point or 0, self.case.ranks)
        slowest = ticks_of_slowest_pair(seen, partners, seen.timed_ns / clock.tick_ns)
        return max(own_ns, slowest * clock.tick_ns)

    def step_towards(self, chosen: Amount) -> Amount:
        """The chosen amount, or as much of it as may be tried after what was timed so far."""
        return step_towards(chosen, self._timed_operations, self._timed_ns)

    @property
    def is_tried(self) -> bool:
        """Whether it had a launch in which it was measured, failed, or was refused."""
        return self.closed or bool(self.medians_ns) or self.failures > 0

    def is_settled(self, plan: Plan) -> bool:
        """Precise over the requested launches."""
        return settled(self.medians_ns, plan.precision, plan.launches, self.resolution_ns)

    def is_short(self, plan: Plan) -> bool:
        """Lacks some of the requested launches."""
        return not self.closed and len(self.medians_ns) < plan.launches

    def is_unfinished(self, plan: Plan) -> bool:
        """Whether a case lacks launches, or precision if neither launches nor samples are fixed."""
        # Under load the tail is the result, and beyond saturation no median settles. Of pairs the
        # answer is over all rounds, and not how well one of them is known.
        is_counted = self.pattern.every_operation or self.pattern.figure == "pairs"
        if plan.fixed_launches or plan.samples or is_counted:
            return self.is_short(plan)
        return not self.closed and not self.is_settled(plan)


class SoFar:
    """What a record already holds: the state of its cases, and where numbering goes on."""

    def __init__(self, states: list[CaseState]) -> None:
        self.states = states
        self.launches = 0
        self.order = 0
        self.round = 0
        self.session = 0


def states_of(plan: Plan, programs: Mapping[str, Program]) -> list[CaseState]:
    """The planned cases, nothing known of them yet."""
    return [CaseState(case, _pattern(programs, case)) for case in plan.cases]


def restore(plan: Plan, programs: Mapping[str, Program], run: Run) -> SoFar:
    """Take what a record holds as done, so that only what is missing will be measured.

    A case that failed or timed out is open again: what disturbed it may be gone; so is one that the
    plan's budget is enough for, where an earlier one was not.
    """
    so_far = SoFar(states_of(plan, programs))
    by_key = {state.case.key: state for state in so_far.states}
    for batch in run.lines.batches:
        state = by_key[batch.case]
        so_far.order = max(so_far.order, batch.order + 1)
        if batch.status == "unsupported":
            state.closed = not 0 < batch.needs_budget_s <= plan.budget_s
        elif batch.status == "ok":  # a calibration tells as much of the next operation
            clock = run.clocks[batch.launch]
            median_ticks = launch_median(run.time_ns(batch)) / clock.tick_ns
            state.learn(batch, median_ticks, batch.launch, clock)
    for key, batches in run.measured_by_case.items():
        launches = by_launch(batches)
        for launch, times in samples_of_groups(launches, run.time_ns).items():
            clock = run.clocks[launch]
            # The coarsest of its samples, as in the summary.
            ops = min(batch.ops_per_sample for batch in launches[launch])
            median_ticks = launch_median(times) / clock.tick_ns
            by_key[key].add_launch(launch, median_ticks, ops, clock)
    so_far.launches = max((end.launch for end in run.lines.ends), default=-1) + 1
    so_far.launches = max(so_far.launches, max(run.launches, default=-1) + 1)
    so_far.round = max(rounds_of(run).values(), default=-1) + 1
    so_far.session = max((launch.session for launch in run.lines.launches), default=-1) + 1
    return so_far


def _pattern(programs: Mapping[str, Program], case: Case) -> Pattern:
    return next(p for p in programs[case.transport].patterns if p.name == case.test)
