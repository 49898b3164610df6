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
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_CONSOLE = re.compile(
    r"^ *\d+: +(?P<bytes>\d+) bytes +(?P<count>\d+) times --> +(?P<rate>[\d.]+) Mbps in"
    r" +(?P<time>[\d.]+) usec$"
)
_OF_FILE = re.compile(r"^ *\d+ +\d+\.\d{6} +\d\.\d{8}$|^ *\d+ +\d+\.\d{6} +\d+\.\d{8}$")
_OF_FIVE = re.compile(r"^ *\d+( +\d+\.\d+){4,5}$")
_MARK = re.compile(rf"^ *\d+: +\d+ bytes +\d+ times -->|{_OF_FILE.pattern}|{_OF_FIVE.pattern}")
# What the console says of -2 and -s, and how they are typed.
_BOTH_WAYS = re.compile(r"^Passing data in both directions|\bNP\w+ .*-2\b")
_STREAMING = re.compile(r"^Streaming in one direction|\bNP\w+ .*-s\b")
_REMARK = re.compile(
    r"^(?:Sending output to |Send and receive buffers are |\(A bug in Linux doubles |Now starting "
    r"|Output is for the combined |The socket buffer size limits )"
)
_PROGRAM = re.compile(r"\bNP\w+")


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

    def take(self, line: OutputLine) -> list[StatedRow]:
        """The figure of one line, if it has one."""
        is_remark = not line.text or bool(_REMARK.match(line.text))
        modes = _BOTH_WAYS.match(line.text), _STREAMING.match(line.text)
        if self._has_rows and (is_remark or any(modes)):
            self._mode, self._has_rows = "", False
        if modes[0]:
            self._mode = "both ways at once"
        elif modes[1]:
            self._mode = "streaming"
        elif is_remark:
            return []
        elif self._has_begun or _MARK.search(line.text):
            self._has_begun = self._has_rows = True
            return [_row(line, self._section(line.command))]
        return []

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
    return section.latency(line, line.whole(words[0]), words[4], USEC)


NETPIPE = Peer(name="NetPIPE", mark=_MARK, read=read)
