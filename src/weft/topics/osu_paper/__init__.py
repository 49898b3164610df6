"""Figures 2 to 15 of the OSU paper from a record of `--suite paper`.

Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster Interconnects"
(2003), section 4: its order, quantities and units, so that the two can be laid side by side.
Times stand on linear axes, and its MB are of 2^20 bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.charts import SIZE, Chart, ChartAxis, axis_place, ends_of
from weft.plan.case import USUAL_QUEUE_DEPTH
from weft.plan.suites import LARGE_QUEUE, follows_osu
from weft.tables import Table
from weft.topics.availability import CpuAvailability, availability_chart
from weft.topics.base import Topic
from weft.topics.completion import blocked_over_polled, notified_over_polled
from weft.topics.hot_spots import HotSpots
from weft.topics.osu_paper.curves import (
    BARS,
    Curves,
    cell_at,
    chart_of_curves,
    over_sizes,
    place_on,
    point_at,
)
from weft.topics.overhead import BOTH, HostOverheads
from weft.topics.queue_depth import bindings_of, from_which_size
from weft.topics.reuse import BufferReuse
from weft.topics.streams import HOT_SPOTS
from weft.units import format_bytes
from weft.wording import RULE, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.topics.availability import Availability
    from weft.topics.base import Results
    from weft.topics.completion import Increase
    from weft.topics.overhead import HostOverhead
    from weft.topics.reuse import Reuse
    from weft.topics.streams import StreamsRow

# The tests that these figures show: a report draws them nowhere else.
SHOWN_TESTS = (
    "ping_pong", "put_ping_pong", "put_latency", "stream", "ping_ping", "bidirectional_stream",
    "host_overhead", "busy_stream", "put_notify_ping_pong", *HOT_SPOTS, "random_pairs",
)  # fmt: skip
# Figure 4 is drawn with every other queue size, and has all of them in its table.
_DRAWN_QUEUES = (1, 4, 16, 64, 256)
_MICROSECONDS = 1e-3
_MEBIBYTES = 1 / 2**20
_TIME = ChartAxis("time in µs", is_log=False)
_RATE = ChartAxis("bandwidth in the paper's MB/s (2²⁰ B/s)", is_log=False)
_BUSY = "osu-8"
# Figures with a table but no row in the short form: a chart a transport, and points of no size.
_NOT_BRIEF = ("osu-4-", _BUSY)
# Figures whose first place says most: message times when no buffer is used again.
_FROM_FIRST = ("osu-12", "osu-13")

# The topics whose rows these figures show.
_OVERHEADS = HostOverheads()
_AVAILABILITY = CpuAvailability()
_REUSE = BufferReuse()
_HOT_SPOTS = HotSpots()


class OsuPaper(Topic[tuple[Chart, ...]]):
    """The paper's figures, in its order, quantities and units."""

    name = "paper"
    title = "Figures 2 to 15 of Liu et al. (2003)"
    replaces = (_AVAILABILITY.name, _REUSE.name, _HOT_SPOTS.name)

    def rows(self, results: Results) -> tuple[Chart, ...]:
        """The figures that the record has something for; none of a record of another suite."""
        return figures_of_paper(results) if self.lays_out(results.run) else ()

    def lays_out(self, run: Run) -> bool:
        """A record of a suite that follows the paper."""
        return follows_osu(run.header.plan.suite)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """The tests that its figures show, in such a record."""
        return self.lays_out(run) and pattern.name in SHOWN_TESTS

    def tables(self, rows: tuple[Chart, ...]) -> list[Table]:
        """A table a figure, but for figure 8: each of its points has a place of its own."""
        return [_table_of(chart) for chart in rows if not chart.name.startswith(_BUSY)]

    def brief(self, rows: tuple[Chart, ...], room: int) -> list[Table]:
        """One row per figure, at its smallest message or its last place."""
        shown = [chart for chart in rows if not chart.name.startswith(_NOT_BRIEF)]
        labels = [track.label.split()[0] for chart in shown for track in chart.tracks]
        columns = tuple(dict.fromkeys(labels))
        if not shown:
            return []
        more = len(rows) - len(shown[:room])
        return [
            Table(
                name=self.name,
                caption=f"{self.title}, each at one place of its axis: times in µs, bandwidth in"
                f" the paper's MB/s (2²⁰ B/s); {RULE}",
                head=("figure", "at", *columns),
                rows=tuple(_brief_row(chart, columns) for chart in shown[:room]),
                notes=(counted(more, "more figure"),) if more else (),
            )
        ]

    def charts(self, rows: tuple[Chart, ...]) -> list[Chart]:
        """The figures."""
        return list(rows)


