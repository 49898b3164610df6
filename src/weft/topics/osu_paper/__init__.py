"""Figures 2 to 15 of the OSU paper from a record of `--suite paper`. Computes no number.

Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster Interconnects"
(2003), section 4: its order, quantities and units, so that the two can be laid side by side.
Times stand on linear axes, and its MB are of 2^20 bytes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.completion import blocked_over_polled, notified_over_polled
from weft.analysis.host_time import BOTH, OVERLAPS, overheads_of
from weft.analysis.load import LOAD
from weft.analysis.queue import bindings_of, from_which_size
from weft.analysis.reuse import reuse_of
from weft.analysis.stats.intervals import Unit
from weft.analysis.streams import HOT_SPOTS, streams_of
from weft.plan.case import USUAL_QUEUE_DEPTH
from weft.plan.suites import LARGE_QUEUE, follows_osu
from weft.report.charts import Axis, Chart, Track
from weft.report.figures import axis_place, size_ticks
from weft.report.host import availability_chart
from weft.report.table import Table
from weft.units import format_bytes
from weft.written import RULE, with_ends, with_half

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.completion import Increase
    from weft.analysis.stats.intervals import Estimate
    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.run import Run

_BARS = "Bars are 95 % intervals, cut off where they leave the figure."
# What a drawing can tell apart.
MOST_CURVES = 7
# Half an interval below this is shown as none.
SMALL = 1e-4
# The tests that these figures show: a report draws them nowhere else.
SHOWN_TESTS = (
    "ping_pong", "put_ping_pong", "put_latency", "stream", "ping_ping", "bidirectional_stream",
    "host_overhead", "busy_stream", "put_notify_ping_pong", *HOT_SPOTS, "random_pairs",
)  # fmt: skip
# Figure 4 is drawn with every other queue size, and has all of them in its table.
_DRAWN_QUEUES = (1, 4, 16, 64, 256)
_MICROSECONDS = 1e-3
_MEBIBYTES = 1 / 2**20
_TIME = Axis("time in µs", is_log=False)
_RATE = Axis("bandwidth in the paper's MB/s (2²⁰ B/s)", is_log=False)


class _Point(msgspec.Struct, frozen=True):
    """A figure in the axis's unit, with its 95 % interval over launches."""

    x: float
    value: float
    low: float
    high: float
    launches: int
    unit: Unit = "launch"

    @property
    def relative_half_width(self) -> float:
        """Half the interval's width over the figure."""
        return (self.high - self.low) / 2 / abs(self.value) if self.value else math.inf


_SIZE = "message size"
_BUSY = "osu-8"

_Curves = dict[str, list[_Point]]


def not_osu(run: Run, summaries: Sequence[CaseSummary]) -> tuple[CaseSummary, ...]:
    """What of a record stands in curves and tables of sizes: all, if it follows no paper."""
    if not follows_osu(run.header.plan.suite):
        return tuple(summaries)
    elsewhere = (*SHOWN_TESTS, *OVERLAPS, LOAD, "message_rate")
    return tuple(one for one in summaries if one.test not in elsewhere)


def osu_charts(run: Run, summaries: Sequence[CaseSummary]) -> list[Chart]:
    """The paper's figures in its order, as far as the record has something for them.

    None where the record is of a suite that does not follow the paper, or of tests.
    """
    if not follows_osu(run.header.plan.suite):
        return []
    good = [one for one in summaries if one.status == "ok"]
    messages, puts = blocked_over_polled(run, good)
    charts = [
        _latency(good, 2, "Latency, send and receive", "ping_pong"),
        _latency(good, 2, "Latency, remote put whose target polls its memory", "put_ping_pong"),
        _latency(good, 2, "Latency to finish a remote put", "put_latency"),
        _bandwidth(good, 3, f"Bandwidth, queue of {LARGE_QUEUE}", "stream"),
        *_by_queue(run.cases, good),
        _latency(good, 5, "Bi-directional latency", "ping_ping"),
        _bandwidth(good, 6, "Bi-directional bandwidth", "bidirectional_stream"),
        *_overheads(run),
        _busy(run),
        _added(9, "Overhead due to completion", notified_over_polled(run, good)),
        _added(10, "Overhead due to blocking, messages", messages),
        _added(10, "Overhead due to blocking, puts", puts),
        *_reuse(run, summaries),
        *_hot_spots(run, good),
    ]
    transports = list(dict.fromkeys(one.transport for one in summaries))
    return [_coloured(chart, transports) for chart in charts if chart is not None]


def _coloured(chart: Chart, transports: Sequence[str]) -> Chart:
    """A transport has the same colour in every figure."""
    tracks = tuple(
        msgspec.structs.replace(track, group=transports.index(track.label))
        if track.label in transports
        else track
        for track in chart.tracks
    )
    return msgspec.structs.replace(chart, tracks=tracks)


