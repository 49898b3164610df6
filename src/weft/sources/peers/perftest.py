"""Outputs of perftest (ib_send_lat, ib_write_bw ...): its tables, and its JSON (perftest_json.py).

Columns: src/perftest_parameters.h. Latency is in us, half a round trip but of a read or an atomic
operation, and t_typical is the median of single operations. MB/sec and MiB/sec are both 2^20 bytes;
Gb/sec is 10^9 bits. Of a latency's n iterations n - 1 gaps are sorted; t_avg, t_stdev and the
percentiles leave out the two longest, and t_stdev is cut to whole microseconds in between, so that
it is kept as a word of perftest's alone. What stands between two tables is a starter's or the next
program's, as what stands before the first.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.sources.peers.perftest_json import MARK, ONE_SIZE, json_row
from weft.sources.peers.perftest_rows import (
    ARE_CYCLES,
    UNITS,
    WITHOUT_CYCLES,
    Facts,
    refuse_cycles,
    row_of,
)
from weft.sources.peers.stated import (
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other, own, variation
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^ *#bytes +#iterations ")
_PROGRAM = re.compile(r"\b(?:ib|raw_ethernet)_\w+")
_TITLE = re.compile(r"^ *((?:RDMA_|Send|Atomic|Raw)\w*.*?) (Latency|(?:Bidirectional )?BW) Test\b")
_RULE = re.compile(r"^-+$")
_NOISE = re.compile(
    r"^[-* ]*$|^\* Waiting for client|Conflicting CPU frequency|^Correlation coefficient r\^2: "
)
# The head of the single times that -U and -H print, and one of them.
_LIST = re.compile(r"^#, (?P<unit>usec|cycles)$")
_SINGLE = re.compile(r"^\d+, \S+$")
# Its buffers are in a GPU: lines before the box say so, ROCm's box, and the command.
_OF_GPU = re.compile(r"^allocated GPU buffer |^creating CUDA Ctx")
_FOR_GPU = re.compile(r"\s--use_(?:cuda|rocm)")
_GPU_MEMORY = "GPU memory"
OTHER_SIDE = "the other side of a run before it, which is not counted again"
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "Send Latency": "ping_pong",
        "RDMA_Write Latency": "put_ping_pong",
        "RDMA_Read Latency": "get_latency",
        "Send BW": "stream",
        "RDMA_Write BW": "put_stream",
        "RDMA_Read BW": "get_stream",
        "Send Bidirectional BW": "bidirectional_stream",
    }
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tables in the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    if any(MARK.search(line.text) for line in text.lines):
        found = json_row(text, UNITS)
        facts = Facts()
        for name, value in found.facts.items():
            facts.say(name, value)
        on_gpu = facts.on_gpu or bool(_FOR_GPU.search(command))
        test = _test(found.title, facts.queue_pairs, on_gpu=on_gpu)
        refuse_cycles([(found.line, found.cells)])
        row = row_of(found.line, found.cells, facts.section(test, given))
        notes = (ONE_SIZE, *facts.notes(test))
        return StatedOutput(rows=(row,), command=command, failed=text.failed, notes=notes)
    reader = _Reader(given)
    for line in text.lines:
        reader.take(line)
    reader.end()
    refuse_empty(text, reader.rows, "the output of perftest")
    notes = tuple(reader.notes)
    return StatedOutput(rows=tuple(reader.rows), command=command, failed=text.failed, notes=notes)


class _Reader:
    """The state between the lines: which test, what its box says, which columns and rows."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.notes: list[str] = []
        self._given = given
        self._tables = Tables()
        self._title = ""
        self._facts = Facts()
        self._columns: list[str] = []
        self._cells: list[tuple[OutputLine, dict[str, str]]] = []
        self._singles: list[OutputLine] = []
        self._ends: set[tuple[str, str]] = set()
        self._on_gpu = False

    def take(self, line: OutputLine) -> None:
        """One line: a title, what its box says, the heads, a row, or a remark."""
        text = line.text
        if title := _TITLE.match(text):
            self.end()
            self._tables.begin(line)
            self._title, self._facts = f"{title[1]} {title[2]}", Facts()
        elif _HEADS.match(text):
            # -U and -H print them before their list and behind it.
            if self._columns and not self._singles:
                line.refuse("its test has columns already", MIXED)
            self._columns = _columns(line)
        elif listed := _LIST.match(text):
            if listed["unit"] == "cycles":
                line.refuse(ARE_CYCLES, WITHOUT_CYCLES)
            self._singles.append(line)
        elif self._singles and _SINGLE.match(text):
            self._singles.append(line)
        elif _RULE.match(text) and self._cells:
            self.end()
            self._title = ""
        elif self._columns and not _NOISE.search(text):
            self._row(line)
        elif not self._columns and re.match(r" *\d+ ", text):
            line.refuse("no line before it names the columns")
        else:
            self._on_gpu = self._on_gpu or bool(_OF_GPU.match(text))
            self._facts.take(line)

    def _row(self, line: OutputLine) -> None:
        words = line.words
        if not self._title:
            line.refuse("no line before it names the test")
        if len(words) != len(self._columns):
            line.refuse()
        self._tables.once(line, words[0])
        self._cells.append((line, dict(zip(self._columns, words, strict=True))))

    def end(self) -> None:
        """The end of a table: its rows. Raises WeftError for one that is of cycles."""
        refuse_cycles(self._cells)
        local, remote = self._facts.ends
        if self._cells and local and (remote, local) in self._ends:
            self.notes.append(f"{self._cells[0][0].place}: {OTHER_SIDE}")
        elif self._cells:
            self._ends.add((local, remote))
            typed = _FOR_GPU.search(self._cells[0][0].command)
            on_gpu = self._on_gpu or self._facts.on_gpu or bool(typed)
            test = _test(self._title, self._facts.queue_pairs, on_gpu=on_gpu)
            section = self._facts.section(test, self._given)
            self.rows += [row_of(line, cells, section) for line, cells in self._cells]
            self.notes += self._facts.notes(test)
        if self._singles:
            first, *times = self._singles
            self.notes.append(f"{first.place}: {counted(len(times), 'single time')} not read")
        # What stands before a title is of its table.
        self._on_gpu = self._on_gpu and not self._cells
        self._columns, self._cells, self._singles = [], [], []


