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

import msgspec

from weft.plan.case import Schedule
from weft.sources.peers.stated import (
    MEGA,
    MIB,
    UNKNOWN_RANKS,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import Tables, skip_overlapping
from weft.sources.peers.tests import other, own, variation
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^# *Intel ?\(R\) MPI Benchmark|^# Benchmarking \S|^#bytes +#repetitions")
_BANNER = re.compile(r"^# *Intel ?\(R\) MPI Benchmark")
_VERSION = re.compile(r"\b[Vv]?(\d{4} [Uu]pdate \d+|\d{4}(?:\.\d+)?[^, ]{0,20}|\d\.\d[\w.]{0,20})")
_PROGRAM = re.compile(r"\bIMB-\w+")
_CALL = re.compile(r"^# (?P<command>\S*IMB-\w+.*)$")
_ROWS = re.compile(r"^\d+ +\S")
_NAME = re.compile(r"^# Benchmarking (?P<name>\S+)")
_RANKS = re.compile(r"^# #processes = (\d{1,18})")
_WINDOW = re.compile(r"\s-window_size[ =](\d{1,18})\b")
# The window of Uniband and Biband was 64 before this release, and is 256 since.
_LARGER_WINDOW, _WINDOWS = (2021, 2), (64, 256)
# -multi 0: all groups at once, of which each line states the mean; -multi 1: a line of each group.
_GROUPS = re.compile(r"^# \( (?P<groups>\d{1,18}) groups of (?P<size>\d{1,18}) processes each")
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
        "Uniband": "window_stream",
        "Biband": "bidirectional_window_stream",
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
    """The figures of all benchmarks in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    skip_overlapping(text, _BANNER, _ROWS)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(
        text,
        reader.rows,
        version=reader.version,
        command=command or reader.command,
        created_utc=reader.created_utc,
    )


class _Reader:
    """The state between the lines of a file: which benchmark, on how many ranks, which columns."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = self.command = self.created_utc = ""
        self._given = given
        self._tables = Tables(text, self.rows)
        # From the title of a run to the line that it ends, which one that was lost lacks.
        self._is_open = False
        self._begin("")

    def _begin(self, name: str) -> None:
        self._name, self._test = name, _test(name) if name else None
        self._ranks, self._at_once, self._has_mode = self._given.ranks, "", False
        self._has_ranks = False
        self._columns: list[str] = []

    def take(self, line: OutputLine) -> None:
        """One line: the head of a section, the heads of columns, a row, or a remark."""
        words = line.words
        if not words:
            return
        if "#repetitions" in words:
            self._once(line, not self._columns)
            self._columns = words
        elif line.text.startswith("#"):
            self._remark(line)
        elif self._test is None or not self._columns:
            line.refuse("no line before it names its benchmark and its columns")
        else:
            self._row(line, words, self._test)

    def _once(self, line: OutputLine, is_first: bool) -> None:
        """What a section has once, before its columns: of two at once no row is read."""
        if not is_first or self._columns:
            self._test = None
            self._tables.drop(line)

    def _remark(self, line: OutputLine) -> None:
        if name := _NAME.match(line.text):
            self._tables.begin(line)
            self._begin(name["name"])
        elif found := _GROUPS.match(line.text):
            self._once(line, not self._has_ranks)
            groups, size = int(found["groups"]), int(found["size"])
            self._ranks, self._has_ranks = groups * size, True
            self._at_once = f"{counted(groups, 'group')} of {counted(size, 'rank')}"
            self._test = _test(f"{self._name}, {self._at_once}")
        elif mode := _MODE.match(line.text):
            self._once(line, not self._has_mode)
            # Aggregate: many of them before the call that waits for all.
            self._test = _test(self._name if mode[1] else f"{self._name}, aggregate")
            self._has_mode = True
        elif ranks := _RANKS.match(line.text):
            self._once(line, not self._has_ranks)
            self._ranks, self._has_ranks = int(ranks[1]), True
        elif _ENDS.match(line.text):
            self._is_open = False
            self._begin("")
        elif _BANNER.match(line.text):
            version = _VERSION.search(line.text)
            self.version = version[1] if version else ""
            # A run that begins inside another one shares its lines with it.
            self._is_open = True
            self._begin("")
        elif call := _CALL.match(line.text):
            self.command = call["command"].strip()
        elif date := _DATE.match(line.text):
            self.created_utc = _utc(date[1])

    def _of_group(self, line: OutputLine, words: list[str]) -> Pattern | None:
        """The test of a row of -multi 1, which states each group's own figures."""
        if self._columns[0] != "Group":
            return self._test
        line.whole(words[0])
        each = f"{self._name}, group {words[0]} of {self._at_once}"
        return _test(each) if self._at_once else self._test

    def _row(self, line: OutputLine, words: list[str], test: Pattern) -> None:
        test = self._of_group(line, words) or test
        # What tells it from the others stands first.
        names = [head for head in self._columns if head in ("Group", "#bytes")]
        place = StatedSection(
            test=test,
            transport=self._given.transport or "mpi",
            ranks=self._ranks or UNKNOWN_RANKS,
        )
        if no := _REFUSED.match(line.text.split(maxsplit=len(names) - 1)[-1] if names else ""):
            self._tables.once(line, *words[: len(names)])
            self.rows.append(place.without(line, line.whole(no[1]), no[2]))
            return
        if len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
        size = line.whole(cells["#bytes"]) if "#bytes" in cells else 0
        count = line.whole(cells["#repetitions"])
        others = line.values_of(
            (head, word)
            for head, word in cells.items()
            if head not in ("Group", "#bytes", "#repetitions", _time_of(cells, place))
        )
        row = self._figure(line, size, cells, place, {"operations": count, "others": others})
        self._tables.once(line, *words[: len(names)])
        if row:
            self.rows.append(row)

    def _figure(
        self,
        line: OutputLine,
        size: int,
        cells: dict[str, str],
        place: StatedSection,
        kept: dict[str, Any],
    ) -> StatedRow | None:
        """The row of these cells; None for the bandwidth of nothing, which IMB always prints."""
        if float(cells.get("defects", "0")) > 0:
            return place.without(line, size, f"{cells['defects']} defects")
        if head := _time_of(cells, place):
            return place.latency(line, size, cells[head], **kept)
        if "Mbytes/sec" not in cells:
            line.refuse("it has no time")
        unit = _mbyte(line, size, cells)
        place = msgspec.structs.replace(place, **self._window(line.command, place.test))
        return place.bandwidth(line, size, cells["Mbytes/sec"], unit, **kept) if size else None

    def _window(self, command: str, test: Pattern) -> dict[str, Any]:
        """The messages of a bandwidth that share a buffer and a wait, by its command or release."""
        typed = _WINDOW.search(f"{command} {self.command}")
        release = tuple(map(int, re.findall(r"\d+", self.version)[:2]))
        if not typed and not release:
            return {"test": variation("IMB", test, f"{self._name}, window not stated")}
        window = int(typed[1]) if typed else _WINDOWS[release >= _LARGER_WINDOW]
        return {"queue_depth": window, "schedule": Schedule(kind="shared")}


def _test(name: str) -> Pattern:
    plain = name.lower()
    if plain in _OWN:
        return own(_OWN[plain])
    alone = plain.removeprefix(_SEVERAL.lower()).partition(",")[0]
    if plain.startswith(_SEVERAL.lower()) and alone in _OWN:
        return variation("IMB", own(_OWN[alone]), name)
    return other("IMB", name, factor=_FACTORS.get(plain, 0))


def _time_of(cells: Mapping[str, str], place: StatedSection) -> str:
    """The column of the time: the slowest rank's of an exchange, as weft's own; else the mean."""
    slowest = ["t_max[usec]"] if place.test.figure == "exchange" else []
    heads = (*slowest, "t_avg[usec]", "t[usec]", "t_ovrl[usec]")
    return next((head for head in heads if head in cells), "")


def _mbyte(line: OutputLine, size: int, cells: dict[str, str]) -> Decimal:
    """The unit of Mbytes/sec, by the message rate beside it. Raises LineError if neither fits."""
    stated, rate = (line.value_of(cells.get(head, "0")) for head in ("Mbytes/sec", "Msg/sec"))
    moved = size * (rate or 0)
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


IMB = Peer(name="IMB", marks=(_MARK,), read=read)
