"""Offered load: percentiles of latency against the rate, and the knee.

Times run from when a message was due (Tene, How NOT to Measure Latency, 2013, and his wrk2).
"""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.stats.intervals import in_sessions
from weft.analysis.stats.percentiles import percentiles
from weft.charts import BARS, AxisUnit, Chart, ChartAxis, Mark, chart_of, track_of
from weft.estimate import Estimate
from weft.record.launches import launch_median
from weft.tables import Table
from weft.topics.base import Topic, as_plain
from weft.topics.groups import by_key, by_variant
from weft.topics.rows import SizeRow, TopicRow
from weft.topics.series import positive_of_case
from weft.units import format_bytes, format_rate, format_time
from weft.wording import half_or_none, middle_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

LOAD = "offered_load"
PERCENTILES = (50.0, 90.0, 99.0, 99.9)
# The tail that the knee is looked for in, or the middle where samples are too few for it.
KNEE_PERCENTILES = ("99", "50")
# Answered at less than this share of the offered rate, a load is over what the link can do.
KEPT_UP = 0.99
# A rate is over the time between answers: of fewer, and where the first and the last answer alone
# make that time this share shorter, it says nothing.
FEWEST_ANSWERS = 10
MOST_OF_ENDS = 0.1
DRAWN_PERCENTILES = ("50", "99", "99.9")
_UNIT = AxisUnit("from due to answer in µs", 1e-3, format_time)


class LoadRow(SizeRow, frozen=True, kw_only=True):
    """One load: the asked per cent of saturation, and what came of it.

    `offered_per_s` is the rate at which messages were due, `answered_per_s` the rate of answers.
    `percentiles_ns` are of the time from due to answer, `posted_percentiles_ns` of the time from
    post to answer, which leaves out how long a message waited to be posted: a difference between
    the two is what coordinated omission would have hidden. `answered_per_s` is None where a launch
    has too few answers for a rate.
    """

    case: str
    load_percent: int
    offered_per_s: Estimate
    answered_per_s: Estimate | None
    percentiles_ns: dict[str, Estimate]
    posted_percentiles_ns: dict[str, Estimate]

    @property
    def answered_percent(self) -> float | None:
        """The rate of answers in per cent of that at which messages were due, where it is known."""
        if self.answered_per_s is None:
            return None
        return 100 * self.answered_per_s.value / self.offered_per_s.value

    @property
    def keeps_up(self) -> bool:
        """Whether the answers are known to have come at the rate at which messages were due."""
        answered = self.answered_percent
        return answered is not None and answered >= 100 * KEPT_UP


class Knee(SizeRow, frozen=True, kw_only=True):
    """Where more load costs more latency than it is worth, of `cases` that differ in load only.

    Each launch has its own knee; `lowest_percent` and `highest_percent` are
    the loads at which launches had theirs. `is_last` says that it is the largest load measured, so
    that the knee may lie beyond.
    """

    cases: tuple[str, ...]
    percentile: str
    load_percent: int
    lowest_percent: int
    highest_percent: int
    offered_per_s: Estimate
    is_last: bool


class LaunchLoad(TopicRow, frozen=True, kw_only=True):
    """One load in the launch of this number."""

    launch: int
    offered_per_s: float
    answered_per_s: float | None
    percentiles_ns: dict[str, float]
    posted_percentiles_ns: dict[str, float]


