"""The straight line t = latency + bytes / bandwidth through a series of times (Hockney's model).

Two fits side by side: ordinary least squares as such lines are published, and the median line,
which is right for times whose errors grow with the message and have a tail.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.least_squares import Fitted, least_squares
from weft.analysis.fits.median_line import median_line
from weft.analysis.fits.misfit import shared_share, unit_covariance, with_misfit
from weft.analysis.fits.slow_samples import covering_mean
from weft.analysis.fits.sweeps import Sweep, check_sizes
from weft.analysis.stats.launches import what_would_tell
from weft.analysis.stats.needed import to_be_beside
from weft.analysis.stats.parameters import inverse, of_one_launch, over_sessions_of, student
from weft.analysis.stats.trend import mann_kendall
from weft.errors import WeftError
from weft.estimate import Estimate
from weft.plan.cases import LATENCY
from weft.plan.command import weft_run
from weft.units import format_bytes, format_time
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.fits.sweeps import Series

# A line whose typical deviation at the sizes is above this is not the whole story.
MISFIT = 0.1
# Of one launch with one sample of each size, as a mean that another program states, so many sizes
# have an interval: of drawn lines with noise of 5 % those of 8 never had one, of 16 all had.
SIZES_OF_ONE_SAMPLE = 16
# How often times that do not grow with the size may look as if they did.
BY_CHANCE = 0.05


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One straight line. `r_squared` only for least squares: a median line has no such share."""

    method: str
    latency_ns: Estimate
    bandwidth_bytes_per_s: Estimate
    slope_ns_per_byte: Estimate
    r_squared: Estimate | None = None

    def time_ns(self, size_bytes: float) -> float:
        """The time that the line expects for a message."""
        return self.latency_ns.value + self.slope_ns_per_byte.value * size_bytes


class LinearFit(msgspec.Struct, frozen=True, kw_only=True):
    """Both lines through a series.

    `misfit_percent` is the median over the sizes of how far the median line is from the size's
    median, in per cent of it. `notes` say what to know before the figures are used.
    """

    name: str
    samples: int
    launches: int
    smallest_bytes: int
    largest_bytes: int
    least_squares: Line
    median_line: Line
    misfit_percent: float
    notes: tuple[str, ...]


def fit_line(series: Series) -> LinearFit:
    """Fit both lines.

    Raises WeftError where the series has too few sizes or samples for an interval, or where its
    times do not grow with the size.
    """
    import numpy as np

    check_sizes(series)
    published = _published_line(series)
    robust = _robust_line(series)
    _check_growth(series, robust)
    sizes, medians = series.sizes_bytes, series.medians_ns()
    expected = robust.latency_ns.value + robust.slope_ns_per_byte.value * sizes
    misfit = float(np.median(np.abs(expected / medians - 1)))
    notes = (*series.notes, *_notes(series, robust, misfit))
    if series.counted == 1:
        published, robust = _without_ends(published), _without_ends(robust)
    elif not robust.slope_ns_per_byte.is_bounded:
        robust = _without_ends(robust)
    return LinearFit(
        name=series.name,
        samples=series.samples,
        launches=len(series.launches),
        smallest_bytes=int(sizes[0]),
        largest_bytes=int(sizes[-1]),
        least_squares=published,
        median_line=robust,
        misfit_percent=100 * misfit,
        notes=notes,
    )


def _without_ends(line: Line) -> Line:
    """The line of one launch: its samples tell how well it is known, and not how launches differ.

    Or one of so few sizes, of a sample each, that they have no interval.

    Where launches scatter by 1 % the interval about the line held the true slope in 6 to 10 % of
    the trials.
    """
    return msgspec.structs.replace(
        line,
        latency_ns=of_one_launch(line.latency_ns.value),
        bandwidth_bytes_per_s=of_one_launch(line.bandwidth_bytes_per_s.value),
        slope_ns_per_byte=of_one_launch(line.slope_ns_per_byte.value),
    )


