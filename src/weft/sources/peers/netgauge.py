"""The console of Netgauge's patterns of pairs: `N bytes -> X us == Y Mbit/s`.

X is the minimum of half the round trips (of 1toN and Nto1 their median); Y is of their median, 10^6
bits, so that both are kept. All patterns print the same columns: the first line has the command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.plan.case import USUAL_RANKS
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedSection, finished
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other, own, variation

if TYPE_CHECKING:
    from weft.sources.peers.stated import StatedRow
    from weft.sources.peers.text import OutputLine, OutputText

_VERSION = re.compile(r"Netgauge v(\S+)(?: MPI enabled \(P=(\d{1,18}))?")
_TYPED = re.compile(r"\((\S*netgauge [^()]*)\)$")
_MODE = re.compile(r" (?:-m ?|--mode[ =])(\w+)")
_PATTERN = re.compile(r" (?:-x ?|--com_pattern[ =])(\w+)")
_FIGURE = re.compile(
    r"(?P<bytes>\d{1,18}) bytes\s*-> *(?P<time>[-+\w.]+) us\s*== *(?P<rate>[-+\w.]+) Mbit/s"
)
# The parameters of LogGP, on the console and in the file of -o; times are us, of G for a byte.
_LOGGP = re.compile(r"^L=\S+ +s=(?P<bytes>\d{1,18}) ")
_PARAMETER = re.compile(r"\b(L|o_s|o_r|g|G)=(\S+)")
_LOGGP_HEADS = re.compile(r"^# size n PRTT\(1,0,s\) ")
_MARKS = (
    _VERSION,
    _FIGURE,
    _LOGGP,
    _LOGGP_HEADS,
)
_REMARK = re.compile(r"^(?:#|Info|\()|Netgauge v|[Tt]esting|[Ii]nitializ|[Bb]enchmark")
# The first line of an output looks like a prompt of root.
_PROGRAM = re.compile(r"^(?!Info:).*\bnetgauge\b")
_USUAL = "one_one"
# Of all ranks, and what they state first is a median.
_OF_ALL = ("1toN", "Nto1")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(text, reader.rows, version=reader.version, command=command or reader.typed)


class _Reader:
    """The state between the lines: the command of a run, and the columns of a file."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = self.typed = ""
        self._given = given
        self._ranks = USUAL_RANKS
        self._tables = Tables(text, self.rows)
        self._columns: list[str] = []

    def take(self, line: OutputLine) -> None:
        """One line: a run begins, its figures, or a remark."""
        if found := _FIGURE.search(line.text):
            if not (self.version or line.command):
                line.refuse("no line before it says the pattern")
            row = _row(line, found, _pattern(self.typed or line.command), self._ranks, self._given)
            self._tables.once(line, found["bytes"])
            self.rows.append(row)
        elif found := _LOGGP.match(line.text):
            self._parameters(line, int(found["bytes"]), dict(_PARAMETER.findall(line.text)))
        elif _LOGGP_HEADS.match(line.text):
            self._tables.begin(line)
            self._columns = line.words[1:]
        elif begun := _VERSION.search(line.text):
            self._tables.begin(line)
            self.version, self._ranks = begun[1], int(begun[2] or USUAL_RANKS)
            stated = _TYPED.search(line.text)
            self.typed, self._columns = stated[1].strip() if stated else "", []
        elif self._columns and len(line.words) == len(self._columns):
            cells = dict(zip(self._columns, line.words, strict=True))
            self._parameters(line, line.whole(cells["size"]), cells)
        elif line.text and not _REMARK.search(line.text):
            line.refuse()

    def _parameters(self, line: OutputLine, size: int, cells: dict[str, str]) -> None:
        """Those of one size; L, which has none, once a run."""
        _, mode = _pattern(self.typed or line.command)
        for name in ("PRTT(1,0,s)", "L", "o_s", "o_r", "g", "G"):
            section = StatedSection(
                test=other("Netgauge", f"LogGP {name}"), transport=self._given.transport or mode
            )
            is_known = name == "L" and any(row.test == section.test for row in self.rows)
            if name in cells and not is_known:
                at = 0 if name == "L" else size
                self.rows.append(section.latency(line, at, cells[name]))


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
    size, rate = int(found["bytes"]), line.values_of([("", found["rate"])]).get("", 0.0)
    medians = {"50": 8000 * size / rate} if size and rate else {}
    figure = "median" if pattern in _OF_ALL else "minimum"
    return section.latency(line, size, found["time"], figure=figure, latencies_ns=medians)


NETGAUGE = Peer(name="Netgauge", marks=_MARKS, read=read)
