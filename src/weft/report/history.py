"""Sessions in the order of time as tables in a terminal and as one page. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from weft.analysis.stats.ratios import ratio_in_words
from weft.analysis.stats.steps import FEWEST
from weft.charts import MOST_CURVES, Chart, ChartAxis, ChartPoint, Mark, chart_of, track_of, unit_of
from weft.outputs import write_output
from weft.report.html import Fold, Page, Section, Verdict, render
from weft.report.table import render_table
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_percent, format_time
from weft.wording import WIDEST, counted, verb_of, with_ends, with_half

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from weft.analysis.compare.history import (
        CaseHistory,
        Course,
        History,
        Point,
        Session,
        SessionStep,
    )

# Sizes of a curve that have a column in a terminal and a chart on the page.
MOST_SIZES = 6
MOST_CHARTS = 24
MOST_TICKS = 6
_CASE = "case"
# Colours of the marks, after the first, which is the figures' own.
_STEP, _FAILED, _CHANGED, _LIMIT = 1, 3, 2, 4
NOTE = (
    "Sessions are named by their beginning in UTC. speed: all sizes together, relative to the"
    " median session."
)


def history_tables(found: History, notes: Sequence[str] = ()) -> RenderableType:
    """A table a curve, what is to know of single sessions, and what each curve says, last."""
    parts: list[RenderableType] = []
    for table in _tables(found, MOST_SIZES):
        parts += render_table(table)
    lines = [*map("note: {}".format, (*notes, NOTE)), *_troubles(found), *_findings(found)]
    return Group(*parts, *map(Text, [*lines, _summary(found)]))


def write_history(found: History, path: Path, notes: Sequence[str] = (), command: str = "") -> None:
    """Write the page; `command` made it. Raises WeftError where it cannot be written."""
    charts = _charts(found)
    steps = sum(bool(course.steps) for course in found.courses)
    failing = sum(bool(_failing(course)) for course in found.courses)
    places = " and ".join(found.machines)
    page = Page(
        title=f"weft: {places} over time",
        heading=f"{places} over time",
        kind="weft trend",
        commands=(command,) if command else (),
        verdicts=(
            Verdict(
                word="Limits fail." if failing else "A step." if steps else "No step.",
                sentence=_summary(found),
                mood="bad" if failing else "open" if steps else "good",
            ),
        ),
        sections=(
            Section(
                name="findings",
                title="What happened",
                findings=tuple(_findings(found)),
                folds=_sessions_with_troubles(found),
            ),
            Section(name="time", title="Over time", charts=tuple(charts)),
            Section(
                name="figures",
                title="Figures in numbers",
                tables=tuple(_tables(found)),
                notes=(*notes, NOTE, *_without_chart(found, charts)),
            ),
        ),
    )
    write_output(path, render(page))


def _sessions_with_troubles(found: History) -> tuple[Fold, ...]:
    lines = tuple(_troubles(found))
    words = f"{counted(len(lines), 'note')} on single sessions"
    return (Fold(line=words, sentences=lines),) if lines else ()


def _without_chart(found: History, charts: Sequence[Chart]) -> list[str]:
    """A line where a case is only in the tables."""
    drawn = sum(chart.name.startswith(_CASE) for chart in charts)
    every = len(found.series)
    has = verb_of(drawn, "have", every)
    words = f"{drawn} of {counted(every, 'case')} {has} a chart; the tables have all"
    return [words] if drawn < every else []


def _summary(found: History) -> str:
    names = _names(found)
    count = len(names)
    steps = sum(bool(course.steps) for course in found.courses)
    of_all = (
        f"{steps} of {counted(len(found.courses), 'curve')}"
        f" {verb_of(steps, 'have', len(found.courses))} a step"
    )
    when = f"{names[0]} to {names[-1]}" if count > 1 else names[0]
    sessions = counted(count, "session")
    machines = f" of {len(found.machines)} machines" if len(found.machines) > 1 else ""
    return f"{sessions}{machines}, {when} UTC: {of_all}."


def _names(found: History) -> list[str]:
    """What each session is called: when it began, as exactly as tells them apart."""
    minutes = [session.measured_utc[:16].replace("T", " ") for session in found.sessions]
    if len(set(minutes)) == len(minutes):
        return minutes
    return [session.measured_utc[:19].replace("T", " ") for session in found.sessions]


def _findings(found: History) -> list[str]:
    """A sentence a curve: its steps, or that none is significant and what would be."""
    names = _names(found)
    lines = []
    if len(found.machines) > 1:
        lines.append(
            f"the sessions are of {len(found.machines)} machines, each a series of its own:"
            f" {'; '.join(found.machines)}"
        )
    for course in found.courses:
        where = f"{course.name} on {course.machine}" if len(found.machines) > 1 else course.name
        lines += [f"{where}: {_of_step(step, names, found.sessions)}" for step in course.steps] or [
            f"{where}: {_without_step(course)}"
        ]
        speeds = dict(zip(course.sessions, course.speeds, strict=True))
        lines += [
            f"{where}: {names[at]} stands out alone, {speeds[at]:.3f} times as fast as the median"
            " session: a step or one odd night, which the next session will show"
            for at in course.outliers
        ]
    return [*lines, *found.advice]


def _of_step(step: SessionStep, names: Sequence[str], sessions: Sequence[Session]) -> str:
    changed = sessions[step.session].changed
    words = f"{ratio_in_words(step.speed)} times as fast from {names[step.session]} on"
    return f"{words}; what else changed then: {'; '.join(changed)}" if changed else words


def _without_step(course: Course) -> str:
    count = len(course.sessions)
    if course.scatter is None or course.smallest is None:
        sessions = counted(count, "session")
        return f"{sessions}; steps are looked for from {FEWEST} sessions on"
    words = (
        f"no significant step over {counted(count, 'session')}, which scatter by"
        f" {format_percent(100 * course.scatter)}; two sessions more would be one if they took"
        f" {_longer(course.smallest)} as long"
    )
    if course.drift is None or course.drift_chance is None:
        return words
    verb = "rises" if course.drift > 0 else "falls"
    return (
        f"{words}; but the time {verb} by {format_percent(100 * abs(course.drift))} from the first"
        f" to the last (p = {course.drift_chance:.1%})"
    )


def _longer(share: float) -> str:
    """How many times as long: "1.029 times", or that it is beyond reading."""
    factor = 1 + share
    if factor > WIDEST:
        return f"over {WIDEST} times"
    return f"{factor:.3f} times" if factor < 2 else f"{factor:.3g} times"


def _troubles(found: History) -> list[str]:
    """What single sessions lack, and how their conditions differ from the session before."""
    lines = []
    for name, session in zip(_names(found), found.sessions, strict=True):
        where = f"{name} ({session.record})"
        if session.ended_early:
            lines.append(f"{where}: {session.ended_early}")
        if session.failed:
            more = len(session.failed) - 1
            also = f", and {more} more" if more else ""
            lines.append(f"{where}: no figure of {session.failed[0]}{also}")
        if session.changed:
            lines.append(f"{where}: unlike the session before: {'; '.join(session.changed)}")
    return lines


def _tables(found: History, most_sizes: int | None = None) -> list[Table]:
    return [
        _table(found, course, _of_course(found, course), number, most_sizes)
        for number, course in enumerate(found.courses)
    ]


def _of_course(found: History, course: Course) -> list[CaseHistory]:
    """The cases of a curve by size."""
    transport, test, _, *variant = course.name.split("/")
    own = (transport, test, "/".join(variant), course.machine)
    return [
        series
        for series in found.series
        if (series.transport, series.test, series.variant, series.machine) == own
    ]


def _table(
    found: History,
    course: Course,
    every: Sequence[CaseHistory],
    number: int,
    most_sizes: int | None,
) -> Table:
    """A row a session: its answer, its speed, and its figure at each size."""
    shown = _spread(every, most_sizes or len(every))
    names = _names(found)
    has_answers = any(course.answers)
    speeds = dict(zip(course.sessions, course.speeds, strict=True))
    shape = format_time if every[0].quantity == "latency" else format_bandwidth
    cells = [{point.session: point for point in series.points} for series in shown]
    rows = []
    for at, session in enumerate(found.sessions):
        if session.machine != course.machine or not any(at in own for own in cells):
            continue
        figures = []
        for own in cells:
            point = own.get(at)
            estimate = point.estimate if point else None
            lost = "failed" if point and point.why.startswith("failed") else "none"
            figures.append(with_half(estimate, shape) if estimate else lost)
        answer = [course.answers[at] or "-"] if has_answers else []
        speed = f"{speeds[at]:.3f}" if at in speeds else "-"
        rows.append((names[at], *answer, speed, *figures))
    answered = ["answer"] if has_answers else []
    sizes = [format_bytes(series.bytes) for series in shown]
    hidden = len(every) - len(shown)
    machine = f" on {course.machine}" if len(found.machines) > 1 else ""
    return Table(
        name=f"course{number}",
        caption=f"{course.name}{machine}: {every[0].quantity}",
        head=("session", *answered, "speed", *sizes),
        rows=tuple(rows),
        notes=(f"on the page (-o) and in --json: {counted(hidden, 'more size')}",)
        if hidden
        else (),
    )


def _spread(series: Sequence[CaseHistory], most: int) -> list[CaseHistory]:
    """So many of the sizes, with both ends, as far apart as can be."""
    if len(series) <= most:
        return list(series)
    last = len(series) - 1
    return [series[at] for at in sorted({round(n * last / (most - 1)) for n in range(most)})]


def _charts(found: History) -> list[Chart]:
    """The curves' speeds together, then a chart a case."""
    charts = [
        _of_courses(found, first, found.courses[first : first + MOST_CURVES])
        for first in range(0, len(found.courses), MOST_CURVES)
    ]
    for course in found.courses:
        for series in _spread(_of_course(found, course), MOST_SIZES):
            charts.append(_of_series(found, course, series, len(charts)))
    return charts[:MOST_CHARTS]


