"""Outputs of ucx_perftest: the table of its client, with `Final:` or from -f, and the CSV of -v.

The client does not print the test's name or the message size: the server's box does, and where the
file has none, a prompt's -s and -t do; else a user says the size (--bytes), the heads say whether
it is a latency, and a note that its test was taken for one of tags. *Overall*
covers the whole run, *average* its last interval only, and the percentile the last 2,048 samples
(src/tools/perf/lib/libperf.c of UCX 1.13). MB are 2^20 bytes; latency is half a round trip.
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weft.sources.peers.stated import (
    MEGA,
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    digit_of,
    finished,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other, own, variation, without_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_CSV = re.compile(
    r"^(?:message_size,|size,)?iterations,(?:(?P<at>[\d.]{1,9})_percentile|typical)_lat,avg_lat,"
    r"overall_lat,avg_bw,overall_bw,"
)
# Up to 1.11 the percentile is the median and called typical; up to 1.8 no row says what it is of.
_HEADS = re.compile(
    r"^\| +(?P<stage>(?:Stage|Test) +\| )?# iterations \| +(?:(?P<at>[\d.]{1,9})%ile|typical) \|"
)
_KIND = re.compile(r"^\|(?: +\|){1,2} +(latency|overhead) \(usec\) +\|")
_MARKS = (
    _CSV,
    _HEADS,
    _KIND,
)
_PROGRAM = re.compile(r"\bucx_perftest\b")
_SIZE = re.compile(r"\s-s +(\d{1,18})\b")
_DEPTH = re.compile(r"\s-O +(\d{1,18})\b")
_TYPED = re.compile(r"\s-t +(\w+)\b")
_NAMED: Mapping[str, str] = MappingProxyType(
    {
        "tag_lat": "ping_pong",
        "tag_bw": "stream",
        "ucp_put_lat": "put_ping_pong",
        "ucp_put_bw": "put_stream",
    }
)
_MEDIAN = "50"
TAKEN_FOR_TAGS = (
    "no line names the test: it is taken for one of tags (tag_lat, tag_bw); a prompt with the"
    " command before it says which it was"
)
_TESTED = re.compile(r"^\| Test: +(.*?) +\|$")
_BOX_SIZE = re.compile(r"^\| Message size: +(\d{1,18}) +\|$")
_FRAME = re.compile(r"^[+|]")
_INTERVAL = re.compile(r"^\[thread \d+\] *")
_REMARK = re.compile(
    r"^(?:Waiting for connection|Accepted connection|\[\d+\.\d+\] \["
    r"|.{0,300}\bUCX +(?:WARN|INFO|DIAG))"
)
# Columns that run into each other where a value is wide: count, three times of three decimals, two
# rates of two, two counts a second.
_MERGED = re.compile(
    r"(\d{1,18}) +" + r"(\d{1,15}\.\d{3}) *" * 3 + r"(\d{1,15}\.\d\d) *" * 2 + r"([\d.]+) +([\d.]+)"
)
_COLUMNS = ("tail", "average_us", "overall_us", "average_MiB_per_s", "overall_MiB_per_s")
# Of several threads together only these are printed.
_OF_THREADS = ("overall_us", "overall_MiB_per_s", "overall_per_s")
_THREADS = re.compile(r"\d{1,18} \d+\.\d{3} \d+\.\d\d \d+")
# How far a rate of bytes may be from the rate of messages times the size.
_CLOSE, _NEAR = Decimal("0.01"), Decimal("0.1")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    reader.end()
    notes = (TAKEN_FOR_TAGS,) if reader.is_guessed else ()
    return finished(text, reader.rows, command=command, notes=notes)


class _Cells(NamedTuple):
    """The numbers of a row, by their columns, and how many operations they are of."""

    size: int | None
    operations: int
    values: dict[str, str]


class _Reader:
    """The state between the lines: what the heads and the server's box say."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.is_guessed = False
        self._text, self._given = text, given
        self._size = given.bytes
        # What is above the heads that come, and what was above the last ones.
        self._next_kind = self._kind = self._percentile = self._tested = ""
        self._is_csv = self._has_stages = self._has_sizes = self._is_doubtful = False
        self._is_cut = self._has_rows = False
        self._last: OutputLine | None = None
        self._tables = Tables(text, self.rows)

    def take(self, line: OutputLine) -> None:
        """One line: heads, what a box says, a row, or a remark."""
        text = line.text
        if csv := _CSV.match(text):
            self._begin(line, csv["at"], is_csv=True, has_stages=True)
            self._has_sizes = not text.startswith("iterations")
        elif heads := _HEADS.match(text):
            self._begin(line, heads["at"], is_csv=False, has_stages=bool(heads["stage"]))
        elif found := _KIND.match(text):
            self._is_doubtful = self._next_kind not in ("", found[1])
            self._next_kind = found[1]
        elif found := _TESTED.match(text):
            self._tested = found[1]
        elif found := _BOX_SIZE.match(text):
            self._size = int(found[1])
        elif text and not _FRAME.match(text) and not _REMARK.match(text):
            self._figure(line)

    def _figure(self, line: OutputLine) -> None:
        """A row; one of an interval counts only if it is the last of a table without another."""
        if not self._percentile or self._is_doubtful:
            line.refuse()
        self._has_rows = True
        is_final = "Final:" in line.text or (self._is_csv and not _INTERVAL.match(line.text))
        is_named = bool(re.match(r"\w+/\w+ |\w+_\w+ ", line.text))
        if is_final or (self._has_stages and is_named):
            self._last = None
            self._row(line)
        elif _cells(line, has_size=False).operations >= 0:
            self._last = line

    def _begin(
        self, line: OutputLine, percentile: str | None, *, is_csv: bool, has_stages: bool
    ) -> None:
        self.end()
        self._tables.begin(line)
        self._percentile = percentile or _MEDIAN
        if self._next_kind or self._has_rows:
            self._kind, self._next_kind = self._next_kind, ""
        self._has_rows = False
        self._is_csv, self._has_stages, self._has_sizes = is_csv, has_stages, False

    def end(self) -> None:
        """The end of a table without a final row: the last interval's overall is of the run."""
        last, self._last = self._last, None
        if last:
            self._is_cut = True
            self._text.each(self._row, [last])
        self._is_cut = False

    def _row(self, line: OutputLine) -> None:
        cells = _cells(line, has_size=self._has_sizes)
        typed, depth = _SIZE.search(line.command), _DEPTH.search(line.command)
        size = int(typed[1]) if typed else self._size
        size = size if cells.size is None else cells.size
        named = _TYPED.search(line.command)
        kind = self._kind
        words = named[1] if named else self._tested
        if self._is_csv or not kind or not self._has_stages:
            # These heads say latency of whatever it is.
            is_rate = re.search(r"(?:bw|mr|bandwidth|rate)$", words)
            kind = "" if not words else "overhead" if is_rate else "latency"
        self.is_guessed = self.is_guessed or not words
        test = _typed_test(named[1], kind) if named else _test(kind, self._tested)
        if self._has_stages and self._is_cut:
            test = variation("ucx_perftest", test, f"{test.title.partition(' (')[0]}, cut off")
        if size is None:
            test = without_size("ucx_perftest", test)
        section = StatedSection(test=test, transport=self._given.transport or "ucx")
        if depth and int(depth[1]) and test.figure == "bandwidth":
            section = msgspec.structs.replace(section, queue_depth=int(depth[1]))
        row = _stated(line, self._percentile, section, size, cells)
        # A table is of one run: those of a batch (-b) state no sizes.
        self._tables.once(line, cells.size)
        self.rows.append(row)


