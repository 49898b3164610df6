"""A diagram as data: axes, tracks, marks. What report/drawing.py draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from numpy.typing import NDArray

from weft.estimate import Estimate
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import WIDEST, with_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.units import Shape


Metric = Literal["latency", "bandwidth"]
Style = Literal["both", "points", "line", "bar"]
# A log axis has no zero: the zero-byte point stands where a quarter byte would.
ZERO_BYTES_AT = 0.25
# The label of an axis of message sizes.
SIZE = "message size"
BARS = "Bars are 95 % intervals."
NO_BAR = "A point without a bar: interval not known."
# What a drawing can tell apart.
MOST_CURVES = 7


class ChartAxis(msgspec.Struct, frozen=True):
    """An axis; without ticks they are chosen by the program that draws.

    It ends at `ends`, where the data do without. What leaves it is cut off.
    """

    label: str
    is_log: bool = True
    ticks: tuple[tuple[float, str], ...] = ()
    ends: tuple[float, float] | None = None


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """Points, a line or bars in the axes' units. `low` and `high` are error bars, `texts` what a
    point says under the pointer, `base` where a bar begins, `cells` what stands in a table of the
    chart; all may be empty. Tracks of one `group` share their colour, in a `shade` each; without a
    label one is not in the legend. A track whose values are differences (`is_signed`) may have any
    ends; of all others an interval over a factor of WIDEST says nothing.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    base: tuple[float, ...] = ()
    cells: tuple[str, ...] = ()
    style: Style = "both"
    group: int = 0
    shade: int = 0
    is_signed: bool = False

    @property
    def heights(self) -> list[float]:
        """Of bars: how far each reaches from its base."""
        return [top - low for top, low in zip(self.y, self.base, strict=True)]

    def bars(self) -> tuple[list[float], list[float]] | None:
        """How far the error bars reach down and up; nowhere from a point without an interval."""
        if not self.low:
            return None
        reach = [
            (max(0.0, y - low), max(0.0, high - y)) if self._is_known(low, high) else (0.0, 0.0)
            for low, y, high in zip(self.low, self.y, self.high, strict=True)
        ]
        return [down for down, _ in reach], [up for _, up in reach]

    @property
    def has_unknown(self) -> bool:
        """Whether some point has no bar because its interval is not known."""
        return not all(map(self._is_known, self.low, self.high))

    @property
    def has_bar(self) -> bool:
        """Whether the interval of some point is known."""
        return any(map(self._is_known, self.low, self.high))

    def has_bar_at(self, place: int) -> bool:
        """Whether the interval of this one of its points is known."""
        return bool(self.low) and self._is_known(self.low[place], self.high[place])

    def _is_known(self, low: float, high: float) -> bool:
        says_nothing = not self.is_signed and 0 < WIDEST * low < high
        return math.isfinite(low) and math.isfinite(high) and not says_nothing


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Values in colours, (rows, columns), between the `ends` of their scale; nan: none.

    Rows and columns have the same `names`, and `begins` are places where a group of them begins.
    One whose values are differences (`is_signed`) has its zero in the middle.
    """

    values: NDArray[Any]
    ends: tuple[float, float]
    label: str
    names: tuple[str, ...]
    begins: tuple[int, ...] = ()
    is_signed: bool = False


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A straight line across the diagram at a value of one axis, with its words, if it has any."""

    axis: Literal["x", "y"]
    at: float
    text: str
    group: int = 0


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One diagram, of tracks or a matrix. `alt` says in words what it shows.

    One that `is_static` is a picture on the screen too.
    """

    name: str
    title: str
    alt: str
    x: ChartAxis
    y: ChartAxis
    tracks: tuple[Track, ...]
    marks: tuple[Mark, ...] = ()
    note: str = ""
    matrix: Matrix | None = None
    is_static: bool = False

    @property
    def has_course(self) -> bool:
        """Whether it shows how anything goes on: of one place along x a table says as much."""
        places = {x for track in self.tracks for x in track.x}
        is_of_bars = any(track.style == "bar" for track in self.tracks)
        return self.matrix is not None or is_of_bars or len(places) > 1

    @property
    def words(self) -> str:
        """What stands below it: its note, and that points without a bar have no interval.

        Where no point has a bar it does not say what bars are.
        """
        lacks = any(track.has_unknown for track in self.tracks)
        has_bars = any(track.has_bar for track in self.tracks)
        note = self.note if has_bars else self.note.replace(BARS, "").strip()
        return f"{note} {NO_BAR}".strip() if lacks else note


class AxisUnit(NamedTuple):
    """The unit of an axis: its label, what one of the SI unit (or ns) is in it, and its words."""

    label: str
    scale: float
    shape: Shape

    def point(self, x: float, figure: Estimate, text: str = "") -> ChartPoint:
        """A figure with its interval at a place of the other axis."""
        y, low, high = (one * self.scale for one in (figure.value, figure.low, figure.high))
        return ChartPoint(x, y, low, high, text)


LATENCY_UNIT = AxisUnit("latency in µs", 1e-3, format_time)
BANDWIDTH_UNIT = AxisUnit("bandwidth in MB/s", 1e-6, format_bandwidth)


def unit_of(metric: Metric) -> AxisUnit:
    """In which latencies or bandwidths are drawn."""
    return LATENCY_UNIT if metric == "latency" else BANDWIDTH_UNIT


class ChartPoint(NamedTuple):
    """A point in the axes' units; `text` is what it says, `cell` what a table of the chart has."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    text: str = ""
    cell: str = ""


