"""The straight line as it is usually published: ordinary least squares over all samples.

Its interval is not the usual one, which takes errors to be the same at every size. Errors of
transfer times grow with the time, and the samples of one size share its circumstances. So each size
is one observation (a cluster), and the variances are those that hold under errors in proportion to
the time: the estimator HC2 with that working model, and Satterthwaite's degrees of freedom (Bell
and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
Survey Methodology 28, 2002).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import CONFIDENCE
from weft.analysis.stats.parameters import student
from weft.estimate import Estimate
from weft.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.fits.sweeps import Sweep

# Beyond this many sizes the exact degrees of freedom are not worth a matrix of sizes by sizes.
MOST_EXACT = 1500


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """A line through one launch. `scatter` is 1 - R^2: the share of variance beside the line."""

    slope_ns_per_byte: Estimate
    latency_ns: Estimate
    scatter: float | None


def least_squares(sweep: Sweep) -> Fitted:
    """Slope, intercept and 1 - R^2 of all samples of a launch, three sizes or more."""
    import numpy as np

    sizes, counts, means = sweep.sizes_bytes, sweep.counts, sweep.means_ns
    total = float(counts.sum())
    centre = float(counts @ sizes) / total
    level = float(counts @ means) / total
    apart = sizes - centre
    # Rows of the estimators: slope = sum of rise * mean, intercept = sum of foot * mean.
    rise = rises(sweep)
    slope = float(rise @ means)
    intercept = level - slope * centre
    residuals = means - (intercept + slope * sizes)
    foot = counts / total - centre * rise
    scale = _expected_scale(sizes, means, intercept, slope)
    design = np.sqrt(counts)[:, None] * np.column_stack([np.ones_like(sizes), apart / sizes.max()])
    basis = np.linalg.qr(design)[0]
    working = np.square(scale)
    seen = np.sqrt(counts) * residuals
    return Fitted(
        slope_ns_per_byte=_bounded(slope, rise / np.sqrt(counts), seen, basis, working),
        latency_ns=_bounded(intercept, foot / np.sqrt(counts), seen, basis, working),
        scatter=_scatter(sweep, residuals, slope),
    )


def rises(sweep: Sweep) -> NDArray[np.float64]:
    """For each size, the weight of its mean in the slope."""
    counts = sweep.counts
    apart = sweep.sizes_bytes - float(counts @ sweep.sizes_bytes) / float(counts.sum())
    return counts * apart / float(counts @ apart**2)


def _expected_scale(
    sizes: NDArray[np.float64], means: NDArray[np.float64], intercept: float, slope: float
) -> NDArray[np.float64]:
    """What errors are taken to be in proportion to: the line's times, never under the shortest."""
    import numpy as np

    return np.asarray(np.maximum(intercept + slope * sizes, means.min()))


def _bounded(
    value: float,
    row: NDArray[np.float64],
    seen: NDArray[np.float64],
    basis: NDArray[np.float64],
    working: NDArray[np.float64],
) -> Estimate:
    """The interval of row @ y, from the residuals `seen` of the weighted fit with that basis.

    A squared residual is scaled so that under the working variances it has the mean it should.
    """
    import numpy as np

    count = len(row)
    leverage = np.square(basis).sum(axis=1)
    inner = basis.T @ (working[:, None] * basis)
    expected = working * (1 - 2 * leverage) + np.einsum("ij,jk,ik->i", basis, inner, basis)
    share = np.square(row) * working / np.maximum(expected, 1e-12 * working)
    variance = float(share @ seen**2)
    if count <= MOST_EXACT:
        projected = working[:, None] * basis
        product = -projected @ basis.T - basis @ projected.T + basis @ inner @ basis.T
        product[np.diag_indices(count)] += working
        freedom = float(share @ expected) ** 2 / float(share @ (product**2 @ share))
    else:
        freedom = float(count - 2)
    reach = student(freedom) * math.sqrt(variance)
    return Estimate(
        value=value,
        low=value - reach,
        high=value + reach,
        coverage=CONFIDENCE,
        method=f"HC2 over {counted(count, 'size')}, {freedom:.1f} degrees of freedom",
    )


def _scatter(sweep: Sweep, residuals: NDArray[np.float64], slope: float) -> float | None:
    """1 - R^2: of the squares beside the line B and those along it A, B / (A + B).

    It has no interval within a launch: the squares of skewed times have a tail that the samples of
    one launch do not show whole.
    """
    counts = sweep.counts
    apart = sweep.sizes_bytes - float(counts @ sweep.sizes_bytes) / float(counts.sum())
    beside = float((counts * residuals**2 + sweep.squares_ns2).sum())
    along = float(counts @ (slope * apart) ** 2)
    return beside / (beside + along) if beside > 0 and along > 0 else None
