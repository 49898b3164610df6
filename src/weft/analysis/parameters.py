"""A fitted parameter with its 95 % interval, from one launch or over several.

Launches are the independent witnesses (intervals.py): where there are several, each is fitted by
itself, and the interval covers the variation between their parameters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.intervals import CONFIDENCE, WIDENING, order_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter's value and its interval [low, high]; an end without a bound is infinite."""

    value: float
    low: float
    high: float
    coverage: float
    method: str

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width over the size of the value; infinite where one is."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else math.inf

    @property
    def is_bounded(self) -> bool:
        """Whether the interval has two ends."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def mapped(self, change: Callable[[float], float]) -> Parameter:
        """The parameter after a monotonic change of scale."""
        low, high = sorted((change(self.low), change(self.high)))
        return msgspec.structs.replace(self, value=change(self.value), low=low, high=high)


def inverse(parameter: Parameter, factor: float) -> Parameter:
    """`factor` over a positive parameter: a slope becomes a bandwidth.

    A slope whose interval reaches zero gives a bandwidth without an upper bound.
    """
    return parameter.mapped(lambda value: factor / value if value > 0 else math.inf)


def student(freedom: float) -> float:
    """How many standard errors a 95 % interval reaches: Student's quantile."""
    from scipy import special  # noqa: PLC0415 - not needed to start the program

    return float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2))


def over_launches(values: Sequence[float], *, positive: bool) -> Parameter:
    """The median of the launches' parameters with its 95 % interval; at least two are wanted.

    2 to 5 launches: their range, widened so that it covers 95 % when they scatter normally
    (`positive`: log-normally), as for medians of times (intervals.py). From 6 on order statistics,
    interpolated between the two that enclose 95 % (Hettmansperger and Sheather, Confidence
    intervals based on interpolated order statistics, 1986). Raises ValueError for fewer than two.
    """
    if len(values) < 2:
        raise ValueError("over_launches wants at least two launches")
    if positive and min(values) > 0:
        logs = over_launches([math.log(value) for value in values], positive=False)
        return logs.mapped(math.exp)
    ordered = sorted(values)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    if count in WIDENING:
        spread = (ordered[-1] - ordered[0]) * WIDENING[count]
        low, high = ordered[0] - spread, ordered[-1] + spread
        method = f"range of {count} launches, widened to 95 %"
    else:
        low, high = _interpolated(ordered)
        method = f"interpolated order statistics of {count} launches"
    return Parameter(value=middle, low=low, high=high, coverage=CONFIDENCE, method=method)


def _interpolated(ordered: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the median between two pairs of order statistics, 6 values or more."""
    count = len(ordered)
    ranks = order_statistics(count)
    if ranks is None:
        raise ValueError("order statistics cover 95 % from 6 values on")
    outer, _, covered = ranks
    depth = outer + 1
    log_chance = (
        math.lgamma(count + 1)
        - math.lgamma(depth + 1)
        - math.lgamma(count - depth + 1)
        - count * math.log(2)
    )
    share = (covered - CONFIDENCE) / (2 * math.exp(log_chance))
    weight = (count - depth) * share / (depth + (count - 2 * depth) * share)
    low = (1 - weight) * ordered[outer] + weight * ordered[outer + 1]
    high = (1 - weight) * ordered[-1 - outer] + weight * ordered[-2 - outer]
    return low, high
