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


def render_table(table: Table) -> list[RenderableType]:
    """The table under its caption, its notes below."""
    notes = [Text(note) for note in table.notes]
    return [Text(table.caption, style="bold"), FittedTable(table), *notes, Text("")]


def render_bare(table: Table) -> list[RenderableType]:
    """The table without its caption, where the user has named it; it may be notes alone."""
    return [*([FittedTable(table)] if table.head else []), *map(Text, table.notes)]


class FittedTable:
    """A table's head and rows as wide as the terminal: no figure is broken over two lines.

    Where there is no room, columns lose their intervals from the last one on, and a line says
    which ones.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        """What rich asks for, which knows how wide the terminal is."""
        table = self._table
        without: list[str] = []
        for at in reversed(range(len(table.head))):
            if table.width <= options.max_width:
                break
            rows = tuple(
                (*row[:at], without_interval(row[at]), *row[at + 1 :]) for row in table.rows
            )
            if rows != table.rows:
                table = msgspec.structs.replace(table, rows=rows)
                without.insert(0, table.head[at])
        yield _grid_of(table)
        if without:
            yield Text(f"No room for the intervals of {', '.join(without)}: the report has them.")


def _grid_of(table: Table) -> Grid:
    grid = Grid(box=None, pad_edge=False)
    for at, head in enumerate(table.head):
        grid.add_column(head, justify="left" if at in table.left else "right")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    return grid
