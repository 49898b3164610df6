"""What each table of an output keeps to: it has rows, and none of them twice.

A line that was copied twice, or two runs that wrote into one file at once, break that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from weft.sources.peers.text import OutputLine

MIXED = (
    "remove what stands there twice; where two runs wrote into one file at once, run them one"
    " after the other"
)


class Tables:
    """The tables of one output, in its order. Each method raises WeftError by line."""

    def __init__(self) -> None:
        self._begun: OutputLine | None = None
        self._rows: dict[Hashable, OutputLine] = {}

    def begin(self, line: OutputLine) -> None:
        """Another table begins, with its title. That of a run that failed may have no rows."""
        begun = self._begun
        if begun and not self._rows and begun.failures == line.failures:
            line.refuse(f"what began in line {begun.number} has no figures before it", MIXED)
        self._begun, self._rows = line, {}

    def once(self, line: OutputLine, row: Hashable) -> None:
        """A row, by what makes it unlike the others of its table."""
        first = self._rows.setdefault(row, line)
        if first is not line:
            line.refuse(f"line {first.number} is the same row of the same table", MIXED)
