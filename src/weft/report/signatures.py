"""Network signatures as tables and as one chart. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.charts import Chart, ChartAxis, Mark, Track
from weft.report.fits import in_words
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import signed_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.fits.signature import Signature

HEAD = ("", "zero-length latency", "saturation bandwidth")


def signature_rows(found: Sequence[Signature]) -> list[tuple[str, str, str]]:
    """A row a signature: its two marks in words."""
    return [
        (
            one.name,
            in_words(one.zero_length_ns, signed_time),
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
    names = ", ".join(one.name for one in found)
    tracks = []
    marks = []
    for group, one in enumerate(found):
        shown = [point for point in one.points if point.bytes]
        tracks.append(
            Track(
                label=one.name,
                x=tuple(point.time_ns.value / 1e3 for point in shown),
                y=tuple(point.bandwidth_bytes_per_s.value / 1e6 for point in shown),
                texts=tuple(
                    f"{format_bytes(point.bytes)}: {format_time(point.time_ns.value)},"
                    f" {format_bandwidth(point.bandwidth_bytes_per_s.value)}"
                    for point in shown
                ),
                group=group,
            )
        )
        zero, top = one.zero_length_ns.value, one.saturation_bytes_per_s.value
        if zero > 0:
            marks.append(Mark(axis="x", at=zero / 1e3, text=format_time(zero), group=group))
        marks.append(Mark(axis="y", at=top / 1e6, text=format_bandwidth(top), group=group))
    return Chart(
        name="signature",
        title="Network signature",
        alt=f"bandwidth against transfer time for {names}",
        x=ChartAxis("transfer time in µs"),
        y=ChartAxis("bandwidth in MB/s"),
        tracks=tuple(tracks),
        marks=tuple(marks),
        note="Upright: latency of an empty message. Level: saturation bandwidth.",
    )
