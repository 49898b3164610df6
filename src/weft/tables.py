"""A table of words as data: what a terminal, a page or a paper makes of it is report/'s."""

from __future__ import annotations

import msgspec

# A terminal of unknown width, as a pipe is.
TERMINAL_WIDTH = 100


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

    @property
    def width(self) -> int:
        """How many characters of a terminal its head and rows take, two between columns."""
        columns = zip(self.head, *self.rows, strict=True)
        lines = ([line for cell in own for line in cell.split("\n")] for own in columns)
        return sum(2 + max(map(len, own)) for own in lines) - 2
