"""What a round measures, and for how long: a launch of every case, then the widest intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.stats.intervals import median_of_launches
from weft.measure.stopping import LONGEST_SHARE_S, SHORTEST_SHARE_S
from weft.plan.budget import round_without_samples_s
from weft.plan.memory import needed_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.measure.state import CaseState
    from weft.plan.costs import Costs
    from weft.plan.plan import Plan

# Where cases would soon be done they are measured for so many times what they cost besides.
LEAST_WORTH = 2.0
# Of rounds of pairs, whose samples are as long as those of the slowest pair: a typical one's are
# shorter, and a map takes at most half as long again as these.
LEAST_WORTH_OF_PAIRS = 6.0
# How far a case may make up for others of its launch that took less than planned.
MOST_MADE_UP = 1.5


def width(state: CaseState) -> float:
    """The interval's half-width over the median; infinite with fewer than two launches."""
    if len(state.medians_ns) < 2 or min(state.medians_ns) <= 0:
        return math.inf
    return median_of_launches(state.medians_ns, state.resolution_ns).relative_half_width


def next_cases(
    states: Sequence[CaseState], plan: Plan, left_s: float, costs: Costs
) -> list[CaseState]:
    """The cases of the next round; empty when all are measured, or no time for a launch is left.

    As long as a case was not tried, only such cases are in it: none has a second launch before
    every case had one. Then come the cases that lack requested launches, the widest intervals first
    if the time is too short for all of them. Then the wider half of what is not precise.
    """
    if left_s <= 0:
        return []
    short = sorted((s for s in states if s.is_short(plan)), key=_least_known)
    if untried := [state for state in short if not state.is_tried]:
        return untried
    if short:
        return _fitting(short, left_s, costs)
    wide = sorted((s for s in states if s.is_unfinished(plan)), key=_least_known)
    return _fitting(wide[: (len(wide) + 1) // 2], left_s, costs)


def _least_known(state: CaseState) -> tuple[bool, float]:
    return bool(state.medians_ns), -width(state)


def _fitting(states: list[CaseState], left_s: float, costs: Costs) -> list[CaseState]:
    """The first of these cases that the time is enough for, and all that have no figure yet."""
    chosen: list[CaseState] = []
    groups = set()
    for state in states:
        left_s -= costs.case_s(state) + SHORTEST_SHARE_S
        left_s -= 0 if state.group in groups else costs.launch_s(state.group)
        if left_s < 0 and state.medians_ns:
            break
        groups.add(state.group)
        chosen.append(state)
    return chosen


def smallest_first(todo: Sequence[CaseState]) -> list[CaseState]:
    """Those without a figure first, the smallest of them before the others.

    What a case takes in memory says how large it is: by its messages, by how many ranks it has, and
    by how many each of them speaks with.
    """
    return sorted(
        todo,
        key=lambda state: (
            bool(state.medians_ns),
            needed_bytes(state.case, state.pattern.footprint),
        ),
    )


def rounds_ahead(
    chosen: Sequence[CaseState], plan: Plan, left_s: float, costs: Costs, *, is_first: bool
) -> int:
    """Among how many rounds the time left is shared: the requested ones, where it suffices."""
    wanted = max((plan.launches - len(state.medians_ns) for state in chosen), default=1)
    round_s = round_without_samples_s(chosen, costs, is_first=is_first)
    affordable = left_s / max(round_s, 1e-9)
    return max(1, min(wanted, int(affordable)))


def share_s(round_s: float, ahead: Sequence[CaseState], costs: Costs) -> float:
    """Seconds for the samples of each case that a round has ahead of it, so that all fit it."""
    fixed_s = costs.fixed_s(ahead)
    return min(_fair_s(round_s, fixed_s, len(ahead)), _longest_s(fixed_s, ahead))


def launch_end_s(
    round_s: float, todo: Sequence[CaseState], ahead: Sequence[CaseState], costs: Costs
) -> float:
    """Seconds from now on until a launch of `todo` is over that takes its part of a round's time.

    Its cases may be done much earlier: whatever they cost beside their samples, there is room.
    """
    # The end of a launch takes about half of what it costs beside its cases.
    ends_s = costs.launch_s(todo[0].group) / 2
    samples_s = _fair_s(round_s, costs.fixed_s(ahead), len(ahead))
    return samples_s * len(todo) + costs.fixed_s(todo) - ends_s


def next_share_s(left_s: float, left: Sequence[CaseState], usual_s: float, costs: Costs) -> float:
    """The same for the next case of a launch, by the time that is left for those left in it."""
    fixed_s = sum(costs.case_s(state) for state in left)
    samples_s = _fair_s(left_s, fixed_s, len(left))
    if left[0].pattern.figure == "pairs" and costs.knows_size(left[0]):
        # What such a round costs beside its samples is measured, whatever was guessed before.
        return min(samples_s, max(usual_s, _longest_s(costs.case_s(left[0]), left[:1])))
    return min(samples_s, MOST_MADE_UP * usual_s, max(usual_s, _longest_s(fixed_s, left)))


def _fair_s(left_s: float, fixed_s: float, cases: int) -> float:
    """What the samples of each of so many cases get of a time, of which something is spent."""
    return max((left_s - fixed_s) / cases, SHORTEST_SHARE_S)


def _longest_s(fixed_s: float, cases: Sequence[CaseState]) -> float:
    """What the samples of each of these cases may take, which cost so much beside them."""
    worth = [
        LEAST_WORTH_OF_PAIRS if one.pattern.figure == "pairs" else LEAST_WORTH for one in cases
    ]
    return max(LONGEST_SHARE_S, min(worth) * fixed_s / len(cases))
