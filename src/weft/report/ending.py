"""The end of a run on a terminal: results by size, verdict, next command, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from weft.analysis.stats.launches import next_session_of
from weft.names import as_typed
from weft.report.front import verdict_of
from weft.report.notes import troubles_in_words
from weft.report.table import FittedTable
from weft.report.terminal import first_topic, has_figures, height_of
from weft.topics import TOPICS
from weft.wording import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from weft.topics.base import Results

# A screen of a usual window, with the lines of the record and of the report.
MOST_LINES = 44
_FILES = 2


def render_ending(results: Results, screen: Console) -> list[RenderableType]:
    """Result, what failed, verdict and what to do next, as much as there is room for."""
    # What disturbs a run was said before it began.
    verdict = verdict_of(results, with_causes=False)
    shown: list[RenderableType] = []
    more = Text(f"details: the report, --verbose or weft show {as_typed(results.run.path)}")
    troubles = _troubles(results)
    failed = troubles[:1]
    if len(troubles) > 1:
        failed = [f"{troubles[0]} (and {counted(len(troubles) - 1, 'reason')} more)"]
    below = [Text(line) for line in [*failed, f"{verdict.word} {verdict.sentence}"]]
    # A line may say how many transports there are more.
    room = MOST_LINES - _FILES - 1 - height_of(screen, [*below, more])
    shown += _result(results, screen, room)
    shown += below
    advice = Text(verdict.then)
    if verdict.then and height_of(screen, [*shown, advice, more]) <= MOST_LINES - _FILES:
        shown.append(advice)
    return [*shown, more]


def _troubles(results: Results) -> list[str]:
    """The reasons of cases without a figure; first that a host is gone, which explains others."""
    footer = results.run.footer
    lost = footer.given_up if footer and footer.silent_hosts else ()
    lines = troubles_in_words(results.summaries)
    of_lost = [line for line in lines if line.endswith(tuple(one.reason for one in lost))]
    # Where every case had its figure before, no case says it.
    unsaid = [one.reason for one in lost if not any(line.endswith(one.reason) for line in of_lost)]
    # What to type then is said behind the verdict.
    hint = next_session_of(results.run).to_finish
    others = (line.removesuffix(hint) for line in lines if line not in of_lost)
    return list(dict.fromkeys((*of_lost, *unsaid, *others)))


def _result(results: Results, screen: Console, room: int) -> list[RenderableType]:
    """The tables of the first topic with results, one per test, as many as fit.

    If the run compares settings, the ratios are the result.
    """
    topic = next((one for one in TOPICS if has_figures(one, results)), None)
    if topic is None or results.run.header.plan.variations:
        return first_topic(results, screen, room)
    shown: list[RenderableType] = []
    hidden = 0
    named = [
        msgspec.structs.replace(table, caption=table.caption.partition(":")[0])
        for table in topic.tables(results.of(topic))
    ]
    for table in results.labelled(named):
        title = Text(table.caption, style="bold")
        part: list[RenderableType] = [title, FittedTable(table)]
        if height_of(screen, [*shown, *part]) < room:
            shown += part
        else:
            hidden += 1
    if not shown:
        return first_topic(results, screen, room)
    return [*shown, Text(f"{counted(hidden, 'more table')} in the report")] if hidden else shown
