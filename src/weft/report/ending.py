"""What stands on a terminal after a run: result and verdict, which leave room for the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from weft.analysis.stats.launches import next_session_of
from weft.names import as_typed
from weft.report.front import figures_of, first_figures_of, verdict_of
from weft.report.notes import troubles_in_words
from weft.report.table import FittedTable
from weft.report.terminal import first_topic, height_of
from weft.tables import Table
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from weft.topics.base import Results

# With the lines of the record and of the report.
MOST_LINES = 12
_FILES = 2
# Transports with a row of their own.
MOST_ROWS = 5


def render_ending(results: Results, screen: Console) -> list[RenderableType]:
    """Result, what failed, verdict and what to do next, as much as there is room for."""
    # What disturbs a run was said before it began.
    verdict = verdict_of(results, with_causes=False)
    shown: list[RenderableType] = []
    more = Text(f"more: the report, --verbose or weft show {as_typed(results.run.path)}")
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
    """The first figures of each transport, or what the first topic says that has anything."""
    figures = first_figures_of(results)
    # Of settings beside each other the ratios are the result.
    if not figures or room < 2 or results.run.header.plan.variations:
        return first_topic(results, screen, room)
    rows = [(one.transport, figures_of(one)) for one in figures]
    names = list(dict.fromkeys(name for _, own in rows for name, _, _ in own))
    cells = [
        {name: f"{value} {interval}".strip() for name, value, interval in own} for _, own in rows
    ]
    known = [name for name in names if any(_is_known(one.get(name, "")) for one in cells)]
    most = min(MOST_ROWS, room - 1)
    while len(known) > 1 and _table(rows[:most], cells, known).width > screen.width:
        known.pop()
    shown: list[RenderableType] = [FittedTable(_table(rows[:most], cells, known))]
    hidden = len(rows) - most
    if hidden > 0:
        shown.append(Text(f"{counted(hidden, 'more transport')} in the report"))
    return shown


def _table(
    rows: Sequence[tuple[str, object]], cells: Sequence[dict[str, str]], known: Sequence[str]
) -> Table:
    return Table(
        name="result",
        caption="",
        head=("", *known),
        rows=tuple(
            (transport, *(own.get(name, "-") for name in known))
            for (transport, _), own in zip(rows, cells, strict=False)
        ),
    )


def _is_known(cell: str) -> bool:
    return bool(cell) and not cell.startswith("not known")
