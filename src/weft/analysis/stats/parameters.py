"""A fitted parameter with its 95 % interval, from one launch or over several.

Launches are the independent observations (intervals.py): where there are several, each is fitted by
itself, and the interval covers the variation between their parameters.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.in_time import widened
from weft.analysis.stats.intervals import (
    CONFIDENCE,
    ONE,
    exp,
    in_sessions,
    interval_of_median,
    over_sessions,
)
from weft.estimate import PLURAL, Estimate, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence


# Three values are always as skewed as they can be, but for where the middle one lies.
FEWEST_FOR_SKEWNESS = 4


def inverse(parameter: Estimate, factor: float) -> Estimate:
    """`factor` over a positive parameter: a slope becomes a bandwidth.

    A slope whose interval reaches zero gives a bandwidth without an upper bound.
    """
    return parameter.mapped(lambda value: factor / value if value > 0 else math.inf)


def student(freedom: float) -> float:
    """How many standard errors a 95 % interval reaches: Student's quantile."""
    from scipy import special

    return float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2))


def over_launches(values: Sequence[float], *, positive: bool, unit: Unit = "launch") -> Estimate:
    """The median of the launches' parameters with its 95 % interval; at least two are wanted.

    The interval is that of medians of times (`interval_of_median`), of the logarithms where they
    are `positive`, wider where launches that follow each other are alike: they are in the order of
    time. `unit` is what the values are of. Raises ValueError for fewer than two.
    """
    if len(values) < 2:
        raise ValueError("over_launches needs at least two launches")
    if positive and min(values) > 0:
        logs = over_launches([math.log(value) for value in values], positive=False, unit=unit)
        return logs.mapped(exp)
    count = len(values)
    middle = statistics.median(values)
    low, high, method = interval_of_median(values)
    low, high = widened(low, middle, high, values, unit)
    return Estimate(
        value=middle,
        low=low,
        high=high,
        coverage=CONFIDENCE,
        method=method.format(f"{count} {PLURAL[unit]}"),
        launches=count,
        unit=unit,
    )


def over_sessions_of(
    values: Sequence[float], sessions: Sequence[int], *, positive: bool
) -> Estimate:
    """The same over the sessions of the launches, where there are several (`over_sessions`).

    The one way of every figure that may have any sign, as `median_of_case` is of times and rates.
    One launch by itself has no interval.
    """
    own, unit = over_sessions(in_sessions(values, sessions))
    if len(own) == 1:
        return of_one_launch(own[0])
    return over_launches(own, positive=positive, unit=unit)


def of_mean_times(
    values: Sequence[float], sessions: Sequence[int] = (), *, positive: bool
) -> Estimate:
    """Of parameters that are means and add up: an interval for what launches take on average too.

    The median of launches whose times have a tail is below their mean, so the interval of
    `over_launches` is extended to that of the mean: Student's, with Hall's correction for skewness
    (On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54,
    1992) from four launches on, whose skewness can be seen. Over the medians of sessions where
    there are several. Raises ValueError for fewer than two values.
    """
    if positive and min(values, default=0.0) > 0:
        logs = [math.log(value) for value in values]
        return of_mean_times(logs, sessions, positive=False).mapped(exp)
    own, unit = over_sessions(in_sessions(values, sessions))
    found = over_launches(own, positive=False, unit=unit)
    low, high = widened(*_ends_of_mean(own), own, unit)
    return msgspec.structs.replace(found, low=min(found.low, low), high=max(found.high, high))


def _ends_of_mean(values: Sequence[float]) -> tuple[float, float, float]:
    """Low end, mean and high end of the 95 % interval of a mean of two or more values."""
    count = len(values)
    mean = math.fsum(values) / count
    second, third = (math.fsum((one - mean) ** power for one in values) / count for power in (2, 3))
    if second <= 0:
        return mean, mean, mean
    error = math.sqrt(second / (count - 1))
    reach = student(count - 1)
    skewness = third / second**1.5 / math.sqrt(count) if count >= FEWEST_FOR_SKEWNESS else 0.0
    low, high = (unskewed(end, skewness) for end in (reach, -reach))
    return mean - error * low, mean, mean - error * high


def unskewed(quantile: float, skewness: float) -> float:
    """The Student's t whose transform is `quantile`; `skewness` is that of the mean.

    Hall's transform t + a t^2 + a^2 t^3 / 3 + b, with a third and a sixth of the skewness for a
    and b, takes the skewness out of a mean over its standard error, and always rises.
    """
    if abs(skewness) < 1e-9:
        return quantile
    steep = skewness / 3
    inner = 1 + 3 * steep * (quantile - skewness / 6)
    return (math.copysign(abs(inner) ** (1 / 3), inner) - 1) / steep


def of_one_launch(value: float) -> Estimate:
    """A parameter of one launch, which knows no interval over launches: its ends are infinite."""
    return Estimate(
        value=value,
        low=-math.inf,
        high=math.inf,
        coverage=0.0,
        method=ONE.format("launch", "launches"),
        launches=1,
    )
