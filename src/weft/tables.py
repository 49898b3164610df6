"""A table of words as data: what a terminal, a page or a paper makes of it is report/'s."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

# A terminal of unknown width, as a pipe is.
TERMINAL_WIDTH = 100
# What a page of 1,280 pixels holds beside its contents, in characters of a table.
PAGE_CHARACTERS = 124
# Between two columns of a page.
PAGE_GAP = 3
# A line of a cell that has sentences may be broken.
SENTENCE = 40
# The head of message sizes, which name a row beside what was measured.
SIZE = "size"


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of words; rows are as long as the head. Notes stand below it.

    `left` are the columns that begin at their left; the others end at their right. Where there is
    no room and it is split, the first `in_each` columns stand in each part (0: those that name the
    rows), and so many of the others as are `together` stay in one.
    """

    name: str
    caption: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    left: tuple[int, ...] = (0,)
    in_each: int = 0
    together: int = 1

    @property
    def width(self) -> int:
        """How many characters of a terminal its head and rows take, two between columns."""
        columns = zip(self.head, *self.rows, strict=True)
        lines = ([line for cell in own for line in cell.split("\n")] for own in columns)
        return sum(2 + max(map(len, own)) for own in lines) - 2

    def of_columns(self, kept: Sequence[int]) -> Table:
        """The same table with these columns alone, in this order."""
        return msgspec.structs.replace(
            self,
            head=tuple(self.head[at] for at in kept),
            rows=tuple(tuple(row[at] for at in kept) for row in self.rows),
            left=tuple(new for new, at in enumerate(kept) if at in self.left),
        )

    @property
    def page_widths(self) -> list[int]:
        """Characters that each column takes of a page; heads and sentences break at blanks."""
        return [
            PAGE_GAP + max(max(map(len, head.split()), default=0), *map(_width_of_cell, cells), 0)
            for head, *cells in zip(self.head, *self.rows, strict=True)
        ]

    @property
    def has_room_on_a_page(self) -> bool:
        """Whether it stands there in one piece."""
        return sum(self.page_widths) <= PAGE_CHARACTERS

    @property
    def naming(self) -> int:
        """How many of the first columns each part of a split table has: those that name a row.

        As many as it takes for no two rows to bear the same name; where all columns would, only
        what is measured and the words or the size beside it.
        """
        if self.in_each:
            return self.in_each
        least = 1 + (len(self.head) > 1 and (self.head[1] == SIZE or 1 in self.left))
        for count in range(least, len(self.head)):
            if len({row[:count] for row in self.rows}) == len(self.rows):
                return count
        return least

    @property
    def blocks(self) -> list[list[int]]:
        """The columns behind those in each part, in blocks of those that stay together."""
        columns = range(self.naming, len(self.head))
        starts = range(0, len(columns), self.together)
        return [list(columns[at : at + self.together]) for at in starts]


def _width_of_cell(cell: str) -> int:
    return max((min(len(line), SENTENCE) for line in cell.split("\n")), default=0)
