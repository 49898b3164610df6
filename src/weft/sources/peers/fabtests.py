"""Outputs of fabtests and fi_pingpong of libfabric: their tables, and the YAML of fabtests -m.

A ping-pong's `total` has both ways in it, a bandwidth's has one. Sizes like `1.5k` are cut
multiples of 1024, counts like `10k` cut multiples of 1000. Latency is half a round trip in tests
that are called pingpong, MB are 10^6 bytes (fabtests/common/shared.c).
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.sources.peers.stated import (
    MEGA,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other, own
from weft.sources.peers.text import scale_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(
    r"^bytes +(?:iters|#sent +#ack) +total +time +MB/sec(?: +usec/xfer +Mxfers/sec)?$"
)
# -m: YAML, whose figures are not cut, below the command and a colon.
_YAML = re.compile(
    r"^- \{ xfer_size: (?P<size>\d{1,18}), iterations: (?P<count>\d{1,18})"
    r", total: (?P<total>\d{1,18}),"
    r" time: [\d.]+, MB/sec: (?P<rate>[\d.]+), usec/xfer: (?P<time>[\d.]+), Mxfers/sec: [\d.]+ \}$"
)
_BEGINS = re.compile(r"^- \{ xfer_size: ")
_CALL = re.compile(r"^(?P<command>\S{0,300}\bfi_\w+ .*) :$")
_MARKS = (
    _HEADS,
    _BEGINS,
)
_PROGRAM = re.compile(r"\bfi_(?!info\b|strerror\b)\w+")
_SCALED = re.compile(r"=?(\d+(?:\.\d+)?)([kmg]?)")
# Of the count of its messages alone and of both ways, the numbers being cut.
_BETWEEN = Decimal("1.4")
_OWN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ("fi_pingpong", "fi_rdm_pingpong", "fi_rdm_tagged_pingpong", "fi_msg_pingpong"),
            "ping_pong",
        ),
        **dict.fromkeys(("fi_rdm_bw", "fi_rdm_tagged_bw", "fi_msg_bw"), "stream"),
    }
)


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tables in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    return finished(text, reader.rows, command=command or reader.command)


class _Reader:
    """The state between the lines: the columns of a table, and the command before it."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.command = ""
        self._transport = given.transport or "ofi"
        self._tables = Tables(text, self.rows)
        self._columns: list[str] = []

    def take(self, line: OutputLine) -> None:
        """One line: a command, the heads, or a row."""
        if call := _CALL.match(line.text):
            self.command = call["command"]
            self._tables.begin(line)
        elif _HEADS.match(line.text):
            self._tables.begin(line)
            self._columns = line.words
        elif line.text and line.text != "---":
            line.command = self.command or line.command
            row = self._row(line)
            self._tables.once(line, row.case.bytes)
            self.rows.append(row)

    def _row(self, line: OutputLine) -> StatedRow:
        if whole := _YAML.match(line.text):
            printed = (int(whole["size"]), int(whole["count"]), Decimal(whole["total"]))
            return _figure(line, self._transport, printed, (whole["rate"], whole["time"]))
        words = line.words
        if not self._columns or len(words) != len(self._columns):
            line.refuse()
        cells = dict(zip(self._columns, words, strict=True))
        if not cells["time"].endswith("s"):
            line.refuse()
        per_s, per_transfer = cells["MB/sec"], cells.get("usec/xfer", "")
        near = line.number_of(per_s) * line.number_of(per_transfer) if per_transfer else None
        size = _size(line, words[0], near)
        count = int(_scaled(line, words[1], 1000))
        moved = (size, count, _scaled(line, cells["total"], 1024))
        return _figure(line, self._transport, moved, (per_s, per_transfer))


def _figure(
    line: OutputLine, transport: str, moved: tuple[int, int, Decimal], stated: tuple[str, str]
) -> StatedRow:
    """Of size, count and total bytes, and of MB/s and us of a transfer, as they were printed."""
    size, count, total = moved
    per_s, per_transfer = stated
    section = StatedSection(test=_test(line, size * count, total), transport=transport)
    others = {"MB/sec": float(line.number_of(per_s))}
    if section.test.latency_divisor and per_transfer:
        return section.latency(line, size, per_transfer, operations=count, others=others)
    if section.test.bandwidth_factor == 2:
        # MB/sec of a ping-pong are those of one way, and weft's of both.
        per_s = str(2 * line.number_of(per_s))
    return section.bandwidth(line, size, per_s, MEGA, operations=count, others=others)


def _test(line: OutputLine, moved: int, total: Decimal) -> Pattern:
    """By the program's name and by `total`, which counts a ping-pong's messages both ways.

    Both are printed in the same columns. Raises LineError where the two do not fit.
    """
    program = _PROGRAM.search(line.command)
    name = program[0] if program else ""
    is_one_way = bool(moved) and total < _BETWEEN * moved
    if name and moved and is_one_way == name.endswith("pingpong"):
        line.refuse(f"its total is not of {name}")
    if name and name not in _OWN:
        return (
            other("fabtests", name, divisor=0, factor=1)
            if is_one_way
            else other("fabtests", name, divisor=2, factor=2, figure="latency")
        )
    return own(_OWN[name] if name else "stream" if is_one_way else "ping_pong")


def _size(line: OutputLine, word: str, bytes_by_rate: Decimal | None) -> int:
    """A whole size as printed; of one that was cut the size of fabtests that the figures give.

    Raises LineError where there is none.
    """
    printed = _scaled(line, word, 1024)
    if "." not in word:
        return int(printed)
    if bytes_by_rate is None:
        line.refuse("its size was cut, and no column gives it")
    # Such sizes are 3 * 2^n.
    near = min((3 << power for power in range(40)), key=lambda one: abs(one - bytes_by_rate))
    if not printed <= near <= printed * Decimal("1.1"):
        line.refuse("its size was cut, and MB/sec times usec/xfer gives no size near it")
    return near


def _scaled(line: OutputLine, word: str, base: int) -> Decimal:
    match = _SCALED.fullmatch(word)
    if match is None:
        line.refuse(f"{word!r} is no count")
    return Decimal(match[1]) * scale_of(match[2], base)


FABTESTS = Peer(name="fabtests", marks=_MARKS, read=read)