def figures_of_paper(results: Results) -> tuple[Chart, ...]:
    """The paper's figures in its order, as far as the record has something for them."""
    run = results.run
    good = [one for one in results.summaries if one.status == "ok"]
    messages, puts = blocked_over_polled(run, good)
    streams = [
        row for row in results.of(_HOT_SPOTS).streams if any(row.case == one.case for one in good)
    ]
    charts = [
        _latency(good, 2, "Latency, send and receive", "ping_pong"),
        _latency(good, 2, "Latency, remote put whose target polls its memory", "put_ping_pong"),
        _latency(good, 2, "Latency to finish a remote put", "put_latency"),
        _bandwidth(good, 3, f"Bandwidth, queue of {LARGE_QUEUE}", "stream"),
        *_by_queue(run.cases, good),
        _latency(good, 5, "Bi-directional latency", "ping_ping"),
        _bandwidth(good, 6, "Bi-directional bandwidth", "bidirectional_stream"),
        *_overheads(results.of(_OVERHEADS)),
        _busy(results.of(_AVAILABILITY)),
        _added(9, "Overhead due to completion", notified_over_polled(run, good)),
        _added(10, "Overhead due to blocking, messages", messages),
        _added(10, "Overhead due to blocking, puts", puts),
        *_reuse(results.of(_REUSE)),
        *_hot_spots(streams),
    ]
    transports = list(dict.fromkeys(one.transport for one in results.summaries))
    return tuple(_coloured(chart, transports) for chart in charts if chart is not None)


def _coloured(chart: Chart, transports: Sequence[str]) -> Chart:
    """A transport has the same colour in every figure."""
    tracks = tuple(
        msgspec.structs.replace(track, group=transports.index(track.label))
        if track.label in transports
        else track
        for track in chart.tracks
    )
    return msgspec.structs.replace(chart, tracks=tracks)


def _brief_row(chart: Chart, columns: Sequence[str]) -> tuple[str, ...]:
    """A figure at one place: the first curve of each transport."""
    places = sorted({place for track in chart.tracks for place in track.x})
    is_time = chart.x.label == SIZE and chart.y.label != _RATE.label
    place = places[0] if is_time or chart.name in _FROM_FIRST else places[-1]
    cells = []
    for column in columns:
        own = [track for track in chart.tracks if track.label.split()[0] == column]
        cells.append(cell_at(own[0], place) if own else "")
    return (chart.title.removeprefix("Figure "), place_on(place, chart.x), *cells)


def _table_of(chart: Chart) -> Table:
    """The points of a chart as a table: a row a place on its axis, a column a curve."""
    places = sorted({place for track in chart.tracks for place in track.x})
    return Table(
        name=chart.name,
        caption=f"{chart.title}: {chart.y.label}; {RULE}." + chart.note.removeprefix(BARS),
        head=(chart.x.label, *(track.label for track in chart.tracks)),
        rows=tuple(
            (
                place_on(place, chart.x),
                *(cell_at(track, place) for track in chart.tracks),
            )
            for place in places
        ),
    )


def _usual(
    summaries: Iterable[CaseSummary], test: str, queue_depth: int = USUAL_QUEUE_DEPTH
) -> list[CaseSummary]:
    """A test's cases at a queue size, with no other option than the usual."""
    variants = ("", f"q{queue_depth}")
    return [s for s in summaries if s.test == test and s.queue_depth == queue_depth
            and s.variant in variants]  # fmt: skip


def _latency(summaries: Sequence[CaseSummary], number: int, title: str, test: str) -> Chart | None:
    curves: Curves = {}
    for one in _usual(summaries, test):
        if one.latency_ns is not None:
            point = point_at(axis_place(one.bytes), one.latency_ns, _MICROSECONDS)
            curves.setdefault(one.transport, []).append(point)
    return over_sizes(f"osu-{number}-{test}", f"Figure {number}. {title}", curves, _TIME)


def _bandwidth(
    summaries: Sequence[CaseSummary], number: int, title: str, test: str
) -> Chart | None:
    curves = _rates(_usual(summaries, test, int(LARGE_QUEUE)))
    return over_sizes(f"osu-{number}-{test}", f"Figure {number}. {title}", curves, _RATE)


def _rates(summaries: Iterable[CaseSummary]) -> Curves:
    """A curve a transport."""
    curves: Curves = {}
    for one in summaries:
        if one.bandwidth_bytes_per_s is not None:
            point = point_at(axis_place(one.bytes), one.bandwidth_bytes_per_s, _MEBIBYTES)
            curves.setdefault(one.transport, []).append(point)
    return curves


def _by_queue(cases: Mapping[str, Case], summaries: Sequence[CaseSummary]) -> list[Chart]:
    """Figure 4, a chart a transport and a curve a queue size, at the sizes that have several."""
    charts = []
    for transport in dict.fromkeys(one.transport for one in summaries):
        own = [one for one in summaries if one.transport == transport]
        found = {queue: _rates(_usual(own, "stream", queue)) for queue in _DRAWN_QUEUES}
        curves = {f"Q = {queue}": rates[transport] for queue, rates in found.items() if rates}
        fewest = min((len(points) for points in curves.values()), default=0)
        shared = [
            point.x for points in curves.values() if len(points) == fewest for point in points
        ]
        common = {
            name: [point for point in points if point.x in shared]
            for name, points in curves.items()
        }
        title = f"Figure 4. Bandwidth with queue size, {transport}"
        name = f"osu-4-{transport.replace(':', '-')}"
        chart = over_sizes(name, title, common, _RATE) if len(curves) > 1 else None
        if chart is not None:
            note = f"{chart.note} {_where_it_binds(cases, own)}".rstrip()
            charts.append(msgspec.structs.replace(chart, note=note))
    return charts