def osu_tables(charts: Sequence[Chart]) -> list[Table]:
    """The figures as tables, but for figure 8: each of its points has a place of its own."""
    return [_table_of(chart) for chart in charts if not chart.name.startswith(_BUSY)]


def _table_of(chart: Chart) -> Table:
    """The points of a chart as a table: a row a place on its axis, a column a curve."""
    places = sorted({place for track in chart.tracks for place in track.x})
    return Table(
        name=chart.name,
        caption=f"{chart.title}: {chart.y.label}; {RULE}." + chart.note.removeprefix(_BARS),
        head=(chart.x.label, *(track.label for track in chart.tracks)),
        rows=tuple(
            (
                _place(place, chart.x),
                *(_cell(track, place) for track in chart.tracks),
            )
            for place in places
        ),
    )


def _place(x: float, axis: Axis) -> str:
    return format_bytes(int(x)) if axis.label == _SIZE else f"{x:.4g}"


def _cell(track: Track, place: float) -> str:
    if place not in track.x:
        return ""
    at = track.x.index(place)
    return track.cells[at]


def _cell_of(point: _Point) -> str:
    return with_half(point, _short, _half)


def _half(half: float) -> str:
    return f"{half:.0f}" if half >= 100 else f"{half:.2g}" if half >= SMALL else "0"


def _short(value: float) -> str:
    """Three digits, and all those before the point."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _usual(
    summaries: Iterable[CaseSummary], test: str, queue_depth: int = USUAL_QUEUE_DEPTH
) -> list[CaseSummary]:
    """A test's cases at a queue size, in no other way than the usual."""
    ways = ("", f"q{queue_depth}")
    return [s for s in summaries if s.test == test and s.queue_depth == queue_depth
            and s.variant in ways]  # fmt: skip


def _latency(summaries: Sequence[CaseSummary], number: int, title: str, test: str) -> Chart | None:
    curves: _Curves = {}
    for one in _usual(summaries, test):
        if one.latency_ns is not None:
            point = _point(axis_place(one.bytes), one.latency_ns, _MICROSECONDS)
            curves.setdefault(one.transport, []).append(point)
    return _sized(f"osu-{number}-{test}", f"Figure {number}. {title}", curves, _TIME)


def _bandwidth(
    summaries: Sequence[CaseSummary], number: int, title: str, test: str
) -> Chart | None:
    curves = _rates(_usual(summaries, test, int(LARGE_QUEUE)))
    return _sized(f"osu-{number}-{test}", f"Figure {number}. {title}", curves, _RATE)


def _rates(summaries: Iterable[CaseSummary]) -> _Curves:
    """A curve a transport."""
    curves: _Curves = {}
    for one in summaries:
        if one.bandwidth_bytes_per_s is not None:
            point = _point(axis_place(one.bytes), one.bandwidth_bytes_per_s, _MEBIBYTES)
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
        chart = _sized(name, title, common, _RATE) if len(curves) > 1 else None
        if chart is not None:
            note = f"{chart.note} {_where_it_binds(cases, own)}".rstrip()
            charts.append(msgspec.structs.replace(chart, note=note))
    return charts


def _where_it_binds(cases: Mapping[str, Case], own: Sequence[CaseSummary]) -> str:
    """From which size on each queue of the figure binds; empty where nobody looked."""
    told = [
        from_which_size(binding)
        for queue in _DRAWN_QUEUES
        for binding in bindings_of(cases, _usual(own, "stream", queue))
    ]
    return ". ".join(told) + "." if told else ""


def _overheads(run: Run) -> list[Chart | None]:
    """Figure 7, a chart a side: the time in the calls of a message."""
    rows = [r for r in overheads_of(run) if r.calls_ns and r.rank == 0 and not r.variant]
    charts = []
    for side in BOTH:
        curves: _Curves = {}
        for row in rows:
            if row.side == side and (calls := row.calls_ns) is not None:
                point = _Point(
                    axis_place(row.bytes),
                    calls.value * _MICROSECONDS,
                    calls.low * _MICROSECONDS,
                    calls.high * _MICROSECONDS,
                    calls.launches,
                )
                curves.setdefault(row.transport, []).append(point)
        title = f"Figure 7. Host overhead in the latency test, {side}"
        charts.append(_sized(f"osu-7-{side}", title, curves, _TIME))
    return charts


def _busy(run: Run) -> Chart | None:
    """Figure 8 of the record's bandwidths while computing, in the paper's unit."""
    chart = availability_chart(run)
    if chart is None:
        return None

    def scaled(figures: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(figure * 1e6 * _MEBIBYTES for figure in figures)

    tracks = tuple(
        msgspec.structs.replace(
            track, y=scaled(track.y), low=scaled(track.low), high=scaled(track.high)
        )
        for track in chart.tracks
    )
    ends = _ends([figure for track in tracks for figure in track.y])
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
            _Point(
                axis_place(step.bytes),
                step.added_ns * _MICROSECONDS,
                step.low_ns * _MICROSECONDS,
                step.high_ns * _MICROSECONDS,
                min(step.below_ns.launches, step.above_ns.launches),
            )
            for step in one.steps
        ]
        for one in increases
    }
    name = f"osu-{number}-{increases[0].test}" if increases else ""
    axis = Axis("added time in µs", is_log=False)
    return _sized(name, f"Figure {number}. {title}", curves, axis)


