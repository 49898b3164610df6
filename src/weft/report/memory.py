"""Buffer reuse, registration, connecting and the host bus: tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.bus import buses_of
from weft.analysis.registration import connecting_of, registrations_of
from weft.analysis.reuse import reuse_of
from weft.fabric.peaks import parse_link
from weft.report.bus import bus_in_words, bus_tables
from weft.report.charts import Axis, Chart, Track
from weft.report.table import Table
from weft.units import format_bandwidth, format_bytes, format_time
from weft.written import with_ends, with_half

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.reuse import Reuse
    from weft.analysis.stats.intervals import Estimate
    from weft.analysis.summary import CaseSummary
    from weft.fabric.peaks import Link
    from weft.record.run import Run

# What lies along a series, the chart's title, and whether the axis is one of powers of two.
_AXES = {
    "turn": ("buffers in turn", "against the number of buffers", True),
    "reuse": ("messages in one buffer in %, the others in new ones", "against buffer reuse", False),
}


def memory_tables(run: Run, summaries: Sequence[CaseSummary]) -> list[Table]:
    """Registration, connecting and the host bus, as far as the record tells of them."""
    tables = []
    if registered := registrations_of(run, summaries):
        tables.append(
            Table(
                name="registration",
                caption="Registration of memory whose pages are there.",
                head=("transport", "bytes", "register", "deregister"),
                rows=tuple(
                    (
                        f"{row.transport} {row.way}".rstrip(),
                        format_bytes(row.bytes),
                        _time(row.register_ns),
                        _time(row.deregister_ns),
                    )
                    for row in registered
                ),
            )
        )
    if connected := connecting_of(run):
        tables.append(
            Table(
                name="connecting",
                caption="Connecting, a peer: set-up of all connections over their number.",
                head=("transport", "peers", "launches", "time a peer"),
                rows=tuple(
                    (row.transport, str(row.peers), str(row.launches), _time(row.time_per_peer_ns))
                    for row in connected
                ),
            )
        )
    return tables + bus_tables(buses_of(run, summaries, _typed_link(summaries)))


def _typed_link(summaries: Sequence[CaseSummary]) -> Link | None:
    """The link that the figures are shown against, where it is one."""
    names = {summary.link for summary in summaries if summary.link}
    return parse_link(names.pop()) if len(names) == 1 else None


def _time(estimate: Estimate) -> str:
    return with_half(estimate, format_time)


def bus_sentences(run: Run, summaries: Sequence[CaseSummary]) -> list[str]:
    """The bottleneck of each host's way to the wire, in words."""
    return [bus_in_words(bus) for bus in buses_of(run, summaries, _typed_link(summaries))]


def reuse_charts(runs: Sequence[tuple[Run, Sequence[CaseSummary]]]) -> list[Chart]:
    """As figures 11 to 13 of Liu et al. (2003): a chart a scheme and quantity, a curve a series."""
    found = [
        (one.name if len(runs) == 1 else f"{one.name} ({run.path.name})", one)
        for run, summaries in runs
        for one in reuse_of(run, summaries)
    ]
    charts = []
    for scheme in _AXES:
        for is_latency in (True, False):
            chosen = [
                (label, one)
                for label, one in found
                if one.scheme == scheme and one.is_latency is is_latency
            ]
            if chosen:
                charts.append(_chart(scheme, chosen, is_latency=is_latency))
    return charts


def _chart(scheme: str, chosen: Sequence[tuple[str, Reuse]], *, is_latency: bool) -> Chart:
    label, title, doubles = _AXES[scheme]
    quantity = "Latency" if is_latency else "Bandwidth"
    places = sorted({point.at for _, one in chosen for point in one.points})
    return Chart(
        name=f"{scheme}-{quantity.lower()}",
        title=f"{quantity} {title}",
        alt=f"{quantity} {title} for {', '.join(name for name, _ in chosen)}",
        x=Axis(label, is_log=doubles, ticks=tuple((float(at), str(at)) for at in places)),
        y=Axis("latency in µs" if is_latency else "bandwidth in MB/s"),
        tracks=tuple(
            _track(name, one, group, is_latency=is_latency)
            for group, (name, one) in enumerate(chosen)
        ),
        note="Bars are 95 % intervals.",
    )


def _track(name: str, one: Reuse, group: int, *, is_latency: bool) -> Track:
    factor = 1e-3 if is_latency else 1e-6
    shape = format_time if is_latency else format_bandwidth
    points = sorted(one.points, key=lambda point: point.at)
    return Track(
        label=name,
        x=tuple(float(point.at) for point in points),
        y=tuple(point.figure.median * factor for point in points),
        low=tuple(point.figure.low * factor for point in points),
        high=tuple(point.figure.high * factor for point in points),
        texts=tuple(f"{point.at}: {with_ends(point.figure, shape)}" for point in points),
        group=group,
    )
