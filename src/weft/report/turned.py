"""Tables that fit a page: as they are, turned, or in parts beside each other's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.tables import PAGE_CHARACTERS

if TYPE_CHECKING:
    from weft.tables import Table


def for_page(table: Table) -> list[Table]:
    """The table in one piece where there is room, else turned, else in parts one below another."""
    if table.has_room_on_a_page:
        return [table]
    turned = _turned(table)
    if turned is not None and turned.has_room_on_a_page:
        return [turned]
    return _parts(table)


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
    """As many columns in each part as there is room for beside what names the rows.

    Notes stand once.
    """
    widths = table.page_widths
    names = range(table.naming)
    parts: list[list[int]] = []
    left = 0
    for block in table.blocks:
        width = sum(widths[at] for at in block)
        if not parts or width > left:
            parts.append([])
            left = PAGE_CHARACTERS - sum(widths[: len(names)])
        parts[-1] += block
        left -= width
    return [
        msgspec.structs.replace(
            table.of_columns((*names, *own)),
            caption=table.caption if not number else f"{table.caption} (continued)",
            notes=table.notes if number == len(parts) - 1 else (),
        )
        for number, own in enumerate(parts)
    ]
