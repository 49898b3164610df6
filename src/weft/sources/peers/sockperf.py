"""Outputs of sockperf: ping-pong, under-load and throughput.

avg-latency is half a round trip, avg-rtt (--full-rtt) a whole one; MBps are 2^20 bytes. The message
size is printed by no version: a prompt in the file has it (-m), or a user says it (--bytes).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.plan.case import USUAL_RANKS
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
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^sockperf: ")
_PROGRAM = re.compile(r"\bsockperf\b")
_VERSION = re.compile(r"== version #(\S+) ==")
_CONNECTION = re.compile(r"^\[ *\d+\] IP = \S+ +PORT = \d+ # (TCP|UDP)")
_MEAN = re.compile(r"^sockperf: =+> avg-(?P<kind>latency|rtt) ?= ?(?P<mean>[\d.]+) \(std-dev=")
_COUNT = re.compile(r"^sockperf: \[Valid Duration\].* ReceivedMessages=(\d+)")
_PERCENTILE = re.compile(
    r"^sockperf: ---> (?:percentile (?P<at>[\d.]+)|<(?P<end>MAX|MIN)> observation) +="
    r" +(?P<time>[\d.]+)$"
)
_RATE = re.compile(r"^sockperf: Summary: BandWidth is (\S+) ([MG])Bps \(")
_SUMMARY = re.compile(r"^sockperf: Summary: (?:Latency|Round trip) is ")
_REMARK = re.compile(r"^sockperf(?:\[CLIENT\])?[: ]|^$")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises WeftError by line."""
    command = text.command(_PROGRAM)
    typed = re.search(r"\s(?:-m|--msg-size)[ =](\d+)\b", command)
    reader = _Reader(given, int(typed[1]) if typed else given.bytes)
    for line in text.begin(re.compile(r"^sockperf")):
        reader.take(line)
    reader.end()
    refuse_empty(text, reader.rows, "the output of sockperf")
    return StatedOutput(
        rows=tuple(reader.rows), version=reader.version, command=command, failed=text.failed
    )


class _Reader:
    """The state between the lines: the mean of a run, until its percentiles are over."""

    def __init__(self, given: Given, size: int | None) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._size = size
        self._protocol = "tcp"
        self._count = 0
        self._mean: tuple[OutputLine, str, str] | None = None
        self._latencies: dict[str, float] = {}

    def take(self, line: OutputLine) -> None:
        """One line."""
        text = line.text
        if version := _VERSION.search(text):
            self.end()
            self.version = version[1]
        elif connection := _CONNECTION.match(text):
            self._protocol = connection[1].lower()
        elif count := _COUNT.match(text):
            self._count = int(count[1])
        elif mean := _MEAN.match(text):
            self._mean = (line, mean["kind"], mean["mean"])
        elif _SUMMARY.match(text):
            return
        elif found := _PERCENTILE.match(text):
            name = {"MAX": "100", "MIN": "0", None: ""}[found["end"]] or f"{float(found['at']):g}"
            self._latencies[name] = 1000 * float(found["time"])
            if found["end"] == "MIN":
                self.end()
        elif rate := _RATE.match(text):
            unit = MIB if rate[2] == "M" else 1000 * MIB
            self.rows.append(
                self._section(line, "stream").bandwidth(line, self._bytes(line), rate[1], unit)
            )
        elif not _REMARK.match(text):
            line.refuse()

    def end(self) -> None:
        """A run's last line: its figure. The shortest observation is printed last."""
        if self._mean is None:
            return
        line, kind, mean = self._mean
        if "0" not in self._latencies:
            line.refuse("its percentiles are missing", "import the whole output")
        scale = 1.0 if kind == "latency" else 0.5
        row = self._section(line, "ping_pong" if kind == "latency" else "").latency(
            line,
            self._bytes(line),
            mean,
            operations=self._count,
            latencies_ns={name: scale * time for name, time in self._latencies.items()}
            if kind == "latency"
            else self._latencies,
        )
        self.rows.append(row)
        self._mean, self._latencies, self._count = None, {}, 0

    def _section(self, line: OutputLine, test: str) -> StatedSection:
        del line
        return StatedSection(
            test=own(test) if test else other("sockperf", "round trip"),
            transport=self._given.transport or self._protocol,
            ranks=USUAL_RANKS,
        )

    def _bytes(self, line: OutputLine) -> int:
        if self._size is None:
            raise WeftError(
                f"{line.place}: sockperf does not print the message size",
                "type --bytes with it (14 is its default)",
            )
        return self._size


SOCKPERF = Peer(name="sockperf", mark=_MARK, read=read)
