"""A diagram as data: axes, tracks, marks. What drawing.py and interactive.py draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.report.figures import axis_place, byte_ticks
from weft.units import format_bandwidth, format_bytes, format_time
from weft.written import with_ends

if TYPE_CHECKING:
    from weft.report.figures import Curve, Figure

Style = Literal["both", "points", "line"]


class Axis(msgspec.Struct, frozen=True):
    """An axis; without ticks they are chosen by the program that draws.

    It ends at `ends`, where the data do without. What leaves it is cut off.
    """

    label: str
    is_log: bool = True
    ticks: tuple[tuple[float, str], ...] = ()
    ends: tuple[float, float] | None = None


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """Points or a line in the axes' units. `low` and `high` are error bars, `texts` what a point
    says under the pointer, `cells` what stands in a table of the chart; all may be empty. Tracks of
    one `group` share their colour; one without a label is not in the legend.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    style: Style = "both"
    group: int = 0

    def bars(self) -> tuple[list[float], list[float]] | None:
        """How far the error bars reach down and up; nowhere from a point without an interval."""
        if not self.low:
            return None
        reach = [
            (max(0.0, y - low), max(0.0, high - y))
            if math.isfinite(low) and math.isfinite(high)
            else (0.0, 0.0)
            for low, y, high in zip(self.low, self.y, self.high, strict=True)
        ]
        return [down for down, _ in reach], [up for _, up in reach]


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
    x: Axis
    y: Axis
    tracks: tuple[Track, ...]
    marks: tuple[Mark, ...] = ()
    note: str = ""


def chart_of(figure: Figure) -> Chart:
    """A figure of estimates against message size as a chart."""
    labels = ", ".join(curve.label for curve in figure.curves)
    return Chart(
        name=figure.name,
        title=figure.title,
        alt=f"{figure.title}: {figure.axis} against message size for {labels}",
        x=Axis("message size", ticks=tuple(byte_ticks(figure))),
        y=Axis(figure.axis),
        tracks=tuple(_track(figure, curve, group) for group, curve in enumerate(figure.curves)),
        note="Bars are 95 % intervals.",
    )


def _track(figure: Figure, curve: Curve, group: int) -> Track:
    factor = figure.unit_factor
    shape = format_time if figure.metric == "latency" else format_bandwidth
    return Track(
        label=curve.label,
        x=tuple(axis_place(size) for size in curve.bytes),
        y=tuple(e.median * factor for e in curve.estimates),
        low=tuple(e.low * factor for e in curve.estimates),
        high=tuple(e.high * factor for e in curve.estimates),
        texts=tuple(
            f"{format_bytes(size)}: {with_ends(e, shape)}"
            for size, e in zip(curve.bytes, curve.estimates, strict=True)
        ),
        group=group,
    )
