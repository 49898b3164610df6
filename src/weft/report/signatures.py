"""Network signatures as tables and as one chart. Computes no number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.charts import BANDWIDTH_UNIT, Chart, ChartAxis, ChartPoint, Mark, chart_of, track_of
from weft.report.fits import in_words
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.fits.signature import Signature, SignaturePoint

HEAD = ("", "zero-length latency", "saturation bandwidth")


def signature_rows(found: Sequence[Signature]) -> list[tuple[str, str, str]]:
    """A row a signature: its two marks in words."""
    return [
        (
            one.name,
            in_words(one.zero_length_ns, format_time),
            in_words(one.saturation_bytes_per_s, format_bandwidth),
        )
        for one in found
    ]


def signature_table(found: Sequence[Signature]) -> Table:
    """What stands beside the chart of a page."""
    return Table(
        name="signatures",
        caption="weft: network signature",
        head=HEAD,
        rows=tuple(signature_rows(found)),
        notes=tuple(f"{one.name}: {note}" for one in found for note in one.notes),
    )


def render_signatures(found: Sequence[Signature]) -> RenderableType:
    """The marks for a terminal."""
    table = Grid(box=None)
    for head in HEAD:
        table.add_column(head)
    for row in signature_rows(found):
        table.add_row(*map(Text, row))
    notes = [Text(f"note: {one.name}: {note}") for one in found for note in one.notes]
    return Group(table, *notes)


def signature_chart(found: Sequence[Signature]) -> Chart:
    """Bandwidth in MB/s against time in µs, both logarithmic; the marks in the curves' colours."""
    tracks = []
    marks = []
    for group, one in enumerate(found):
        points = (_drawn_at(point) for point in one.points if point.bytes)
        tracks.append(track_of(one.name, points, group))
        zero, top = one.zero_length_ns.value, one.saturation_bytes_per_s.value
        if zero > 0:
            marks.append(Mark(axis="x", at=zero / 1e3, text=format_time(zero), group=group))
        # Of times that do not grow with the size it is infinite.
        if math.isfinite(top):
            marks.append(Mark(axis="y", at=top / 1e6, text=format_bandwidth(top), group=group))
    return chart_of(
        "signature",
        "Network signature",
        ChartAxis("transfer time in µs"),
        ChartAxis(BANDWIDTH_UNIT.label),
        tracks,
        marks=marks,
        note="Upright: latency of an empty message. Level: saturation bandwidth.",
    )


def _drawn_at(point: SignaturePoint) -> ChartPoint:
    time_ns, rate = point.time_ns.value, point.bandwidth_bytes_per_s.value
    text = f"{format_bytes(point.bytes)}: {format_time(time_ns)}, {format_bandwidth(rate)}"
    return ChartPoint(time_ns / 1e3, rate / 1e6, text=text)
