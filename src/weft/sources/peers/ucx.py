"""Outputs of ucx_perftest: the table of its client, with `Final:` or from -f, and the CSV of -v.

The client does not print the test's name or the message size: the server's box does, and where the
file has none, a prompt's -s and -t do; else a user says the size (--bytes), the heads say whether
it is a latency, and a note that its test was taken for one of tags. *Overall*
covers the whole run, *average* its last interval only, and the percentile the last 2,048 samples
(src/tools/perf/lib/libperf.c of UCX 1.13). MB are 2^20 bytes; latency is half a round trip.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.sources.peers.stated import (
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    refuse_empty,
)
from weft.sources.peers.tables import MIXED, Tables
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_CSV = re.compile(
    r"^iterations,(?:([\d.]+)_percentile|typical)_lat,avg_lat,overall_lat,avg_bw,overall_bw,"
)
# Up to 1.11 the percentile is the median and called typical; up to 1.8 no row says what it is of.
_HEADS = re.compile(
    r"^\| +(?P<stage>(?:Stage|Test) +\| )?# iterations \| +(?:(?P<at>[\d.]+)%ile|typical) \|"
)
_KIND = re.compile(r"^\| +\|(?: +\|)? +(latency|overhead) \(usec\) +\|")
_MARK = re.compile(rf"{_CSV.pattern}|{_HEADS.pattern}|{_KIND.pattern}")
_PROGRAM = re.compile(r"\bucx_perftest\b")
_SIZE = re.compile(r"\s-s +(\d+)\b")
_DEPTH = re.compile(r"\s-O +(\d+)\b")
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
NO_TEST = "{} does not name its test"
FOR_TEST = "put the command before it: $ ucx_perftest -t tag_lat -s 8 -v"
_TESTED = re.compile(r"^\| Test: +(.*?) +\|$")
_BOX_SIZE = re.compile(r"^\| Message size: +(\d+) +\|$")
_FRAME = re.compile(r"^[+|]")
_INTERVAL = re.compile(r"^\[thread \d+\]")
_REMARK = re.compile(
    r"^(?:Waiting for connection|Accepted connection|\[\d+\.\d+\] \[|.*\bUCX\s+(?:WARN|INFO|DIAG))"
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given)
    for line in text.lines:
        reader.take(line)
    reader.end()
    refuse_empty(text, reader.rows, "the output of ucx_perftest")
    notes = (TAKEN_FOR_TAGS,) if reader.is_guessed else ()
    return StatedOutput(rows=tuple(reader.rows), command=command, failed=text.failed, notes=notes)


class _Reader:
    """The state between the lines: what the heads and the server's box say."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.is_guessed = False
        self._given = given
        self._size = given.bytes
        # What is above the heads that come, and what was above the last ones.
        self._next_kind = self._kind = self._percentile = self._tested = ""
        self._is_csv = self._has_stages = False
        self._last: OutputLine | None = None
        self._tables = Tables()

    def take(self, line: OutputLine) -> None:
        """One line: heads, what a box says, a row, or a remark."""
        text = line.text
        if csv := _CSV.match(text):
            self._begin(line, csv[1], is_csv=True, has_stages=True)
        elif heads := _HEADS.match(text):
            self._begin(line, heads["at"], is_csv=False, has_stages=bool(heads["stage"]))
        elif found := _KIND.match(text):
            if self._next_kind:
                line.refuse("its table has such a line already", MIXED)
            self._next_kind = found[1]
        elif found := _TESTED.match(text):
            self._tested = found[1]
        elif found := _BOX_SIZE.match(text):
            self._size = int(found[1])
        elif text and not _FRAME.match(text) and not _REMARK.match(text):
            self._figure(line)

    def _figure(self, line: OutputLine) -> None:
        """A row; one of an interval only where it is the last of a table without stages."""
        if not self._percentile:
            line.refuse()
        if not self._has_stages:
            self._last = line
        elif not _INTERVAL.match(line.text):
            self._row(line)

    def _begin(
        self, line: OutputLine, percentile: str | None, *, is_csv: bool, has_stages: bool
    ) -> None:
        self.end()
        self._tables.begin(line)
        self._percentile = percentile or _MEDIAN
        self._kind, self._next_kind = self._next_kind, ""
        self._is_csv, self._has_stages = is_csv, has_stages

    def end(self) -> None:
        """The end of a table without stages: its last row is of the whole run."""
        if self._last:
            self._row(self._last)
        self._last = None

    def _row(self, line: OutputLine) -> None:
        # A table is of one run: those of a batch (-b) state no sizes.
        self._tables.once(line, "")
        typed, depth = _SIZE.search(line.command), _DEPTH.search(line.command)
        size = int(typed[1]) if typed else self._size
        if size is None:
            raise WeftError(
                f"{line.place}: a client of ucx_perftest does not print the message size",
                "type --bytes with it",
            )
        named = _TYPED.search(line.command)
        kind = self._kind
        if self._is_csv or not self._has_stages:
            if not (named or self._tested):
                what = (
                    "CSV of ucx_perftest" if self._is_csv else "a table of ucx_perftest up to 1.8"
                )
                line.refuse(NO_TEST.format(what), FOR_TEST)
            # These heads say latency of whatever it is.
            words = named[1] if named else self._tested
            kind = "overhead" if re.search(r"bw$|mr$|bandwidth|rate", words) else "latency"
        self.is_guessed = self.is_guessed or not (named or self._tested)
        test = _typed_test(named[1], kind) if named else _test(kind, self._tested)
        section = StatedSection(test=test, transport=self._given.transport or "ucx")
        if depth and int(depth[1]) and test.figure == "bandwidth":
            section = msgspec.structs.replace(section, queue_depth=int(depth[1]))
        self.rows.append(_row(line, self._percentile, section, size))


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
    named = {"tag match latency": "ping_pong", "tag match bandwidth": "stream"}
    if tested in named or not tested:
        return own(named.get(tested, "ping_pong" if kind == "latency" else "stream"))
    if kind == "latency":
        return other("ucx_perftest", tested, divisor=2, factor=2, figure="latency")
    return other("ucx_perftest", tested, divisor=0, factor=1)


def _row(line: OutputLine, percentile: str, section: StatedSection, size: int) -> StatedRow:
    words = line.text.replace("Final:", " ").split(",")
    words = [word.strip() for word in words]
    words = words if len(words) == 8 else line.text.replace("Final:", " ").replace(",", "").split()
    if len(words) == 9:  # -f begins with the name of the test.
        words = words[1:]
    if len(words) != 8:
        line.refuse()
    count = line.whole(words[0])
    names = ("average_us", "overall_us", "average_MiB_per_s", "overall_MiB_per_s")
    others = {
        name: float(line.number_of(word)) for name, word in zip(names, words[2:6], strict=True)
    }
    if section.test.latency_divisor:
        # Of several threads together it is 0.
        tail = 1000 * float(line.number_of(words[1]))
        latencies = {f"{float(percentile):g}": tail} if tail else {}
        return section.latency(
            line, size, words[3], operations=count, latencies_ns=latencies, others=others
        )
    return section.bandwidth(line, size, words[5], MIB, operations=count, others=others)


UCX = Peer(name="ucx_perftest", mark=_MARK, read=read)
