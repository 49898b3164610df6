"""Outputs of mpiGraph: matrices of bandwidth from every rank to every other, and back.

MB are 2^20 bytes; a cell is the size over the mean time of its `Times` measurements, while every
rank sends *and* receives. A pair is a point of the test: rank times ranks plus its partner.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.plan.pattern import Axis, Pattern
from weft.sources.peers.stated import (
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other
from weft.wording import counted

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^START mpiGraph v(\S+)")
_PROGRAM = re.compile(r"\bmpiGraph\b")
_FACT = re.compile(r"^(MsgSize|Times|Window|Procs)\t(\d{1,18})$")
_HEADS = re.compile(r"^(?:Send|Recv)\t(?:\S+:\d+\t?)+$")
_ROW = re.compile(r"^(?P<host>\S+):(?P<rank>\d{1,18}) (?P<way>to|from)\t(?P<cells>.*)$")
_REMARK = re.compile(
    r"^(?:Send|Recv) (?:max|avg)\t|^\d+ of \d+ \(|^Gathering results$|^END mpiGraph$"
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of both matrices. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(text, reader.rows, version=reader.version, command=command)


class _Reader:
    """The state between the lines: what a run says of itself."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._transport = given.transport or "mpi"
        self._facts: dict[str, int] = {}
        self._tables = Tables(text, self.rows)

    def take(self, line: OutputLine) -> None:
        """One line: a run begins, says something, or has a row."""
        if begun := _MARK.match(line.text):
            self._tables.begin(line)
            self.version, self._facts = begun[1], {}
        elif fact := _FACT.match(line.text):
            if self._facts.setdefault(fact[1], int(fact[2])) != int(fact[2]):
                self._facts = {}
                self._tables.drop(line)
        elif row := _ROW.match(line.text):
            if {"MsgSize", "Times", "Procs"} - self._facts.keys():
                line.refuse("no line before it says MsgSize, Times and Procs")
            rows = _cells(line, row, self._facts, self._transport)
            self._tables.once(line, row["way"], row["rank"])
            self.rows += rows
        elif line.text and not (_REMARK.match(line.text) or _HEADS.match(line.text)):
            line.refuse()


def _cells(
    line: OutputLine, row: re.Match[str], facts: dict[str, int], transport: str
) -> list[StatedRow]:
    """The pairs of one rank: all but that with itself."""
    words = row["cells"].split()
    ranks, rank = facts["Procs"], int(row["rank"])
    if len(words) != ranks or rank >= ranks:
        line.refuse(f"it has {counted(len(words), 'figure')} for {counted(ranks, 'rank')}")
    section = StatedSection(test=_test(row["way"]), transport=transport, ranks=ranks)
    found = []
    for partner, word in enumerate(words):
        if partner != rank:
            cell = section.bandwidth(line, facts["MsgSize"], word, MIB, operations=facts["Times"])
            case = msgspec.structs.replace(cell.case, point=rank * ranks + partner)
            found.append(msgspec.structs.replace(cell, case=case))
        elif line.number_of(word) != 0:
            line.refuse("the figure of a rank with itself is not 0")
    return found


def _test(way: str) -> Pattern:
    title = "bandwidth of sends" if way == "to" else "bandwidth of receives"
    found = other("mpiGraph", title, divisor=0, factor=1)
    return msgspec.structs.replace(found, axis=Axis(name="pair", unit=""))


MPIGRAPH = Peer(name="mpiGraph", marks=(_MARK,), read=read)
