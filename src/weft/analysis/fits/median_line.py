"""The line that half of the times lie above at every size: robust, and right for skewed times.

The conditional median is a + b n. The fit minimises sum |t - a - b n| / s over all samples, s what
the errors of a size are in proportion to, so that they weigh alike at every size (Koenker, Quantile
Regression, 2005, sections 5.3 and 3.5). That is a power of the time that the line expects, from 0
(errors are equally large at every size) to 1 (they grow with the time), found from the residuals.

The interval needs no shape of the noise. At the true line each sample is above or below with a
chance of one half, whatever its distribution; so for a value of one parameter, the other one
fitted, the signs' weighted sum is a score with a known mean of zero, and the values that it does
not refute are the interval (Gutenbrunner, Jureckova, Koenker and Portnoy, Tests of linear
hypotheses based on regression rank scores, 1993). Samples of one size share circumstances: their
signs are counted as one observation, and the score's variance is that of the sizes' sign sums
(Parente and Santos Silva, Quantile regression with clustered data, 2016).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.fits.least_squares import Fitted
from weft.analysis.stats.intervals import CONFIDENCE
from weft.analysis.stats.parameters import student
from weft.analysis.stats.percentiles import medians
from weft.estimate import Estimate
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.fits.sweeps import Sweep

PASSES = 2
HALVINGS = 70
# An end of an interval is found within this part of its distance from the estimate.
END_PRECISION = 2e-3
# Times without noise have no interval to speak of: this part of the value is near enough.
NOISELESS = 1e-12
# Residuals of fewer sizes do not tell how errors grow: they are taken to grow with the time.
FEWEST_FOR_POWER = 8


def median_line(sweep: Sweep, *, intervals: bool = True) -> Fitted:
    """The median line of one launch. Without `intervals` they are points.

    An interval that the samples cannot bound is infinite on that side.
    """
    import numpy as np

    sizes = sweep.sizes_bytes
    pilot = np.polyfit(sizes, sweep.medians_ns, 1, w=1 / sweep.medians_ns)
    slope, intercept = float(pilot[0]), float(pilot[1])
    for _ in range(PASSES):
        signs = _Signs(sweep, slope, intercept, error_power(sweep, slope, intercept))
        slope = _crossing(signs.of_slope, 0.0, slope, signs.slope_step)
        intercept = signs.intercept_at(slope)
    if not intervals:
        return _fitted((slope, slope), slope, (intercept, intercept), intercept, "one launch")
    level_slope, level_intercept, words = signs.levels(slope, intercept)
    slope_ends = _ends(signs.of_slope, level_slope, slope, signs.slope_step)
    ends = _ends(signs.of_intercept, level_intercept, intercept, signs.intercept_step)
    return _fitted(slope_ends, slope, ends, intercept, words)


def _fitted(
    slope_ends: tuple[float, float],
    slope: float,
    intercept_ends: tuple[float, float],
    intercept: float,
    method: str,
) -> Fitted:
    def bounded(value: float, ends: tuple[float, float]) -> Estimate:
        low, high = min(ends[0], value), max(ends[1], value)
        return Estimate(value=value, low=low, high=high, coverage=CONFIDENCE, method=method)

    return Fitted(
        slope_ns_per_byte=bounded(slope, slope_ends),
        latency_ns=bounded(intercept, intercept_ends),
        scatter=None,
    )


def _expected_ns(sweep: Sweep, slope: float, intercept: float) -> NDArray[np.float64]:
    """The line's times, never far under the shortest measured one."""
    import numpy as np

    line = intercept + slope * sweep.sizes_bytes
    return np.asarray(np.maximum(line, sweep.medians_ns.min() / 2))


def error_power(sweep: Sweep, slope: float, intercept: float) -> float:
    """How errors grow with the time of a size: as this power of it, 0 to 1.

    The slope of log |residual| (the median of a size's) over log time; 1 where fewer than
    FEWEST_FOR_POWER sizes have a residual.
    """
    import numpy as np

    line = intercept + slope * sweep.sizes_bytes
    typical = medians([np.abs(kept - at) for kept, at in zip(sweep.kept_ns, line, strict=True)])
    seen = typical > NOISELESS * sweep.medians_ns
    if seen.sum() < FEWEST_FOR_POWER:
        return 1.0
    times = np.log(_expected_ns(sweep, slope, intercept)[seen])
    times -= times.mean()
    spread = float(times @ times)
    power = float(times @ np.log(typical[seen])) / spread if spread > 0 else 1.0
    return min(max(power, 0.0), 1.0)


