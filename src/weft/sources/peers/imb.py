"""Outputs of the Intel MPI Benchmarks, IMB-MPI1 and the other programs, from 3.2 on.

Layout: src_c/IMB_output.c. Times are means over the repetitions; min, max and avg are over the
ranks. `t[usec]` of PingPong is half a round trip. `Mbytes/sec` was 2^20 bytes up to 2011 and is
10^6 since 2018: which it is shows in rows that have a time or a rate of messages too.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft.sources.peers.stated import (
    MEGA,
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other, own, variation
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^# +Intel ?\(R\) MPI Benchmark")
_VERSION = re.compile(
    r"^# +Intel ?\(R\) MPI Benchmark.*?"
    r"[Vv]?(\d{4} Update \d+|\d{4}(?:\.\d+)?[^, ]*|\d\.\d[\w.]*)"
)
_PROGRAM = re.compile(r"\bIMB-\w+")
_CALL = re.compile(r"^# (?P<command>\S*IMB-\w+.*)$")
_NAME = re.compile(r"^# Benchmarking (?P<name>\S+)")
_RANKS = re.compile(r"^# #processes = (\d+)")
# -multi 0: all groups at once, of which each line states the mean; -multi 1: a line of each group.
_GROUPS = re.compile(r"^# \( (?P<groups>\d+) groups of (?P<size>\d+) processes each")
_SEVERAL = "Multi-"
_MODE = re.compile(r"^# +MODE: (NON-)?AGGREGATE\b")
_DATE = re.compile(r"^# Date +: (.*)$")
_MACHINE = re.compile(r"^# Machine +: (.*)$")
_ENDS = re.compile(r"^# All processes entering MPI_Finalize")
_REFUSED = re.compile(r"^(\S+) +((?:out-of-mem|int-overflow|time-out).*)$")
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "PingPong": "ping_pong",
        "PingPing": "ping_ping",
        "Sendrecv": "sendrecv",
        "Uniband": "stream",
        "Biband": "bidirectional_stream",
        "Allreduce": "allreduce",
        "Bcast": "broadcast",
        "Alltoall": "alltoall",
        "Allgather": "allgather",
        "Barrier": "barrier",
    }
)
_OWN: Mapping[str, str] = MappingProxyType({t.lower(): name for t, name in TITLES.items()})
# How often Mbytes/sec counts the size (IMB_parse_name_mpi1.c).
_FACTORS: Mapping[str, int] = MappingProxyType({"exchange": 4})


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all benchmarks in the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given.transport or "mpi")
    for line in text.begin(_MARK):
        reader.take(line)
    refuse_empty(text, reader.rows, "the output of IMB")
    return StatedOutput(
        rows=tuple(reader.rows),
        version=reader.version,
        command=command or reader.command,
        created_utc=reader.created_utc,
        failed=text.failed,
    )


class _Reader:
    """The state between the lines of a file: which benchmark, on how many ranks, which columns."""

    def __init__(self, transport: str) -> None:
        self.rows: list[StatedRow] = []
        self.version = self.command = self.created_utc = ""
        self._transport = transport
        self._tables = Tables()
        # From the title of a run to the line that it ends, which one that was lost lacks.
        self._is_open = False
        self._begin("")

    def _begin(self, name: str) -> None:
        self._name, self._test = name, _test(name) if name else None
        self._ranks, self._at_once, self._has_mode = 0, "", False
        self._columns: list[str] = []

    def take(self, line: OutputLine) -> None:
        """One line: the head of a section, the heads of columns, a row, or a remark."""
        words = line.words
        if not words:
            return
        if "#repetitions" in words:
            self._first(line, not self._columns)
            self._columns = words
        elif line.text.startswith("#"):
            self._remark(line)
        elif self._test is None or not self._columns:
            line.refuse()
        else:
            self._row(line, words)

    def _first(self, line: OutputLine, is_first: bool) -> None:
        """Raises WeftError for what a section has once, behind its name and not its columns."""
        if not is_first or self._columns:
            line.refuse("its section has such a line already", MIXED)
        if not self._name:
            line.refuse("no line before it names its benchmark", MIXED)

    def _remark(self, line: OutputLine) -> None:
        if name := _NAME.match(line.text):
            self._tables.begin(line)
            self._begin(name["name"])
        elif found := _GROUPS.match(line.text):
            self._first(line, not self._ranks)
            groups, size = int(found["groups"]), int(found["size"])
            self._ranks = groups * size
            self._at_once = f"{counted(groups, 'group')} of {counted(size, 'rank')}"
            self._test = _test(f"{self._name}, {self._at_once}")
        elif mode := _MODE.match(line.text):
            self._first(line, not self._has_mode)
            # Aggregate: many of them before the call that waits for all.
            self._test = _test(self._name if mode[1] else f"{self._name}, aggregate")
            self._has_mode = True
        elif ranks := _RANKS.match(line.text):
            self._first(line, not self._ranks)
            self._ranks = int(ranks[1])
        elif _ENDS.match(line.text):
            self._end(line)
        elif version := _VERSION.match(line.text):
            self.version, self._is_open = version[1], True
            self._begin("")
        elif call := _CALL.match(line.text):
            self.command = call["command"].strip()
        elif date := _DATE.match(line.text):
            self.created_utc = _utc(date[1])

    def _end(self, line: OutputLine) -> None:
        """Raises WeftError for the end of a run that ran beside another."""
        if not self._is_open:
            line.refuse("no run has begun since another one ended", MIXED)
        self._is_open = False
        self._begin("")

    def _of_group(self, line: OutputLine, words: list[str]) -> Pattern | None:
        """The test of a row of -multi 1, which states each group's own figures."""
        if self._columns[0] != "Group":
            return self._test
        line.whole(words[0])
        each = f"{self._name}, group {words[0]} of {self._at_once}"
        return _test(each) if self._at_once else self._test

    def _row(self, line: OutputLine, words: list[str]) -> None:
        test = self._of_group(line, words)
        if test is None:
            line.refuse()
        if not self._ranks:
            line.refuse("no line before it says on how many processes")
        # What tells it from the others stands first.
        names = [head for head in self._columns if head in ("Group", "#bytes")]
        self._tables.once(line, tuple(words[: len(names)]))
        is_streams = test.figure == "bandwidth"
        place = StatedSection(test=test, transport=self._transport, ranks=self._ranks)
        if no := _REFUSED.match(line.text.split(maxsplit=len(names) - 1)[-1]):
            self.rows.append(place.without(line, line.whole(no[1]), no[2]))
            return
        if len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
        size = line.whole(cells["#bytes"]) if "#bytes" in cells else 0
        count = line.whole(cells["#repetitions"])
        others = {
            head: float(line.number_of(word))
            for head, word in cells.items()
            if head not in ("Group", "#bytes", "#repetitions", "t[usec]", "t_avg[usec]")
        }
        if float(cells.get("defects", "0")) > 0:
            self.rows.append(place.without(line, size, f"{cells['defects']} defects"))
            return
        kept: dict[str, Any] = {"operations": count, "others": others}
        for head in ("t_avg[usec]", "t[usec]", "t_ovrl[usec]"):
            if head in cells:
                self.rows.append(place.latency(line, size, cells[head], **kept))
                return
        if not is_streams:
            line.refuse("it has no time")
        unit = _mbyte(line, size, cells)
        self.rows.append(place.bandwidth(line, size, cells["Mbytes/sec"], unit, **kept))


