"""Results in a terminal: everything, or what fits one screen."""

from __future__ import annotations

import io
from itertools import chain
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.names import as_typed
from weft.report.notes import ending_in_words, flags_in_words, troubles_in_words
from weft.report.table import EscapingConsole, FittedTable, render_table
from weft.stages import counted_off
from weft.topics import TOPICS, results_of
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from weft.fabric.peaks import Link
    from weft.host.finding import Finding
    from weft.tables import Table
    from weft.topics.base import Results, Topic

# Lines of a screen, where nobody knows how many there are; and the fewest that are made use of.
SCREEN = 44
LEAST_SCREEN = 30
# Kinds of notes and reasons of failures on a screen; all of them are in the report.
MOST_NOTES = 6
# How many rows and findings of a topic are tried, the most that fit are shown.
_ROOMS = (48, 24, 12, 6, 3, 1)
# Results of the cases that have a figure, shared by all who ask whether a topic is of any.
_MEASURED = "measured"


def findings_table(findings: Sequence[Finding]) -> RenderableType:
    """The doctor's findings: warnings with effect and fix, the rest in a line each."""
    table = Grid(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column("level", no_wrap=True)
    table.add_column("check", no_wrap=True)
    table.add_column("finding")
    marks = {"warning": "WARNING", "unknown": "unknown", "note": "note", "ok": "ok"}
    for finding in findings:
        words = Text(finding.what)
        if finding.effect:
            words.append(f"\n  effect: {finding.effect}", style="dim")
        if finding.fix:
            words.append(f"\n  fix:    {finding.fix}")
        style = "bold" if finding.level == "warning" else ""
        table.add_row(Text(marks[finding.level], style=style), finding.check, words)
    return table


def render_tables(results: Results) -> RenderableType:
    """Each topic's tables and findings in full; then what to know; then how the run ended."""
    parts: list[RenderableType] = []
    findings = []
    for topic in counted_off(TOPICS, "making tables"):
        rows = results.of(topic)
        for table in results.labelled(topic.tables(rows)):
            parts += render_table(table)
        findings += results.findings(topic)
    flags = flags_in_words(results.summaries)
    troubles = troubles_in_words(results.summaries)
    lines = [*findings, *troubles, *flags, *results.run.header.notes]
    lines.append(ending_in_words(results.run, results.summaries))
    return Group(*parts, *map(Text, lines))


def render_shown(tables: Iterable[Table], findings: Iterable[str]) -> RenderableType:
    """Tables under their captions, then sentences."""
    parts = [part for table in tables for part in render_table(table)]
    return Group(*parts, *map(Text, findings))


def render_brief(results: Results, screen: Console) -> RenderableType:
    """What fits one screen: the first topics in as many rows as there is room for, then counts.

    What disturbs a run was said before it began, and is on the page.
    """
    below = [
        *_at_most(troubles_in_words(results.summaries)),
        *_at_most(flags_in_words(results.summaries)),
        ending_in_words(results.run, results.summaries),
    ]
    lines = max(LEAST_SCREEN, screen.height - 4) if screen.is_terminal else SCREEN
    lines -= height_of(screen, list(map(Text, below)))
    # A case that could not be measured has a row too, but nothing in it.
    is_measured = any(summary.status == "ok" for summary in results.summaries)
    counts = {topic.name: _counts(topic, results) if is_measured else "" for topic in TOPICS}
    parts: list[RenderableType] = []
    for topic in TOPICS:
        waiting = counts | {topic.name: ""}
        left = lines - height_of(screen, parts) - height_of(screen, _more(results, waiting))
        shown = _fitting(topic, results, screen, left)
        parts += shown
        counts = waiting if shown else counts
    return Group(*parts, *_more(results, counts), *map(Text, below))


def _more(results: Results, counts: dict[str, str]) -> list[RenderableType]:
    """A sentence about the topics that have no room; nothing where all have."""
    words = ", ".join(words for words in counts.values() if words)
    where = f"see the report or weft show {as_typed(results.run.path)}"
    return [Text(f"also measured, {where}: {words}")] if words else []


def _fitting(
    topic: Topic[Any], results: Results, screen: Console, lines: int
) -> list[RenderableType]:
    """The topic's tables and findings in the most rows that so many lines hold; none where none."""
    for room in _ROOMS:
        shown = list(_brief(topic, results, room))
        if height_of(screen, shown) <= lines:
            return shown
    return []


def _brief(topic: Topic[Any], results: Results, room: int) -> Iterator[RenderableType]:
    rows = results.of(topic)
    for table in results.labelled(topic.brief(rows, room)):
        yield Text(table.caption, style="bold")
        yield FittedTable(table)
        yield from map(Text, table.notes)
    findings = results.findings(topic)
    yield from map(Text, findings[:room])
    if len(findings) > room:
        yield Text(f"{len(findings) - room} more of {topic.title.lower()}")


def _counts(topic: Topic[Any], results: Results) -> str:
    """How many rows and findings a topic has."""
    tabled = sum(len(table.rows) for table in topic.tables(results.of(topic)))
    counts = ((tabled, "row"), (len(results.findings(topic)), "finding"))
    words = [counted(count, what) for count, what in counts if count]
    return f"{topic.title.lower()} ({', '.join(words)})" if words else ""


def first_topic(results: Results, screen: Console, lines: int) -> list[RenderableType]:
    """What the first topic shows that has room in so many lines.

    One whose tables have something that was measured comes before others, if need be with its first
    table alone: what failed or is unsupported has its own line.
    """
    with_figures = (topic for topic in TOPICS if has_figures(topic, results))
    found = chain(
        (
            _fitting(one, results, screen, lines) or _first_table(one, results, screen, lines)
            for one in with_figures
        ),
        (_fitting(one, results, screen, lines) for one in TOPICS),
    )
    return next((shown for shown in found if shown), [])


def _first_table(
    topic: Topic[Any], results: Results, screen: Console, lines: int
) -> list[RenderableType]:
    """The first rows of the topic's first table, and the first columns where it is wider than the
    screen; none where so many lines hold none."""
    for room in _ROOMS:
        table = results.labelled(topic.brief(results.of(topic), room))[0]
        while table.width > screen.width and len(table.head) > 1:
            table = table.of_columns(range(len(table.head) - 1))
        shown: list[RenderableType] = [Text(table.caption, style="bold"), FittedTable(table)]
        if height_of(screen, shown) <= lines:
            return shown
    return []


def has_figures(topic: Topic[Any], results: Results) -> bool:
    """Whether a topic's tables say anything about cases that were measured."""
    return bool(topic.brief(results.once(_MEASURED, _measured).of(topic), 1))


def _measured(results: Results) -> Results:
    """The same record without the cases that have no figure."""
    kept = [one for one in results.summaries if one.status == "ok"]
    if len(kept) == len(results.summaries):
        return results
    return results_of(results.run, kept, results.link, results.name)


def height_of(screen: Console, parts: Sequence[RenderableType]) -> int:
    """How many lines these take on a screen of this width."""
    if not parts:
        return 0
    still = EscapingConsole(file=io.StringIO(), width=screen.width)
    return len(still.render_lines(Group(*parts), pad=False))


def _at_most(lines: list[str]) -> list[str]:
    """The first kinds, and how many there are more."""
    more = len(lines) - MOST_NOTES
    last = [f"{counted(more, 'more kind')} of notes: see the report"] if more > 0 else []
    return lines[:MOST_NOTES] + last


def peaks_table(links: Sequence[Link]) -> RenderableType:
    """Links with their peaks, the bound that headers leave, and the sources."""
    parts: list[RenderableType] = []
    for link in links:
        lane = f"{link.lane_bits_per_s / 1e9:.9g} Gbit/s"
        parts.append(Text(f"{link.name}: {link.lanes} x {lane}, {link.encoding}", style="bold"))
        table = Grid(box=None)
        for head in ("", "one way", "both ways"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_row("peak", *map(_exact, (link.one_way_bytes_per_s, link.both_ways_bytes_per_s)))
        for bound in link.bounds:
            rates = (bound.one_way_bytes_per_s, bound.both_ways_bytes_per_s)
            table.add_row(f"packets of {bound.mtu_bytes} B", *map(_exact, rates))
        notes = [f"headers: {link.headers}", f"source: {link.source}"]
        notes += [f"note: {link.note}"] if link.note else []
        parts += [table, *(Text(note, style="dim") for note in notes), Text("")]
    return Group(*parts[:-1])


def _exact(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:,.1f} MB/s"
