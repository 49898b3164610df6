"""A table of words for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.table import Table as Grid
from rich.text import Text

from weft.wording import without_interval

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from weft.tables import Table


# Columns that name the rows of a table: what is measured, and the message size.
MOST_NAMING = 2
SIZE = "size"


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
        for part in split(self._table, options.max_width):
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
    """The table in parts that have room, each with the columns that name its rows."""
    if table.width <= width or len(table.head) < MOST_NAMING + 1:
        return [table]
    naming = 1 + (table.head[1] == SIZE or 1 in table.left)
    parts: list[list[int]] = []
    for at in range(naming, len(table.head)):
        if parts and _part(table, naming, [*parts[-1], at]).width <= width:
            parts[-1].append(at)
        else:
            parts.append([at])
    return [_part(table, naming, own) for own in parts]


def _part(table: Table, naming: int, columns: list[int]) -> Table:
    kept = [*range(naming), *columns]
    return msgspec.structs.replace(
        table,
        head=tuple(table.head[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
        left=tuple(new for new, at in enumerate(kept) if at in table.left),
    )


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
