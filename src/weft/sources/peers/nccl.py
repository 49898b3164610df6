"""Outputs of nccl-tests (all_reduce_perf ...): a line of size, count, type, then both places.

Time is in us, a mean over iterations and ranks; GB are 10^9 bytes. Out of place comes first and is
what counts; in place is kept beside it. Columns: src/util.cu. `-J` writes the same as JSON, without
the ranks; nccom-test of AWS Neuron prints one place only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.sources.peers.json_text import objects_of
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedSection, finished
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other
from weft.sources.peers.text import LineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.pattern import Pattern
    from weft.sources.peers.stated import StatedRow
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^#? *size +count +type\b")
_OF_NEURON = re.compile(r"^size\(B\) +count\(elems\) +type\b")
_JSON = re.compile(r'"out_of_place" ?:')
_MARKS = (
    _HEADS,
    _JSON,
    re.compile(r"^# +out-of-place +in-place"),
)
_PROGRAM = re.compile(r"\b(?:\w+_perf\b|nccom-test\b)")
_ITERATIONS = re.compile(r"(?<!warmup )(?<!agg )\biters: (\d{1,18})")
_RANK = re.compile(r"^#? *Rank +(\d{1,18}) ")
_TESTED = re.compile(r"(?:^# Collective test starting: |\b)(\w{1,60})_perf\b")
_COLLECTIVE = re.compile(
    r"\bnccom-test\b(?: -\S+(?: \S+)?)*? (all\w+|red\w+|broadcast\w*|sendrecv)"
)
_TIMES = ("time", "cputime")
_SIDE = (*_TIMES, "algbw", "busbw")
# Up to 2022 a collective that has no operation leaves its column empty. Then its bandwidth has to
# be that of its time and size, of which releases count the ranks' own part or not.
_MAYBE_EMPTY = "redop"
_OWN_PART = (0.45, 1.02)
_DIGIT_GB = 0.006
_NAMELESS = "collective"
# The type, operation and root that a test has unless its options say others.
_USUAL = ("float", "fp32", "sum", "none", "-1", "0", "")
UNNAMED = (
    "no line names the collective; a prompt with the command before it says which it was"
    " ($ all_reduce_perf)"
)


def read(text: OutputText, given: Given, tool: str = "nccl-tests") -> StatedOutput:
    """The figures of the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given, tool)
    if any(_JSON.search(line.text) for line in text.lines):
        for lines, found in objects_of(text):
            for result in found.get("results") or [found]:
                reader.take_json(text, lines[0], result)
    else:
        text.each(reader.take)
    notes = (UNNAMED,) if reader.is_unnamed else ()
    return finished(text, reader.rows, command=command, notes=notes)


