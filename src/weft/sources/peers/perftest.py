"""Outputs of perftest (ib_send_lat, ib_write_bw ...): its tables, and its JSON (perftest_json.py).

Columns: src/perftest_parameters.h. Latency is in us, half a round trip but of a read or an atomic
operation, and t_typical is the median. MB/sec and MiB/sec are both 2^20 bytes; Gb/sec is 10^9 bits.
Of a latency's n iterations n - 1 gaps are sorted; t_avg, t_stdev and the percentiles leave out the
two longest, and t_stdev is cut to whole microseconds in between, so that it is not kept.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft.sources.peers.perftest_json import MARK, ONE_SIZE, json_row
from weft.sources.peers.stated import (
    GIGA,
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
    from collections.abc import Mapping
    from decimal import Decimal

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^ *#bytes +#iterations ")
_PROGRAM = re.compile(r"\b(?:ib|raw_ethernet)_\w+")
_TITLE = re.compile(r"^ +((?:RDMA_|Send|Atomic|Raw)\w*.*?) (Latency|(?:Bidirectional )?BW) Test\b")
_FACT = re.compile(r"^ *[A-Za-z][\w ./#()-]* *: \S.*$|^ +(?:local|remote) address:|^ +GID:")
_NOISE = re.compile(r"^[-* ]*$|Conflicting CPU frequency|^ *Waiting for client|^ ?#, usec")
_UNITS: Mapping[str, Decimal] = MappingProxyType(
    {"MB/sec": MIB, "MiB/sec": MIB, "Gb/sec": GIGA / 8}
)
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
    command = text.command(_PROGRAM)
    transport = given.transport or "verbs"
    if any(MARK.search(line.text) for line in text.lines):
        found = json_row(text, _UNITS)
        section = StatedSection(test=_test(found.title), transport=transport)
        row = _row(found.line, found.cells, section)
        return StatedOutput(rows=(row,), command=command, failed=text.failed, notes=(ONE_SIZE,))
    rows: list[StatedRow] = []
    test: Pattern | None = None
    columns: list[str] = []
    for line in text.lines:
        if title := _TITLE.match(line.text):
            test, columns = _test(f"{title[1]} {title[2]}"), []
        elif _HEADS.match(line.text):
            columns = _columns(line)
        elif _FACT.match(line.text) or _NOISE.search(line.text) or (not columns and not rows):
            continue
        elif test is None or not columns:
            line.refuse("no line before it names the test")
        else:
            if len(line.words) != len(columns):
                line.refuse()
            cells = dict(zip(columns, line.words, strict=True))
            rows.append(_row(line, cells, StatedSection(test=test, transport=transport)))
    refuse_empty(text, rows, "the output of perftest")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


def _columns(line: OutputLine) -> list[str]:
    """The heads, which have spaces inside and between them. Raises WeftError for cycles."""
    heads = re.findall(
        r"#\w+|(?:t_\w+|BW \w+|MsgRate|CPU_Util|tps \w+|\d[\d.]*% percentile)(?:\[[^\]]*\])?"
        r"(?: average)?",
        line.text,
    )
    known = re.sub(r"\s", "", "".join(heads))
    if known != re.sub(r"\s", "", line.text):
        line.refuse("these columns are not understood")
    return heads


def _test(title: str) -> Pattern:
    if title in TITLES:
        return own(TITLES[title])
    if title.endswith("BW"):
        return other("perftest", title, divisor=0, factor=2 if "Bidirectional" in title else 1)
    return other("perftest", title, figure="one_sided_latency")


def _row(line: OutputLine, cells: dict[str, str], section: StatedSection) -> StatedRow:
    size = line.whole(cells["#bytes"])
    kept: dict[str, Any] = {"operations": line.whole(cells["#iterations"])}
    bandwidth = next((head for head in cells if head.startswith("BW average[")), "")
    if bandwidth:
        unit = _UNITS.get(bandwidth.removeprefix("BW average[").removesuffix("]"))
        if unit is None:
            line.refuse(f"the unit of {bandwidth} is not known")
        # A peak of 0 was not measured.
        others = {
            head: float(line.number_of(word))
            for head, word in cells.items()
            if not head.startswith(("#", "BW average")) and float(line.number_of(word)) > 0
        }
        return section.bandwidth(line, size, cells[bandwidth], unit, others=others, **kept)
    median = "t_typical[usec]"
    if median not in cells:
        if "t_avg[usec]" not in cells:
            line.refuse("it has neither a median nor a mean")
        return section.latency(line, size, cells["t_avg[usec]"], **kept)
    latencies = {
        head.partition("%")[0]: 1000 * float(line.number_of(word))
        for head, word in cells.items()
        if "% percentile" in head
    }
    for head, name in (("t_min[usec]", "0"), ("t_max[usec]", "100")):
        latencies[name] = 1000 * float(line.number_of(cells[head]))
    others = {h: float(line.number_of(cells[h])) for h in ("t_avg[usec]",) if h in cells}
    return section.latency(
        line, size, cells[median], figure="median", latencies_ns=latencies, others=others, **kept
    )


_MARK = re.compile(rf"{_HEADS.pattern}|{MARK.pattern}")
PERFTEST = Peer(name="perftest", mark=_MARK, read=read)
