"""The straight line t = latency + bytes / bandwidth through a series of times (Hockney's model).

Two fits side by side: ordinary least squares as such lines are published, and the median line,
which is right for times whose errors grow with the message and have a tail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.least_squares import Fitted, least_squares
from weft.analysis.median_line import median_line
from weft.analysis.parameters import Parameter, inverse, over_launches
from weft.analysis.sweeps import check_sizes
from weft.errors import WeftError
from weft.units import format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.sweeps import Series, Sweep

# A line whose typical deviation at the sizes is above this is not the whole story.
MISFIT = 0.1


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One straight line. `r_squared` only for least squares: a median line has no such share."""

    method: str
    latency_ns: Parameter
    bandwidth_bytes_per_s: Parameter
    slope_ns_per_byte: Parameter
    r_squared: Parameter | None = None

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
    import numpy as np  # noqa: PLC0415 - not needed to start the program

    check_sizes(series)
    published = _line(series, "ordinary least squares", least_squares)
    robust = _line(series, "median line", _median_line_of(series))
    _check_growth(series, robust)
    sizes, medians = series.sizes_bytes, series.medians_ns()
    expected = robust.latency_ns.value + robust.slope_ns_per_byte.value * sizes
    misfit = float(np.median(np.abs(expected / medians - 1)))
    return LinearFit(
        name=series.name,
        samples=series.samples,
        launches=len(series.launches),
        smallest_bytes=int(sizes[0]),
        largest_bytes=int(sizes[-1]),
        least_squares=published,
        median_line=robust,
        misfit_percent=100 * misfit,
        notes=(*series.notes, *_notes(series, robust, misfit)),
    )


def _median_line_of(series: Series) -> Callable[[Sweep], Fitted]:
    """With several launches the interval comes from them, and none is needed within a launch."""
    alone = len(series.launches) == 1
    return lambda sweep: median_line(sweep, intervals=alone)


def _line(series: Series, method: str, fit: Callable[[Sweep], Fitted]) -> Line:
    fits = [fit(sweep) for sweep in series.launches]
    slope = _over(series, [one.slope_ns_per_byte for one in fits], positive=True)
    scatters = [one.scatter for one in fits if one.scatter is not None]
    scatter = _over(series, scatters, positive=True) if len(scatters) == len(fits) else None
    return Line(
        method=method,
        latency_ns=_over(series, [one.latency_ns for one in fits], positive=False),
        bandwidth_bytes_per_s=inverse(slope, 1e9 * series.directions),
        slope_ns_per_byte=slope,
        r_squared=scatter.mapped(lambda share: max(1 - share, 0.0)) if scatter else None,
    )


def _over(series: Series, parameters: Sequence[Parameter], *, positive: bool) -> Parameter:
    if len(parameters) == 1:
        return msgspec.structs.replace(parameters[0], launches=series.counted)
    return over_launches([parameter.value for parameter in parameters], positive=positive)


def _check_growth(series: Series, robust: Line) -> None:
    slope = robust.slope_ns_per_byte
    grows = slope.low > 0
    if not slope.is_bounded and slope.value > 0:
        raise WeftError(
            f"{series.name} has {len(series.sizes_bytes)} sizes and {series.samples} samples: too"
            " few to say how far off a line through them may be",
            "measure at least 8 sizes, or several samples of each",
        )
    if not grows:
        raise WeftError(
            f"the times of {series.name} do not grow with the message beyond their scatter, so they"
            " give no bandwidth",
            "check the columns and their units, or measure larger messages",
        )


def _notes(series: Series, robust: Line, misfit: float) -> list[str]:
    notes = []
    if len(series.launches) == 1:
        notes.append("one launch: the intervals know nothing of the variation between launches")
    latency = robust.latency_ns
    smallest = int(series.sizes_bytes[0])
    half_bytes = latency.value / robust.slope_ns_per_byte.value
    doubts = []
    if latency.low <= 0 <= latency.high:
        doubts.append("its interval holds zero")
    elif latency.high < 0:
        doubts.append("it is below zero, where no latency can be")
    if smallest > half_bytes:
        first = format_time(float(series.medians_ns()[0]))
        doubts.append(
            f"it is drawn out to zero bytes from messages of {format_bytes(smallest)} and more, the"
            f" shortest of which takes {first}: a bend of the times of some per cent would make it"
            " or hide it"
        )
    if doubts and series.has_latency:
        notes.append(
            f"the latency is ill-determined: {' and '.join(doubts)}; measure it with small"
            " messages: weft run ping_pong --sizes 0..1KiB"
        )
    if misfit > MISFIT:
        notes.append(
            f"half of the sizes are more than {misfit:.0%} off the line: one line is not enough,"
            " see the piecewise model"
        )
    return notes
