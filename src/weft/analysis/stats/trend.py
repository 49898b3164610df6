"""Whether launches follow each other by chance, or drift and hang together in time. Pure.

A launch's error is shared by its cases, so all of them together say how a launch was (levels.py):
one test a transport, where a test of every case would have as little power and find hundreds. And
one test of all transports, whose launches the machine made in turn.
"""

from __future__ import annotations

import itertools
import math
import statistics
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats import in_time
from weft.analysis.stats.intervals import exp
from weft.analysis.stats.launches import command_for_launches
from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.neighbours import chance_of_groups, chance_of_neighbours
from weft.analysis.stats.theil_sen import theil_sen
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run

# Two tests, so each at half of 5 %.
LEVEL = 0.025
# One test, of all transports together.
TOGETHER_LEVEL = 0.04
# A transport of fewer launches has hardly an order.
FEWEST_TOGETHER = 3
# With fewer no order of launches is rarer than the level.
FEWEST = 5
# Intervals that are so many times as wide are worth a sentence, and of few launches, which are not
# wider, an autocorrelation of so much.
WORTH_A_WORD, HIGH = 1.2, 0.4
# From so many on a rise by twice the scatter of launches is seen more often than not;
# `python -m bench.decisions trend`.
ENOUGH = 20


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """How a transport's launches follow each other in one record.

    `change` is how much the time moves from the first launch to the last, relative (Theil-Sen).
    `trend_chance` and `neighbours_chance` are p-values of launches in random order: of as much rise
    or fall (Mann and Kendall), and of neighbours as alike (neighbours.py). None with too few.
    """

    transport: str
    launches: int
    cases: int
    change: float
    trend_chance: float | None
    neighbours_chance: float | None

    @property
    def is_trend(self) -> bool:
        """Whether the launches rise or fall."""
        return self.trend_chance is not None and self.trend_chance <= LEVEL

    @property
    def is_correlated(self) -> bool:
        """Whether neighbouring launches are alike beyond chance.

        Of five launches only a rise or fall in order is a trend, 2 orders of 120: the test of
        neighbours has what that leaves of both levels.
        """
        level = 2 * LEVEL - 2 / math.factorial(FEWEST) if self.launches == FEWEST else LEVEL
        return self.neighbours_chance is not None and self.neighbours_chance <= level


def trends_of(run: Run) -> tuple[Trend, ...]:
    """One per transport with two launches or more, over all cases that went well.

    None of several sessions: days differ, and the intervals are over them.
    """
    found = []
    for transport, by_launch in _used_of(run).items():
        used = list(by_launch.values())
        if len(used) > 1:
            cases = dict.fromkeys(case for table in used for case in table)
            shared = [case for case in cases if all(case in table for table in used)]
            series = [[math.log(table[case]) for table in used] for case in shared]
            found.append(trend_of(levels(used), transport, len(cases), series))
    return tuple(found)


def chance_together(run: Run) -> float | None:
    """The p-value of all transports' launches as alike as they follow each other in time.

    For what one machine goes through moves the launches of all transports. None for fewer than two
    transports of FEWEST_TOGETHER launches.
    """
    groups = [
        list(zip(used, levels(list(used.values())), strict=True))
        for used in _used_of(run).values()
        if len(used) >= FEWEST_TOGETHER
    ]
    return chance_of_groups(groups)


def _used_of(run: Run) -> dict[str, dict[int, dict[str, float]]]:
    """By transport and launch, in order, the medians of its cases; those that are connected.

    Empty of several sessions.
    """
    if len(run.sessions) > 1:
        return {}
    tables: dict[str, dict[int, dict[str, float]]] = {}
    for case, medians in run.launch_medians_ns.items():
        for launch, median in medians.items():
            if median > 0:
                by_launch = tables.setdefault(run.cases[case].transport, {})
                by_launch.setdefault(launch, {})[case] = median
    found = {}
    for transport, by_launch in tables.items():
        launches = sorted(by_launch)
        kept = connected([by_launch[launch] for launch in launches])
        found[transport] = {launches[at]: by_launch[launches[at]] for at in kept}
    return found


def trend_of(
    logs: Sequence[float],
    transport: str = "",
    cases: int = 1,
    series: Sequence[Sequence[float]] = (),
) -> Trend:
    """Of the logarithms of the launches' times, in the order in which they were made.

    `series` are those of each case that every launch has: neighbours are looked at in all of them,
    else in `logs`, the launches' levels.
    """
    count = len(logs)
    enough = count >= FEWEST
    return Trend(
        transport=transport,
        launches=count,
        cases=cases,
        change=exp(theil_sen(logs) * (count - 1)) - 1,
        trend_chance=mann_kendall(logs) if enough else None,
        neighbours_chance=chance_of_neighbours(series or [logs]) if enough else None,
    )


def mann_kendall(values: Sequence[float]) -> float:
    """The two-sided p-value of rises less falls over all pairs, if any order is as likely.

    Mann, Nonparametric tests against trend, Econometrica 13, 1945. Exact up to 20 values, then the
    normal approximation. Ties count as neither.
    """
    count = len(values)
    excess = abs(sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2)))
    if count <= 20:
        orders = _orders_by_inversions(count)
        pairs = count * (count - 1) // 2
        # An order with k inversions has a sum of pairs - 2 k.
        beyond = sum(number for k, number in enumerate(orders) if abs(pairs - 2 * k) >= excess)
        return beyond / math.factorial(count)
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return math.erfc(max(excess - 1, 0) / deviation / math.sqrt(2))


