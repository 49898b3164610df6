"""Charts of sessions in the order of time: every curve's speeds, then each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weft.charts import MOST_CURVES, Chart, ChartAxis, ChartPoint, Mark, chart_of, track_of, unit_of
from weft.colours import of_transports
from weft.units import format_bytes
from weft.wording import WITHOUT_SIZE, counted, over, with_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.compare.history import CaseHistory, Course, History, Point

# Sizes of a curve that have a column in a terminal and a chart on the page.
MOST_SIZES = 6
MOST_CHARTS = 24
MOST_TICKS = 6
CASE = "case"
# Colours of the marks, after the first, which is the figures' own.
_STEP, _FAILED, _CHANGED, _LIMIT = 1, 3, 2, 4


def session_names(found: History) -> list[str]:
    """What each session is called: when it began, as exactly as tells them apart."""
    minutes = [session.measured_utc[:16].replace("T", " ") for session in found.sessions]
    if len(set(minutes)) == len(minutes):
        return minutes
    return [session.measured_utc[:19].replace("T", " ") for session in found.sessions]


def series_of(found: History, course: Course) -> list[CaseHistory]:
    """The cases of a curve by size."""
    transport, test, _, *variant = course.name.split("/")
    own = (transport, test, "/".join(variant), course.machine)
    return [
        series
        for series in found.series
        if (series.transport, series.test, series.variant, series.machine) == own
    ]


def spread(series: Sequence[CaseHistory], most: int) -> list[CaseHistory]:
    """So many of the sizes, with both ends, as far apart as can be."""
    if len(series) <= most:
        return list(series)
    last = len(series) - 1
    return [series[at] for at in sorted({round(n * last / (most - 1)) for n in range(most)})]


class HistoryCharts(NamedTuple):
    """The curves' speeds together, then a chart a case: of curves where something happened, of all
    others."""

    speeds: tuple[Chart, ...]
    noticed: tuple[Chart, ...]
    others: tuple[Chart, ...]


def history_charts(found: History) -> HistoryCharts:
    """All charts, up to so many; a case of a curve with a step or a failing limit comes first.

    Of one session there is none: nothing goes on.
    """
    if len(found.sessions) < 2:
        return HistoryCharts((), (), ())
    speeds = tuple(
        _of_courses(found, number, found.courses[first : first + MOST_CURVES])
        for number, first in enumerate(range(0, len(found.courses), MOST_CURVES))
    )
    noticed = [course for course in found.courses if course.steps or failing(course)]
    others = [course for course in found.courses if course not in noticed]
    cases = [
        (course, series)
        for course in (*noticed, *others)
        for series in spread(series_of(found, course), MOST_SIZES)
    ]
    charts = [
        _of_series(found, course, series, len(speeds) + number)
        for number, (course, series) in enumerate(cases[: MOST_CHARTS - len(speeds)])
    ]
    many = sum(course in noticed for course, _ in cases)
    return HistoryCharts(speeds, tuple(charts[:many]), tuple(charts[many:]))


def _time_axis(found: History, title: str = "session, UTC") -> ChartAxis:
    """Days since the first session, labelled at a few sessions by date, or time within a day."""
    last = found.sessions[-1].days
    part = (
        slice(5, 10) if last >= 2 else slice(11, 16) if last * 1440 >= MOST_TICKS else slice(11, 19)
    )
    ticks: list[tuple[float, str]] = []
    for session in found.sessions:
        if not ticks or session.days - ticks[-1][0] >= last / MOST_TICKS:
            ticks.append((session.days, session.measured_utc[part]))
    return ChartAxis(title, is_log=False, ticks=tuple(ticks))


def _of_courses(found: History, number: int, courses: Sequence[Course]) -> Chart:
    names = session_names(found)
    tracks = []
    for group, course in enumerate(courses):
        machine = f" on {course.machine}" if len(found.machines) > 1 else ""
        points = (
            ChartPoint(found.sessions[at].days, speed, text=f"{names[at]}: {speed:.3f}")
            for at, speed in zip(course.sessions, course.speeds, strict=True)
        )
        tracks.append(track_of(course.name + machine, points, group))
    chart = chart_of(
        f"speeds{number}",
        "Speed of each curve, relative to its median session",
        _time_axis(found, f"session, {names[0]} to {names[-1]} UTC"),
        ChartAxis("relative speed", is_log=False),
        tracks,
        note="All sizes of a curve together. Over 1 is faster.",
    )
    return _coloured(found, chart, _marks_of_sessions(found, courses))


def _coloured(found: History, chart: Chart, marks: tuple[Mark, ...]) -> Chart:
    """The chart with each curve in its transport's colour, and its marks in their own."""
    transports = tuple(dict.fromkeys(series.transport for series in found.series))
    return msgspec.structs.replace(of_transports(chart, transports), marks=marks)


def _of_series(found: History, course: Course, series: CaseHistory, number: int) -> Chart:
    unit = unit_of(series.quantity)
    names = session_names(found)
    known = [(point.session, point.estimate) for point in series.points if point.estimate]
    machine = f" on {series.machine}" if len(found.machines) > 1 else ""
    size = "" if series.test in WITHOUT_SIZE else f", {format_bytes(series.bytes)}"
    title = f"{series.test} over {over(series.transport, series.variant)}{size}{machine}"
    limits = tuple(
        Mark(axis="y", at=limit.value * unit.scale, text=f"limit: {limit.text}", group=_LIMIT)
        for limit in series.limits
    )
    points = (
        unit.point(found.sessions[at].days, figure, f"{names[at]}: {with_ends(figure, unit.shape)}")
        for at, figure in known
    )
    chart = chart_of(
        f"{CASE}{number}",
        title,
        _time_axis(found),
        ChartAxis(unit.label, is_log=False),
        [track_of(series.case, points)],
        note="",
    )
    return _coloured(found, chart, (*limits, *_marks(found, course, series.points)))


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


def failing(course: Course) -> set[int]:
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
            _without_figure(p for series in series_of(found, course) for p in series.points),
        )
        for course in courses
    ]
    marks = []
    for at, session in enumerate(found.sessions):
        if session.machine not in machines:
            continue
        fails = [course.name for course in courses if at in failing(course)]
        lacks = [name for name, sessions in lost if at in sessions]
        words = [f"fail: {_named(fails)}"] if fails else []
        words += [session.ended_early] if session.ended_early else []
        words += [f"no figure: {_named(lacks)}"] if lacks else []
        group = _FAILED if words else _CHANGED
        words += ["conditions changed"] if session.changed else []
        if words:
            marks.append(Mark(axis="x", at=session.days, text="; ".join(words), group=group))
    return _said_once(marks)


def _said_once(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks, without the words that the one before has too: their lines lie side by side."""
    before = ("", *(mark.text for mark in marks))
    return tuple(
        msgspec.structs.replace(mark, text="") if mark.text == said else mark
        for mark, said in zip(marks, before, strict=False)
    )
