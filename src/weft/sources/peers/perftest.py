"""Outputs of perftest (ib_send_lat, ib_write_bw ...): its tables, and its JSON (perftest_json.py).

Columns: src/perftest_parameters.h. Latency is in us, half a round trip but of a read or an atomic
operation, and t_typical is the median of single operations. MB/sec and MiB/sec are both 2^20 bytes;
Gb/sec is 10^9 bits. Of a latency's n iterations n - 1 gaps are sorted; t_avg, t_stdev and the
percentiles leave out the two longest, and t_stdev is cut to whole microseconds in between, so that
it is kept as a word of perftest's alone.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.sources.peers.perftest_json import MARK, ONE_SIDE, ONE_SIZE, json_rows
from weft.sources.peers.perftest_rows import (
    ARE_CYCLES,
    UNITS,
    WITHOUT_CYCLES,
    Facts,
    are_cycles,
    row_of,
)
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedRow, finished
from weft.sources.peers.tables import skip_overlapping
from weft.sources.peers.tests import other, own, variation
from weft.sources.peers.text import LineError
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^#bytes +#iterations\b")
_HEAD = re.compile(
    r"#\w+|(?:t_\w+|BW \w+|MsgRate(?: Port\d)?|CPU_Util|tps \w+|\d[\d.]*% percentile)"
    r"(?:\[[^\]]*\])?(?: average)?"
)
_PROGRAM = re.compile(r"\b(?:ib|raw_ethernet)_\w+")
_NAMED = re.compile(r"\b(?:ib|raw_ethernet)_(?P<verb>send|write|read|atomic)_(?P<kind>bw|lat)\b")
_TITLE = re.compile(
    r"^(?P<verb>(?:RDMA_|Send|Atomic|Raw)[\w-]*(?: \w+){0,3}?)(?P<ways> Bidirectional)?"
    r"(?: Post List)? (?P<kind>BW|Latency)(?: Post List)? Test\b"
)
# --report-both prints each side's own results behind their sum.
_SIDE = re.compile(r"^(?P<side>Local|Remote) results: *$")
_ROWS = re.compile(r"^\d+\s+\d+\s+[-\d]")
_RULE = re.compile(r"^-+$")
_BOX = re.compile(
    r"^[-* ]*$|^\* Waiting for client|Conflicting CPU frequency|^Correlation coefficient r\^2: "
    r"|^[A-Za-z][\w .*()+]{0,40}: |^(?:local|remote) address: |^GID: "
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
_VERBS = {"send": "Send", "write": "RDMA_Write", "read": "RDMA_Read", "atomic": "Atomic"}
# A table whose list of single times is one of cycles.
_OF_CYCLES = "cycles"
_UNNAMED = "{}, test not stated"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tables in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    if any(MARK.search(line.text) for line in text.lines):
        return _read_json(text, given, command)
    skip_overlapping(text, _TITLE, _ROWS, two_sides=True)
    reader = _Reader(text, given)
    text.each(reader.take)
    reader.end()
    return finished(text, reader.rows, command=command, notes=tuple(reader.notes))


def _read_json(text: OutputText, given: Given, command: str) -> StatedOutput:
    rows: list[StatedRow] = []
    notes: list[str] = []
    for found in json_rows(text, UNITS):
        facts = Facts()
        for name, value in found.facts.items():
            facts.say(name, value)
        on_gpu = facts.on_gpu or bool(_FOR_GPU.search(command))
        test = _test(found.title, facts.queue_pairs, on_gpu=on_gpu, side=found.side)
        try:
            if are_cycles([found.cells]):
                found.line.refuse(ARE_CYCLES, WITHOUT_CYCLES)
            rows.append(row_of(found.line, found.cells, facts.section(test, given)))
        except LineError:
            text.skip(found.line)
        is_sum = "Bidirectional" in found.title and not found.side
        notes += [ONE_SIZE, *([ONE_SIDE] if is_sum else []), *facts.notes(test)]
    return finished(text, rows, command=command, notes=tuple(dict.fromkeys(notes)))


class _Reader:
    """The state between the lines: which test, what its box says, which columns and rows."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.notes: list[str] = []
        self._text = text
        self._given = given
        self._title = self._side = ""
        self._facts = Facts()
        self._columns: list[str] = []
        self._cells: list[tuple[OutputLine, dict[str, str]]] = []
        self._singles: list[OutputLine] = []
        self._ends: set[tuple[str, str]] = set()
        self._on_gpu = self._is_doubtful = False

    def take(self, line: OutputLine) -> None:
        """One line: a title, what its box says, the heads, a row, or a remark."""
        text = line.text
        if title := _TITLE.match(text):
            self._begin(f"{title['verb']}{title['ways'] or ''} {title['kind']}")
        elif side := _SIDE.match(text):
            self.end()
            self._side = side["side"].lower()
        elif _HEADS.match(text):
            self._heads(line)
        elif listed := _LIST.match(text):
            if listed["unit"] == "cycles":
                self._title, self._columns = _OF_CYCLES, []
                line.refuse(ARE_CYCLES, WITHOUT_CYCLES)
            self._singles.append(line)
        elif self._singles and _SINGLE.match(text):
            self._singles.append(line)
        elif _RULE.match(text) and self._cells:
            self.end()
        elif text[:1].isdigit():
            self._row(line)
        elif text:
            self._remark(line)

    def _begin(self, title: str) -> None:
        # The boxes of two sides that print at once are of one test.
        is_open = bool(self._title) and not self._columns
        self._is_doubtful = is_open and title != self._title
        is_again = is_open and title == self._title
        self.end()
        self._facts = self._facts if is_again else Facts()
        self._title, self._side = title, ""

    def _remark(self, line: OutputLine) -> None:
        if _OF_GPU.match(line.text):
            self._on_gpu = True
        elif not self._columns:
            self._facts.take(line)
            if not self._title and not _BOX.match(line.text):
                line.refuse()
        elif not _BOX.search(line.text):
            line.refuse()

    def _heads(self, line: OutputLine) -> None:
        """The heads have spaces inside and between them. Raises LineError for others."""
        # -U and -H print them before their list and behind it.
        is_mixed = bool(self._columns) and self._is_doubtful
        if self._cells:
            self.end()
        self._columns = []
        found = _HEAD.findall(line.text)
        if "".join("".join(found).split()) != "".join(line.text.split()):
            line.refuse("these columns are not understood")
        if is_mixed:
            self._title = ""
            line.refuse("two tests wrote into one file at once here")
        self._columns = found

    def _row(self, line: OutputLine) -> None:
        words = line.words
        if not self._columns or self._title == _OF_CYCLES:
            line.refuse("no line before it names the columns")
        if len(words) != len(self._columns):
            line.refuse()
        line.whole(words[0])
        line.value_of(words[-1])
        if self._cells and self._cells[-1][0].text == line.text:
            line.refuse("it is the line before once more")
        self._cells.append((line, dict(zip(self._columns, words, strict=True))))

    def end(self) -> None:
        """The end of a table: its rows. Those of cycles are skipped."""
        local, remote = self._facts.ends
        if are_cycles([cells for _, cells in self._cells]):
            for line, _ in self._cells:
                self._text.skip(line, ARE_CYCLES, WITHOUT_CYCLES)
        elif self._cells and local and (remote, local) in self._ends:
            self.notes.append(f"{self._cells[0][0].place}: {OTHER_SIDE}")
        elif self._cells:
            if local:
                self._ends.add((local, remote))
            self._add(self._cells)
        if self._singles:
            first, *times = self._singles
            self.notes.append(f"{first.place}: {counted(len(times), 'single time')} not read")
        # What stands before a title is of its table.
        self._on_gpu = self._on_gpu and not self._cells
        self._columns, self._cells, self._singles = [], [], []

    def _add(self, cells: list[tuple[OutputLine, dict[str, str]]]) -> None:
        command = cells[0][0].command
        on_gpu = self._on_gpu or self._facts.on_gpu or bool(_FOR_GPU.search(command))
        title = self._title or _title_of(command, cells[0][1])
        test = _test(title, self._facts.queue_pairs, on_gpu=on_gpu, side=self._side)
        section = self._facts.section(test, self._given)
        is_rate = any(head.startswith("BW average") for head in cells[0][1])
        for line, own_cells in cells:
            try:
                if is_rate != (test.figure == "bandwidth"):
                    line.refuse("its columns are not of the title before it")
                self.rows.append(row_of(line, own_cells, section))
            except LineError:
                self._text.skip(line)
        self.notes += self._facts.notes(test)


