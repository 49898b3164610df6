"""A terminal, and a table of words for it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from weft.errors import printable_lines
from weft.tables import TERMINAL_WIDTH
from weft.wording import without_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType, RenderResult

    from weft.tables import Table


# Characters of a head in a line, where there is too little room.
LONGEST_HEAD = 30


class EscapingConsole(Console):
    """A terminal that prints text as it is: no markup, and control characters as escapes.

    Text may come from a file that somebody else wrote.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """As rich's, with the text of each segment escaped."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)


def console(*, stderr: bool = False) -> Console:
    """The terminal; through a pipe a fixed width, so that scripts see the same each time."""
    plain = EscapingConsole(stderr=stderr)
    if plain.is_terminal:
        return plain
    return EscapingConsole(stderr=stderr, width=TERMINAL_WIDTH)


def render_table(table: Table) -> list[RenderableType]:
    """The table under its caption, its notes below."""
    notes = [Text(note) for note in table.notes]
    return [Text(table.caption, style="bold"), FittedTable(table), *notes, Text("")]


def render_bare(table: Table) -> list[RenderableType]:
    """The table without its caption, where the user has named it; it may be notes alone."""
    return [*([FittedTable(table)] if table.head else []), *map(Text, table.notes)]


class FittedTable:
    """A table's head and rows as wide as the terminal: no figure is broken over two lines.

    Where there is no room, it is split: the columns that are left follow in another part, each
    beside the columns that name the rows. A part of one column that has no room all the same loses
    its intervals, and a line says so.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """What rich asks for, which knows how wide the terminal is."""
        whole = self._table
        if whole.width > options.max_width:
            # Names of files as heads would leave the figures no room.
            heads = (textwrap.fill(head, LONGEST_HEAD) for head in whole.head)
            whole = msgspec.structs.replace(whole, head=tuple(heads))
        for part in split(whole, options.max_width):
            bare = _without_intervals(part) if part.width > options.max_width else part
            yield _grid_of(bare)
            if bare != part:
                lost = ", ".join(
                    head
                    for head, own, shown in zip(
                        part.head,
                        zip(*part.rows, strict=True),
                        zip(*bare.rows, strict=True),
                        strict=True,
                    )
                    if own != shown
                )
                yield Text(f"No room for the intervals of {lost}: the report has them.")


def split(table: Table, width: int) -> list[Table]:
    """The table in parts that have room, each with the columns that name its rows.

    Of columns that have no room together the first stands beside all that is in each part, and the
    others beside the names of the rows alone.
    """
    if table.width <= width or len(table.head) < table.naming + 2:
        return [table]
    names = [*range(table.naming)]
    parts: list[list[int]] = []
    for block in table.blocks:
        if parts and table.of_columns([*parts[-1], *block]).width <= width:
            parts[-1] += block
        elif table.of_columns([*names, *block]).width <= width:
            parts.append([*names, *block])
        else:
            parts.append([*names, block[0]])
            parts += [[0, *block[1:]]] if block[1:] else []
    return [table.of_columns(own) for own in parts]


def _without_intervals(table: Table) -> Table:
    rows = tuple(tuple(map(without_interval, row)) for row in table.rows)
    return msgspec.structs.replace(table, rows=rows)


def _grid_of(table: Table) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    for at, head in enumerate(table.head):
        grid.add_column(head, justify="left" if at in table.left else "right")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    return grid