def _typed_test(word: str, kind: str) -> Pattern:
    """By the word of -t; a `get` has one word for its latency and its bandwidth."""
    if word in _NAMED:
        return own(_NAMED[word])
    if kind == "latency" and word.endswith("lat"):
        return other("ucx_perftest", word, divisor=2, factor=2, figure="latency")
    if kind == "latency":
        return other("ucx_perftest", word, figure="one_sided_latency")
    return other("ucx_perftest", word, divisor=0, factor=1)


def _test(kind: str, tested: str) -> Pattern:
    """By the server's name of the test, where the file has it; else by the heads alone."""
    if not kind:
        return other("ucx_perftest", "test not stated")
    named = {"tag match latency": "ping_pong", "tag match bandwidth": "stream"}
    if tested in named or not tested:
        return own(named.get(tested, "ping_pong" if kind == "latency" else "stream"))
    if kind == "latency":
        return other("ucx_perftest", tested, divisor=2, factor=2, figure="latency")
    return other("ucx_perftest", tested, divisor=0, factor=1)


def _cells(line: OutputLine, *, has_size: bool) -> _Cells:
    """The numbers of a row. Raises LineError for other words and other counts of them."""
    text = _INTERVAL.sub("", line.text)
    words = [word.strip() for word in text.replace("Final:", "").split(",")]
    if len(words) < 4 or any(" " in word for word in words):
        # -f begins with the name of the test; -N separates thousands by commas.
        plain = text.replace("Final:", "").replace(",", "").strip()
        merged = _MERGED.fullmatch(plain)
        words = list(merged.groups()) if merged else plain.split()
        words = words[1:] if len(words) == 9 else words
    size = words.pop(0) if has_size else ""
    columns = {8: (*_COLUMNS, "", "overall_per_s"), 4: _OF_THREADS}.get(len(words))
    # A row that was cut has four words too.
    if columns is None or (columns is _OF_THREADS and not _THREADS.fullmatch(" ".join(words))):
        line.refuse()
    for word in words[1:]:
        line.value_of(word)
    values = {column: word for column, word in zip(columns, words[1:], strict=True) if column}
    return _Cells(line.whole(size) if size else None, line.whole(words[0]), values)


def _stated(
    line: OutputLine, percentile: str, section: StatedSection, size: int | None, cells: _Cells
) -> StatedRow:
    values = cells.values
    kept = ((name, word) for name, word in values.items() if name in _COLUMNS[1:])
    others = line.values_of(kept)
    if section.test.latency_divisor:
        # Of several threads together it is 0.
        tail = 1000 * float(line.value_of(values.get("tail", "0")) or 0)
        latencies = {f"{float(percentile):g}": tail} if tail else {}
        return section.latency(
            line,
            size or 0,
            values["overall_us"],
            operations=cells.operations,
            latencies_ns=latencies,
            others=others,
        )
    word = values["overall_MiB_per_s"]
    unit = _unit(line, size, word, values["overall_per_s"])
    whole = 1 if size is None else size
    return section.bandwidth(line, whole, word, unit, operations=cells.operations, others=others)


def _unit(line: OutputLine, size: int | None, word: str, per_s: str) -> Decimal:
    """MB are 2^20 bytes, of programs that print like it 10^6: what the messages' rate gives."""
    rate, messages = line.value_of(word), line.value_of(per_s)
    if not size or not rate or not messages:
        return MIB
    found = messages * size / rate
    # Both were rounded.
    slack = sum(digit_of(one) / (2 * one) for one in (rate, messages))
    if abs(found / MIB - 1) <= slack + _CLOSE:
        return MIB
    unit = min((MIB, MEGA), key=lambda one: abs(found - one))
    if abs(found / unit - 1) > slack + _NEAR:
        line.refuse("its rates of bytes and of messages are not of one message size")
    return unit


UCX = Peer(name="ucx_perftest", marks=_MARKS, read=read)
