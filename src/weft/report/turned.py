"""Tables that fit a page: as they are, turned, or in parts beside each other's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.tables import Table

# What a page of 1,280 pixels holds beside its contents, in characters of a table.
PAGE_CHARACTERS = 124
# Between two columns.
GAP = 3
# A line of a cell that has sentences may be broken.
SENTENCE = 40


def for_page(table: Table) -> list[Table]:
    """The table in one piece where there is room, else turned, else in parts one below another."""
    if _width(table) <= PAGE_CHARACTERS:
        return [table]
    turned = _turned(table)
    if turned is not None and _width(turned) <= PAGE_CHARACTERS:
        return [turned]
    return _parts(table)


def _width(table: Table) -> int:
    """Characters of a page that its columns take; a head and a sentence are broken at blanks."""
    return sum(_widths(table))


def _widths(table: Table) -> list[int]:
    columns = zip(table.head, *table.rows, strict=True)
    return [
        GAP + max(max(map(len, head.split()), default=0), *map(_width_of_cell, cells), 0)
        for head, *cells in columns
    ]


def _width_of_cell(cell: str) -> int:
    return max((min(len(line), SENTENCE) for line in cell.split("\n")), default=0)


def _turned(table: Table) -> Table | None:
    """Rows as columns; None where rows have no names of their own."""
    names = [row[0] for row in table.rows]
    if not table.rows or len(set(names)) < len(names):
        return None
    columns = list(zip(*table.rows, strict=True))
    return msgspec.structs.replace(
        table,
        head=(table.head[0], *columns[0]),
        rows=tuple(zip(table.head[1:], *zip(*columns[1:], strict=True), strict=True)),
        left=(0,),
    )


def _parts(table: Table) -> list[Table]:
    """As many columns in each part as there is room for beside the first; notes stand once."""
    widths = _widths(table)
    parts: list[list[int]] = []
    left = 0
    for at, width in enumerate(widths[1:], start=1):
        if not parts or width > left:
            parts.append([])
            left = PAGE_CHARACTERS - widths[0]
        parts[-1].append(at)
        left -= width
    return [
        msgspec.structs.replace(
            table,
            caption=table.caption if not number else f"{table.caption} (continued)",
            head=tuple(table.head[at] for at in (0, *own)),
            rows=tuple(tuple(row[at] for at in (0, *own)) for row in table.rows),
            notes=table.notes if number == len(parts) - 1 else (),
            left=tuple(new for new, at in enumerate((0, *own)) if at in table.left),
        )
        for number, own in enumerate(parts)
    ]
