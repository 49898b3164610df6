"""Outputs of GPCNeT: the boxes of network_test and network_load_test, plain and VERBOSE.

Columns: utils.c, print_results. Latency is in us, bandwidth in MiB/s of one rank. Avg is the mean;
99% and 99.9% come from other data than it, and are the low end of a bandwidth (utils.c,
summarize_performance): they keep their names and are no percentiles of the figure. A test beside
congestors is one of its own. Key Results only divide what stands above them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.sources.peers.stated import (
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import MIXED, TWO_RUNS, Tables, skip_overlapping
from weft.sources.peers.tests import other

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^Network(?P<beside>Load)? Tests v(?P<version>[\d.]+)$")
_PROGRAM = re.compile(r"\bnetwork_(?:load_)?test\b")
_RANKS = re.compile(r"^Test with (?P<ranks>\d{1,18}) MPI ranks")
_NAME = re.compile(r"^(?P<test>.+?) \( *(?P<bytes>\d{1,18}) B\)$")
_ROWS = re.compile(r"^\|(?:[^|]+\|){3,}$")
_REMARK = re.compile(r"^\+[-+]+\+$|^Legend$|^[\w+]{1,9} = |^\d+ nodes running ")
_LOADED = "running with Congestion"
_UNITS = ("usec", "MiB/s/rank")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all boxes. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    skip_overlapping(text, _MARK, _ROWS)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(text, reader.rows, version=reader.version, command=command)


class _Reader:
    """The state between the lines: of which run and which box they are."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._ranks, self._title, self._is_beside = given.ranks, "", False
        self._columns: list[str] = []
        self._boxes = Tables(text, self.rows)

    def take(self, line: OutputLine) -> None:
        """One line: a run or a box begins, its heads, a row, or a remark."""
        if begun := _MARK.match(line.text):
            self.version, self._is_beside = begun["version"], bool(begun["beside"])
            self._ranks, self._title, self._columns = self._given.ranks, "", []
        elif found := _RANKS.match(line.text):
            self._ranks = int(found["ranks"])
        elif line.text.startswith("|") and line.text.endswith("|") and len(line.text) > 1:
            self._in_box(line, [cell.strip() for cell in line.text[1:-1].split("|")])
        elif line.text and not _REMARK.match(line.text):
            line.refuse()

    def _in_box(self, line: OutputLine, cells: list[str]) -> None:
        if len(cells) == 1:
            self._boxes.begin(line)
            self._title, self._columns = cells[0], []
            if _LOADED in self._title and not self._is_beside:
                self._title = ""
                line.refuse(TWO_RUNS, MIXED)
        elif cells[0] == "Name":
            self._columns = cells[1:]
        elif cells[0] and "Key Results" not in self._title:
            self._figure(line, cells[0], cells[1:])

    def _figure(self, line: OutputLine, name: str, cells: list[str]) -> None:
        if not self._title or len(cells) != len(self._columns):
            line.refuse()
        named = dict(zip(self._columns, cells, strict=True))
        place = (self._title, self._ranks, self._given.transport or "mpi")
        row = _row(line, name, named, place)
        self._boxes.once(line, name)
        self.rows.append(row)


def _row(
    line: OutputLine, name: str, cells: dict[str, str], place: tuple[str, int, str]
) -> StatedRow:
    title, ranks, transport = place
    found = _NAME.match(name)
    if found is None:
        line.refuse("its size was cut with its name")
    unit = cells.get("Units", "")
    if unit not in _UNITS or "Avg" not in cells:
        line.refuse("its unit or its mean is not known")
    is_loaded = _LOADED in title
    test = _test(found["test"], is_latency=unit == "usec", is_loaded=is_loaded)
    section = StatedSection(test=test, transport=transport, ranks=ranks)
    size = line.whole(found["bytes"])
    beside = ((f"{h} [{unit}]", word) for h, word in cells.items() if h not in ("Avg", "Units"))
    others = line.values_of(beside)
    if unit == "usec":
        return section.latency(line, size, cells["Avg"], others=others)
    return section.bandwidth(line, size, cells["Avg"], MIB, others=others)


def _test(name: str, *, is_latency: bool, is_loaded: bool) -> Pattern:
    title = f"{name} beside congestors" if is_loaded else name
    if is_latency:
        return other("GPCNeT", title)
    return other("GPCNeT", title, divisor=0, factor=1)


GPCNET = Peer(name="GPCNeT", marks=(_MARK,), read=read)
