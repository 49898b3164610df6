"""Sessions in the order of time as tables in a terminal and as one page. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from weft.analysis.stats.needed import POWER
from weft.analysis.stats.ratios import ratio_in_words
from weft.analysis.stats.steps import FEWEST
from weft.large import LargeFigure
from weft.outputs import write_output
from weft.report.curve_cards import cards_of_curves
from weft.report.history_charts import (
    MOST_SIZES,
    failing,
    history_charts,
    series_of,
    session_names,
    spread,
)
from weft.report.html import Fold, Page, Section, Verdict, render
from weft.report.table import render_table
from weft.tables import Table
from weft.units import format_bandwidth, format_bytes, format_percent, format_time
from weft.wording import (
    WIDEST,
    WITHOUT_SIZE,
    counted,
    hosts_in_words,
    said_once,
    status_in_words,
    verb_of,
    with_half,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from weft.analysis.compare.history import (
        CaseHistory,
        Course,
        History,
        Session,
        SessionStep,
    )
    from weft.report.history_charts import HistoryCharts
    from weft.report.html import Card

_FAILS, _NO_STEP = "Limits fail.", "No step."
# What is neither good nor bad is open.
_MOODS = {_FAILS: "bad", _NO_STEP: "good"}
# Transports, each with its options, that the first screen has cards of.
MOST_CARDS = 6
_LOOKED_FOR = f"steps are looked for from {FEWEST} sessions on"
BARS_OF_SESSIONS = (
    "Bars are 95 % intervals over the launches of a session. Upright lines are steps, sessions"
    " without a figure and changed conditions; level ones are limits."
)
NOTE = (
    "Sessions are named by their beginning in UTC. speed: all sizes together, relative to the"
    " median session."
)


def history_tables(found: History, notes: Sequence[str] = ()) -> RenderableType:
    """A table a curve, what is to know of single sessions, and what each curve says, last."""
    parts: list[RenderableType] = []
    for table in _tables(found, MOST_SIZES):
        parts += render_table(table)
    lines = [*map("note: {}".format, (*notes, NOTE)), *_troubles(found)]
    return Group(*parts, *map(Text, [*lines, *history_in_words(found)]))


def write_history(found: History, path: Path, notes: Sequence[str] = (), command: str = "") -> None:
    """Write the page; `command` made it. Raises WeftError where it cannot be written."""
    charts = history_charts(found)
    places, word = hosts_in_words(found.machines), _verdict(found)
    page = Page(
        title=f"weft: {places} over time",
        heading=f"{places} over time",
        kind="weft trend",
        commands=(command,) if command else (),
        verdicts=(
            Verdict(
                word=word,
                sentence=_summary(found),
                mood=_MOODS.get(word, "open"),
            ),
        ),
        cards=_cards(found),
        sections=(
            Section(
                name="findings",
                title="What happened",
                findings=tuple(_findings(found)),
                folds=_sessions_with_troubles(found),
            ),
            Section(name="time", title="Over time", charts=charts.speeds),
            *_sections_of_cases(charts),
            Section(
                name="figures",
                title="Figures in numbers",
                tables=tuple(_tables(found)),
                notes=(*notes, NOTE, *_without_chart(found, charts)),
            ),
        ),
    )
    write_output(path, render(page))


def _cards(found: History) -> tuple[Card, ...]:
    """A card a transport: how fast its curves were in the latest session; of one machine."""
    if len(found.machines) > 1 or len(found.sessions) < 2:
        return ()
    figures = []
    for course in found.courses:
        transport, test, _, *options = course.name.split("/")
        scatter = (
            f"scatter {format_percent(100 * course.scatter)}"
            if course.scatter is not None
            else "scatter not known"
        )
        figures.append(
            LargeFigure(
                transport,
                "/".join(options),
                f"{test}, latest session",
                f"{course.speeds[-1]:.3f}",
                f"times the median session; {scatter}",
            )
        )
    cards = cards_of_curves(figures, tuple(dict.fromkeys(one.transport for one in figures)))
    return cards if len(cards) <= MOST_CARDS else ()


def _sessions_with_troubles(found: History) -> tuple[Fold, ...]:
    lines = tuple(_troubles(found))
    words = f"{counted(len(lines), 'note')} on single sessions"
    return (Fold(line=words, sentences=lines),) if lines else ()


def _sections_of_cases(charts: HistoryCharts) -> tuple[Section, ...]:
    """A small chart a case: where something happened in sight, of all others folded."""
    return (
        Section(
            name="noticed",
            title="Cases with a step or a failing limit",
            charts=charts.noticed,
            notes=(BARS_OF_SESSIONS,) if charts.noticed else (),
            is_dense=True,
        ),
        Section(
            name="others",
            title="Other cases" if charts.noticed else "Each case",
            charts=charts.others,
            notes=(BARS_OF_SESSIONS,) if charts.others else (),
            line=f"{counted(len(charts.others), 'case')} without a step, a chart each",
            is_dense=True,
        ),
    )


def history_in_words(found: History) -> list[str]:
    """What each curve does over time, and how many of them have a step."""
    return [*_findings(found), _summary(found)]


def _without_chart(found: History, charts: HistoryCharts) -> list[str]:
    """A line where a case is only in the tables."""
    drawn = len(charts.noticed) + len(charts.others)
    every = len(found.series)
    has = verb_of(drawn, "have", every)
    words = f"{drawn} of {counted(every, 'case')} {has} a chart; the tables have all"
    return [words] if drawn < every else []


def _summary(found: History) -> str:
    names = session_names(found)
    count = len(names)
    steps = sum(bool(course.steps) for course in found.courses)
    alone = "" if steps or not found.has_step else " by itself; see the steps above"
    of_all = (
        f"{steps} of {counted(len(found.courses), 'curve')}"
        f" {verb_of(steps, 'have', len(found.courses))} a step{alone}"
        if _was_looked_at(found)
        else _LOOKED_FOR
    )
    when = f"{names[0]} to {names[-1]}" if count > 1 else names[0]
    sessions = counted(count, "session")
    machines = f" of {len(found.machines)} machines" if len(found.machines) > 1 else ""
    return f"{sessions}{machines}, {when} UTC: {of_all}."


def _verdict(found: History) -> str:
    """In a word or three; where no curve has sessions enough, nobody looked for a step."""
    if any(map(failing, found.courses)):
        return _FAILS
    if found.has_step:
        return "A step."
    return _NO_STEP if _was_looked_at(found) else "Too few sessions."


def _was_looked_at(found: History) -> bool:
    """Whether some curve has sessions enough that a step would be seen."""
    return any(course.scatter is not None for course in found.courses)


def _findings(found: History) -> list[str]:
    """A sentence a curve: its steps, or that none is significant and what would be."""
    names = session_names(found)
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
        lines += [
            f"{where}: against the other curves {_of_step(step, names, found.sessions)}"
            for step in course.against_others
        ]
        speeds = dict(zip(course.sessions, course.speeds, strict=True))
        lines += [
            f"{where}: {names[at]} stands out alone, {speeds[at]:.3f} times as fast as the median"
            " session: a step or one odd night, which the next session will show"
            for at in course.outliers
        ]
    for course in found.together:
        where = f"{course.name} on {course.machine}" if len(found.machines) > 1 else course.name
        lines += [f"{where}: {_of_step(step, names, found.sessions)}" for step in course.steps]
        if not course.steps and course.seen is not None:
            lines.append(f"{where}: {_without_step(course)}")
    return [*said_once(lines), *found.advice]


def _of_step(step: SessionStep, names: Sequence[str], sessions: Sequence[Session]) -> str:
    changed = sessions[step.session].changed
    words = f"{ratio_in_words(step.speed)} times as fast from {names[step.session]} on"
    return f"{words}; what else changed then: {'; '.join(changed)}" if changed else words


def _without_step(course: Course) -> str:
    count = len(course.sessions)
    if course.scatter is None or course.smallest is None:
        sessions = counted(count, "session")
        return f"{sessions}; {_LOOKED_FOR}"
    words = (
        f"no significant step over {counted(count, 'session')}, which scatter by"
        f" {format_percent(100 * course.scatter)};{_seen(course)} two sessions more would be one if"
        f" they took {_longer(course.smallest)} as long"
    )
    if course.drift is None or course.drift_chance is None:
        return words
    verb = "rises" if course.drift > 0 else "falls"
    return (
        f"{words}; but the time {verb} by {format_percent(100 * abs(course.drift))} from the first"
        f" to the last (p = {course.drift_chance:.1%})"
    )


def _seen(course: Course) -> str:
    """Which step in the middle would have been found."""
    if course.seen is None:
        return ""
    return (
        f" a step to {_longer(course.seen)} as long in the middle is found in"
        f" {100 * POWER:.0f} % of cases, and"
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
    for name, session in zip(session_names(found), found.sessions, strict=True):
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
        _table(found, course, series_of(found, course), number, most_sizes)
        for number, course in enumerate(found.courses)
    ]


def _table(
    found: History,
    course: Course,
    every: Sequence[CaseHistory],
    number: int,
    most_sizes: int | None,
) -> Table:
    """A row a session: its answer, its speed, and its figure at each size."""
    shown = spread(every, most_sizes or len(every))
    names = session_names(found)
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
            lost = status_in_words(point.status) if point else ""
            figures.append(with_half(estimate, shape) if estimate else lost or "none")
        answer = [course.answers[at] or "-"] if has_answers else []
        speed = f"{speeds[at]:.3f}" if at in speeds else "-"
        rows.append((names[at], *answer, speed, *figures))
    answered = ["answer"] if has_answers else []
    sizes = [
        "figure" if series.test in WITHOUT_SIZE else format_bytes(series.bytes) for series in shown
    ]
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
