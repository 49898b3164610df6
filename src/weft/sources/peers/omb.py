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
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_TITLE = re.compile(
    r"^# OSU (?P<what>(?:MPI|OpenSHMEM|UPC)\S*(?: .+?)?)"
    r"(?:(?: Test)? v(?P<version>\d[\w.]*)| Test)\s*$"
)
_PROGRAM = re.compile(r"\bosu_\w+")
_PAIRS = re.compile(r"^# \[ pairs: (\d+) \] \[ window size: (\d+|varied) \]")
_INIT = re.compile(r"^nprocs: (\d+), min: .* avg: (\d+) ms")
_RANKS = re.compile(r"\s-(?:n|np|-ntasks)[ =](\d+)\b")
_WINDOW = re.compile(r"\s(?:-W ?|--window-size[ =])(\d+)")
_MULTIPLE = re.compile(r"\s(?:-b ?|--buffer-num[ =])multiple\b")
_LATENCIES = ("Avg Latency(us)", "Latency (us)", "Latency(us)", "Overall(us)")
_BANDWIDTHS = ("Bandwidth (MB/s)", "MB/s")
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
_FOR_RANKS = "type --ranks with how many ranks it ran on"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tests in the file. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    ranks = _RANKS.search(command)
    window = _WINDOW.search(command)
    reader = _Reader(
        transport=given.transport or "mpi",
        ranks=given.ranks or (int(ranks[1]) if ranks else 0),
        queue_depth=int(window[1]) if window else USUAL_QUEUE_DEPTH,
        has_one_buffer=not _MULTIPLE.search(command),
    )
    for line in text.begin(_TITLE):
        reader.take(line)
    refuse_empty(text, reader.rows, "the output of OMB")
    return StatedOutput(
        rows=tuple(reader.rows), version=reader.version, command=command, failed=text.failed
    )


class _Reader:
    """The state between the lines of a file: which test, which columns."""

    def __init__(
        self, *, transport: str, ranks: int, queue_depth: int, has_one_buffer: bool
    ) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._transport = transport
        self._ranks = ranks
        self._queue_depth = queue_depth
        # A window's messages share one on either side, or have one each (`-b multiple`).
        self._buffers = (
            Schedule(kind="shared") if has_one_buffer else Schedule(kind="turn", count=queue_depth)
        )
        self._test: Pattern | None = None
        self._pairs = 0
        self._window = 0
        self._columns: list[str] = []

    def take(self, line: OutputLine) -> None:
        """One line: a title, the heads, a row, or a remark."""
        text = line.text
        if title := _TITLE.match(text):
            self._test, self.version = _test(title["what"]), title["version"] or ""
            self._pairs, self._window, self._columns = 0, 0, []
        elif pairs := _PAIRS.match(text):
            self._pairs = int(pairs[1])
            self._window = 0 if pairs[2] == "varied" else int(pairs[2])
        elif text.startswith("#"):
            heads = re.split(r"\s{2,}", re.sub(r"^# +", "", text))
            if {*_LATENCIES, *_BANDWIDTHS} & set(heads):
                self._columns = heads
        elif started := _INIT.match(text):
            self._started(line, int(started[1]), started[2])
        elif text:
            self._row(line)

    def _started(self, line: OutputLine, ranks: int, mean_ms: str) -> None:
        place = StatedSection(test=other("OMB", "MPI Init"), transport=self._transport, ranks=ranks)
        self.rows.append(place.latency(line, 0, mean_ms, MSEC))

    def _row(self, line: OutputLine) -> None:
        words = line.words
        if self._test is None or len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
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
        is_bandwidth = test.figure == "bandwidth"
        section = StatedSection(
            test=test,
            transport=self._transport,
            queue_depth=self._window or (self._queue_depth if is_bandwidth else USUAL_QUEUE_DEPTH),
            schedule=self._buffers if test.name in _BY_WINDOWS else Schedule(),
        )
        if self._pairs:
            return msgspec.structs.replace(section, ranks=2 * self._pairs)
        if test.figure in ("latency", "bandwidth", "one_sided_latency"):
            return section
        if not self._ranks:
            raise WeftError(f"{line.place}: {test.title} does not say its ranks", _FOR_RANKS)
        return msgspec.structs.replace(section, ranks=self._ranks)


def _test(what: str) -> Pattern:
    plain = re.sub(r"^(MPI\w*)-\S+", r"\1", what).lower()
    if plain in _OWN:
        return own(_OWN[plain])
    if "bandwidth" in plain:
        return other("OMB", what, divisor=0, factor=2 if "bi-directional" in plain else 1)
    return other("OMB", what, figure="one_sided_latency" if plain.startswith("mpi_") else "")


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
