"""The console of Netgauge's patterns of pairs: `N bytes -> X us == Y Mbit/s`.

X is the minimum of half the round trips (of 1toN and Nto1 their median); Y is of their median, 10^6
bits, so that both are kept. All patterns print the same columns: the first line has the command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.plan.case import USUAL_RANKS
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedSection, refuse_empty
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import own, variation

if TYPE_CHECKING:
    from weft.sources.peers.stated import StatedRow
    from weft.sources.peers.text import OutputLine, OutputText

_VERSION = re.compile(r"Netgauge v(\S+)(?: MPI enabled \(P=(\d+))?")
_TYPED = re.compile(r"\((\S*netgauge .*?) *\)$")
_MODE = re.compile(r" (?:-m ?|--mode[ =])(\w+)")
_PATTERN = re.compile(r" (?:-x ?|--com_pattern[ =])(\w+)")
_FIGURE = re.compile(
    r"(?P<bytes>\d+) bytes\s*-> *(?P<time>[\d.]+) us\s*== *(?P<rate>[\d.]+) Mbit/s"
)
_MARK = re.compile(rf"{_VERSION.pattern}|{_FIGURE.pattern}")
_REMARK = re.compile(r"^(?:#|Info|\(|$)|Netgauge v|[Tt]esting|[Ii]nitializ|[Bb]enchmark")
# The first line of an output looks like a prompt of root.
_PROGRAM = re.compile(r"^(?!Info:).*\bnetgauge\b")
_USUAL = "one_one"
# Of all ranks, and what they state first is a median.
_OF_ALL = ("1toN", "Nto1")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    rows = []
    tables = Tables()
    version = typed = ""
    ranks = USUAL_RANKS
    for line in text.begin(_MARK):
        if found := _FIGURE.search(line.text):
            if not (version or line.command):
                line.refuse("no line before it says the pattern", "import the whole output")
            tables.once(line, found["bytes"])
            rows.append(_row(line, found, _pattern(typed or line.command), ranks, given))
        elif begun := _VERSION.search(line.text):
            tables.begin(line)
            version, ranks = begun[1], int(begun[2] or USUAL_RANKS)
            stated = _TYPED.search(line.text)
            typed = stated[1] if stated else ""
        elif not _REMARK.search(line.text):
            line.refuse()
    refuse_empty(text, rows, "the output of Netgauge")
    return StatedOutput(
        rows=tuple(rows), version=version, command=command or typed, failed=text.failed
    )


def _pattern(typed: str) -> tuple[str, str]:
    """Which pattern a command measures, and by what."""
    named, mode = _PATTERN.search(typed), _MODE.search(typed)
    return named[1] if named else _USUAL, mode[1] if mode else "mpi"


def _row(
    line: OutputLine, found: re.Match[str], measured: tuple[str, str], ranks: int, given: Given
) -> StatedRow:
    pattern, mode = measured
    same = own("ping_pong")
    section = StatedSection(
        test=same if pattern == _USUAL else variation("Netgauge", same, pattern),
        transport=given.transport or mode,
        ranks=ranks if pattern in _OF_ALL else USUAL_RANKS,
    )
    # Of a bandwidth of the median the median follows.
    size, rate = int(found["bytes"]), float(found["rate"])
    medians = {"50": 8000 * size / rate} if size and rate else {}
    figure = "median" if pattern in _OF_ALL else "minimum"
    return section.latency(line, size, found["time"], figure=figure, latencies_ns=medians)


NETGAUGE = Peer(name="Netgauge", mark=_MARK, read=read)
