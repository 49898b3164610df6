"""A table of words as data: what a terminal, a page or a paper makes of it is report/'s."""

from __future__ import annotations

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of words; rows are as long as the head. Notes stand below it.

    `left` are the columns that begin at their left; the others end at their right.
    """

    name: str
    caption: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    left: tuple[int, ...] = (0,)
