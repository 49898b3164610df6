"""The rows of each table of an output: which repeat it, and which are of two runs at once.

Two runs that write into one file at once break the order of a table. Nothing says then to which of
them a row belongs, so that no row of such a table is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.sources.peers.stated import StatedRow
    from weft.sources.peers.text import OutputLine, OutputText

MIXED = "run them one after the other, or into one file each"
TWO_RUNS = "two runs wrote into one file at once here"
_FAILED = re.compile(r"error|fail|unable|could ?n.t|cannot|refused|timed? ?out", re.IGNORECASE)


class Tables:
    """The tables of one output, in its order. `rows` are those that its reader has found."""

    def __init__(self, text: OutputText, rows: list[StatedRow]) -> None:
        self._text = text
        self._rows = rows
        self._begun: OutputLine | None = None
        self._keys: dict[tuple[object, ...], OutputLine] = {}
        self._last: tuple[object, ...] = ()
        self._first_row = self._noise = 0
        self._is_doubtful = self._is_mixed = False

    def begin(self, line: OutputLine) -> None:
        """Another table begins, with its title.

        If the one before has no rows and nothing ended it, its rows may follow in this one: of two
        tests at once no row is read.
        """
        begun = self._begun
        self._is_doubtful = bool(
            begun
            and not self._keys
            and (begun.failures, begun.runs) == (line.failures, line.runs)
            and self._noise == len(self._text.ignored)
        )
        is_other = begun is not None and begun.text != line.text
        self._begun, self._first_row = line, len(self._rows)
        self._is_mixed = self._is_doubtful and is_other
        self._noise = len(self._text.ignored)
        self._keys, self._last = {}, ()

    def once(self, line: OutputLine, *key: object, rises: bool = False) -> None:
        """A row, by what makes it unlike the others of its table; its size first if it `rises`.

        A table may begin again with its first row: it is measured again. Raises LineError for
        a copy of the row before, and for a table of two runs, whose rows are then dropped.
        """
        if self._is_mixed:
            line.refuse(TWO_RUNS, MIXED)
        before = self._keys.get(self._last) if self._keys else None
        if before and key == self._last and before.text == line.text:
            line.refuse("it is the line before once more")
        first = next(iter(self._keys), key)
        falls = rises and self._keys and self._last[1:] == key[1:] and key < self._last
        if key in self._keys and key == first and not self._is_doubtful:
            self._keys = {}
        elif key in self._keys or falls:
            self.drop(line)
        self._keys[key], self._last = line, key

    def drop(self, line: OutputLine) -> None:
        """Raises LineError: this table is of two runs."""
        self._is_mixed = True
        places = {row.stated.place for row in self._rows[self._first_row :]}
        for one in self._text.lines:
            if one.place in places:
                self._text.skip(one, TWO_RUNS)
        del self._rows[self._first_row :]
        line.refuse(TWO_RUNS, MIXED)


def skip_overlapping(
    text: OutputText, opens: re.Pattern[str], rows: re.Pattern[str], *, two_sides: bool = False
) -> None:
    """Skip all rows from a run on that has no row before another run opens, and did not fail.

    With `two_sides`, both sides of a run may print its first line. Raises LineError if the reading
    is strict.
    """
    begun: tuple[int, OutputLine] | None = None
    for at, line in enumerate(text.lines):
        if rows.search(line.text) or _FAILED.search(line.text):
            begun = None
        elif opens.search(line.text):
            if begun and begun[1].runs == line.runs and begun[1].failures == line.failures:
                if two_sides and begun[1].text == line.text:
                    continue
                _skip_rows(text, begun[0], rows)
                return
            begun = (at, line)


def _skip_rows(text: OutputText, first: int, rows: re.Pattern[str]) -> None:
    for line in text.lines[first:]:
        if rows.search(line.text):
            text.skip(line, TWO_RUNS, MIXED)
    del text.lines[first:]
