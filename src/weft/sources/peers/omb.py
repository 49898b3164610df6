"""Outputs of the OSU Micro-Benchmarks, 3.1 to 7.5, of one test or many in a row.

Column heads: util/osu_util_mpi.c (print_only_header) of OMB 7.4; older ones say `Latency (us)`.
Figures are means; latency is half a round trip, MB are 10^6 bytes, bibw counts both ways.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.plan.case import USUAL_QUEUE_DEPTH, Schedule
from weft.sources.peers.stated import (
    MSEC,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other, own, variation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_TITLE = re.compile(
    r"^# OSU (?P<what>(?:MPI|OpenSHMEM|UPC)\S*(?: .+?)?)"
    r"(?:(?: Test)? v(?P<version>\d[\w.-]*)| Test)\s*$"
)
_PROGRAM = re.compile(r"\bosu_\w+")
_PAIRS = re.compile(r"^# \[ pairs: (\d+) \] \[ window size: (\d+|varied) \]")
_INIT = re.compile(r"^nprocs: (\d+), min: .* avg: (\d+) ms")
_RANKS = re.compile(r"\s-(?:n|np|-ntasks)[ =](\d+)\b")
_WINDOW = re.compile(r"\s(?:-W ?|--window-size[ =])(\d+)")
_MULTIPLE = re.compile(r"\s(?:-b ?|--buffer-num[ =])multiple\b")
_MEMORY = re.compile(r"^# Send Buffer on (\w+).* and Receive Buffer on (\w+)")
_SYNCHRONISATION = re.compile(r"^# Synchronization: (\S+)")
_DATATYPE = re.compile(r"^# Datatype: (.*)\.$")
# A put or get of weft's ends like that.
_OWN_SYNCHRONISATION = "MPI_Win_flush"
_HOST = "HOST to HOST"
_LATENCIES = ("Avg Latency(us)", "Latency (us)", "Latency(us)", "Overall(us)")
_BANDWIDTHS = ("Bandwidth (MB/s)", "MB/s")
# Of bandwidths a percentile's head fills its column.
_BETWEEN_HEADS = re.compile(r"\s{2,}|(?<=\)) (?=P\d)")
# osu_ibarrier has no sign before them.
_BARE_HEADS = re.compile(r"^ +Overall\(us\) ")
# Before the title of osu_latency_mt and osu_latency_mp.
_WORKERS = re.compile(
    r"^# Number of (?P<who>(?:sender|receiver) threads|forked processes in (?:sender|receiver))"
    r": (?P<count>\d+)",
    re.IGNORECASE,
)
# osu_mbw_mr -V: a column per window, first of bandwidths, then of message rates.
_WINDOWS = re.compile(r"^#(?: +\d+)+$")
_RATE = "Messages/s"
_RATES = "# Message Rate Profile"
_TRANSMITTED = "Transmit Size"
_TAIL = re.compile(r"P(\d+) Tail (Lat\(us\)|BW\(MB/s\))")
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
_FOR_RANKS = "type --ranks with how many ranks it ran on"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tests in the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given)
    for line in text.lines:
        reader.take(line)
    refuse_empty(text, reader.rows, "the output of OMB")
    return StatedOutput(
        rows=tuple(reader.rows), version=reader.version, command=command, failed=text.failed
    )


class _Reader:
    """The state between the lines of a file: which test, which columns."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._transport = given.transport or "mpi"
        self._test: Pattern | None = None
        self._title = ""
        # What is unlike the test of this title, in words: memory, layout, how a put ends.
        self._beside: dict[str, str] = {}
        self._datatypes: list[str] = []
        self._workers: list[str] = []
        self._typed = _Typed("", given)
        self._pairs = 0
        self._window = 0
        self._columns: list[str] = []
        self._windows = _Windows()
        self._tables = Tables()

    def take(self, line: OutputLine) -> None:
        """One line: a title, the heads, a row, or a remark."""
        text = line.text
        if workers := _WORKERS.match(text):
            if any(one.endswith(workers["who"].lower()) for one in self._workers):
                line.refuse("its test has such a line already", MIXED)
            self._workers.append(f"{workers['count']} {workers['who'].lower()}")
        elif title := _TITLE.match(text):
            self._tables.begin(line)
            self._typed = _Typed(line.command, self._given)
            self._title, self.version = title["what"], title["version"] or ""
            self._pairs, self._window, self._columns = 0, 0, []
            self._windows = _Windows()
            self._beside, self._datatypes = {"workers": ", ".join(self._workers)}, []
            self._workers = []
        elif not self._title:
            # What stands before the first title is another's.
            return
        elif pairs := _PAIRS.match(text):
            self._pairs = int(pairs[1])
            self._window = 0 if pairs[2] == "varied" else int(pairs[2])
        elif text.startswith("#") or _BARE_HEADS.match(text):
            self._remark(text)
        elif started := _INIT.match(text):
            self._started(line, int(started[1]), started[2])
        elif text:
            self._row(line)

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
            self._test = _test(self._title, self._typed.program, self._beside)
        self._windows.are_rates = self._windows.are_rates or text == _RATES
        heads = _BETWEEN_HEADS.split(re.sub(r"^#? +", "", text))
        if {*_LATENCIES, *_BANDWIDTHS} & set(heads):
            self._columns = heads
            self._beside["layout"] = "derived datatype" if _TRANSMITTED in heads else ""
            self._test = _test(self._title, self._typed.program, self._beside)

    def _started(self, line: OutputLine, ranks: int, mean_ms: str) -> None:
        self._tables.once(line, "init")
        place = StatedSection(test=other("OMB", "MPI Init"), transport=self._transport, ranks=ranks)
        self.rows.append(place.latency(line, 0, mean_ms, MSEC))

    def _row(self, line: OutputLine) -> None:
        words = line.words
        size_word = "" if self._columns and "Size" not in self._columns else words[0]
        self._tables.once(line, (size_word, *self._beside.values(), self._windows.are_rates))
        if self._windows.heads:
            self._windows.take(line, self._place(line), self.rows)
            return
        if self._test is None or len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
        if self._test.name in TITLES.values() and self._test.has_size != ("Size" in cells):
            line.refuse("its columns are not of the title before it")
        size = line.whole(cells["Size"]) if "Size" in cells else 0
        place = self._place(line)
        if cells.get("Validation") == "Fail":
            self.rows.append(place.without(line, size, "its validation failed"))
            return
        stated = _stated(line, cells)
        for head in _LATENCIES:
            if head in cells:
                self.rows.append(place.latency(line, size, cells[head], **stated))
                return
        head = next(head for head in _BANDWIDTHS if head in cells)
        self.rows.append(place.bandwidth(line, size, cells[head], **stated))

    def _place(self, line: OutputLine) -> StatedSection:
        """Raises WeftError for an operation of all ranks where nothing says how many they were."""
        test = self._test
        if test is None:
            line.refuse()
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
        if not typed.ranks:
            raise WeftError(f"{line.place}: {test.title} does not say its ranks", _FOR_RANKS)
        return msgspec.structs.replace(section, ranks=typed.ranks)


