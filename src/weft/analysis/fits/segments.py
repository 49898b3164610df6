"""The piecewise model: a line for every protocol, and what follows from the whole of them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.linear import MISFIT
from weft.analysis.fits.misfit import shared_share, unit_covariance, with_misfit
from weft.analysis.fits.sweeps import check_sizes
from weft.analysis.stats.change_points import DOUBTFUL, Cuts, find_changes
from weft.analysis.stats.intervals import CONFIDENCE, exp, middle_of_case
from weft.analysis.stats.parameters import inverse, of_one_launch, over_sessions_of, student
from weft.estimate import Estimate
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.fits.sweeps import Series

    Lines = NDArray[np.float64]
    # A figure of the model from its lines: rows of (intercept, slope).
    OfLines = Callable[[Lines], float]

FEWEST_SIZES = 6
MOST_SIZES = 400


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """A line over the sizes of one protocol, both ends measured.

    `latency_ns` is the line's time at zero bytes, which is no measured time from the second on.
    """

    first_bytes: int
    last_bytes: int
    latency_ns: Estimate
    slope_ns_per_byte: Estimate
    bandwidth_bytes_per_s: Estimate


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the line between two measured sizes, as of a protocol.

    `at_bytes` is the first size beyond it; the times do not tell it from any place between
    `above_bytes` and `up_to_bytes`. `step` is the new line over the old one at `at_bytes`: 1.7 is a
    jump up by 70 %.
    """

    above_bytes: int
    at_bytes: int
    up_to_bytes: int
    step: Estimate


class Piecewise(msgspec.Struct, frozen=True, kw_only=True):
    """The model of a series.

    `latency_ns` is the first line at the smallest size. `half_bandwidth_bytes` is n½, the first
    size with half of the asymptotic bandwidth; None where none of the lines has it within its own
    sizes. `misfit_percent` as for the straight line.
    """

    name: str
    segments: tuple[Segment, ...]
    switches: tuple[Switch, ...]
    latency_ns: Estimate
    asymptotic_bandwidth_bytes_per_s: Estimate
    half_bandwidth_bytes: Estimate | None
    misfit_percent: float
    notes: tuple[str, ...] = ()

    def time_ns(self, size_bytes: float) -> float:
        """The time that the model expects for a message."""
        beyond = [s for s in self.segments if s.first_bytes <= size_bytes]
        line = beyond[-1] if beyond else self.segments[0]
        return line.latency_ns.value + line.slope_ns_per_byte.value * size_bytes


def fit_piecewise(series: Series) -> Piecewise:
    """Find the changes in the medians over launches, then fit every launch between them.

    Of a table the intervals come from the relative scatter about all lines together. Of a record
    they hold the variation between launches and the misfit that all launches share (misfit.py); one
    launch has none. Raises WeftError for fewer than six sizes.
    """
    import numpy as np

    check_sizes(series, FEWEST_SIZES)
    keep = np.unique(
        np.linspace(0, len(series.sizes_bytes) - 1, MOST_SIZES).round().astype(np.int64)
    )
    sizes = series.sizes_bytes[keep]
    medians = series.medians_ns()[keep]
    cuts = find_changes(sizes, medians)
    model = _model(sizes, cuts, series, keep)
    segments = tuple(
        _segment(model, sizes, index, span, series.directions)
        for index, span in enumerate(cuts.ranges)
    )
    last = len(segments) - 1
    maybe = find_changes(sizes, medians, DOUBTFUL)
    others = sorted({begin for begin, _ in maybe.ranges} - {begin for begin, _ in cuts.ranges})
    if others:
        other = _model(sizes, maybe, series, keep)
        segments = (*segments[:-1], _in_doubt(segments[-1], other, series.directions))
    half = _half_bandwidth(model, sizes, cuts)
    return Piecewise(
        name=series.name,
        segments=segments,
        switches=tuple(_switch(model, sizes, cuts, index) for index in range(last)),
        latency_ns=model.parameter(lambda lines: float(lines[0, 0] + lines[0, 1] * sizes[0])),
        asymptotic_bandwidth_bytes_per_s=segments[-1].bandwidth_bytes_per_s,
        half_bandwidth_bytes=half,
        misfit_percent=100 * model.misfit(medians),
        notes=(
            *_notes(model, medians, segments, half),
            *_notes_on_doubt([int(sizes[at]) for at in others], segments[-1]),
        ),
    )