def _test(name: str) -> Pattern:
    plain = name.lower()
    if plain in _OWN:
        return own(_OWN[plain])
    alone = plain.removeprefix(_SEVERAL.lower()).partition(",")[0]
    if plain.startswith(_SEVERAL.lower()) and alone in _OWN:
        return variation("IMB", own(_OWN[alone]), name)
    return other("IMB", name, factor=_FACTORS.get(plain, 0))


def _mbyte(line: OutputLine, size: int, cells: dict[str, str]) -> Decimal:
    """What Mbytes/sec counts in: what the rate of messages gives. Raises WeftError for neither."""
    stated = line.number_of(cells["Mbytes/sec"])
    moved = size * line.number_of(cells.get("Msg/sec", "0"))
    if not stated or not moved:
        return MEGA
    found = moved / stated
    unit = min((MEGA, MIB), key=lambda one: abs(found - one))
    # Msg/sec is a whole number, Mbytes/sec has two digits behind the point.
    slack = Decimal("0.51") * size / moved + Decimal("0.0051") / stated + Decimal("0.001")
    if abs(found / unit - 1) > slack:
        line.refuse("Mbytes/sec and Msg/sec do not fit to each other")
    return unit


def _utc(text: str) -> str:
    """The date of its first lines, which has no time zone: taken as UTC; empty for another one."""
    try:
        found = datetime.strptime(text.strip(), "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return ""
    return found.isoformat() + "+00:00"


IMB = Peer(name="IMB", mark=_MARK, read=read)
