"""Outputs of the OSU Micro-Benchmarks, 2.0 to 7.5, of one test or many in a row.

Column heads: util/osu_util_mpi.c (print_only_header) of OMB 7.4; older ones say `Latency (us)`.
Figures are means; latency is half a round trip, MB are 10^6 bytes, bibw counts both ways.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from weft.plan.case import USUAL_QUEUE_DEPTH, Schedule
from weft.sources.peers.stated import (
    MSEC,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other, own, variation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_TITLE = re.compile(
    r"^(?:# ?)?OSU (?P<what>(?:MPI|OpenSHMEM|UPC|NCCL)\S*(?: [^|]+?)?)"
    r"(?:(?: Test)? v(?P<version>\d[\w.-]*)| Test(?: \(Version (?P<older>[\w.]+)\))?)$"
)
_PROGRAM = re.compile(r"\bosu_\w+")
_PAIRS = re.compile(r"^# \[ pairs: (\d{1,18}) \] \[ window size: (\d+|varied) \]")
_INIT = re.compile(r"^nprocs: (\d{1,18}), min: .* avg: (\d{1,18}) ms")
_RANKS = re.compile(r"\s-(?:n|np|-ntasks)[ =](\d{1,18})\b")
_WINDOW = re.compile(r"\s(?:-W ?|--window-size[ =])(\d{1,18})")
_MULTIPLE = re.compile(r"\s(?:-b ?|--buffer-num[ =])multiple\b")
_MEMORY = re.compile(r"^# Send Buffer on (\w+).* and Receive Buffer on (\w+)")
_SYNCHRONISATION = re.compile(r"^# Synchronization: (\S+)")
_DATATYPE = re.compile(r"^# Datatype: (.*)\.$")
# A put or get of weft's ends like that.
_OWN_SYNCHRONISATION = "MPI_Win_flush"
_HOST = "HOST to HOST"
_LATENCIES = ("Avg Latency(us)", "Latency (us)", "Latency(us)", "Overall(us)")
_BANDWIDTHS = ("Bandwidth (MB/s)", "Bandwidth(MB/s)", "MB/s")
_HEAD = re.compile(
    r"(?:Transmit )?Size|(?:(?:Avg|Min|Max) )?Lat(?:ency)? ?\(us\)|Bandwidth ?\(MB/s\)|MB/s"
    r"|Messages/s|Iterations|Validation|P\d+ Tail (?:Lat|BW) ?\([\w/]+\)|Overlap ?\(%\)"
    r"|(?:(?:Pure|Min|Max) Comm\.|Coll\. Init|Overall|Compute|MPI_\w+|Wait|Init|Start) ?\(us\)"
)
# Before the title of osu_latency_mt and osu_latency_mp.
_WORKERS = re.compile(
    r"^# Number of (?P<who>(?:sender|receiver) threads|forked processes in (?:sender|receiver))"
    r": (?P<count>\d{1,18})",
    re.IGNORECASE,
)
# osu_mbw_mr -V: a column per window, first of bandwidths, then of message rates.
_WINDOWS = re.compile(r"^#(?: +\d{1,9})+$")
_RATE = "Messages/s"
_RATES = "# Message Rate Profile"
_TRANSMITTED = "Transmit Size"
_TAIL = re.compile(r"P(\d{1,18}) Tail (Lat|BW) ?\(")
# Of a build for other memory (MPI-CUDA) the title says so; case is unlike in releases.
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "MPI Latency": "ping_pong",
        "MPI Bandwidth": "window_stream",
        "MPI Bi-Directional Bandwidth": "bidirectional_window_stream",
        "MPI_Put Latency": "put_latency",
        "MPI_Get Latency": "get_latency",
        "MPI_Put Bandwidth": "put_stream",
        "MPI_Get Bandwidth": "get_stream",
        "MPI Allreduce Latency": "allreduce",
        "MPI Broadcast Latency": "broadcast",
        "MPI All-to-All Personalized Exchange Latency": "alltoall",
        "MPI Allgather Latency": "allgather",
        "MPI Barrier Latency": "barrier",
    }
)
# weft's that send on as messages end, where OMB waits for a window.
ALIKE: Mapping[str, str] = MappingProxyType(
    {"stream": "window_stream", "bidirectional_stream": "bidirectional_window_stream"}
)
_OWN: Mapping[str, str] = MappingProxyType({t.lower(): name for t, name in TITLES.items()})
_BY_WINDOWS = ("window_stream", "bidirectional_window_stream")
# Their title is that of osu_bw.
_SAME_TITLE: Mapping[str, str] = MappingProxyType(
    {"osu_bw_fan_in": "fan-in bandwidth", "osu_bw_fan_out": "fan-out bandwidth"}
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tests in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(text, reader.rows, version=reader.version, command=command)


class _Reader:
    """The state between the lines of a file: which test, which columns."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._transport = given.transport or "mpi"
        self._test: Pattern | None = None
        self._title = ""
        # The title of a table that has no row yet.
        self._begun = ""
        # What is unlike the test of this title, in words: memory, layout, how a put ends.
        self._beside: dict[str, str] = {}
        self._datatypes: list[str] = []
        self._workers: list[str] = []
        self._typed = _Typed("", given)
        self._pairs = 0
        self._window = 0
        self._columns: list[str] = []
        self._windows = _Windows()
        self._tables = Tables(text, self.rows)

    def take(self, line: OutputLine) -> None:
        """One line: a title, the heads, a row, or a remark."""
        # A row of a table in Markdown has the same words between bars.
        text = " ".join(line.text.replace("|", " ").split()) if "|" in line.text[:1] else line.text
        if workers := _WORKERS.match(text):
            self._workers.append(f"{workers['count']} {workers['who'].lower()}")
        elif title := _TITLE.match(text):
            self._begin(line, title)
        elif pairs := _PAIRS.match(text):
            self._pairs = int(pairs[1])
            self._window = 0 if pairs[2] == "varied" else int(pairs[2])
        elif text.startswith("#") or self._is_head(text):
            self._remark(text)
        elif started := _INIT.match(text):
            self._started(line, int(started[1]), started[2])
        elif text and not re.fullmatch(r"[-: ]+", text):
            self._row(line, text.split())

    def _begin(self, line: OutputLine, title: re.Match[str]) -> None:
        if title[0] == self._begun and not self._workers:
            # A copy of the title; what belongs to it stands before the first one.
            return
        self._begun = title[0]
        self._tables.begin(line)
        self._typed = _Typed(line.command, self._given)
        self._title, self.version = title["what"], title["version"] or title["older"] or ""
        self._pairs, self._window, self._columns = 0, 0, []
        self._windows = _Windows()
        # Lines of both sides of one run may differ, of two runs at once each stands there twice.
        is_twice = len({one.partition(" ")[2] for one in self._workers}) < len(self._workers)
        self._test = None
        self._title = "" if is_twice else self._title
        self._beside, self._datatypes = {"workers": ", ".join(self._workers)}, []
        self._workers = []

    def _is_head(self, text: str) -> bool:
        return text.startswith(("Size ", "Overall")) and bool(self._title)

    def _remark(self, text: str) -> None:
        """The heads of columns, or what is unlike the usual in how it was measured."""
        if memory := _MEMORY.match(text):
            self._beside["memory"] = f"{memory[1]} to {memory[2]}"
        elif by := _SYNCHRONISATION.match(text):
            self._beside["by"] = "" if by[1] == _OWN_SYNCHRONISATION else by[1]
        elif datatype := _DATATYPE.match(text):
            # Without -T there is one; of several the first is the one that is alone otherwise.
            self._datatypes = list(dict.fromkeys([*self._datatypes, datatype[1]]))
            is_first = datatype[1] == self._datatypes[0]
            self._beside["datatype"] = "" if is_first else datatype[1]
        if _WINDOWS.match(text):
            self._windows.heads = [int(word) for word in text.split()[1:]]
            self._test = self._titled()
        self._windows.are_rates = self._windows.are_rates or text == _RATES
        heads = _heads(text.lstrip("# "))
        if {*_LATENCIES, *_BANDWIDTHS} & set(heads):
            self._columns = heads
            self._beside["layout"] = "derived datatype" if _TRANSMITTED in heads else ""
            test = self._titled()
            is_own = test is not None and test.name in TITLES.values()
            is_rate = bool({*_BANDWIDTHS} & set(heads))
            fits = test and is_rate == (test.figure == "bandwidth")
            fits = fits and (not is_own or test is None or test.has_size == ("Size" in heads))
            self._test = test if fits else None

    def _titled(self) -> Pattern | None:
        return _test(self._title, self._typed.program, self._beside) if self._title else None

    def _started(self, line: OutputLine, ranks: int, mean_ms: str) -> None:
        self._tables.once(line, "init")
        place = StatedSection(test=other("OMB", "MPI Init"), transport=self._transport, ranks=ranks)
        self.rows.append(place.latency(line, 0, mean_ms, MSEC))

    def _row(self, line: OutputLine, words: list[str]) -> None:
        if self._test is None:
            line.refuse("no line before it names its test and its columns")
        self._begun = ""
        place = self._place(self._test)
        if self._windows.heads:
            self._windows.take(line, place, self.rows, self._tables)
            return
        if len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
        size = line.whole(cells["Size"]) if "Size" in cells else 0
        head = next(head for head in (*_LATENCIES, *_BANDWIDTHS) if head in cells)
        line.value_of(cells[head])
        self._tables.once(line, size, *self._beside.values(), rises=True)
        if cells.get("Validation") == "Fail":
            self.rows.append(place.without(line, size, "its validation failed"))
            return
        stated = _stated(line, cells)
        state = place.latency if head in _LATENCIES else place.bandwidth
        self.rows.append(state(line, size, cells[head], **stated))

    def _place(self, test: Pattern) -> StatedSection:
        """Where a row belongs; 0 ranks if nothing says how many they were."""
        typed, is_bandwidth = self._typed, test.figure == "bandwidth"
        section = StatedSection(
            test=test,
            transport=self._transport,
            queue_depth=self._window or (typed.window if is_bandwidth else USUAL_QUEUE_DEPTH),
            schedule=typed.buffers if test.name in _BY_WINDOWS else Schedule(),
        )
        if self._pairs:
            return msgspec.structs.replace(section, ranks=2 * self._pairs)
        if test.figure in ("latency", "bandwidth", "one_sided_latency"):
            return section
        return msgspec.structs.replace(section, ranks=typed.ranks)