def track_of(
    label: str,
    points: Iterable[ChartPoint],
    group: int = 0,
    *,
    style: Style = "both",
    base: Sequence[float] = (),
    is_signed: bool = False,
) -> Track:
    """A track of points, which have all an interval or none, and so words. `base` is of bars."""
    drawn = list(points)
    return Track(
        label=label,
        x=tuple(float(one.x) for one in drawn),
        y=tuple(one.y for one in drawn),
        low=tuple(one.low for one in drawn if one.low is not None),
        high=tuple(one.high for one in drawn if one.high is not None),
        texts=tuple(one.text for one in drawn if one.text),
        cells=tuple(one.cell for one in drawn if one.cell),
        base=tuple(base),
        style=style,
        group=group,
        is_signed=is_signed,
    )


def chart_of(
    name: str,
    title: str,
    x: ChartAxis,
    y: ChartAxis,
    tracks: Iterable[Track],
    *,
    marks: Iterable[Mark] = (),
    note: str = BARS,
) -> Chart:
    """A diagram whose words are those of its title, its axes and its tracks."""
    drawn = tuple(tracks)
    labels = ", ".join(filter(None, (track.label for track in drawn)))
    return Chart(
        name=name,
        title=title,
        alt=f"{title}: {y.label} against {x.label} for {labels}",
        x=x,
        y=y,
        tracks=drawn,
        marks=tuple(marks),
        note=note,
    )


def axis_over_sizes(sizes: Sequence[int]) -> ChartAxis:
    """The axis of message sizes, bytes, for these ones."""
    return ChartAxis(SIZE, ticks=tuple(size_ticks(sizes)))


def axis_over_counts(label: str, counts: Iterable[int], *, is_log: bool = True) -> ChartAxis:
    """An axis with a tick at each of these numbers."""
    ticks = tuple((float(count), str(count)) for count in sorted(set(counts)))
    return ChartAxis(label, is_log=is_log, ticks=ticks)


def ends_of(figures: Sequence[float]) -> tuple[float, float]:
    """Room for the figures: one wide interval must not press the curves to a line."""
    least, most = min(0.0, *figures), max(0.0, *figures)
    # Where all figures are nothing, as on a platform that has no such cost, the axis has a length.
    margin = 0.25 * (most - least) or 1.0
    return (least - margin if least < 0 else 0.0, most + margin)


class SizeCurve(msgspec.Struct, frozen=True):
    """Estimates against message size: sizes in bytes, ascending, and the figure at each."""

    label: str
    bytes: tuple[int, ...]
    estimates: tuple[Estimate, ...]


def chart_over_sizes(name: str, title: str, metric: Metric, curves: Sequence[SizeCurve]) -> Chart:
    """Latency in µs or bandwidth in MB/s against message size, a track a curve."""
    unit = unit_of(metric)
    return chart_of(
        name,
        title,
        axis_over_sizes([size for curve in curves for size in curve.bytes]),
        ChartAxis(unit.label),
        (_track(curve, unit, group) for group, curve in enumerate(curves)),
    )


def chart_over_ranks(name: str, title: str, curves: Sequence[SizeCurve]) -> Chart:
    """The time of an iteration in µs against ranks, which stand where sizes do, a track a curve."""
    chart = chart_over_sizes(name, title, "latency", curves)
    return chart_of(
        name,
        title,
        axis_over_counts("ranks", (count for curve in curves for count in curve.bytes)),
        ChartAxis("iteration in µs"),
        (msgspec.structs.replace(track, texts=()) for track in chart.tracks),
    )


def _track(curve: SizeCurve, unit: AxisUnit, group: int) -> Track:
    points = (
        unit.point(axis_place(size), one, f"{format_bytes(size)}: {with_ends(one, unit.shape)}")
        for size, one in zip(curve.bytes, curve.estimates, strict=True)
    )
    return track_of(curve.label, points, group)


def axis_place(size: int) -> float:
    """Where a size stands on the logarithmic axis of bytes."""
    return float(size) if size else ZERO_BYTES_AT


def size_ticks(all_sizes: Sequence[int]) -> list[tuple[float, str]]:
    """Places and labels of a size axis: zero, and every fourth power of two in the range.

    Where fewer than two of these are between the ends, the sizes themselves.
    """
    sizes = set(all_sizes)
    largest = max(sizes)
    ticks = [(axis_place(0), "0 B")] if 0 in sizes else []
    step = 2 if largest <= 1 << 10 else 4
    smallest = min((size for size in sizes if size), default=1)
    powers = [1 << exponent for exponent in range(0, largest.bit_length() + 1, step)]
    inside = [size for size in powers if smallest <= size <= largest]
    ticks += [(float(size), format_bytes(size)) for size in inside]
    if len(ticks) > 1:
        return ticks
    return [(axis_place(size), format_bytes(size)) for size in sorted(sizes)]
