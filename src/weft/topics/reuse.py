"""Buffer reuse: how performance depends on the buffers in turn, and how often one is used again.

The two schemes of section 4.5 of Liu et al., "Micro-Benchmark Level Performance Comparison of
High-Speed Cluster Interconnects" (2003), figures 11 to 13. Along a series the first point is what
the others are compared with: the fewest buffers in turn, or the highest share that one buffer has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weft.analysis.stats.launches import command_for_launches
from weft.charts import (
    AxisUnit,
    Chart,
    ChartAxis,
    Track,
    axis_over_counts,
    chart_of,
    track_of,
    unit_of,
)
from weft.estimate import Estimate
from weft.plan.case import Case, Schedule
from weft.plan.cases import LAUNCHES
from weft.topics.base import Topic
from weft.topics.rows import SizeRow, TopicRow
from weft.units import format_bytes
from weft.wording import at as placed_at
from weft.wording import counted, with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run
    from weft.topics.base import Results

Scheme = Literal["turn", "reuse"]
# Performance drops when it is worse by this much.
DROP = 0.05
# What lies along a series, the chart's title, and whether the axis is one of powers of two.
_AXES = {
    "turn": ("buffers in turn", "against the number of buffers", True),
    "reuse": ("messages in one buffer in %, the others in new ones", "against buffer reuse", False),
}


class ReusePoint(TopicRow, frozen=True, kw_only=True):
    """A point of a series: N buffers in turn, or R per cent of the messages in one buffer.

    `buffers` is N, or for how many messages of one buffer there are others.
    """

    at: int
    buffers: int
    figure: Estimate


class Reuse(SizeRow, frozen=True, kw_only=True):
    """One test at one size over several buffers: its points from the most to the least reuse.

    `kept_at` is the last point up to which no drop of over 5 % is certain not to be there, and
    `dropped_at` the first one where it certainly is; where performance begins to drop lies between
    the two. None: there is no such point. `more_launches` is the command for them.
    """

    scheme: Scheme
    test: str
    is_latency: bool
    points: tuple[ReusePoint, ...]
    launches: int
    kept_at: int | None
    dropped_at: int | None
    more_launches: str

    @property
    def name(self) -> str:
        """What the series is of, for lists and legends."""
        return placed_at(self.over, self.test, self.bytes)


class BufferReuse(Topic[tuple[Reuse, ...]]):
    """How performance depends on the buffers of messages."""

    name = "reuse"
    title = "Buffer reuse"
    group = "memory"

    def rows(self, results: Results) -> tuple[Reuse, ...]:
        """The series of several buffers."""
        return reuse_of(results.run, results.summaries)

    def charts(self, rows: tuple[Reuse, ...]) -> list[Chart]:
        """As figures 11 to 13: a chart a scheme and quantity, a curve a series."""
        return self.overlaid([("", rows)])

    def overlaid(self, records: Sequence[tuple[str, tuple[Reuse, ...]]]) -> list[Chart]:
        """The series of all records in the same charts."""
        return reuse_charts(records)

    def findings(self, rows: tuple[Reuse, ...]) -> list[str]:
        """Where performance drops."""
        return list(map(reuse_in_words, rows))

    def plain(self, rows: tuple[Reuse, ...]) -> list[dict[str, Any]]:
        """The series, with working sets for buffers in turn."""
        return reuse_rows(rows)


def reuse_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[Reuse, ...]:
    """Every series of two points or more; one of which a case failed or lacks is omitted."""
    found = []
    more = command_for_launches(run, LAUNCHES)
    for scheme in ("turn", "reuse"):
        groups: dict[Case, list[tuple[Case, CaseSummary]]] = {}
        for summary in summaries:
            case = run.cases[summary.case]
            if summary.status != "unsupported" and _place(case.schedule, scheme) is not None:
                per = Schedule(count=_per(case, scheme))
                rest = msgspec.structs.replace(case.but_for("schedule"), schedule=per)
                groups.setdefault(rest, []).append((case, summary))
        for rest, points in groups.items():
            whole = all(summary.status == "ok" for _, summary in points)
            if whole and len({case.schedule for case, _ in points}) > 1:
                found += _series(scheme, rest, points, more)
    return tuple(found)


def _place(schedule: Schedule, scheme: str) -> int | None:
    """Where a schedule lies on the axis of a scheme; None where it is of the other one."""
    if scheme == "turn":
        return {"one": 1, "turn": schedule.count}.get(schedule.kind)
    return schedule.reuse_percent if schedule.kind == "reuse" else None


def _per(case: Case, scheme: str) -> int:
    """What must be the same along a series beside the case: the other buffers of scheme 2."""
    return case.schedule.count if scheme == "reuse" else 1


def _series(
    scheme: Scheme, rest: Case, points: Sequence[tuple[Case, CaseSummary]], more: str
) -> list[Reuse]:
    placed = {}
    # One buffer is one in turn: where both were measured, the point is the scheme's own.
    for case, summary in sorted(points, key=lambda pair: pair[0].schedule.kind != "one"):
        figure = summary.latency_ns or summary.bandwidth_bytes_per_s
        at = _place(case.schedule, scheme)
        if figure is not None and at is not None:
            placed[at] = ReusePoint(at=at, buffers=case.schedule.count, figure=figure)
    ordered = tuple(placed[at] for at in sorted(placed, reverse=scheme == "reuse"))
    if len(ordered) < 2:
        return []
    is_latency = next(s.latency_ns is not None for _, s in points)
    launches = min(summary.launches for _, summary in points)
    # One launch does not show the variation between launches.
    known = ordered if launches > 1 else ordered[:1]
    kept, dropped = _where_it_drops(known, is_latency=is_latency)
    return [
        Reuse(
            **Reuse.of(rest, "schedule"),
            scheme=scheme,
            is_latency=is_latency,
            points=ordered,
            launches=launches,
            kept_at=kept,
            dropped_at=dropped,
            more_launches=more,
        )
    ]


def _where_it_drops(
    points: Sequence[ReusePoint], *, is_latency: bool
) -> tuple[int | None, int | None]:
    """The last point before which nothing dropped for certain, the first that dropped for certain.

    Both from the ends of the intervals, so that each holds whenever the intervals hold.
    """
    times = [_time(point.figure, is_latency=is_latency) for point in points]
    (low_first, high_first), *others = times
    kept: int | None = points[0].at
    holds = True
    for point, (low, high) in zip(points[1:], others, strict=True):
        if low > high_first * (1 + DROP):
            return kept, point.at
        holds = holds and high <= low_first * (1 + DROP)
        if holds:
            kept = point.at
    return kept, None


def _time(figure: Estimate, *, is_latency: bool) -> tuple[float, float]:
    """The interval of something that grows with time: latency, or the inverse of bandwidth."""
    time = figure if is_latency else figure.mapped(lambda rate: 1 / rate)
    return time.low, time.high


def reuse_in_words(found: Reuse) -> str:
    """From which working set on, or below which share of reuse, performance drops."""
    if found.launches < 2:
        return (
            f"buffer reuse: {found.name}: one launch shows no drop for certain: run"
            f" {found.more_launches}"
        )
    if found.scheme == "turn":
        return _turn_in_words(found)
    last = found.points[-1].at
    if found.dropped_at is None:
        upto = last if found.kept_at == last else found.kept_at
        more = "" if upto == last else f"; from there to {last} % it is not known"
        return f"buffer reuse: {found.name}: no drop over {DROP:.0%} down to R = {upto} %{more}"
    return (
        f"buffer reuse: {found.name}: worse by over {DROP:.0%} with R = {found.dropped_at} % and"
        f" less, and not with R = {found.kept_at} %"
    )


def _turn_in_words(found: Reuse) -> str:
    last = found.points[-1].at
    if found.dropped_at is None:
        upto = format_bytes((found.kept_at or 1) * found.bytes)
        more = (
            ""
            if found.kept_at == last
            else f"; from there to {format_bytes(last * found.bytes)} it is not known"
        )
        return (
            f"buffer reuse: {found.name}: no drop over {DROP:.0%} up to a working set of"
            f" {upto}{more}"
        )
    return (
        f"buffer reuse: {found.name}: worse by over {DROP:.0%} from a working set of"
        f" {format_bytes(found.dropped_at * found.bytes)} on"
        f" ({counted(found.dropped_at, 'buffer')} in turn),"
        f" and not at {format_bytes((found.kept_at or 1) * found.bytes)}"
    )


def reuse_rows(found: Sequence[Reuse]) -> list[dict[str, Any]]:
    """The series as JSON: where performance drops, in working sets for scheme 1."""
    rows = []
    for one in found:
        row: dict[str, Any] = msgspec.to_builtins(one)
        if one.scheme == "turn":
            row["kept_bytes"] = (one.kept_at or 0) * one.bytes
            row["dropped_bytes"] = one.dropped_at and one.dropped_at * one.bytes
        rows.append(row)
    return rows


def reuse_charts(records: Sequence[tuple[str, tuple[Reuse, ...]]]) -> list[Chart]:
    """A chart a scheme and quantity, a curve a series; of several records each bears its name."""
    found = [
        (one.name if len(records) == 1 else f"{one.name} ({record})", one)
        for record, series in records
        for one in series
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
    unit = unit_of("latency" if is_latency else "bandwidth")
    return chart_of(
        f"{scheme}-{quantity.lower()}",
        f"{quantity} {title}",
        axis_over_counts(
            label, (point.at for _, one in chosen for point in one.points), is_log=doubles
        ),
        ChartAxis(unit.label),
        (_track(name, one, group, unit) for group, (name, one) in enumerate(chosen)),
    )


def _track(name: str, one: Reuse, group: int, unit: AxisUnit) -> Track:
    points = (
        unit.point(point.at, point.figure, f"{point.at}: {with_ends(point.figure, unit.shape)}")
        for point in sorted(one.points, key=lambda point: point.at)
    )
    return track_of(name, points, group)
