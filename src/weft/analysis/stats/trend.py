"""Whether launches follow each other by chance, or drift and hang together in time. Pure.

A launch's error is shared by its cases, so all of them together say how a launch was (levels.py):
one test a transport, where a test of every case would have as little power and find hundreds.
"""

from __future__ import annotations

import bisect
import itertools
import math
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import exp
from weft.analysis.stats.launches import words_for_launches
from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.theil_sen import theil_sen
from weft.record.launches import launch_medians, samples_by_launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.record.run import Run

# Two tests, so each at half of 5 %.
LEVEL = 0.025
# With fewer no order of launches is rarer than the level.
FEWEST = 5
# How often a rise by four times the scatter of launches is seen over so many of them, and the same
# up to the next; `python -m bench.decisions trend`.
POWER = {5: 0.25, 6: 0.43, 8: 0.61, 10: 0.77}
ENOUGH = 20
# Up to so many launches every order is counted, beyond an approximation is near enough.
_COUNTED = 7


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """How a transport's launches follow each other in one record.

    `change` is how much the time moves from the first launch to the last, relative (Theil-Sen).
    `trend_chance` and `neighbours_chance` are p-values of launches in random order: of as much rise
    or fall (Mann and Kendall), and of neighbours as alike (Bartels). None with too few launches.
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
        """Whether neighbouring launches are alike beyond chance."""
        return self.neighbours_chance is not None and self.neighbours_chance <= LEVEL


def trends_of(run: Run) -> tuple[Trend, ...]:
    """One per transport with two launches or more, over all cases that went well."""
    tables: dict[str, dict[int, dict[str, float]]] = {}
    for case, batches in run.measured_by_case.items():
        medians = launch_medians(samples_by_launch(batches, run.time_ns))
        for launch, median in medians.items():
            if median > 0:
                by_launch = tables.setdefault(run.cases[case].transport, {})
                by_launch.setdefault(launch, {})[case] = median
    found = []
    for transport, by_launch in tables.items():
        ordered = [by_launch[launch] for launch in sorted(by_launch)]
        used = [ordered[at] for at in connected(ordered)]
        if len(used) > 1:
            cases = len({case for table in used for case in table})
            found.append(trend_of(levels(used), transport, cases))
    return tuple(found)


def trend_of(logs: Sequence[float], transport: str = "", cases: int = 1) -> Trend:
    """Of the logarithms of the launches' times, in the order in which they were made."""
    count = len(logs)
    enough = count >= FEWEST
    return Trend(
        transport=transport,
        launches=count,
        cases=cases,
        change=exp(theil_sen(logs) * (count - 1)) - 1,
        trend_chance=mann_kendall(logs) if enough else None,
        neighbours_chance=bartels(logs) if enough else None,
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


def bartels(values: Sequence[float]) -> float:
    """The p-value of neighbours being as near each other in rank, if any order is as likely.

    Bartels, The rank version of von Neumann's ratio test for randomness, Journal of the American
    Statistical Association 77, 1982: exact for few values, his beta approximation for more. A
    positive correlation from launch to launch makes the ratio small.
    """
    count = len(values)
    ranks = _ranks(values)
    apart = _apart(ranks)
    if count <= _COUNTED:
        orders = _apart_in_any_order(tuple(sorted(ranks)))
        return bisect.bisect_right(orders, apart + 1e-9) / len(orders)
    from scipy import special

    middle = (count + 1) / 2
    squares = math.fsum((rank - middle) ** 2 for rank in ranks)
    if squares == 0:
        # All are equal: each order is as near as any other.
        return 1.0
    ratio = apart / squares
    spread = 5 * count * (count + 1) * (count - 1) ** 2
    half = spread / (2 * (count - 2) * (5 * count**2 - 2 * count - 9)) - 0.5
    return float(special.betainc(half, half, min(ratio / 4, 1.0)))


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1; equal ones share the middle of theirs."""
    import numpy as np

    _, kinds, counts = np.unique(values, return_inverse=True, return_counts=True)
    return [float(rank) for rank in (np.cumsum(counts) - (counts - 1) / 2)[kinds]]


@cache
def _apart_in_any_order(ranks: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sorted(_apart(order) for order in itertools.permutations(ranks)))


def _apart(ranks: Sequence[float]) -> float:
    return math.fsum((b - a) ** 2 for a, b in itertools.pairwise(ranks))


def trends_in_words(run: Run) -> tuple[str, ...]:
    """Trends and correlation of a record's launches over time, one sentence per transport."""
    sentences = []
    for found in trends_of(run):
        place = f"trend over time: {found.transport}, {found.launches} launches of {found.cases}"
        place += " cases" if found.cases > 1 else " case"
        cure = (
            "intervals over such launches are too narrow; measure again at other times, and give"
            " all records to weft compare and weft check"
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
    return tuple(sentences)


def power_in_words(run: Run) -> tuple[str, ...]:
    """The power of the test for a trend, one sentence per transport with few launches."""
    return tuple(
        f"trend over time: {found.transport}: none found over {found.launches} launches, which"
        f" show a rise by four times their scatter in {_power(found.launches):.0%} of such runs"
        for found in trends_of(run)
        if FEWEST <= found.launches < ENOUGH and not (found.is_trend or found.is_correlated)
    )


def _power(launches: int) -> float:
    return POWER[max(count for count in POWER if count <= launches)]


def not_looked_for(run: Run) -> str:
    """Which transports have too few launches to test for a trend; empty for none."""
    few = [found for found in trends_of(run) if found.launches < FEWEST]
    if not few:
        return ""
    counts = ", ".join(f"{found.transport} {found.launches}" for found in few)
    return (
        f"trend over time: not tested with fewer than {FEWEST} launches ({counts});"
        f" type {words_for_launches(run, FEWEST)}"
    )