def _model(
    sizes: NDArray[np.float64], cuts: Cuts, series: Series, keep: NDArray[np.int64]
) -> _Model:
    rows = [sweep.medians_ns[keep] for sweep in series.launches]
    return _Model(sizes, cuts, [_lines(sizes, row, cuts) for row in rows], rows, series)


def _in_doubt(last: Segment, other: _Model, directions: float) -> Segment:
    """The last segment, with an interval that also covers the line with uncertain changes."""
    slope = other.parameter(lambda lines: float(lines[-1, 1]), positive=True)
    known = last.slope_ns_per_byte
    wider = msgspec.structs.replace(
        known, low=min(known.low, slope.low), high=max(known.high, slope.high)
    )
    bandwidth = inverse(wider, 1e9 * directions)
    return msgspec.structs.replace(last, slope_ns_per_byte=wider, bandwidth_bytes_per_s=bandwidth)


def _notes_on_doubt(at_bytes: Sequence[int], last: Segment) -> list[str]:
    if not at_bytes or not last.bandwidth_bytes_per_s.is_bounded:
        return []
    places = " and ".join(map(format_bytes, at_bytes))
    words = (
        f"a change at {places} is possible, not certain: the interval of the last line's bandwidth"
        " covers the lines with it and without it; measure more sizes near it"
    )
    return [words]


def _notes(
    model: _Model,
    medians: NDArray[np.float64],
    segments: Sequence[Segment],
    half: Estimate | None,
) -> list[str]:
    notes = [] if half else ["n½ is at a switch or outside the measured sizes"]
    deviations = model.expected(model.middle) / medians - 1
    for segment, (begin, end) in zip(segments, model.cuts.ranges, strict=True):
        root = math.sqrt(float(deviations[begin:end] @ deviations[begin:end]) / (end - begin))
        if root > MISFIT:
            span = f"{format_bytes(segment.first_bytes)} to {format_bytes(segment.last_bytes)}"
            notes.append(
                f"the times from {span} fit no line within {root:.0%}: a switch with fewer than"
                " three sizes on one side is not found; measure more sizes there"
            )
    return notes


def _lines(sizes: NDArray[np.float64], times: NDArray[np.float64], cuts: Cuts) -> Lines:
    """A row (intercept, slope) a segment: least squares of relative deviations, slopes from 0."""
    import numpy as np

    rows = []
    for begin, end in cuts.ranges:
        n, t = sizes[begin:end], times[begin:end]
        w = 1 / t**2
        centre = float(w @ n / w.sum())
        slope = max(float(w @ ((n - centre) * t) / (w @ (n - centre) ** 2)), 0.0)
        rows.append((float(w @ (t - slope * n) / w.sum()), slope))
    return np.array(rows)