def _title_of(command: str, cells: Mapping[str, str]) -> str:
    """The title of a table whose box was cut off: by its command, or of a test that is unknown."""
    is_bandwidth = any(head.startswith("BW ") for head in cells)
    named = _NAMED.search(command)
    if named and (named["kind"] == "bw") == is_bandwidth:
        ways = " Bidirectional" if re.search(r"\s(?:-b\b|--bidirectional)", command) else ""
        return f"{_VERBS[named['verb']]}{ways} {'BW' if is_bandwidth else 'Latency'}"
    return _UNNAMED.format("BW" if is_bandwidth else "Latency")


def _test(title: str, queue_pairs: int = 1, *, on_gpu: bool = False, side: str = "") -> Pattern:
    """By its title; over several queue pairs, in a GPU's memory or of one side none of weft's."""
    beside = [_GPU_MEMORY] if on_gpu else []
    beside += [f"over {counted(queue_pairs, 'queue pair')}"] if queue_pairs > 1 else []
    beside += [f"{side} side"] if side else []
    words = ", ".join([title, *beside]).replace(", over", " over")
    if title in TITLES and not (queue_pairs > 1 or side):
        same = own(TITLES[title])
        return variation("perftest", same, words) if on_gpu else same
    if "BW" in title:
        ways = 2 if "Bidirectional" in title and not side else 1
        return other("perftest", words, divisor=0, factor=ways)
    return other("perftest", words, figure="one_sided_latency")


_MARKS = (
    _HEADS,
    MARK,
)
PERFTEST = Peer(name="perftest", marks=_MARKS, read=read)
