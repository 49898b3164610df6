"""Outputs of nccl-tests (all_reduce_perf ...): a line of size, count, type, then both places.

Time is in us, a mean over iterations and ranks; GB are 10^9 bytes. Out of place comes first and is
what counts; in place is kept beside it. Columns: src/util.cu.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedSection, refuse_empty
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other

if TYPE_CHECKING:
    from decimal import Decimal

    from weft.sources.peers.stated import StatedRow
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^# +out-of-place +in-place|^# +size +count +type\b")
_HEADS = re.compile(r"^# +size +count +type\b")
_PROGRAM = re.compile(r"\b\w+_perf\b")
_ITERATIONS = re.compile(r"(?<!warmup )(?<!agg )\biters: (\d+)")
_RANK = re.compile(r"^# +Rank +(\d+) ")
_TESTED = re.compile(r"(?:^# Collective test starting: |\b)(\w+)_perf\b")
_SIDE = ("time", "algbw", "busbw")
# Up to 2022 a collective that has no operation leaves its column empty. Then its bandwidth has to
# be that of its time and size, of which releases count the ranks' own part or not.
_MAYBE_EMPTY = "redop"
_OWN_PART = (0.45, 1.02)
_DIGIT_GB = 0.006
_NAMELESS = "collective"
UNNAMED = (
    "no line names the collective; a prompt with the command before it says which it was"
    " ($ all_reduce_perf)"
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    names = [m[1] for line in text.lines if (m := _TESTED.search(line.text))]
    iterations = next((int(m[1]) for line in text.lines if (m := _ITERATIONS.search(line.text))), 0)
    # Of a cut list the last rank still says how many there are, and two programs' lists are of one.
    named = [int(rank[1]) + 1 for line in text.lines if (rank := _RANK.match(line.text))]
    ranks = given.ranks or max(named, default=0)
    rows: list[StatedRow] = []
    columns: list[str] = []
    tables = Tables()
    is_unnamed = False
    for line in text.begin(_MARK):
        if _HEADS.match(line.text):
            tables.begin(line)
            columns = line.text.lstrip("# ").split()
        elif line.text and not line.text.startswith("#"):
            if not ranks:
                raise WeftError(f"{line.place}: no line says the ranks", "type --ranks with them")
            program = _PROGRAM.search(line.command)
            name = program[0].removesuffix("_perf") if program else next(iter(names), _NAMELESS)
            is_unnamed = is_unnamed or name == _NAMELESS
            test = other("nccl-tests", name)
            section = StatedSection(test=test, transport=given.transport or "nccl", ranks=ranks)
            rows.append(_row(line, columns, section, iterations))
            tables.once(line, rows[-1].case.bytes)
    refuse_empty(text, rows, "the output of nccl-tests")
    notes = (UNNAMED,) if is_unnamed else ()
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed, notes=notes)


def _row(
    line: OutputLine, columns: list[str], section: StatedSection, iterations: int
) -> StatedRow:
    words = line.words
    is_short = len(words) == len(columns) - 1
    if is_short:
        columns = [head for head in columns if head != _MAYBE_EMPTY]
    if len(words) != len(columns) or columns.count("time") + columns.count("cputime") != 2:
        line.refuse()
    at = next(place for place, head in enumerate(columns) if head in ("time", "cputime"))
    half = (len(columns) - at) // 2
    out_of_place = dict(zip(columns[at : at + half], words[at : at + half], strict=True))
    in_place = dict(zip(columns[at + half :], words[at + half :], strict=True))
    wrong = out_of_place.get("#wrong", "0")
    size = line.whole(words[0])
    time = out_of_place.get("time") or out_of_place["cputime"]
    if is_short and not _fits(size, *map(line.number_of, (time, out_of_place["algbw"]))):
        line.refuse("its bandwidth is not that of its size and time")
    if wrong not in ("0", "N/A"):
        return section.without(line, size, f"{wrong} wrong values")
    others = {
        f"{head} {where}": float(line.number_of(word))
        for where, cells in (("out-of-place", out_of_place), ("in-place", in_place))
        for head, word in cells.items()
        if head in _SIDE and not (head == "time" and where == "out-of-place")
    }
    return section.latency(line, size, time, operations=iterations, others=others)


def _fits(size: int, time_us: Decimal, gb_per_s: Decimal) -> bool:
    least, most = (part * size / 1000 / float(time_us) if time_us > 0 else -1 for part in _OWN_PART)
    return least - _DIGIT_GB <= float(gb_per_s) <= most + _DIGIT_GB


NCCL = Peer(name="nccl-tests", mark=_MARK, read=read)