def _time_axis(found: History) -> ChartAxis:
    """Days since the first session, labelled at a few sessions by date, or time within a day."""
    last = found.sessions[-1].days
    part = (
        slice(5, 10) if last >= 2 else slice(11, 16) if last * 1440 >= MOST_TICKS else slice(14, 19)
    )
    ticks: list[tuple[float, str]] = []
    for session in found.sessions:
        if not ticks or session.days - ticks[-1][0] >= last / MOST_TICKS:
            ticks.append((session.days, session.measured_utc[part]))
    names = _names(found)
    return ChartAxis(f"session, {names[0]} to {names[-1]} UTC", is_log=False, ticks=tuple(ticks))


def _of_courses(found: History, number: int, courses: Sequence[Course]) -> Chart:
    names = _names(found)
    tracks = []
    for group, course in enumerate(courses):
        machine = f" on {course.machine}" if len(found.machines) > 1 else ""
        points = (
            ChartPoint(found.sessions[at].days, speed, text=f"{names[at]}: {speed:.3f}")
            for at, speed in zip(course.sessions, course.speeds, strict=True)
        )
        tracks.append(track_of(course.name + machine, points, group))
    return chart_of(
        f"speeds{number}",
        "Speed of each curve, relative to its median session",
        _time_axis(found),
        ChartAxis("relative speed", is_log=False),
        tracks,
        marks=_marks_of_sessions(found, courses),
        note="All sizes of a curve together. Over 1 is faster.",
    )


