"""Outputs of qperf: the name of a test, then what it found, a name with a value and unit each.

Latencies are means of half round trips; prefixes are powers of 1000. The message size stands behind
the figure if -vv or -oo asked for it, and else nowhere.
"""

from __future__ import annotations

import re
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.sources.peers.stated import (
    MSEC,
    SEC,
    USEC,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tests import other, own, without_size
from weft.sources.peers.text import LineError, scale_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_TEST = re.compile(
    r"^(?P<test>(?P<over>tcp|udp|sctp|sdp|rds|rc|uc|ud|xrc|ver)_(?P<what>\w*(?:lat|bw|mr|add|swap)\w*)):$"
)
_VALUE = re.compile(r"^(?P<name>[a-z]\w*) += +(?P<value>\S+)(?: +(?P<unit>\S+))?")
_EXACT = re.compile(r"\((?P<bytes>[\d,]+)\)$")
_RATE = re.compile(r"(?P<prefix>[KMGT]?)(?P<unit>B|b|bytes|bits)/sec")
_PROGRAM = re.compile(r"\bqperf\b")
_TIMES: Mapping[str, Decimal] = MappingProxyType(
    {"ns": Decimal(1), "us": USEC, "ms": MSEC, "sec": SEC}
)
_OVER: Mapping[str, str] = MappingProxyType(
    {"rc": "verbs", "uc": "verbs:uc", "ud": "verbs:ud", "xrc": "verbs:xrc", "ver": "verbs"}
)
# What a test is named after, best first: of a stream its receiver counts.
_FIGURES = ("latency", "recv_bw", "bw", "send_bw")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all tests in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    reader = _Reader(text, given)
    text.each(reader.take)
    reader.end()
    return finished(text, reader.rows, command=command)


class _Reader:
    """The state between the lines: a test and its values so far."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self._text, self._given = text, given
        self._test: re.Match[str] | None = None
        self._found: dict[str, tuple[OutputLine, re.Match[str]]] = {}

    def take(self, line: OutputLine) -> None:
        """One line: a test begins, or says something."""
        if test := _TEST.match(line.text):
            self.end()
            self._test = test
        elif self._test and (value := _VALUE.match(line.text)):
            if value["name"] in self._found:
                line.refuse("its test says this already")
            self._found[value["name"]] = (line, value)
        elif line.text:
            self.end()
            line.refuse()

    def end(self) -> None:
        """The end of a test: its figures."""
        test, found, self._test, self._found = self._test, self._found, None, {}
        names = [name for name in _FIGURES if name in found]
        for name in names if test else []:
            line, value = found[name]
            try:
                is_first = name == names[0]
                self.rows.append(self._row(test, line, value, _size(found), is_first))
            except LineError:
                self._text.skip(line)

    def _row(
        self,
        test: re.Match[str] | None,
        line: OutputLine,
        value: re.Match[str],
        size: int | None,
        is_first: bool,
    ) -> StatedRow:
        over, what = (test["over"], test["what"]) if test else ("", "")
        size = self._given.bytes if size is None else size
        pattern = _pattern(what, value["name"], is_first)
        if size is None:
            pattern = without_size("qperf", pattern)
        transport = self._given.transport or _OVER.get(over, over)
        section = StatedSection(test=pattern, transport=transport)
        unit = value["unit"] or ""
        if unit in _TIMES and pattern.latency_divisor:
            return section.latency(line, size or 0, value["value"], _TIMES[unit])
        rate = _RATE.fullmatch(unit)
        if rate is None or pattern.latency_divisor:
            line.refuse("its unit is not known")
        worth = Decimal(scale_of(rate["prefix"], 1000)) / (
            8 if rate["unit"][:2] in ("b", "bi") else 1
        )
        return section.bandwidth(line, 1 if size is None else size, value["value"], worth)


def _pattern(what: str, name: str, is_first: bool) -> Pattern:
    if name == "latency":
        return (
            own("ping_pong") if what == "lat" else other("qperf", what, figure="one_sided_latency")
        )
    if what == "bw" and is_first:
        return own("stream")
    title = what if is_first else f"{what}, {name}"
    return other("qperf", title, divisor=0, factor=1)


def _size(found: Mapping[str, tuple[OutputLine, re.Match[str]]]) -> int | None:
    """The message size: whole bytes, or behind a rounded one in brackets; None without one."""
    if "msg_size" not in found:
        return None
    line, value = found["msg_size"]
    if exact := _EXACT.search(line.text):
        return line.whole(exact["bytes"].replace(",", ""))
    return (
        line.whole(value["value"].replace(",", "")) if value["unit"] in ("bytes", "byte") else None
    )


QPERF = Peer(name="qperf", marks=(_TEST,), read=read)
