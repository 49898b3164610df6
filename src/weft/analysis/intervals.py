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
# the coverage is 95 % when launch medians are log-normal. tests/analysis checks each value.
_WIDENING = {2: 5.853, 3: 0.814, 4: 0.2377, 5: 0.0384}


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
    tail = 0.0
    term = 0.5**count if count < 1000 else 0.0
    if term == 0.0:  # too many for exact terms: the normal approximation is exact to a rank
        half = 0.9799819922700268 * math.sqrt(count)  # z(0.975) / 2 * sqrt(n)
        low = max(0, math.floor(count / 2 - half) - 1)
        return low, count - 1 - low, confidence
    best = None
    for low in range(count // 2):
        tail += term
        if 1 - 2 * tail < confidence:
            break
        best = (low, count - 1 - low, 1 - 2 * tail)
        term *= (count - low) / (low + 1)
    return best


def median_interval(values: Sequence[float]) -> Estimate:
    """The median of independent values with its order-statistic interval.

    Under 6 values the interval is their range, with the coverage that it has.
    """
    ordered = sorted(values)
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
    logarithms (see _WIDENING). With 1: the interval of that launch's samples `only_launch`, which
    knows nothing of the variation between launches; its method says so.
    """
    ordered = sorted(medians)
    if not ordered or ordered[0] <= 0:
        raise ValueError("median_of_launches wants at least one launch and positive values")
    if len(ordered) == 1:
        one = median_interval(only_launch or ordered)
        return msgspec.structs.replace(one, method="one launch: variation between launches unknown")
    if len(ordered) in _WIDENING:
        spread = math.log(ordered[-1] / ordered[0]) * _WIDENING[len(ordered)]
        return Estimate(
            median=_median(ordered),
            low=ordered[0] * math.exp(-spread),
            high=ordered[-1] * math.exp(spread),
            coverage=CONFIDENCE,
            method=f"range of {len(ordered)} launches, widened to 95 %",
        )
    estimate = median_interval(ordered)
    return msgspec.structs.replace(estimate, method=f"order statistics of {len(ordered)} launches")


def _median(ordered: Sequence[float]) -> float:
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