@cache
def _orders_by_inversions(count: int) -> tuple[int, ...]:
    """How many orders of so many values have 0, 1, 2 ... inversions."""
    orders = [1]
    for size in range(2, count + 1):
        longer = [0] * (len(orders) + size - 1)
        for at, number in enumerate(orders):
            for more in range(size):
                longer[at + more] += number
        orders = longer
    return tuple(orders)


def trends_in_words(run: Run) -> tuple[str, ...]:
    """Trends and correlation of a record's launches over time, one sentence per transport.

    Where no transport shows any by itself, one of all of them together.
    """
    again = "measure again at other times, and give all records to weft compare and weft check"
    sentences = []
    used = trends_of(run)
    fewest = min((found.launches for found in used), default=0)
    for found in used:
        cure = f"{_of_such_launches(found.launches)}; {again}"
        place = (
            f"trend over time: {found.transport}, {counted(found.launches, 'launch')} of"
            f" {counted(found.cases, 'case')}"
        )
        if found.is_trend:
            verb = "rises" if found.change > 0 else "falls"
            sentences.append(
                f"{place}: the time {verb} by {abs(found.change):.1%} from the first to the last"
                f" (p = {found.trend_chance:.1%}); {cure}"
            )
        elif found.is_correlated:
            sentences.append(
                f"{place}: neighbouring launches are correlated"
                f" (p = {found.neighbours_chance:.1%}); {cure}"
            )
    chance = _together(run)
    if chance is not None:
        some = any(found.launches < ENOUGH for found in used)
        alone = f", which one transport alone seldom shows with fewer than {ENOUGH}" if some else ""
        sentences.append(
            "trend over time: launches of all transports together, in their order"
            f" ({_counts(used)}): neighbouring launches are correlated"
            f" (p = {chance:.1%}){alone}; {_of_such_launches(fewest)}; {again}"
        )
    return (*sentences, *filter(None, [alike_in_words(run)]))


def _of_such_launches(launches: int) -> str:
    if launches < in_time.FEWEST:
        return "intervals over such launches are too narrow"
    return "intervals over such launches are wider by the autocorrelation that is measured"


def alike_in_words(run: Run) -> str:
    """By how much intervals are wider for launches that are alike; of few a warning; else empty."""
    if run.header.plan.simulated or len(run.sessions) > 1:
        return ""
    series = [list(own.values()) for own in run.launch_medians_ns.values()]
    known = [own for own in series if len(own) >= in_time.FEWEST]
    used = known or [own for own in series if len(own) >= in_time.FEWEST_WARNED]
    if not used:
        return ""
    alike = statistics.median(map(in_time.autocorrelation, used))
    launches = counted(min(map(len, used)), "launch")
    of = f"autocorrelation {alike:.1f} over {launches}, the median of {counted(len(used), 'case')}"
    wider = statistics.median(map(in_time.times_wider, used))
    if known and wider >= WORTH_A_WORD:
        return (
            f"launches that follow each other are alike ({of}): intervals are {wider:.1f} times as"
            " wide for it"
        )
    if not known and alike >= HIGH:
        return (
            f"launches that follow each other look alike ({of}): intervals may be too narrow; from"
            f" {in_time.FEWEST} launches on they are wider by what is measured: run"
            f" {command_for_launches(run, in_time.FEWEST)}"
        )
    return ""


def power_in_words(run: Run) -> str:
    """That launches are too few to see most trends, and how many see them; else empty.

    Empty too where those of all transports together show one: that sentence says it.
    """
    few = [
        found
        for found in trends_of(run)
        if FEWEST <= found.launches < ENOUGH and not (found.is_trend or found.is_correlated)
    ]
    if not few or _together(run) is not None:
        return ""
    return (
        f"trend over time: none found, but so few launches miss many ({_counts(few)}):"
        f" {ENOUGH} show most"
    )


def _together(run: Run) -> float | None:
    """The chance of launches of all transports together, where these are what shows a trend."""
    if any(found.is_trend or found.is_correlated for found in trends_of(run)):
        return None
    chance = chance_together(run)
    return chance if chance is not None and chance <= TOGETHER_LEVEL else None


def _counts(found: Sequence[Trend]) -> str:
    return ", ".join(f"{one.transport} {one.launches}" for one in found)


def few_in_words(run: Run) -> str:
    """Which transports have too few launches to test for a trend; empty for none.

    Empty too where those of all transports together show one: that sentence says it.
    """
    few = [found for found in trends_of(run) if found.launches < FEWEST]
    if not few or _together(run) is not None:
        return ""
    return f"trend over time: not tested with fewer than {FEWEST} launches ({_counts(few)})"


def not_looked_for(run: Run) -> str:
    """The same with what to type."""
    words = few_in_words(run)
    return words and f"{words}; run {command_for_launches(run, FEWEST)}"