def _published_line(series: Series) -> Line:
    fits = [least_squares(sweep) for sweep in series.launches]
    method = "ordinary least squares"
    scatters = [one.scatter for one in fits if one.scatter is not None]
    if len(fits) == 1:
        both = _with_means(series, fits[0])
        return _line(series, method, both, of_one_launch(scatters[0]) if scatters else None)
    sizes = series.sizes_bytes
    rows = [
        (sweep.means_ns - _at(fitted, sizes)) * (sizes - sizes.mean())
        for sweep, fitted in zip(series.launches, fits, strict=True)
    ]
    both = _shared(series, fits, least_squares(_mean_of(series)), rows)
    both = _with_means(series, both)
    if len(scatters) < len(fits):
        return _line(series, method, both, None)
    scatter = over_sessions_of(scatters, series.sessions, positive=True)
    return _line(series, method, both, scatter)


def _with_means(series: Series, fitted: Fitted) -> Fitted:
    slope = covering_mean(fitted.slope_ns_per_byte, series.launches)
    return msgspec.structs.replace(fitted, slope_ns_per_byte=slope)


def _alone(series: Series, parameter: Estimate) -> Estimate:
    return msgspec.structs.replace(parameter, launches=series.counted)


def _robust_line(series: Series) -> Line:
    """With several launches the interval comes from them, and none is needed within a launch."""
    alone = len(series.launches) == 1
    fits = [median_line(sweep, intervals=alone) for sweep in series.launches]
    if alone:
        return _line(series, "median line", fits[0], None)
    sizes = series.sizes_bytes
    rows = [
        sweep.medians_ns / _at(fitted, sizes) - 1
        for sweep, fitted in zip(series.launches, fits, strict=True)
    ]
    both = _shared(series, fits, _scatter_of_medians(series, rows), rows)
    return _line(series, "median line", both, None)


def _line(series: Series, method: str, fitted: Fitted, scatter: Estimate | None) -> Line:
    if len(series.launches) == 1:
        fitted = msgspec.structs.replace(
            fitted,
            latency_ns=_alone(series, fitted.latency_ns),
            slope_ns_per_byte=_alone(series, fitted.slope_ns_per_byte),
        )
    return Line(
        method=method,
        latency_ns=fitted.latency_ns,
        bandwidth_bytes_per_s=inverse(fitted.slope_ns_per_byte, 1e9 * series.directions),
        slope_ns_per_byte=fitted.slope_ns_per_byte,
        r_squared=scatter.mapped(lambda share: max(1 - share, 0.0)) if scatter else None,
    )


def _at(fitted: Fitted, sizes_bytes: NDArray[np.float64]) -> NDArray[np.float64]:
    return fitted.latency_ns.value + fitted.slope_ns_per_byte.value * sizes_bytes


def _shared(
    series: Series,
    fits: Sequence[Fitted],
    of_mean: Fitted,
    rows: Sequence[NDArray[np.float64]],
) -> Fitted:
    """The parameters over launches, or sessions, their intervals widened by the shared misfit."""
    import numpy as np

    share = shared_share(np.array(rows))
    slopes = [one.slope_ns_per_byte.value for one in fits]
    slope = over_sessions_of(slopes, series.sessions, positive=True)
    latencies = [one.latency_ns.value for one in fits]
    latency = over_sessions_of(latencies, series.sessions, positive=False)
    return Fitted(
        slope_ns_per_byte=with_misfit(slope, of_mean.slope_ns_per_byte, share, positive=True),
        latency_ns=with_misfit(latency, of_mean.latency_ns, share, positive=False),
        scatter=None,
    )


def _mean_of(series: Series) -> Sweep:
    """The launches' means and medians averaged, as if they were one sample of each size."""
    import numpy as np

    sizes = series.sizes_bytes
    ones = np.ones(len(sizes))
    medians = np.mean([sweep.medians_ns for sweep in series.launches], axis=0)
    return Sweep(
        sizes_bytes=sizes,
        counts=ones,
        means_ns=np.mean([sweep.means_ns for sweep in series.launches], axis=0),
        squares_ns2=0 * ones,
        medians_ns=medians,
        kept_ns=tuple(medians[:, None]),
        weights=ones,
    )


