"""A fitted parameter with its 95 % interval, from one launch or over several.

Launches are the independent observations (intervals.py): where there are several, each is fitted by
itself, and the interval covers the variation between their parameters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.stats.intervals import CONFIDENCE, ONE, exp, interval_of_median
from weft.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence


def inverse(parameter: Estimate, factor: float) -> Estimate:
    """`factor` over a positive parameter: a slope becomes a bandwidth.

    A slope whose interval reaches zero gives a bandwidth without an upper bound.
    """
    return parameter.mapped(lambda value: factor / value if value > 0 else math.inf)


def student(freedom: float) -> float:
    """How many standard errors a 95 % interval reaches: Student's quantile."""
    from scipy import special

    return float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2))


def over_launches(values: Sequence[float], *, positive: bool) -> Estimate:
    """The median of the launches' parameters with its 95 % interval; at least two are wanted.

    The interval is that of medians of times (`interval_of_median`), of the logarithms where they
    are `positive`. Raises ValueError for fewer than two.
    """
    if len(values) < 2:
        raise ValueError("over_launches needs at least two launches")
    if positive and min(values) > 0:
        logs = over_launches([math.log(value) for value in values], positive=False)
        return logs.mapped(exp)
    ordered = sorted(values)
    count = len(ordered)
    low, high, method = interval_of_median(ordered)
    return Estimate(
        value=(ordered[(count - 1) // 2] + ordered[count // 2]) / 2,
        low=low,
        high=high,
        coverage=CONFIDENCE,
        method=method.format(f"{count} launches"),
        launches=count,
    )


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
