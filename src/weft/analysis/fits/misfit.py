"""What all launches share: how far the sizes themselves lie off a fitted line.

Fitting each launch by itself shows what varies between launches. A size that is 2 % off the line
in every launch (an alignment, a protocol's rounding) moves the parameters of all of them alike, so
the variation between launches does not show it. Its share is found from the residuals: those that
the mean over launches has beyond what the scatter between launches leaves in a mean of so many
(one-way analysis of variance with random effects; Searle, Casella and McCulloch, Variance
Components, 1992, section 3.6). Both variances add up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import exp

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate


def shared_share(deviations: NDArray[np.float64]) -> float:
    """The part, 0 to 1, of the squared mean residuals that all launches share.

    `deviations` are relative residuals, one row per launch from that launch's own line, a column a
    size; two launches or more.
    """
    launches = len(deviations)
    mean = deviations.mean(axis=0)
    seen = float(mean @ mean)
    by_chance = float(deviations.var(axis=0, ddof=1).sum()) / launches
    return max(0.0, 1 - by_chance / seen) if seen > 0 else 0.0


def unit_covariance(
    sizes_bytes: NDArray[np.float64], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The covariance (2 by 2) of a line's intercept and slope, by weighted least squares.

    It holds for errors of the variance `scale` squared; others scale it.
    """
    import numpy as np

    design = np.column_stack([np.ones(len(sizes_bytes)), sizes_bytes]) / scale[:, None]
    length = np.linalg.norm(design, axis=0)
    normed = design / length
    return np.asarray(np.linalg.inv(normed.T @ normed) / np.outer(length, length))


def with_misfit(over: Estimate, sizes: Estimate, share: float, *, positive: bool) -> Estimate:
    """An interval over launches, widened by what the launches share.

    `sizes` is the same parameter of the launches' mean, its interval from the scatter of the sizes
    about the line, of whose variance `share` is shared. Variances add, on the logarithms of what is
    `positive`.
    """
    if share <= 0:
        return over
    if positive and min(over.low, sizes.low) > 0:
        logs = with_misfit(over.mapped(math.log), sizes.mapped(math.log), share, positive=False)
        return logs.mapped(exp)
    root = math.sqrt(share)
    low = over.value - math.hypot(over.value - over.low, root * (sizes.value - sizes.low))
    high = over.value + math.hypot(over.high - over.value, root * (sizes.high - sizes.value))
    method = f"{over.method}; {share:.0%} of the sizes' misfit is shared by all"
    return msgspec.structs.replace(over, low=low, high=high, method=method)
