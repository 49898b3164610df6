"""Outputs of mpiGraph: matrices of bandwidth from every rank to every other, and back.

MB are 2^20 bytes; a cell is the size over the mean time of its `Times` measurements, while every
rank sends *and* receives. A pair is a point of the test: rank times ranks plus its partner.
"""

from __future__ import annotations

import re
from decimal import Decimal
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
    refuse_empty,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other
from weft.wording import counted

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^START mpiGraph v(\S+)")
_PROGRAM = re.compile(r"\bmpiGraph\b")
_FACT = re.compile(r"^(MsgSize|Times|Window|Procs)\t(\d+)$")
_HEADS = re.compile(r"^(?:Send|Recv)\t(?:\S+:\d+\t?)+$")
_ROW = re.compile(r"^(?P<host>\S+):(?P<rank>\d+) (?P<way>to|from)\t(?P<cells>.*)$")
_REMARK = re.compile(
    r"^$|^(?:Send|Recv) (?:max|avg)\t|^\d+ of \d+ \(|^Gathering results$|^END mpiGraph$"
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of both matrices. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    rows: list[StatedRow] = []
    facts: dict[str, int] = {}
    tables = Tables()
    version = ""
    for line in text.begin(_MARK):
        if begun := _MARK.match(line.text):
            tables.begin(line)
            version, facts = begun[1], {}
        elif fact := _FACT.match(line.text):
            tables.once(line, fact[1])
            facts[fact[1]] = int(fact[2])
        elif row := _ROW.match(line.text):
            if {"MsgSize", "Times", "Procs"} - facts.keys():
                line.refuse("no line before it says MsgSize, Times and Procs")
            tables.once(line, (row["way"], row["rank"]))
            rows += _cells(line, row, facts, given.transport or "mpi")
        elif not (_REMARK.match(line.text) or _HEADS.match(line.text)):
            line.refuse()
    refuse_empty(text, rows, "the output of mpiGraph")
    return StatedOutput(rows=tuple(rows), version=version, command=command, failed=text.failed)


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
        elif Decimal(line.number_of(word)) != 0:
            line.refuse("the figure of a rank with itself is not 0")
    return found


def _test(way: str) -> Pattern:
    title = "bandwidth of sends" if way == "to" else "bandwidth of receives"
    found = other("mpiGraph", title, divisor=0, factor=1)
    return msgspec.structs.replace(found, axis=Axis(name="pair", unit=""))


MPIGRAPH = Peer(name="mpiGraph", mark=_MARK, read=read)
