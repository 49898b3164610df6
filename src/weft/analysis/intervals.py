"""Medians with nonparametric 95 % intervals, launch by launch.

The unit of independence is the launch: the samples of one launch share placement, memory and
connection, so an interval over all samples together would be falsely narrow (Hunold and
Carpen-Amarie, Reproducible MPI Benchmarking Is Still Not as Easy as You Think, TPDS 2016).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CONFIDENCE = 0.95

# With L < 6 launches no order statistics reach 95 %: the range of L values covers their median with
# 1 - 2^(1-L). So the range R of the logarithms is widened by c_L * R on both sides, c_L such that
# the coverage is 95 % when launch medians are log-normal: the chance that min - c_L * R lies above
# the true median, or max + c_L * R below it, is 5 %. A test integrates it for each value.
WIDENING = {2: 5.8531, 3: 0.8133, 4: 0.2385, 5: 0.0388}


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A median with its interval [low, high], the interval's coverage, and how it was found."""

    median: float
    low: float
    high: float
    coverage: float
    method: str

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width over the median: what a precision of 1 % is asked of."""
        return (self.high - self.low) / 2 / self.median if self.median else math.inf

    def mapped(self, change: Callable[[float], float]) -> Estimate:
        """The estimate of a monotonic function of the quantity (time to bandwidth turns it)."""
        low, high = sorted((change(self.low), change(self.high)))
        return Estimate(
            median=change(self.median),
            low=low,
            high=high,
            coverage=self.coverage,
            method=self.method,
        )


def order_statistics(count: int, confidence: float = CONFIDENCE) -> tuple[int, int, float] | None:
    """0-based ranks (low, high) of the tightest symmetric interval of the median, its coverage.

    Binomial: P(X_(l) <= median <= X_(h)) = 1 - 2 * BinomCDF(l - 1; count, 1/2), l from 1 (David
    and Nagaraja, Order Statistics, section 7.1). None where even the range covers less.
    """
    # 1.2 * sqrt(count) below the middle is 2.4 standard deviations: surely outside, then climb.
    low = max(0, math.floor(count / 2 - 1.2 * math.sqrt(count)) - 1)
    term = math.exp(
        math.lgamma(count + 1)
        - math.lgamma(low + 1)
        - math.lgamma(count - low + 1)
        - count * math.log(2)
    )
    tail = _sum_down(term, low, count)
    best = None
    while low < count // 2 and 1 - 2 * tail >= confidence:
        best = (low, count - 1 - low, 1 - 2 * tail)
        term *= (count - low) / (low + 1)
        low += 1
        tail += term
    return best


def _sum_down(term: float, successes: int, count: int) -> float:
    """P(X <= successes) of a fair binomial, from its probability of just that many."""
    total = term
    while successes > 0 and term > total * 1e-17:
        term *= successes / (count - successes + 1)
        successes -= 1
        total += term
    return total


def median_interval(values: Sequence[float]) -> Estimate:
    """The median of independent values with its order-statistic interval.

    Under 6 values the interval is their range, with the coverage that it has. Raises ValueError
    when there are none.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("median_interval wants at least one value")
    ranks = order_statistics(len(ordered))
    low, high, coverage = ranks or (0, len(ordered) - 1, 1 - 2.0 ** (1 - len(ordered)))
    return Estimate(
        median=_median(ordered),
        low=ordered[low],
        high=ordered[high],
        coverage=coverage,
        method="order statistics",
    )


def median_of_launches(medians: Sequence[float], only_launch: Sequence[float] = ()) -> Estimate:
    """The median over launches of each launch's median, positive values.

    From 6 launches on: order statistics, at least 95 %. From 2 to 5: the range, widened on the
    logarithms (see WIDENING), so that it stays positive and turns into a bandwidth's interval
    without loss. With 1: the interval of that launch's samples `only_launch`, which knows nothing
    of the variation between launches; its method says so. Raises ValueError as it says.
    """
    ordered = sorted(medians)
    if not ordered or ordered[0] <= 0:
        raise ValueError("median_of_launches wants at least one launch and positive values")
    if len(ordered) == 1:
        one = median_interval(only_launch or ordered)
        return msgspec.structs.replace(
            one, method="order statistics of one launch: variation between launches unknown"
        )
    if len(ordered) in WIDENING:
        spread = math.log(ordered[-1] / ordered[0]) * WIDENING[len(ordered)]
        return Estimate(
            median=_median(ordered),
            low=ordered[0] * math.exp(-spread),
            high=ordered[-1] * math.exp(spread),
            coverage=CONFIDENCE,
            method=f"range of {len(ordered)} launches, widened to 95 % if they are log-normal",
        )
    estimate = median_interval(ordered)
    return msgspec.structs.replace(estimate, method=f"order statistics of {len(ordered)} launches")


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