def _of_series(found: History, course: Course, series: CaseHistory, number: int) -> Chart:
    unit = unit_of(series.quantity)
    names = _names(found)
    known = [(point.session, point.estimate) for point in series.points if point.estimate]
    machine = f" on {series.machine}" if len(found.machines) > 1 else ""
    over = f"{series.transport} {series.variant}".rstrip()
    title = f"{series.test} over {over}, {format_bytes(series.bytes)}{machine}"
    limits = tuple(
        Mark(axis="y", at=limit.value * unit.scale, text=f"limit: {limit.text}", group=_LIMIT)
        for limit in series.limits
    )
    points = (
        unit.point(found.sessions[at].days, figure, f"{names[at]}: {with_ends(figure, unit.shape)}")
        for at, figure in known
    )
    return chart_of(
        f"{_CASE}{number}",
        title,
        _time_axis(found),
        ChartAxis(unit.label, is_log=False),
        [track_of(series.case, points)],
        marks=(*limits, *_marks(found, course, series.points)),
        note="Bars are 95 % intervals over the launches of a session.",
    )


def _marks(found: History, course: Course, points: Sequence[Point]) -> tuple[Mark, ...]:
    """On a case at its sessions: where it has no figure, steps of its curve, other conditions."""
    steps = {step.session: step for step in course.steps}
    lost = _without_figure(points)
    marks = []
    for at, session in enumerate(found.sessions):
        if session.machine != course.machine:
            continue
        words = ["no figure"] if at in lost else []
        words += [f"{steps[at].speed.speed:.3f} times as fast"] if at in steps else []
        words += ["conditions changed"] if session.changed else []
        if words:
            group = _FAILED if at in lost else _STEP if at in steps else _CHANGED
            marks.append(Mark(axis="x", at=session.days, text="; ".join(words), group=group))
    return tuple(marks)


def _failing(course: Course) -> set[int]:
    """The sessions in which a limit of the curve does not hold."""
    return {at for at, answer in enumerate(course.answers) if answer == "fail"}


def _without_figure(points: Iterable[Point]) -> set[int]:
    """The sessions of those points that have no figure."""
    return {point.session for point in points if point.estimate is None}


def _named(curves: Sequence[str]) -> str:
    """A curve by its name, several by their number: a mark is short."""
    return curves[0] if len(curves) == 1 else f"{counted(len(curves), 'curve')}"


def _marks_of_sessions(found: History, courses: Sequence[Course]) -> tuple[Mark, ...]:
    """On curves: sessions outside the limits of some, without all figures, in other conditions."""
    machines = {course.machine for course in courses}
    lost = [
        (
            course.name,
            _without_figure(p for series in _of_course(found, course) for p in series.points),
        )
        for course in courses
    ]
    marks = []
    for at, session in enumerate(found.sessions):
        if session.machine not in machines:
            continue
        fails = [course.name for course in courses if at in _failing(course)]
        lacks = [name for name, sessions in lost if at in sessions]
        words = [f"fail: {_named(fails)}"] if fails else []
        words += [session.ended_early] if session.ended_early else []
        words += [f"no figure: {_named(lacks)}"] if lacks else []
        group = _FAILED if words else _CHANGED
        words += ["conditions changed"] if session.changed else []
        if words:
            marks.append(Mark(axis="x", at=session.days, text="; ".join(words), group=group))
    return tuple(marks)