class _Signs:
    """The samples of a launch as signs above and below a line, weighted by the pilot line."""

    def __init__(self, sweep: Sweep, slope: float, intercept: float, power: float) -> None:
        import numpy as np

        sizes = sweep.sizes_bytes
        scale = _expected_ns(sweep, slope, intercept) ** power
        self.lengths = np.array([len(kept) for kept in sweep.kept_ns])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.counts = sweep.counts
        self.weights = np.repeat(sweep.weights, self.lengths)
        self.times = np.concatenate(sweep.kept_ns)
        self.sizes = np.repeat(sizes, self.lengths)
        flat, rising = 1 / scale, sizes / scale
        cross, flats, risings = (
            float(sweep.counts @ product) for product in (flat * rising, flat**2, rising**2)
        )
        # Each column less what the other one explains of it: the other parameter is fitted.
        self.slope_column = rising - flat * (cross / flats)
        self.intercept_column = flat - rising * (cross / risings)
        self.flat = np.repeat(flat, self.lengths) * self.weights
        self.rising = np.repeat(rising, self.lengths) * self.weights
        line = np.repeat(intercept + slope * sizes, self.lengths)
        typical = float(np.median(np.abs(self.times - line) / np.repeat(scale, self.lengths)))
        step = max(typical, 1e-6 * float(np.median(sweep.medians_ns / scale)))
        self.slope_step = step / math.sqrt(float(sweep.counts @ self.slope_column**2))
        self.intercept_step = step / math.sqrt(float(sweep.counts @ self.intercept_column**2))
        self.has_size = self.sizes > 0

    def intercept_at(self, slope: float) -> float:
        """The best intercept for a slope: a weighted median."""
        return _weighted_median(self.times - slope * self.sizes, self.flat)

    def slope_at(self, intercept: float) -> float:
        """The best slope for an intercept."""
        sizes = self.sizes[self.has_size]
        slopes = (self.times[self.has_size] - intercept) / sizes
        return _weighted_median(slopes, self.rising[self.has_size])

    def sums(self, slope: float, intercept: float) -> NDArray[np.float64]:
        """For each size the samples above the line less those below."""
        import numpy as np

        signs = np.sign(self.times - intercept - slope * self.sizes) * self.weights
        return np.asarray(np.add.reduceat(signs, self.starts))

    def of_slope(self, slope: float) -> float:
        """The score of a slope: falls as it rises, zero at the fit."""
        return float(self.slope_column @ self.sums(slope, self.intercept_at(slope)))

    def of_intercept(self, intercept: float) -> float:
        """The score of an intercept: falls as it rises, zero at the fit."""
        return float(self.intercept_column @ self.sums(self.slope_at(intercept), intercept))

    def levels(self, slope: float, intercept: float) -> tuple[float, float, str]:
        """How far from zero each score may be, and in words what that rests on.

        The variance of a size's sign sum is a multiple of its count. With one sample a size the
        sum's square is surely 1, so that nothing is estimated and the normal quantile holds.
        """
        sums = self.sums(slope, intercept)
        count = len(sums)
        if count < 3:
            return math.inf, math.inf, "no interval from two sizes"
        factor = float((sums**2 / self.counts).sum()) / (count - 2)
        alone = float((1 / self.counts).mean())
        freedom = (count - 2) / max(1 - alone, 1e-9)
        quantile = student(min(freedom, 1e6))
        slope_level, intercept_level = (
            quantile * math.sqrt(factor * float(self.counts @ column**2))
            for column in (self.slope_column, self.intercept_column)
        )
        return slope_level, intercept_level, f"signs of {counted(count, 'size')} about the line"


def _weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = values.argsort()
    reached = weights[order].cumsum()
    return float(values[order[int(reached.searchsorted(reached[-1] / 2))]])


def _crossing(score: Callable[[float], float], level: float, start: float, step: float) -> float:
    """Where a falling score passes a level, to the last digit; `step` is a first width."""
    low, high = start - step, start + step
    for _ in range(HALVINGS):
        if score(low) >= level:
            break
        low -= 2 * (high - low)
    for _ in range(HALVINGS):
        if score(high) <= level:
            break
        high += 2 * (high - low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if score(middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _ends(
    score: Callable[[float], float], level: float, value: float, step: float
) -> tuple[float, float]:
    """Where a falling score is `level` below and above the estimate; infinite if it never is."""
    return (
        -_end(lambda down: -score(-down), level, -value, step),
        _end(score, level, value, step),
    )


def _end(score: Callable[[float], float], level: float, value: float, step: float) -> float:
    """The smallest value above the estimate at which a falling score is below -level."""
    inside, width = value, step
    for _ in range(40):
        if score(value + width) < -level:
            break
        inside = value + width
        width *= 2
    else:
        return math.inf
    outside = value + width
    finest = NOISELESS * max(abs(value), step)
    while outside - inside > max(END_PRECISION * (outside - value), finest):
        middle = (inside + outside) / 2
        if score(middle) < -level:
            outside = middle
        else:
            inside = middle
    return outside
