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
    finished,
)
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_CONSOLE = re.compile(
    r"^(?P<at>\d{1,6}): +(?P<bytes>\d{1,18}) bytes +(?P<count>\d{1,18}) times -->"
    r" +(?P<rate>[-\w.]+) Mbps in +(?P<time>[-\w.]+) usec$"
)
_OF_FILE = re.compile(r"^\d{1,18} +\d{1,12}\.\d{6} +\d{1,9}\.\d{8}$")
# Mean, least and greatest Gbit/s, mean time in us and, with a workload, its rate (netpipe.c).
_OF_FIVE = re.compile(
    r"^\d{1,18}(?: +\d{1,9}\.\d{3}){3} +\d{1,12}\.\d\d(?: +\d{1,12}\.\d\d (?:GFlops|GB/sec))?$"
)
_MARKS = (
    _CONSOLE,
    _OF_FILE,
    _OF_FIVE,
)
# What the console says of -2 and -s, and how they are typed.
_BOTH_WAYS = re.compile(r"^Passing data in both directions|\bNP\w+ .*-2\b")
_STREAMING = re.compile(r"^Streaming in one direction|\bNP\w+ .*-s\b")
_STARTS = re.compile(r"^Now starting the main loop")
_REMARK = re.compile(
    r"^(?:Sending output to |Send and receive buffers are |\(A bug in Linux doubles |Now starting "
    r"|Output is for the combined |The socket buffer size limits )"
)
_PROGRAM = re.compile(r"\bNP\w+")
_NO_RUN = "its size is not above that of the row before it"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given)
    text.each(reader.take)
    return finished(text, reader.rows, command=command)


class _Reader:
    """The state between the lines: in which mode a run is, and its last row."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self._given = given
        self._mode = ""
        # The number of the last row, which a console has, and its size.
        self._last: tuple[int, int] | None = None
        self._has_both = False
        self._first = 0
        self._kind = self._text = ""

    def take(self, line: OutputLine) -> None:
        """One line: how a run is measured, that it starts, or a row."""
        modes = _BOTH_WAYS.match(line.text), _STREAMING.match(line.text)
        if any(modes) or _REMARK.match(line.text):
            if self._last:
                self._mode, self._last, self._text = "", None, ""
            mode = "both ways at once" if modes[0] else "streaming" if modes[1] else ""
            self._has_both = bool(mode) and self._mode not in ("", mode)
            self._mode = mode or self._mode
        elif line.text:
            row, kind, at = _row(line, self._section(line.command))
            if line.text == self._text:
                line.refuse("it is the line before once more")
            self._follow(line, kind, at, row.case.bytes)
            self._text = line.text
            self.rows.append(row)

    def _follow(self, line: OutputLine, kind: str, at: int, size: int) -> None:
        """Raises LineError for a row of another run beside this one.

        Sizes rise; np.out begins anew with its first one, a console with its row 0.
        """
        last, begins = self._last, not at
        self._kind = self._kind or kind
        if self._has_both or self._kind != kind:
            line.refuse("the rows of two runs are mixed here")
        if last and kind == "console" and not begins and (at <= last[0] or size <= last[1]):
            line.refuse(_NO_RUN)
        if last and kind != "console" and size <= last[1] and size != self._first:
            line.refuse(_NO_RUN)
        if not last:
            self._first = size
        self._last = (at, size)

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


def _row(line: OutputLine, section: StatedSection) -> tuple[StatedRow, str, int]:
    """A row, its kind, and its number on a console. Raises LineError for anything else."""
    if console := _CONSOLE.match(line.text):
        count = line.whole(console["count"])
        size = line.whole(console["bytes"])
        row = section.latency(line, size, console["time"], figure="minimum", operations=count)
        return row, "console", int(console["at"])
    words = line.words
    if _OF_FILE.match(line.text):
        size, rate, seconds = line.whole(words[0]), *map(line.number_of, words[1:])
        # Seconds have eight digits behind the point.
        by_rate_s = 8 * size / (float(rate) * 2**20) if rate else 0.0
        if abs(by_rate_s - float(seconds)) > 1e-8 + 0.001 * by_rate_s:
            line.refuse("its Mbit/s and seconds are not of one message one way")
        return section.latency(line, size, words[2], SEC, figure="minimum"), "np.out", 0
    if not _OF_FIVE.match(line.text):
        line.refuse()
    size, rate, time_us = line.whole(words[0]), *map(line.number_of, (words[1], words[4]))
    moved = float(rate * time_us) * 125
    slack = 125 * (0.0005 * float(time_us) + 0.005 * float(rate)) + 0.001 * size
    if abs(moved - size) > slack:
        line.refuse("its Gbit/s and usec are not of one message one way")
    return section.latency(line, size, words[4], USEC), "np.out of version 5", 0


NETPIPE = Peer(name="NetPIPE", marks=_MARKS, read=read)