class _Model:
    """The lines of every launch, and parameters with intervals from them."""

    def __init__(
        self,
        sizes: NDArray[np.float64],
        cuts: Cuts,
        launches: Sequence[Lines],
        rows: Sequence[NDArray[np.float64]],
        series: Series,
    ) -> None:
        import numpy as np

        self.sizes = sizes
        self.cuts = cuts
        self.launches = launches
        self.middle = np.apply_along_axis(
            lambda own: middle_of_case(own.tolist(), series.sessions), 0, np.array(launches)
        )
        self.times = np.asarray(np.mean(rows, axis=0))
        # The lines whose scatter is looked at: of the only launch, or of the mean over launches.
        self.of_mean = launches[0] if len(launches) == 1 else _lines(sizes, self.times, cuts)
        own = [row / self.expected(lines) - 1 for row, lines in zip(rows, launches, strict=True)]
        self.shared = shared_share(np.array(own)) if len(own) > 1 else 1.0
        self.counted = series.counted
        self.sessions = series.sessions

    @property
    def _freedom(self) -> int:
        return len(self.sizes) - 2 * len(self.cuts.ranges)

    @cached_property
    def _covariances(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each line small steps of its parameters, and their covariance from the scatter."""
        import numpy as np

        expected = self.expected(self.of_mean)
        deviations = self.times / expected - 1
        variance = float(deviations @ deviations) / max(self._freedom, 1)
        found = []
        for begin, end in self.cuts.ranges:
            shape = unit_covariance(self.sizes[begin:end], expected[begin:end])
            steps = 1e-4 * np.sqrt(max(variance, 1e-18) * np.diag(shape))
            found.append((steps, variance * shape))
        return found

    def expected(self, lines: Lines) -> NDArray[np.float64]:
        """The lines' times at all sizes."""
        import numpy as np

        parts = [
            line[0] + line[1] * self.sizes[begin:end]
            for line, (begin, end) in zip(lines, self.cuts.ranges, strict=True)
        ]
        return np.concatenate(parts)

    def misfit(self, medians: NDArray[np.float64]) -> float:
        """The median relative deviation of the sizes from the model."""
        import numpy as np

        return float(np.median(np.abs(self.expected(self.middle) / medians - 1)))

    def parameter(self, figure: OfLines, *, positive: bool = False) -> Estimate:
        """A figure of the lines with its interval: over launches, and from what they share."""
        if self.counted == 1:
            return of_one_launch(figure(self.of_mean))
        sizes = self._from_scatter(figure, positive=positive)
        if len(self.launches) == 1:
            return sizes
        own = [figure(lines) for lines in self.launches]
        over = over_sessions_of(own, self.sessions, positive=positive)
        return with_misfit(over, sizes, self.shared, positive=positive)

    def _from_scatter(self, figure: OfLines, *, positive: bool) -> Estimate:
        """Delta method: the gradient by small steps, the covariances of each line's relative fit.

        `positive` figures are taken on their logarithm.
        """
        import numpy as np

        lines = self.of_mean
        value = figure(lines)
        on_log = positive and value > 0
        variance = 0.0
        for index, (steps, covariance) in enumerate(self._covariances):
            gradient = np.zeros(2)
            for part in range(2):
                up, down = lines.copy(), lines.copy()
                up[index, part] += steps[part]
                down[index, part] -= steps[part]
                gradient[part] = (figure(up) - figure(down)) / (2 * steps[part])
            variance += float(gradient @ covariance @ gradient)
        freedom = self._freedom
        error = math.sqrt(variance) / (value if on_log else 1.0)
        reach = student(max(freedom, 1)) * error
        low, high = (
            (value * exp(-reach), value * exp(reach)) if on_log else (value - reach, value + reach)
        )
        return Estimate(
            value=value,
            low=low,
            high=high,
            coverage=CONFIDENCE,
            method=f"relative scatter about the lines, {freedom} degrees of freedom",
            launches=self.counted,
        )


def _segment(
    model: _Model,
    sizes: NDArray[np.float64],
    index: int,
    span: tuple[int, int],
    directions: float,
) -> Segment:
    slope = model.parameter(lambda lines: float(lines[index, 1]), positive=True)
    return Segment(
        first_bytes=int(sizes[span[0]]),
        last_bytes=int(sizes[span[1] - 1]),
        latency_ns=model.parameter(lambda lines: float(lines[index, 0])),
        slope_ns_per_byte=slope,
        bandwidth_bytes_per_s=inverse(slope, 1e9 * directions),
    )


def _switch(model: _Model, sizes: NDArray[np.float64], cuts: Cuts, index: int) -> Switch:
    low, high = cuts.places[index]
    at = float(sizes[cuts.ranges[index][1]])

    def step(lines: Lines) -> float:
        old, new = lines[index] @ (1.0, at), lines[index + 1] @ (1.0, at)
        return float(new / old)

    return Switch(
        above_bytes=int(sizes[low - 1]),
        at_bytes=int(at),
        up_to_bytes=int(sizes[high]),
        step=model.parameter(step, positive=True),
    )


def _half_bandwidth(model: _Model, sizes: NDArray[np.float64], cuts: Cuts) -> Estimate | None:
    """n½ on the first line that reaches it within its own sizes.

    n / (a + b n) is half of 1 / B where n = a / (2 B - b), B the last line's slope.
    """
    import numpy as np

    for index, (begin, end) in enumerate(cuts.ranges):

        def half(lines: Lines, index: int = index) -> float:
            bend = 2 * lines[-1, 1] - lines[index, 1]
            return float(lines[index, 0] / bend) if bend > 0 else math.inf

        at = half(np.asarray(model.middle))
        if sizes[begin] <= at <= sizes[end - 1] and at > 0:
            return model.parameter(half, positive=True)
        if at < sizes[begin]:
            return None
    return None
