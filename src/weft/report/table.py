"""A table of words for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as Grid
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.tables import Table


def render_table(table: Table) -> list[RenderableType]:
    """The table under its caption, its notes below."""
    notes = [Text(note) for note in table.notes]
    return [Text(table.caption, style="bold"), grid_of(table), *notes, Text("")]


def render_bare(table: Table) -> list[RenderableType]:
    """The table without its caption, where the user has named it; it may be notes alone."""
    return [*([grid_of(table)] if table.head else []), *map(Text, table.notes)]


def grid_of(table: Table) -> Grid:
    """The table's head and rows."""
    grid = Grid(box=None)
    for at, head in enumerate(table.head):
        grid.add_column(head, justify="left" if at in table.left else "right")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    return grid