class LoadRows(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of loads: a row each, a knee a group, and the groups by their cases."""

    loads: tuple[LoadRow, ...]
    knees: tuple[Knee, ...]
    groups: tuple[tuple[LoadRow, ...], ...]


class OfferedLoad(Topic[LoadRows]):
    """Latency under offered load."""

    name = "load"
    title = "Latency under offered load"

    def rows(self, results: Results) -> LoadRows:
        """Every load that was measured, and where the knee is."""
        loads, knees = loads_of(results.run, results.summaries)
        return LoadRows(loads=loads, knees=knees, groups=by_variant(results.run, loads))

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Loads are shown against the rate."""
        del run
        return pattern.figure == "loaded_latency"

    def tables(self, rows: LoadRows) -> list[Table]:
        """A row a load; the knees below."""
        return [_table(rows.loads, rows.knees)] if rows.loads else []

    def charts(self, rows: LoadRows) -> list[Chart]:
        """Percentiles against the rate, a chart a group of loads."""
        found = (_chart(own, rows.knees) for own in rows.groups)
        return [chart for chart in found if chart is not None]

    def plain(self, rows: LoadRows) -> list[dict[str, Any]]:
        """The loads, then the knees."""
        return as_plain((*rows.loads, *rows.knees))

    def of_cases(self, rows: LoadRows) -> dict[str, dict[str, Any]]:
        """Beside a case's summary, its load and the knee of its group."""
        found = by_key("many", rows.loads)
        for knee in rows.knees:
            for case in knee.cases:
                found.setdefault(case, {})["knee"] = msgspec.to_builtins(knee)
        return found


def launch_load(run: Run, batch: Batch) -> LaunchLoad:
    """What a batch under load shows; its launch's, as each case has one batch a launch."""
    times = run.time_ns(batch)
    # No clock tells less than a tick.
    interval = max(launch_median(run.time_ns(batch, part="interval")), run.resolution_ns([batch]))
    # Message i is due at i intervals: the answers' own time runs from the first to the last.
    due = (len(times) - 1) * interval
    lasted = due + float(times[-1] - times[0])
    is_known = len(times) >= FEWEST_ANSWERS and lasted >= (1 - MOST_OF_ENDS) * due
    posted = times - run.time_ns(batch, part="late") if "late" in batch.parts else times
    return LaunchLoad(
        launch=batch.launch,
        offered_per_s=1e9 / interval,
        answered_per_s=1e9 * (len(times) - 1) / lasted if is_known else None,
        percentiles_ns=percentiles(times, PERCENTILES),
        posted_percentiles_ns=percentiles(posted, PERCENTILES),
    )


def loads_of(
    run: Run, summaries: Sequence[CaseSummary]
) -> tuple[tuple[LoadRow, ...], tuple[Knee, ...]]:
    """A row a measured load, and a knee for each variant and size measured at three or more."""
    batches = {
        key: [b for b in own if "interval" in b.parts and len(b.ticks) - b.warmup > 1]
        for key, own in run.measured_by_case.items()
    }
    wanted = [s for s in summaries if s.test == LOAD and batches.get(s.case) and s.status == "ok"]
    groups: dict[Case, list[tuple[Case, list[LaunchLoad]]]] = {}
    rows = []
    for summary in wanted:
        case = run.cases[summary.case]
        launches = [launch_load(run, batch) for batch in batches[case.key]]
        rows.append(_row(run, case, launches))
        groups.setdefault(case.but_for("point"), []).append((case, launches))
    knees = [found for group in groups.values() if (found := knee_of(run, group)) is not None]
    return tuple(rows), tuple(knees)


def _row(run: Run, case: Case, launches: list[LaunchLoad]) -> LoadRow:
    return LoadRow(
        **LoadRow.of(case, "point"),
        load_percent=case.point or 0,
        offered_per_s=positive_of_case(run, {one.launch: one.offered_per_s for one in launches}),
        answered_per_s=_answered(run, launches),
        percentiles_ns=_over(run, {one.launch: one.percentiles_ns for one in launches}),
        posted_percentiles_ns=_over(
            run, {one.launch: one.posted_percentiles_ns for one in launches}
        ),
    )


def _answered(run: Run, launches: Sequence[LaunchLoad]) -> Estimate | None:
    known = {one.launch: one.answered_per_s for one in launches if one.answered_per_s is not None}
    return positive_of_case(run, known) if len(known) == len(launches) else None


def _over(run: Run, launches: dict[int, dict[str, float]]) -> dict[str, Estimate]:
    """The median of each percentile that every launch has."""
    first, *others = launches.values()
    return {
        name: positive_of_case(run, {at: max(one[name], 1.0) for at, one in launches.items()})
        for name in first
        if all(name in one for one in others)
    }


def knee_of(run: Run, group: Sequence[tuple[Case, Sequence[LaunchLoad]]]) -> Knee | None:
    """Where Kleinrock's power, the rate answered over the latency, is greatest.

    Power and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications
    (ICC 1979): at its maximum a straight line from the origin touches the curve of latency against
    rate from below. The latency is the 99th percentile. Each launch has its own; only launches that
    measured every load, with a rate of answers, count. None with fewer than three loads, or
    without a percentile.
    """
    points = sorted(group, key=lambda pair: pair[0].point or 0)
    by_launch = [
        {one.launch: one for one in measured if one.answered_per_s is not None}
        for _, measured in points
    ]
    launches = sorted(set.intersection(*(set(own) for own in by_launch))) if by_launch else []
    if len(points) < 3 or not launches:
        return None
    usable = [
        name
        for name in KNEE_PERCENTILES
        if all(name in own[launch].percentiles_ns for own in by_launch for launch in launches)
    ]
    if not usable:
        return None
    loads = [case.point or 0 for case, _ in points]
    knees: dict[int, int] = {}
    rates: dict[int, float] = {}
    for launch in launches:
        row = [own[launch] for own in by_launch]
        power = [
            (one.answered_per_s or 0.0) / max(one.percentiles_ns[usable[0]], 1.0) for one in row
        ]
        at = power.index(max(power))
        knees[launch], rates[launch] = loads[at], row[at].offered_per_s
    # A load that was measured: of two in the middle the lower one.
    sessions = in_sessions(list(knees.values()), run.sessions_of(knees))
    middle = round(statistics.median_low([statistics.median_low(own) for own in sessions]))
    case = points[0][0]
    return Knee(
        **Knee.of(case, "point"),
        cases=tuple(case.key for case, _ in points),
        percentile=usable[0],
        load_percent=middle,
        lowest_percent=min(knees.values()),
        highest_percent=max(knees.values()),
        offered_per_s=positive_of_case(run, rates),
        is_last=middle == loads[-1],
    )


def _table(rows: Sequence[LoadRow], knees: Sequence[Knee]) -> Table:
    return Table(
        name="load",
        caption="Latency under offered load, from when a message was due to its answer",
        head=("transport", "size", "load", "offered/s", "answered", "50 %", "99 %", "99.9 %",
              "from post"),
        rows=tuple(
            (
                row.over,
                format_bytes(row.bytes),
                f"{row.load_percent} %",
                middle_or_none(row.offered_per_s, format_rate),
                "-" if row.answered_percent is None else f"{row.answered_percent:.0f} %",
                middle_or_none(row.percentiles_ns.get("50"), format_time),
                half_or_none(row.percentiles_ns.get("99"), format_time),
                middle_or_none(row.percentiles_ns.get("99.9"), format_time),
                middle_or_none(row.posted_percentiles_ns.get("99"), format_time),
            )
            for row in rows
        ),
        notes=(
            "From post: the 99 % that a count from the post would have shown.",
            *map(knee_in_words, knees),
        ),
    )  # fmt: skip


def knee_in_words(knee: Knee) -> str:
    """Where the knee is, over how many launches it varies, and what it is by."""
    place = f"knee: {knee.transport}, {format_bytes(knee.bytes)} {knee.variant}".rstrip()
    if knee.is_last:
        return f"{place}: none up to {knee.load_percent} % of saturation, the largest load measured"
    spread = (
        f" ({knee.lowest_percent} to {knee.highest_percent} % over launches)"
        if knee.lowest_percent < knee.highest_percent
        else ""
    )
    return (
        f"{place}: at {knee.load_percent} % of saturation{spread},"
        f" {format_rate(knee.offered_per_s.value)} messages/s;"
        f" there the rate over the {knee.percentile}th percentile is greatest"
    )


def _chart(rows: Sequence[LoadRow], knees: Sequence[Knee]) -> Chart | None:
    if len(rows) < 2:
        return None
    tracks = []
    for group, name in enumerate(DRAWN_PERCENTILES):
        points = [
            _UNIT.point(
                row.offered_per_s.value / 1e3,
                row.percentiles_ns[name],
                f"{row.load_percent} %: {half_or_none(row.percentiles_ns[name], format_time)}",
            )
            for row in rows
            if name in row.percentiles_ns
        ]
        if points:
            tracks.append(track_of(f"{name} %", points, group))
    if not tracks:  # too few samples for any percentile
        return None
    marks = tuple(
        Mark(axis="x", at=knee.offered_per_s.value / 1e3, text=f"knee, {knee.load_percent} %")
        for knee in knees
        if rows[0].case in knee.cases and not knee.is_last
    )
    return chart_of(
        "load-" + re.sub(r"\W+", "-", rows[0].over) + f"-{rows[0].bytes}",
        f"Latency under load, {rows[0].place}",
        ChartAxis("offered, thousand messages/s", is_log=False),
        ChartAxis(_UNIT.label),
        tracks,
        marks=marks,
        note=f"Percentiles from when a message was due. {BARS}",
    )
