"""A table of words, for a terminal, a page or a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.table import Table as Grid
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of words; rows are as long as the head."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def render_table(table: Table) -> list[RenderableType]:
    """The table for a terminal, under its caption."""
    grid = Grid(box=None)
    for at, head in enumerate(table.head):
        grid.add_column(head, justify="right" if at else "left")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    return [Text(table.caption, style="bold"), grid, Text("")]
