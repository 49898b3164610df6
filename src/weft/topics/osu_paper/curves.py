"""Curves of the paper's figures: points in its units, and charts of them."""

from __future__ import annotations

import msgspec

from weft.charts import (
    MOST_CURVES,
    SIZE,
    Chart,
    ChartAxis,
    ChartPoint,
    Track,
    axis_over_sizes,
    chart_of,
    ends_of,
    track_of,
)
from weft.estimate import Estimate
from weft.units import format_bytes, format_number
from weft.wording import with_ends, with_half

BARS = "Bars are 95 % intervals, cut off where they leave the figure."
# Half an interval below this is shown as none.
SMALL = 1e-4


class PaperPoint(msgspec.Struct, frozen=True):
    """A figure in the axis's unit, and its place on the x axis."""

    x: float
    figure: Estimate


Curves = dict[str, list[PaperPoint]]


def point_at(place: float, figure: Estimate, factor: float) -> PaperPoint:
    """An estimate at a place of the x axis, turned into the y axis's unit by a factor."""
    return PaperPoint(place, figure.mapped(lambda value: value * factor))


def over_sizes(name: str, title: str, curves: Curves, y: ChartAxis) -> Chart | None:
    """A chart against the message size."""
    places = {int(point.x) for points in curves.values() for point in points}
    if not places:
        return None
    return chart_of_curves(name, title, curves, axis_over_sizes(sorted(places)), y)


def chart_of_curves(
    name: str, title: str, curves: Curves, x: ChartAxis, y: ChartAxis
) -> Chart | None:
    """One curve per label, as many as can be distinguished; None without any."""
    drawn = list(curves.items())[:MOST_CURVES]
    if not drawn:
        return None
    left_out = len(curves) - len(drawn)
    values = [point.figure.value for _, points in drawn for point in points]
    return chart_of(
        name,
        title,
        x,
        msgspec.structs.replace(y, ends=ends_of(values)),
        (
            track_of(label, [_drawn_at(point, x) for point in points], group)
            for group, (label, points) in enumerate(drawn)
        ),
        note=BARS + (f" {left_out} more are omitted." if left_out else ""),
    )


def place_on(x: float, axis: ChartAxis) -> str:
    """A place of an axis in words."""
    return format_bytes(int(x)) if axis.label == SIZE else f"{x:.4g}"


def cell_at(track: Track, place: float) -> str:
    """What a table says of a curve at a place; nothing where it has no point."""
    return track.cells[track.x.index(place)] if place in track.x else ""


def _drawn_at(point: PaperPoint, x: ChartAxis) -> ChartPoint:
    figure = point.figure
    text = f"{place_on(point.x, x)}: {with_ends(figure, format_number)}"
    cell = with_half(figure, format_number, in_unit=True)
    return ChartPoint(point.x, figure.value, figure.low, figure.high, text, cell)