def _scatter_of_medians(series: Series, rows: Sequence[NDArray[np.float64]]) -> Fitted:
    """The median line of the launches' mean, its interval from how the sizes lie off it.

    A median's variance is pi/2 of a mean's where errors are normal.
    """
    import numpy as np

    sizes = series.sizes_bytes
    fitted = median_line(_mean_of(series), intervals=False)
    freedom = len(sizes) - 2
    deviations = np.mean(rows, axis=0)
    variance = float(deviations @ deviations) / max(freedom, 1) * math.pi / 2
    expected = np.maximum(_at(fitted, sizes), series.medians_ns().min() / 2)
    covariance = variance * unit_covariance(sizes, expected)
    reach = student(max(freedom, 1)) * np.sqrt(np.diag(covariance))

    def bounded(one: Estimate, by: float) -> Estimate:
        return msgspec.structs.replace(one, low=one.value - by, high=one.value + by)

    return Fitted(
        latency_ns=bounded(fitted.latency_ns, float(reach[0])),
        slope_ns_per_byte=bounded(fitted.slope_ns_per_byte, float(reach[1])),
        scatter=None,
    )


def _check_growth(series: Series, robust: Line) -> None:
    slope = robust.slope_ns_per_byte
    is_sure = not slope.is_bounded or slope.low > 0
    if slope.value <= 0 or not (is_sure or _times_grow(series)):
        raise WeftError(
            f"the times of {series.name} do not grow with the size beyond their scatter, so they"
            " give no bandwidth",
            "check the columns and their units, or measure larger messages",
        )


def _times_grow(series: Series) -> bool:
    """Whether times grow with the size, along one line or not: two protocols are on no one line.

    Over launches by the largest size's time over the smallest's, else by Kendall's rank correlation
    (one-sided, 5 %).
    """
    logs = [
        math.log(float(sweep.medians_ns[-1] / sweep.medians_ns[0])) for sweep in series.launches
    ]
    over = over_sessions_of(logs, series.sessions, positive=False)
    if over.is_bounded:
        return over.low > 0
    medians = series.medians_ns().tolist()
    return medians[-1] > medians[0] and mann_kendall(medians) / 2 <= BY_CHANCE


def _notes(series: Series, robust: Line, misfit: float) -> list[str]:
    notes = []
    if series.counted == 1:
        notes.append(
            "one launch does not show the variation between launches, so there is no interval; run"
            f" {series.more_launches}"
        )
    elif not robust.slope_ns_per_byte.is_bounded:
        notes.append(
            f"{counted(len(series.sizes_bytes), 'size')} and {counted(series.samples, 'sample')}"
            " are too few for the intervals of the median line; measure"
            f" {SIZES_OF_ONE_SAMPLE} sizes, or several samples of each"
        )
    elif series.is_table:
        notes.append("one table: the intervals do not include the variation between launches")
    latency = robust.latency_ns
    smallest = int(series.sizes_bytes[0])
    half_bytes = latency.value / robust.slope_ns_per_byte.value
    doubts = []
    if latency.is_bounded and latency.low <= 0 <= latency.high:
        doubts.append("its interval includes zero")
    elif latency.high < 0:
        doubts.append("it is below zero")
    if smallest > half_bytes:
        first = format_time(float(series.medians_ns()[0]))
        doubts.append(
            f"it is extrapolated to zero bytes from messages of {format_bytes(smallest)} and more,"
            f" the shortest of which takes {first}, so a curvature of a few per cent changes it"
        )
    if doubts and series.has_latency:
        notes.append(
            f"the latency is ill-determined: {' and '.join(doubts)}; measure small messages:"
            f" {weft_run(LATENCY, '--sizes', '0..1KiB')}"
        )
        if series.again and latency.launches > 1 and latency.is_bounded and latency.value:
            needed = to_be_beside(latency, 0.0)
            notes.append(
                what_would_tell(
                    needed, "tell this latency from zero", [series.again], in_place=True
                )
            )
    return [*notes, *series.rests_on, *_not_one_line(robust, misfit)]


def _not_one_line(robust: Line, misfit: float) -> list[str]:
    slope = robust.slope_ns_per_byte
    if misfit > MISFIT:
        why = f"the median error of the line is {misfit:.0%}"
    elif slope.is_bounded and slope.low <= 0:
        why = "times grow, but the interval of the line's slope includes zero"
    else:
        return []
    return [f"{why}: one line is not enough, see the piecewise model"]
