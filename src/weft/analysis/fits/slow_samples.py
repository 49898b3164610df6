"""The influence of a few slow samples on a slope: how far other launches may differ.

A line of least squares in the size rests on the largest one or two sizes. Where one sample in a
hundred is several times slower, these have few such samples or none, and a slope without them is
below the line of the means. All sizes together know how many samples are slow, and by how much: a
share of the time, or a time, whichever makes them more alike. So the slope's error has the
cumulants of a compound Poisson sum, and its quantiles are those of the gamma distribution with the
same variance and skewness (Pearson, Contributions to the mathematical theory of evolution II,
Philosophical Transactions of the Royal Society A 186, 1895).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.least_squares import least_squares, rises
from weft.analysis.stats.in_time import times_wider
from weft.analysis.stats.intervals import CONFIDENCE
from weft.analysis.stats.parameters import student
from weft.quantiles import quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.fits.sweeps import Sweep
    from weft.estimate import Estimate

# Slow is a sample above the third quartile by so many interquartile ranges ("far out": Tukey,
# Exploratory Data Analysis, 1977), and above the median by this share: less moves no mean by much.
FAR_OUT, SHARE = 3.0, 0.5
FEWEST_ALIKE = 2
# Below this skewness the distribution is taken as normal.
_NO_SKEWNESS = 1e-3
_NEVER = 0.99


def covering_mean(slope: Estimate, sweeps: Sequence[Sweep]) -> Estimate:
    """The slope with an interval that covers the line of the means too.

    Of several launches their slopes without slow samples show how the launches differ; of one, the
    scatter of the sizes' medians about their line is taken.
    """
    import numpy as np

    plain = [_slope_of_medians(sweep) for sweep in sweeps]
    slopes = np.array([one.value for one in plain])
    slow = _slow_samples(sweeps)
    if slow is None or slope.value <= 0 or slopes.min() <= 0:
        return slope
    if len(sweeps) > 1:
        error = float(np.std(np.log(slopes), ddof=1)) / math.sqrt(len(sweeps))
        other = student(len(sweeps) - 1) * error * times_wider(slopes.tolist(), slope.unit)
    else:
        other = (plain[0].high - plain[0].low) / 2 / plain[0].value
    middle = float(np.mean([rises(sweep) @ sweep.means_ns for sweep in sweeps]))
    fewer, more = _ends(*_cumulants(sweeps, *slow))
    low = middle / (1 + math.hypot(more, other))
    high = middle / (1 - min(math.hypot(fewer, other), _NEVER))
    return msgspec.structs.replace(slope, low=min(slope.low, low), high=max(slope.high, high))


def _slope_of_medians(sweep: Sweep) -> Estimate:
    return least_squares(replace(sweep, means_ns=sweep.medians_ns)).slope_ns_per_byte


def _slow_samples(sweeps: Sequence[Sweep]) -> tuple[NDArray[np.float64], bool] | None:
    """By how much slow samples exceed their size's median in their launch, and whether in ns.

    An entry for each sample, 0 if it is not slow; None if no sample is slow.
    """
    import numpy as np

    beyond, level = [], []
    for sweep in sweeps:
        for kept, median in zip(sweep.kept_ns, sweep.medians_ns, strict=True):
            first, third = quantiles(kept, (0.25, 0.75))
            least = max(third + FAR_OUT * (third - first), (1 + SHARE) * median)
            is_slow = kept > least
            beyond.append(np.where(is_slow, kept - median, 0.0))
            level.append(np.full(len(kept), median))
    over, expected = np.concatenate(beyond), np.concatenate(level)
    found = over > 0
    if not found.any():
        return None
    times, shares = np.log(over[found]), np.log(over[found] / expected[found])
    is_time = found.sum() < FEWEST_ALIKE or times.var() < shares.var()
    return (over if is_time else over / expected), bool(is_time)


def _cumulants(
    sweeps: Sequence[Sweep], over: NDArray[np.float64], is_time: bool
) -> tuple[float, float]:
    """The variance and the third cumulant of the mean slope over the true one."""
    import numpy as np

    mean = float(over.mean())
    second, third = (float(np.mean((over - mean) ** power)) for power in (2, 3))
    expected = 0.0
    variance = skew = 0.0
    for sweep in sweeps:
        rise = rises(sweep)
        worth = rise if is_time else rise * sweep.medians_ns
        expected += float(rise @ sweep.medians_ns + mean * worth.sum())
        variance += float(np.sum(worth**2 / sweep.counts)) * second
        skew += float(np.sum(worth**3 / sweep.counts**2)) * third
    return variance / expected**2, skew / expected**3


def _ends(variance: float, third: float) -> tuple[float, float]:
    """How far below and above its mean such a sum is in 95 % of cases; both positive."""
    from scipy import special

    deviation = math.sqrt(variance)
    skewness = third / variance**1.5
    if abs(skewness) < _NO_SKEWNESS:
        reach = float(special.ndtri((1 + CONFIDENCE) / 2)) * deviation
        return reach, reach
    shape = 4 / skewness**2
    below, above = (
        deviation * (float(special.gammaincinv(shape, share)) - shape) / math.sqrt(shape)
        for share in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    )
    return (-below, above) if skewness > 0 else (above, -below)
