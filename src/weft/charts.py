"""A diagram as data: axes, tracks, marks. What report/drawing.py and interactive.py draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.estimate import Estimate
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import WIDEST, with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

Metric = Literal["latency", "bandwidth"]
Style = Literal["both", "points", "line", "bar"]
# A log axis has no zero: the zero-byte point stands where a quarter byte would.
ZERO_BYTES_AT = 0.25
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
    chart; all may be empty. Tracks of one `group` share their colour; one without a label is not in
    the legend. A track whose values are differences (`is_signed`) may have any ends; of all others
    an interval over a factor of WIDEST says nothing.
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

    def _is_known(self, low: float, high: float) -> bool:
        says_nothing = not self.is_signed and 0 < WIDEST * low < high
        return math.isfinite(low) and math.isfinite(high) and not says_nothing


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A straight line across the diagram at a value of one axis, with its words."""

    axis: Literal["x", "y"]
    at: float
    text: str
    group: int = 0


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One diagram. `alt` says in words what it shows."""

    name: str
    title: str
    alt: str
    x: ChartAxis
    y: ChartAxis
    tracks: tuple[Track, ...]
    marks: tuple[Mark, ...] = ()
    note: str = ""

    @property
    def words(self) -> str:
        """What stands below it: its note, and that points without a bar have no interval."""
        lacks = any(track.has_unknown for track in self.tracks)
        return f"{self.note} {NO_BAR}".strip() if lacks else self.note


class SizeCurve(msgspec.Struct, frozen=True):
    """Estimates against message size: sizes in bytes, ascending, and the figure at each."""

    label: str
    bytes: tuple[int, ...]
    estimates: tuple[Estimate, ...]


def chart_over_sizes(name: str, title: str, metric: Metric, curves: Sequence[SizeCurve]) -> Chart:
    """Latency in µs or bandwidth in MB/s against message size, a track a curve."""
    axis = "latency in µs" if metric == "latency" else "bandwidth in MB/s"
    labels = ", ".join(curve.label for curve in curves)
    sizes = [size for curve in curves for size in curve.bytes]
    return Chart(
        name=name,
        title=title,
        alt=f"{title}: {axis} against message size for {labels}",
        x=ChartAxis("message size", ticks=tuple(size_ticks(sizes))),
        y=ChartAxis(axis),
        tracks=tuple(_track(curve, metric, group) for group, curve in enumerate(curves)),
        note="Bars are 95 % intervals.",
    )


def chart_over_ranks(name: str, title: str, curves: Sequence[SizeCurve]) -> Chart:
    """The time of an iteration in µs against ranks, which stand where sizes do, a track a curve."""
    ranks = sorted({count for curve in curves for count in curve.bytes})
    chart = chart_over_sizes(name, title, "latency", curves)
    return msgspec.structs.replace(
        chart,
        alt=f"{title} against ranks for {', '.join(curve.label for curve in curves)}",
        x=ChartAxis("ranks", ticks=tuple((float(count), str(count)) for count in ranks)),
        y=ChartAxis("iteration in µs"),
        tracks=tuple(msgspec.structs.replace(track, texts=()) for track in chart.tracks),
    )


def _track(curve: SizeCurve, metric: Metric, group: int) -> Track:
    factor = 1e-3 if metric == "latency" else 1e-6
    shape = format_time if metric == "latency" else format_bandwidth
    return Track(
        label=curve.label,
        x=tuple(axis_place(size) for size in curve.bytes),
        y=tuple(e.value * factor for e in curve.estimates),
        low=tuple(e.low * factor for e in curve.estimates),
        high=tuple(e.high * factor for e in curve.estimates),
        texts=tuple(
            f"{format_bytes(size)}: {with_ends(e, shape)}"
            for size, e in zip(curve.bytes, curve.estimates, strict=True)
        ),
        group=group,
    )


def axis_place(size: int) -> float:
    """Where a size stands on the logarithmic axis of bytes."""
    return float(size) if size else ZERO_BYTES_AT


def size_ticks(all_sizes: Sequence[int]) -> list[tuple[float, str]]:
    """Places and labels of a size axis: zero, and every fourth power of two in the range."""
    sizes = set(all_sizes)
    largest = max(sizes)
    ticks = [(axis_place(0), "0 B")] if 0 in sizes else []
    step = 2 if largest <= 1 << 10 else 4
    smallest = min((size for size in sizes if size), default=1)
    powers = [1 << exponent for exponent in range(0, largest.bit_length() + 1, step)]
    inside = [size for size in powers if smallest <= size <= largest]
    ticks += [(float(size), format_bytes(size)) for size in inside]
    return ticks