class _Windows:
    """The tables of osu_mbw_mr -V: a row per size, a column per window. Both are of one run."""

    def __init__(self) -> None:
        self.heads: list[int] = []
        self.are_rates = False
        self._found: dict[tuple[int, int], int] = {}

    def take(self, line: OutputLine, place: StatedSection, rows: list[StatedRow]) -> None:
        """Add a row's bandwidths, or give their message rates to them. Raises WeftError by line."""
        size, *words = line.words
        if len(words) != len(self.heads):
            line.refuse()
        for window, word in zip(self.heads, words, strict=True):
            at = (line.whole(size), window)
            if not self.are_rates:
                self._found[at] = len(rows)
                own_place = msgspec.structs.replace(place, queue_depth=window)
                rows.append(own_place.bandwidth(line, at[0], word))
            elif at not in self._found:
                line.refuse("no line before it has the bandwidths of its size")
            else:
                row = rows[self._found[at]]
                others = {_RATE: float(line.number_of(word))}
                stated = msgspec.structs.replace(row.stated, others=others)
                rows[self._found[at]] = msgspec.structs.replace(row, stated=stated)


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
    percentiles, others = {}, {}
    for head, word in cells.items():
        if head in known:
            continue
        value = float(line.number_of(word))
        tail = _TAIL.fullmatch(head)
        if tail and tail[2].startswith("Lat"):
            if value > 0:
                percentiles[tail[1]] = 1000 * value
        else:
            others[head] = value
    operations = line.whole(cells["Iterations"]) if "Iterations" in cells else 0
    return {"latencies_ns": percentiles, "others": others, "operations": operations}


OMB = Peer(name="OMB", mark=_TITLE, read=read)