def _columns(line: OutputLine) -> list[str]:
    """The heads, which have spaces inside and between them. Raises WeftError for others."""
    heads = re.findall(
        r"#\w+|(?:t_\w+|BW \w+|MsgRate|CPU_Util|tps \w+|\d[\d.]*% percentile)(?:\[[^\]]*\])?"
        r"(?: average)?",
        line.text,
    )
    known = re.sub(r"\s", "", "".join(heads))
    if known != re.sub(r"\s", "", line.text):
        line.refuse("these columns are not understood")
    return heads


def _test(title: str, queue_pairs: int = 1, *, on_gpu: bool = False) -> Pattern:
    """By its title; over several queue pairs at once, or in a GPU's memory, none of weft's."""
    if title in TITLES and queue_pairs == 1:
        same = own(TITLES[title])
        return variation("perftest", same, f"{title}, {_GPU_MEMORY}") if on_gpu else same
    several = f", {_GPU_MEMORY}" if on_gpu else ""
    several += f" over {counted(queue_pairs, 'queue pair')}" if queue_pairs > 1 else ""
    if title.endswith("BW"):
        ways = 2 if "Bidirectional" in title else 1
        return other("perftest", title + several, divisor=0, factor=ways)
    return other("perftest", title + several, figure="one_sided_latency")


_MARK = re.compile(rf"{_HEADS.pattern}|{MARK.pattern}")
PERFTEST = Peer(name="perftest", mark=_MARK, read=read)
