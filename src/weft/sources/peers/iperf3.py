"""Outputs of iperf3: text and --json. The receiver's rate counts, of all streams together.

In text lower-case bits have prefixes of 1000 (src/units.c). The block of a read or write is its
message: the JSON states it; of text a user says it (--bytes), 128 KiB being the default for TCP.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.sources.peers.json_text import json_of
from weft.sources.peers.stated import (
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

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^\[ *ID\](?:\[Role\])? Interval +Transfer +(?:Bitrate|Bandwidth)")
_JSON = re.compile(r'^\s*"(?:sum_received|tcp_mss_default|error)":')
_MARK = re.compile(rf"{_HEADS.pattern}|{_JSON.pattern}")
_PROGRAM = re.compile(r"\biperf3\b")
_FIGURE = re.compile(
    r"^\[ *(?P<id>\d+|SUM)\](?:\[(?P<role>\w+-\w)\])? +[\d.]+- *[\d.]+ +sec +[\d.]+ [KMGT]?Bytes"
    r" +(?P<rate>[\d.]+) (?P<prefix>[KMGT]?)(?P<unit>bits|Bytes)/sec(?P<rest>.*)$"
)
_REMARK = re.compile(
    r"^(?:Connecting to|Reverse mode|\[ *\d+\](?:\[[\w-]+\])? local|[- ]+$|iperf Done\.|$|-{10,})"
)
_POWERS: Mapping[str, int] = MappingProxyType({"": 0, "K": 1, "M": 2, "G": 3, "T": 4})


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figure of the run. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    first = next((line for line in text.lines if line.text.strip()), None)
    if first is not None and first.text.startswith("{"):
        return _read_json(text, given, command)
    found: list[tuple[OutputLine, re.Match[str]]] = []
    has_sum = False
    for line in text.begin(_MARK):
        figure = _FIGURE.match(line.text)
        has_sum = has_sum or bool(figure and figure["id"] == "SUM")
        if figure and figure["rest"].rstrip().endswith("receiver"):
            found.append((line, figure))
        elif not (figure or _HEADS.match(line.text) or _REMARK.match(line.text)):
            line.refuse()
    sums = [one for one in found if one[1]["id"] == "SUM"] or found
    if has_sum and sums and sums[0][1]["id"] != "SUM":
        sums[-1][0].refuse("the sum of the streams is missing", "import the whole output")
    rows = [_row(line, figure, given, len(found)) for line, figure in sums]
    refuse_empty(text, rows, "the output of iperf3")
    return StatedOutput(rows=tuple(rows), command=command, failed=text.failed)


def _row(line: OutputLine, figure: re.Match[str], given: Given, found: int) -> StatedRow:
    if given.bytes is None:
        raise WeftError(
            f"{line.place}: iperf3 does not print the length of its blocks",
            "type --bytes with it (128KiB is its default for TCP)",
        )
    is_bits = figure["unit"] == "bits"
    unit = Decimal((1000 if is_bits else 1024) ** _POWERS[figure["prefix"]])
    test = _test(figure["id"] == "SUM" and found > 1, figure["role"] or "")
    section = StatedSection(test=test, transport=given.transport or "tcp")
    return section.bandwidth(line, given.bytes, figure["rate"], unit / 8 if is_bits else unit)


def _test(is_sum: bool, role: str) -> Pattern:
    if role:
        return other("iperf3", f"both ways, {role}", divisor=0, factor=1)
    return other("iperf3", "parallel streams", divisor=0, factor=1) if is_sum else own("stream")


def _read_json(text: OutputText, given: Given, command: str) -> StatedOutput:
    """Raises WeftError by the line where the JSON is damaged, or for a run that failed."""
    found = json_of(text)
    line = next(one for one in text.lines if _MARK.search(one.text))
    if not isinstance(found, dict) or "error" in found:
        why = found.get("error", "") if isinstance(found, dict) else ""
        line.refuse(f"iperf3 failed: {why}", "run it again")
    rate = _at(found, "end", "sum_received", "bits_per_second")
    size = _at(found, "start", "test_start", "blksize")
    streams = _at(found, "start", "test_start", "num_streams")
    if not isinstance(rate, int | float) or not isinstance(size, int) or not rate > 0:
        line.refuse("it lacks end.sum_received.bits_per_second or no blksize")
    protocol = str(_at(found, "start", "test_start", "protocol") or "tcp").lower()
    section = StatedSection(test=_test(streams != 1, ""), transport=given.transport or protocol)
    seconds = _at(found, "start", "timestamp", "timesecs")
    version = str(_at(found, "start", "version") or "").removeprefix("iperf ")
    return StatedOutput(
        rows=(section.bandwidth(line, size, f"{rate:.3f}", Decimal(1) / 8),),
        version=version,
        command=command,
        created_utc=_utc(seconds) if isinstance(seconds, int) else "",
        failed=text.failed,
    )


def _utc(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


IPERF3 = Peer(name="iperf3", mark=_MARK, read=read)
