"""Whether a budget is enough for the plan, and which one would be. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from weft.plan.costs import GUESSED_BYTES_PER_S, Costed
from weft.units import format_duration
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.applications.interface import ApplicationCase
    from weft.plan.case import Case
    from weft.plan.costs import Costs
    from weft.plan.pattern import Pattern
    from weft.plan.plan import Plan

# The largest part of the time for launches and cases beside their samples; where all requested
# launches would take more, there are fewer of them.
MOST_FIXED = 0.37
# A plan that was begun is kept although its launches turn out slower.
LATER_FIXED = 0.5
# Seconds of samples of a case in a launch that are worth the launch, however much it costs.
ENOUGH_S = 0.07
# What of the time is planned for; the rest is for costs that were guessed too low.
RESERVE = 0.95
# The part of the budget that is kept for drawing the report: so many seconds, or so much of it.
REPORT_S = 5.0
REPORT_SHARE = 0.3


class Outlook(Costed, Protocol):
    """A case as far as anything is known of it: what another launch of it takes is expected."""

    @property
    def medians_ns(self) -> Sequence[float]:
        """The median of each launch so far."""

    @property
    def expected_ns(self) -> float:
        """How long an operation will take; 0 where nothing tells."""
        ...

    def is_short(self, plan: Plan) -> bool:
        """Lacks some of the requested launches."""
        ...


def most_fixed(*, is_first: bool) -> float:
    """The largest part for launches and cases beside their samples, before any round or later."""
    return MOST_FIXED if is_first else LATER_FIXED


def lacking_s(states: Sequence[Outlook], plan: Plan, costs: Costs, *, is_first: bool) -> float:
    """Seconds for the requested launches that cases still lack: what a run says itself of it."""
    short = [state for state in states if state.is_short(plan)]
    if not short:
        return 0.0
    return _most_lacking(short, plan) * one_round_s(short, plan, costs, is_first=is_first)


def _most_lacking(short: Sequence[Outlook], plan: Plan) -> int:
    """How many launches the case lacks that lacks most."""
    return max(plan.launches - len(state.medians_ns) for state in short)


def shortfall(
    states: Sequence[Outlook], plan: Plan, left_s: float, costs: Costs, *, is_first: bool
) -> str:
    """How many launches the time left is short of, and which budget has them; else empty.

    The rest of the budget is assumed to go where it goes now: into the start and the report.
    """
    short = [state for state in states if state.is_short(plan)]
    if not short:
        return ""
    wanted_s = lacking_s(short, plan, costs, is_first=is_first)
    if wanted_s <= left_s:
        return ""
    wanted = _most_lacking(short, plan)
    round_s = wanted_s / wanted
    budget = format_duration(plan.budget_s + wanted_s - left_s)
    fit = int(left_s / round_s)
    launches = f"about {counted(fit, 'launch')} per case"
    some = f"about one launch of {math.ceil(len(short) * left_s / round_s)} of the cases"
    room = f"{format_duration(left_s)} are left, enough for {launches if fit else some}"
    if left_s <= 0:
        room = "nothing of the budget is left"
    options = {of.size_option if of else "--sizes" for of in map(_of_application, short)}
    sizes = options.pop() if len(options) == 1 else "--sizes"
    # A prediction says itself how often it draws, and has no option for it.
    is_predicted = plan.simulated is not None and plan.simulated.kind == "predicted"
    fewer = sizes if is_predicted else f"{sizes} or --launches"
    return (
        f"{counted(len(short), 'case')} with {counted(wanted, 'launch')}"
        f" {'takes' if len(short) == 1 else 'each take'} about {format_duration(wanted_s)},"
        f" and {room}; for all use --budget {budget}, or fewer {fewer}"
    )


def _of_application(state: Outlook) -> ApplicationCase | None:
    return state.case.of_application


def one_round_s(states: Sequence[Outlook], plan: Plan, costs: Costs, *, is_first: bool) -> float:
    """Seconds for one launch of each of these cases, with a worthwhile number of samples."""
    if not plan.samples:
        return round_without_samples_s(states, costs, is_first=is_first)
    return costs.fixed_s(states) + sum(_samples_s(state, plan.samples) for state in states)


def round_without_samples_s(states: Sequence[Costed], costs: Costs, *, is_first: bool) -> float:
    """The same where nobody says how many samples: a launch more is worth more than many samples.

    Most of the time is for samples, or each case has ENOUGH_S of them.
    """
    fixed_s = costs.fixed_s(states)
    return min(fixed_s / most_fixed(is_first=is_first), fixed_s + ENOUGH_S * len(states))


def _samples_s(state: Outlook, samples: int) -> float:
    """Seconds for so many samples of a case where a sample is one operation, else of one each."""
    operation_s = state.expected_ns / 1e9 or 2 * state.case.bytes / GUESSED_BYTES_PER_S
    warmups = 1 if needs_no_probe(state.case, state.pattern, samples) else 2
    return (samples + warmups) * state.pattern.time_factor * operation_s


def measuring_s(budget_s: float, *, report: bool) -> float:
    """What of a budget is for measuring, the rest being for the report."""
    return budget_s - (min(REPORT_S, REPORT_SHARE * budget_s) if report else 0.0)


def needs_no_probe(case: Case, pattern: Pattern, asked_samples: int) -> bool:
    """Whether the amount of a case is the same however long its operations take."""
    is_one = case.single or pattern.every_operation
    return asked_samples > 0 and is_one and pattern.latencies_per_sample == 0