class _Reader:
    """The state between the lines: the columns, and what the lines before them say."""

    def __init__(self, text: OutputText, given: Given, tool: str) -> None:
        self.rows: list[StatedRow] = []
        self.is_unnamed = False
        self._given, self._tool = given, tool
        self._tables = Tables(text, self.rows)
        self._columns: list[str] = []
        self._name = next((m[1] for x in text.lines if (m := _TESTED.search(x.text))), "")
        # Of a cut list the last rank still says how many there are.
        named = [int(m[1]) + 1 for line in text.lines if (m := _RANK.match(line.text))]
        self._ranks = given.ranks or max(named, default=0)
        counts = (int(m[1]) for line in text.lines if (m := _ITERATIONS.search(line.text)))
        self._iterations = next(counts, 0)

    def take(self, line: OutputLine) -> None:
        """One line: the heads, a row, or a remark."""
        if _HEADS.match(line.text) or _OF_NEURON.match(line.text):
            self._tables.begin(line)
            words = line.text.lstrip("# ").split()
            self._columns = [re.sub(r"\([^)]*\)|:avg", "", word) for word in words]
        elif named := _TESTED.match(line.text):
            self._name = named[1]
        elif line.text[:1].isdigit():
            self._row(line)
        elif line.text and not line.text.startswith("#"):
            line.refuse()

    def _row(self, line: OutputLine) -> None:
        columns, words = self._columns, line.words
        if columns and columns[-1] == "timestamp" and len(words) > len(columns):
            words = words[: len(columns)]
        is_short = len(words) == len(columns) - 1
        columns = [head for head in columns if head != _MAYBE_EMPTY or not is_short]
        at = next((place for place, head in enumerate(columns) if head in _TIMES), 0)
        if not at or len(words) != len(columns):
            line.refuse()
        # Each place has the columns from one time up to the other.
        again = next((p for p in range(at + 1, len(columns)) if columns[p] in _TIMES), len(columns))
        of_test = dict(zip(columns[:at], words[:at], strict=True))
        places = [
            dict(zip(columns[begin:], words[begin : begin + again - at], strict=False))
            for begin in (at, again)
        ]
        size = line.whole(words[0])
        named = [of_test.get(head, "") for head in ("type", "redop", "root")]
        time = places[0].get("time") or places[0]["cputime"]
        if is_short and not _fits(line, size, time, places[0]["algbw"]):
            line.refuse("its bandwidth is not that of its size and time")
        row = self._stated(line, size, named, places, time)
        self._tables.once(line, size, *named)
        self.rows.append(row)

    def take_json(self, text: OutputText, line: OutputLine, result: dict[str, object]) -> None:
        """One size of a JSON file."""
        sides = [result.get(f"{name}_place") for name in ("out_of", "in")]
        names = (("time", "time"), ("alg_bw", "algbw"), ("bus_bw", "busbw"), ("nwrong", "#wrong"))
        places = [
            {head: str(side[name]) for name, head in names if name in side}
            for side in sides
            if isinstance(side, dict)
        ]
        named = [str(result.get(name, "")).strip() for name in ("type", "redop", "root")]
        self._name = str(result.get("experiment_name") or self._name).partition("_perf")[0]
        try:
            size = line.whole(str(result.get("size", "")))
            if not places or "time" not in places[0]:
                line.refuse("it has no out_of_place with a time")
            self.rows.append(self._stated(line, size, named, places, places[0]["time"]))
        except LineError:
            text.skip(line)

    def _stated(
        self,
        line: OutputLine,
        size: int,
        named: Sequence[str],
        places: Sequence[dict[str, str]],
        time: str,
    ) -> StatedRow:
        section = StatedSection(
            test=self._test(line, named),
            transport=self._given.transport or "nccl",
            ranks=self._ranks,
        )
        wrong = places[0].get("#wrong", "0")
        if wrong.isdecimal() and int(wrong):
            return section.without(line, size, f"{wrong} wrong values")
        others: dict[str, float] = {}
        for where, cells in zip(("out-of-place", "in-place"), places, strict=False):
            kept = ((head, word) for head, word in cells.items() if head in _SIDE)
            stated = line.values_of((f"{head} {where}", word) for head, word in kept)
            others |= {head: x for head, x in stated.items() if head != "time out-of-place"}
        return section.latency(line, size, time, operations=self._iterations, others=others)

    def _test(self, line: OutputLine, named: Sequence[str]) -> Pattern:
        """By the collective, and by its type, operation and root if they are not the usual ones."""
        program = _PROGRAM.search(line.command)
        collective = _COLLECTIVE.search(line.command)
        own_name = collective[1] if collective else (program[0] if program else "")
        name = own_name.removesuffix("_perf") or self._name or _NAMELESS
        self.is_unnamed = self.is_unnamed or name == _NAMELESS
        beside = [word for word in named if word not in _USUAL]
        return other(self._tool, ", ".join([name, *beside]))


def _fits(line: OutputLine, size: int, time_us: str, gb_per_s: str) -> bool:
    time, rate = float(line.number_of(time_us)), float(line.number_of(gb_per_s))
    least, most = (part * size / 1000 / time if time > 0 else -1 for part in _OWN_PART)
    return least - _DIGIT_GB <= rate <= most + _DIGIT_GB


def _read_neuron(text: OutputText, given: Given) -> StatedOutput:
    return read(text, given, "nccom-test")


NCCL = Peer(name="nccl-tests", marks=_MARKS, read=read)
NCCOM = Peer(name="nccom-test", marks=(_OF_NEURON,), read=_read_neuron)
