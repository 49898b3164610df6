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
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^Network(?P<beside>Load)? Tests v(?P<version>[\d.]+)$")
_PROGRAM = re.compile(r"\bnetwork_(?:load_)?test\b")
_RANKS = re.compile(r"^ +Test with (?P<ranks>\d+) MPI ranks")
_TITLE = re.compile(r"^\| +(?P<title>\w[^|]*?) +\|$")
_ROW = re.compile(r"^\| *(?P<name>\w[^|]*?) *\|(?P<cells>[^|]+(?:\|[^|]+)*)\|$")
_NAME = re.compile(r"^(?P<test>.+?) \( *(?P<bytes>\d+) B\)$")
_REMARK = re.compile(
    r"^$|^\+[-+]+\+$|^\| {33}\| +Avg \||^  Legend$|^   [\w+]+ = |^  \d+ nodes running "
)
_LOADED = "running with Congestion"
_UNITS = ("usec", "MiB/s/rank")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all boxes. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given.transport or "mpi")
    for line in text.begin(_MARK):
        reader.take(line)
    refuse_empty(text, reader.rows, "the output of GPCNeT")
    return StatedOutput(
        rows=tuple(reader.rows), version=reader.version, command=command, failed=text.failed
    )


class _Reader:
    """The state between the lines: of which run and which box they are."""

    def __init__(self, transport: str) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._transport = transport
        self._ranks, self._title, self._is_beside = 0, "", False
        self._columns: list[str] = []
        self._runs, self._boxes = Tables(), Tables()

    def take(self, line: OutputLine) -> None:
        """One line: a run or a box begins, its heads, a row, or a remark."""
        if begun := _MARK.match(line.text):
            self._runs.begin(line)
            self.version, self._is_beside = begun["version"], bool(begun["beside"])
            self._ranks, self._title, self._columns = 0, "", []
        elif found := _RANKS.match(line.text):
            self._runs.once(line, "ranks")
            self._ranks = int(found["ranks"])
        elif found := _TITLE.match(line.text):
            self._runs.once(line, found["title"])
            self._boxes.begin(line)
            self._title, self._columns = found["title"], []
            if _LOADED in self._title and not self._is_beside:
                line.refuse("its run has no congestors", MIXED)
        elif found := _ROW.match(line.text):
            cells = [cell.strip() for cell in found["cells"].split("|")]
            self._boxes.once(line, found["name"])
            if found["name"] == "Name":
                self._columns = cells
            elif "Key Results" not in self._title:
                self._figure(line, found["name"], cells)
        elif not _REMARK.match(line.text):
            line.refuse()

    def _figure(self, line: OutputLine, name: str, cells: list[str]) -> None:
        if not (self._ranks and self._title and len(cells) == len(self._columns)):
            line.refuse()
        named = dict(zip(self._columns, cells, strict=True))
        self.rows.append(_row(line, name, named, (self._title, self._ranks, self._transport)))


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
    others = {
        f"{head} [{unit}]": float(line.number_of(cell))
        for head, cell in cells.items()
        if head not in ("Avg", "Units")
    }
    if unit == "usec":
        return section.latency(line, size, cells["Avg"], others=others)
    return section.bandwidth(line, size, cells["Avg"], MIB, others=others)


def _test(name: str, *, is_latency: bool, is_loaded: bool) -> Pattern:
    title = f"{name} beside congestors" if is_loaded else name
    if is_latency:
        return other("GPCNeT", title)
    return other("GPCNeT", title, divisor=0, factor=1)


GPCNET = Peer(name="GPCNeT", mark=_MARK, read=read)