class _Windows:
    """The tables of osu_mbw_mr -V: a row per size, a column per window. Both are of one run."""

    def __init__(self) -> None:
        self.heads: list[int] = []
        self.are_rates = False
        self._found: dict[tuple[int, int], StatedRow] = {}

    def take(
        self, line: OutputLine, place: StatedSection, rows: list[StatedRow], tables: Tables
    ) -> None:
        """Add a row's bandwidths, or give their message rates to them. Raises LineError."""
        if len(line.words) != len(self.heads) + 1:
            line.refuse()
        size = line.whole(line.words[0])
        values = [line.number_of(word) for word in line.words[1:]]
        tables.once(line, size, self.are_rates, rises=True)
        for window, word, value in zip(self.heads, line.words[1:], values, strict=True):
            if not self.are_rates:
                own_place = msgspec.structs.replace(place, queue_depth=window)
                self._found[size, window] = own_place.bandwidth(line, size, word)
                rows.append(self._found[size, window])
            elif (row := self._found.get((size, window))) is None or row not in rows:
                line.refuse("no line before it has the bandwidths of its size")
            else:
                stated = msgspec.structs.replace(row.stated, others={_RATE: float(value)})
                rows[rows.index(row)] = msgspec.structs.replace(row, stated=stated)


class _Typed:
    """What the command before an output says, or a user: program, ranks, window and buffers."""

    def __init__(self, command: str, given: Given) -> None:
        program, ranks, window = (r.search(command) for r in (_PROGRAM, _RANKS, _WINDOW))
        self.program = program[0] if program else ""
        self.ranks = given.ranks or (int(ranks[1]) if ranks else 0)
        self.window = int(window[1]) if window else USUAL_QUEUE_DEPTH
        # A window's messages share one on either side, or have one each (`-b multiple`).
        self.buffers = (
            Schedule(kind="turn", count=self.window)
            if _MULTIPLE.search(command)
            else Schedule(kind="shared")
        )


