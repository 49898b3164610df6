"""Outputs of ucx_perftest: the table of its client, with `Final:` or from -f, and the CSV of -v.

The client does not print the test's name or the message size: the server's box does, and where the
file has none, a user says the size (--bytes) and the heads say whether it is a latency. *Overall*
covers the whole run, *average* its last interval only, and the percentile the last 2,048 samples
(src/tools/perf/lib/libperf.c of UCX 1.13). MB are 2^20 bytes; latency is half a round trip.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_CSV = re.compile(r"^iterations,([\d.]+)_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,")
_HEADS = re.compile(r"^\| +(?:Stage|Test) +\| # iterations \| +([\d.]+)%ile \|")
_KIND = re.compile(r"^\| +\| +\| +(latency|overhead) \(usec\) +\|")
_MARK = re.compile(rf"{_CSV.pattern}|{_HEADS.pattern}|{_KIND.pattern}")
_PROGRAM = re.compile(r"\bucx_perftest\b")
_SIZE = re.compile(r"\s-s +(\d+)\b")
_TESTED = re.compile(r"^\| Test: +(.*?) +\|$")
_BOX_SIZE = re.compile(r"^\| Message size: +(\d+) +\|$")
_FRAME = re.compile(r"^[+|]")
_INTERVAL = re.compile(r"^\[thread \d+\]")
_REMARK = re.compile(
    r"^(?:Waiting for connection|Accepted connection|\[\d+\.\d+\] \[|.*\bUCX\s+(?:WARN|INFO|DIAG))"
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    typed = _SIZE.search(command)
    size = int(typed[1]) if typed else given.bytes
    rows: list[StatedRow] = []
    kind, percentile, tested = "", "", ""
    for line in text.lines:
        if heads := _CSV.match(line.text) or _HEADS.match(line.text):
            percentile = heads[1]
            kind = kind if _HEADS.match(line.text) else "latency"
        elif found := _KIND.match(line.text):
            kind = found[1]
        elif found := _TESTED.match(line.text):
            tested = found[1]
        elif found := _BOX_SIZE.match(line.text):
            size = int(found[1])
        elif not line.text or _FRAME.match(line.text) or _REMARK.match(line.text):
            continue
        elif not percentile:
            line.refuse()
        elif not _INTERVAL.match(line.text):
            if size is None:
                raise WeftError(
                    f"{line.place}: a client of ucx_perftest does not print the message size",
                    "type --bytes with it",
                )
            section = StatedSection(test=_test(kind, tested), transport=given.transport or "ucx")
            rows.append(_row(line, percentile, section, size))
    refuse_empty(text, rows, "the output of ucx_perftest")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


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
        latencies = {f"{float(percentile):g}": 1000 * float(line.number_of(words[1]))}
        return section.latency(
            line, size, words[3], operations=count, latencies_ns=latencies, others=others
        )
    return section.bandwidth(line, size, words[5], MIB, operations=count, others=others)


UCX = Peer(name="ucx_perftest", mark=_MARK, read=read)