def _reuse(run: Run, summaries: Sequence[CaseSummary]) -> list[Chart | None]:
    """Figures 11 to 13: a curve a transport against buffers in turn or the share of reuse."""
    rows = reuse_of(run, summaries)
    wanted = (
        (11, "turn", False, "Bandwidth, buffer scheme 1", Axis("number of buffers")),
        (12, "reuse", True, "Latency, buffer scheme 2", Axis("buffer reuse in %", is_log=False)),
        (13, "reuse", False, "Bandwidth, buffer scheme 2", Axis("buffer reuse in %", is_log=False)),
    )
    charts = []
    for number, scheme, is_latency, title, axis in wanted:
        factor = _MICROSECONDS if is_latency else _MEBIBYTES
        curves: _Curves = {}
        for row in rows:
            if (row.scheme, row.is_latency, row.way) == (scheme, is_latency, ""):
                points = sorted(row.points, key=lambda point: point.at)
                curves[row.transport] = [_point(p.at, p.figure, factor) for p in points]
        places = sorted({point.x for points in curves.values() for point in points})
        ticked = msgspec.structs.replace(axis, ticks=tuple((at, f"{at:g}") for at in places))
        charts.append(
            _chart(
                f"osu-{number}",
                f"Figure {number}. {title}",
                curves,
                ticked,
                _TIME if is_latency else _RATE,
            )
        )
    return charts


def _hot_spots(run: Run, summaries: Sequence[CaseSummary]) -> list[Chart | None]:
    """Figures 14 and 15, a chart a size: the time of a message against the number of slaves."""
    rows = streams_of(run, summaries)
    charts = []
    for number, test in enumerate(HOT_SPOTS, start=14):
        way = test.removeprefix("hot_spot_")
        for size in sorted({row.bytes for row in rows if row.test == test}):
            curves: _Curves = {}
            for row in rows:
                if (row.test, row.bytes) == (test, size):
                    point = _point(float(row.streams), row.time_ns, _MICROSECONDS)
                    label = f"{row.transport} {row.variant}".rstrip()
                    curves.setdefault(label, []).append(point)
            places = sorted({point.x for points in curves.values() for point in points})
            axis = Axis("slaves", is_log=False, ticks=tuple((at, f"{at:g}") for at in places))
            title = f"Figure {number}. Hot spot test, {way}, {format_bytes(size)}"
            charts.append(_chart(f"osu-{number}-{size}", title, curves, axis, _TIME))
    return charts


def _point(place: float, figure: Estimate, factor: float) -> _Point:
    ends = figure.low * factor, figure.high * factor
    return _Point(place, figure.median * factor, *ends, figure.launches, figure.unit)


def _sized(name: str, title: str, curves: _Curves, y: Axis) -> Chart | None:
    """A chart against the message size."""
    places = {int(point.x) for points in curves.values() for point in points}
    if not places:
        return None
    axis = Axis(_SIZE, ticks=tuple(size_ticks(sorted(places))))
    return _chart(name, title, curves, axis, y)


def _chart(name: str, title: str, curves: _Curves, x: Axis, y: Axis) -> Chart | None:
    """A curve a label, as many as can be told apart; None without any."""
    drawn = list(curves.items())[:MOST_CURVES]
    if not drawn:
        return None
    left_out = len(curves) - len(drawn)
    return Chart(
        name=name,
        title=title,
        alt=f"{title}: {y.label} against {x.label} for {', '.join(label for label, _ in drawn)}",
        x=x,
        y=msgspec.structs.replace(y, ends=_ends([p.value for _, points in drawn for p in points])),
        tracks=tuple(
            Track(
                label=label,
                x=tuple(point.x for point in points),
                y=tuple(point.value for point in points),
                low=tuple(point.low for point in points),
                high=tuple(point.high for point in points),
                texts=tuple(f"{_place(p.x, x)}: {with_ends(p, _short)}" for p in points),
                cells=tuple(map(_cell_of, points)),
                group=group,
            )
            for group, (label, points) in enumerate(drawn)
        ),
        note=_BARS + (f" {left_out} more are left out." if left_out else ""),
    )


def _ends(figures: Sequence[float]) -> tuple[float, float]:
    """Room for the figures: one wide interval must not press the curves to a line."""
    least, most = min(0.0, *figures), max(0.0, *figures)
    margin = 0.25 * (most - least)
    return (least - margin if least < 0 else 0.0, most + margin)