def _heads(text: str) -> list[str]:
    """The heads of columns; none if the line has other words too."""
    found = _HEAD.findall(text)
    return found if "".join("".join(found).split()) == "".join(text.split()) else []


def _test(
    what: str, program: str = "", beside: Mapping[str, str] = MappingProxyType({})
) -> Pattern:
    """By its title, which several programs have, and by what is `beside` it.

    A build for other memory names it in the title, with `-d` only, and buffers of two ranks in a
    line of their own.
    """
    plain, is_other = re.subn(r"^(MPI\w*)-\S+", r"\1", what)
    unlike = [words for words in beside.values() if words not in ("", _HOST)]
    if is_other and not beside.get("memory"):
        unlike.append("other memory")
    if program in _SAME_TITLE:
        return other("OMB", _SAME_TITLE[program], divisor=0, factor=1)
    if plain.lower() in _OWN:
        same = own(_OWN[plain.lower()])
        return variation("OMB", same, ", ".join([plain, *unlike])) if unlike else same
    title = ", ".join([what, *unlike])
    if "bandwidth" in plain.lower():
        ways = 2 if "bi-directional" in plain.lower() else 1
        return other("OMB", title, divisor=0, factor=ways)
    is_one_sided = plain.lower().startswith("mpi_")
    return other("OMB", title, figure="one_sided_latency" if is_one_sided else "")


def _stated(line: OutputLine, cells: dict[str, str]) -> dict[str, Any]:
    """What a row has beside its figure. A percentile of 0 was read before the samples: not kept."""
    known = {"Size", "Validation", "Iterations", *_LATENCIES, *_BANDWIDTHS}
    others = line.values_of((head, word) for head, word in cells.items() if head not in known)
    percentiles = {}
    for head in [*others]:
        tail = _TAIL.match(head)
        if tail and tail[2] == "Lat":
            value = others.pop(head)
            if value > 0:
                percentiles[tail[1]] = 1000 * value
    operations = line.whole(cells["Iterations"]) if "Iterations" in cells else 0
    return {"latencies_ns": percentiles, "others": others, "operations": operations}


OMB = Peer(name="OMB", marks=(_TITLE,), read=read)