def _where_it_binds(cases: Mapping[str, Case], own: Sequence[CaseSummary]) -> str:
    """From which size on each queue of the figure binds; empty where nobody looked."""
    known = [
        from_which_size(binding)
        for queue in _DRAWN_QUEUES
        for binding in bindings_of(cases, _usual(own, "stream", queue))
    ]
    return ". ".join(known) + "." if known else ""


def _overheads(found: tuple[HostOverhead, ...]) -> list[Chart | None]:
    """Figure 7, a chart a side: the time in the calls of a message."""
    rows = [r for r in found if r.calls_ns and r.rank == 0 and not r.variant]
    charts = []
    for side in BOTH:
        curves: Curves = {}
        for row in rows:
            if row.side == side and (calls := row.calls_ns) is not None:
                point = point_at(axis_place(row.bytes), calls, _MICROSECONDS)
                curves.setdefault(row.transport, []).append(point)
        title = f"Figure 7. Host overhead in the latency test, {side}"
        charts.append(over_sizes(f"osu-7-{side}", title, curves, _TIME))
    return charts


def _busy(rows: tuple[Availability, ...]) -> Chart | None:
    """Figure 8 of the record's bandwidths while computing, in the paper's unit."""
    if not rows:
        return None
    chart = availability_chart(rows)

    def scaled(figures: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(figure * 1e6 * _MEBIBYTES for figure in figures)

    tracks = tuple(
        msgspec.structs.replace(
            track, y=scaled(track.y), low=scaled(track.low), high=scaled(track.high)
        )
        for track in chart.tracks
    )
    ends = ends_of([figure for track in tracks for figure in track.y])
    return msgspec.structs.replace(
        chart,
        name=_BUSY,
        title="Figure 8. CPU utilization in the bandwidth test",
        y=msgspec.structs.replace(_RATE, ends=ends),
        tracks=tracks,
    )


def _added(number: int, title: str, increases: Sequence[Increase]) -> Chart | None:
    curves = {
        one.transport: [
            point_at(axis_place(step.bytes), step.added_ns, _MICROSECONDS) for step in one.steps
        ]
        for one in increases
    }
    name = f"osu-{number}-{increases[0].test}" if increases else ""
    axis = ChartAxis("added time in µs", is_log=False)
    return over_sizes(name, f"Figure {number}. {title}", curves, axis)


def _reuse(rows: tuple[Reuse, ...]) -> list[Chart | None]:
    """Figures 11 to 13: a curve a transport against buffers in turn or the share of reuse."""
    share = ChartAxis("buffer reuse in %", is_log=False)
    wanted = (
        (11, "turn", False, "Bandwidth, buffer scheme 1", ChartAxis("number of buffers")),
        (12, "reuse", True, "Latency, buffer scheme 2", share),
        (13, "reuse", False, "Bandwidth, buffer scheme 2", share),
    )
    charts = []
    for number, scheme, is_latency, title, axis in wanted:
        factor = _MICROSECONDS if is_latency else _MEBIBYTES
        curves: Curves = {}
        for row in rows:
            if (row.scheme, row.is_latency, row.variant) == (scheme, is_latency, ""):
                points = sorted(row.points, key=lambda point: point.at)
                curves[row.transport] = [point_at(p.at, p.figure, factor) for p in points]
        places = sorted({point.x for points in curves.values() for point in points})
        ticked = msgspec.structs.replace(axis, ticks=tuple((at, f"{at:g}") for at in places))
        charts.append(
            chart_of_curves(
                f"osu-{number}",
                f"Figure {number}. {title}",
                curves,
                ticked,
                _TIME if is_latency else _RATE,
            )
        )
    return charts


def _hot_spots(rows: Sequence[StreamsRow]) -> list[Chart | None]:
    """Figures 14 and 15, a chart a size: the time of a message against the number of slaves."""
    charts = []
    for number, test in enumerate(HOT_SPOTS, start=14):
        direction = test.removeprefix("hot_spot_")
        for size in sorted({row.bytes for row in rows if row.test == test}):
            curves: Curves = {}
            for row in rows:
                if (row.test, row.bytes) == (test, size):
                    point = point_at(float(row.streams), row.time_ns, _MICROSECONDS)
                    curves.setdefault(row.over, []).append(point)
            places = sorted({point.x for points in curves.values() for point in points})
            axis = ChartAxis("slaves", is_log=False, ticks=tuple((at, f"{at:g}") for at in places))
            title = f"Figure {number}. Hot spot test, {direction}, {format_bytes(size)}"
            charts.append(chart_of_curves(f"osu-{number}-{size}", title, curves, axis, _TIME))
    return charts
