"""Outputs of NetPIPE: np.out of version 3 (bytes, Mbit/s, seconds) or 5, and version 3's console.

Times are one way; those of -2 (both ways at once, with the rates of both together) and of -s
(streaming) are of tests that only NetPIPE has. Version 3 states the minimum of its trials, in Mbit
of 2^20 bits, version 5 the mean. np.out has no head: it is known by its columns, which have to
agree with each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.sources.peers.stated import (
    SEC,
    USEC,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_CONSOLE = re.compile(
    r"^ *(?P<at>\d+): +(?P<bytes>\d+) bytes +(?P<count>\d+) times --> +(?P<rate>[\d.]+) Mbps in"
    r" +(?P<time>[\d.]+) usec$"
)
_OF_FILE = re.compile(r"^ *\d+ +\d+\.\d{6} +\d\.\d{8}$|^ *\d+ +\d+\.\d{6} +\d+\.\d{8}$")
# Mean, least and greatest Gbit/s, mean time in us and, with a workload, its rate (netpipe.c).
_OF_FIVE = re.compile(r"^ *\d+(?: +\d+\.\d{3}){3} +\d+\.\d\d(?: +\d+\.\d\d (?:GFlops|GB/sec))?$")
_MARK = re.compile(rf"^ *\d+: +\d+ bytes +\d+ times -->|{_OF_FILE.pattern}|{_OF_FIVE.pattern}")
# What the console says of -2 and -s, and how they are typed.
_BOTH_WAYS = re.compile(r"^Passing data in both directions|\bNP\w+ .*-2\b")
_STREAMING = re.compile(r"^Streaming in one direction|\bNP\w+ .*-s\b")
_STARTS = re.compile(r"^Now starting the main loop")
_REMARK = re.compile(
    r"^(?:Sending output to |Send and receive buffers are |\(A bug in Linux doubles |Now starting "
    r"|Output is for the combined |The socket buffer size limits )"
)
_PROGRAM = re.compile(r"\bNP\w+")


WHOLE = "import the whole output"
APART = "np.out and the console say the same of one run: import one of them"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given)
    rows = [row for line in text.lines for row in reader.take(line)]
    refuse_empty(text, rows, "the output of NetPIPE")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


class _Reader:
    """The state between the lines: in which mode they were measured."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self._has_begun = self._has_rows = False
        self._mode = ""
        self._tables = Tables()
        self._sizes: list[int] = []
        self._said: set[str] = set()
        self._kind: bool | None = None
        self._is_started = False

    def take(self, line: OutputLine) -> list[StatedRow]:
        """The figure of one line, if it has one."""
        is_remark = not line.text or bool(_REMARK.match(line.text))
        modes = _BOTH_WAYS.match(line.text), _STREAMING.match(line.text)
        if self._has_rows and (is_remark or any(modes)):
            self._mode, self._has_rows, self._sizes, self._said = "", False, [], set()
        if line.text and (is_remark or any(modes)):
            # Its first words.
            self._says(line, line.text[:8])
        if _STARTS.match(line.text):
            self._tables.begin(line)
            self._is_started = True
        if modes[0]:
            self._mode = "both ways at once"
        elif modes[1]:
            self._mode = "streaming"
        elif is_remark:
            return []
        elif self._has_begun or _MARK.search(line.text):
            self._has_begun = self._has_rows = True
            row = _row(line, self._section(line.command))
            self._rises(line, row.case.bytes)
            return [row]
        return []

    def _says(self, line: OutputLine, words: str) -> None:
        if words in self._said:
            line.refuse("its run has such a line already", MIXED)
        self._said.add(words)

    def _rises(self, line: OutputLine, size: int) -> None:
        """Raises WeftError where sizes do not rise, but for a run that begins anew with the first.

        np.out has no head. A console numbers its rows, and says before them that they start.
        """
        console = _CONSOLE.match(line.text)
        if self._kind not in (None, bool(console)):
            line.refuse("the row before it is of another kind of file", APART)
        self._kind = bool(console)
        if self._sizes and size <= self._sizes[-1]:
            if size != self._sizes[0] or len(self._sizes) == 1:
                line.refuse("its size is not above that of the row before it", MIXED)
            self._sizes = []
        if console and int(console["at"]) != len(self._sizes):
            line.refuse(f"row {len(self._sizes)} of its run is missing before it", WHOLE)
        if console and not self._sizes and not self._is_started:
            line.refuse("no line before it says that its run starts", WHOLE)
        self._tables.once(line, line.number)
        self._is_started = False
        self._sizes.append(size)

    def _section(self, command: str) -> StatedSection:
        mode = self._mode
        if _BOTH_WAYS.search(command):
            mode = "both ways at once"
        elif _STREAMING.search(command):
            mode = "streaming"
        mpi = re.search(r"\bNPmpi", command)
        return StatedSection(
            test=other("NetPIPE", mode) if mode else own("ping_pong"),
            transport=self._given.transport or ("mpi" if mpi else "tcp"),
        )


def _row(line: OutputLine, section: StatedSection) -> StatedRow:
    if console := _CONSOLE.match(line.text):
        return section.latency(
            line,
            line.whole(console["bytes"]),
            console["time"],
            figure="minimum",
            operations=line.whole(console["count"]),
        )
    words = line.words
    if _OF_FILE.match(line.text):
        size, rate, seconds = line.whole(words[0]), *map(line.number_of, words[1:])
        # Seconds have eight digits behind the point.
        by_rate_s = 8 * size / (float(rate) * 2**20) if rate else 0.0
        if abs(by_rate_s - float(seconds)) > 1e-8 + 0.001 * by_rate_s:
            line.refuse("its Mbit/s and seconds are not of one message one way")
        return section.latency(line, size, words[2], SEC, figure="minimum")
    if not _OF_FIVE.match(line.text):
        line.refuse()
    size, rate, time_us = line.whole(words[0]), *map(line.number_of, (words[1], words[4]))
    moved = float(rate * time_us) * 125
    slack = 125 * (0.0005 * float(time_us) + 0.005 * float(rate)) + 0.001 * size
    if abs(moved - size) > slack:
        line.refuse("its Gbit/s and usec are not of one message one way")
    return section.latency(line, size, words[4], USEC)


NETPIPE = Peer(name="NetPIPE", mark=_MARK, read=read)
