"""Outputs of NetPIPE: np.out of version 3 (bytes, Mbit/s, seconds) or 5, and version 3's console.

Times are one way. Version 3 states the minimum of its trials, in Mbit of 2^20 bits, version 5 the
mean. np.out has no head: it is known by its columns, which have to agree with each other.
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
from weft.sources.peers.tests import own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_CONSOLE = re.compile(
    r"^ *\d+: +(?P<bytes>\d+) bytes +(?P<count>\d+) times --> +(?P<rate>[\d.]+) Mbps in"
    r" +(?P<time>[\d.]+) usec$"
)
_OF_FILE = re.compile(r"^ *\d+ +\d+\.\d{6} +\d\.\d{8}$|^ *\d+ +\d+\.\d{6} +\d+\.\d{8}$")
_OF_FIVE = re.compile(r"^ *\d+( +\d+\.\d+){4,5}$")
_MARK = re.compile(rf"^ *\d+: +\d+ bytes +\d+ times -->|{_OF_FILE.pattern}|{_OF_FIVE.pattern}")
_PROGRAM = re.compile(r"\bNP\w+")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    mpi = re.search(r"\bNPmpi", command)
    section = StatedSection(
        test=own("ping_pong"), transport=given.transport or ("mpi" if mpi else "tcp")
    )
    rows = [_row(line, section) for line in text.begin(_MARK) if line.text]
    refuse_empty(text, rows, "the output of NetPIPE")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


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
