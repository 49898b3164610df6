"""Outputs of fabtests and fi_pingpong of libfabric: `usec/xfer` and `Mxfers/sec`.

Sizes like `1.5k` are cut multiples of 1024, counts like `10k` cut multiples of 1000. Latency is
half a round trip in tests that are called pingpong, MB are 10^6 bytes (fabtests/common/shared.c).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from weft.sources.peers.stated import (
    MEGA,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    refuse_empty,
)
from weft.sources.peers.tests import own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^bytes +(?:iters|#sent +#ack) +total +time +MB/sec +usec/xfer +Mxfers/sec")
_PROGRAM = re.compile(r"\bfi_\w+")
_SCALED = re.compile(r"=?(\d+(?:\.\d+)?)([kmg]?)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tables in the file. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    test = own("stream" if re.search(r"\bfi_\w*bw", command) else "ping_pong")
    section = StatedSection(test=test, transport=given.transport or "ofi")
    lines = [line for line in text.begin(_HEADS) if line.text and not _HEADS.match(line.text)]
    rows = [_row(line, section) for line in lines]
    refuse_empty(text, rows, "the output of fabtests")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


def _row(line: OutputLine, section: StatedSection) -> StatedRow:
    words = line.words
    if len(words) not in (7, 8) or not words[-4].endswith("s"):
        line.refuse()
    _, _, per_s, per_transfer = words[-5], words[-4], words[-3], words[-2]
    size = _size(line, words[0], line.number_of(per_s) * line.number_of(per_transfer))
    count = int(_scaled(line, words[1], 1000))
    others = {"MB/sec": float(line.number_of(per_s))}
    if section.test.latency_divisor:
        return section.latency(line, size, per_transfer, operations=count, others=others)
    return section.bandwidth(line, size, per_s, MEGA, operations=count, others=others)


def _size(line: OutputLine, word: str, bytes_by_rate: Decimal) -> int:
    """A whole size as printed; of one that was cut the size of fabtests that the figures give.

    Raises WeftError where there is none.
    """
    printed = _scaled(line, word, 1024)
    if "." not in word:
        return int(printed)
    # Such sizes are 3 * 2^n.
    near = min((3 << power for power in range(40)), key=lambda one: abs(one - bytes_by_rate))
    if not printed <= near <= printed * Decimal("1.1"):
        line.refuse("its size was cut, and MB/sec times usec/xfer gives no size near it")
    return near


def _scaled(line: OutputLine, word: str, base: int) -> Decimal:
    match = _SCALED.fullmatch(word)
    if match is None:
        line.refuse(f"{word!r} is no count")
    scale: int = base ** _POWERS[match[2]]
    return Decimal(match[1]) * scale


FABTESTS = Peer(name="fabtests", mark=_HEADS, read=read)
