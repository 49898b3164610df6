"""Outputs of sockperf: ping-pong, under-load and throughput.

avg-latency is half a round trip, avg-rtt (--full-rtt) a whole one; MBps are 2^20 bytes. The message
size is printed by no version: a prompt in the file has it (-m), or a user says it (--bytes).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weft.sources.peers.stated import (
    MIB,
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import skip_overlapping
from weft.sources.peers.tests import other, own, without_size

if TYPE_CHECKING:
    from decimal import Decimal

    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^sockperf: (?:=+> avg-|Summary: |== version)")
_PROGRAM = re.compile(r"\bsockperf\b")
_VERSION = re.compile(r"== version #(\S+) ==")
_CONNECTION = re.compile(r"^\[ *\d+\] IP = \S+ +PORT = +\d+ # (TCP|UDP)")
# Older ones say avg-lat; behind std-dev newer ones have more.
_MEAN = re.compile(r"^sockperf: =+> avg-(?P<kind>lat|latency|rtt) ?= *(?P<mean>[\d.]+) \(std-dev=")
_COUNT = re.compile(
    r"^sockperf: \[Valid Duration\].* SentMessages=(?P<sent>\d{1,18});"
    r" ReceivedMessages=(?P<received>\d{1,18})"
)
_MODE = re.compile(r"\bsockperf\s+(?P<mode>ping-pong|pp|under-load|ul|playback|pb)\b")
_BURST = re.compile(r"\s(?:-b ?|--burst[ =])(\d{1,18})")
_LOAD = re.compile(r"\s--mps[ =](\d+|max)")
_SIZE = re.compile(r"\s(?:-m ?|--msg-size[ =])(\d{1,18})\b")
# In ping-pong every message is answered, under load one in 100 by default.
_UNANSWERED = 1.5
_PERCENTILE = re.compile(
    r"^sockperf: ---> (?:percentile (?P<at>[\d.]+)|<(?P<end>MAX|MIN)> observation) +="
    r" +(?P<time>[\d.]+)$"
)
_RATE = re.compile(r"^sockperf: Summary: BandWidth is (\S+) ([MG])Bps\b")
# Of a throughput by messages that are no packet each.
_STATED_SIZE = re.compile(r"^sockperf: NOTE: test was performed, using msg-size=(\d{1,18})\.")
_FULL_LOG = re.compile(r"^test was performed using the following parameters: ")
# Of several servers each has its own figures. Without one a run has none.
_SERVER = re.compile(r"^sockperf: =+ Printing statistics for Server No: (\d{1,18})")
_STARTS = re.compile(r"^sockperf\[CLIENT\]")
_ROWS = re.compile(r"^sockperf: (?:=+> avg-|\[Valid Duration\]|Summary: )")
_REMARK = re.compile(r"^sockperf(?:\[\w+\])?[: ]")
_IS_LOG = "this is a full log of single messages"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    skip_overlapping(text, _STARTS, _ROWS)
    reader = _Reader(given)
    text.each(reader.take)
    reader.end()
    return finished(text, reader.rows, version=reader.version, command=command)


class _Reader:
    """The state between the lines: the mean of a run, until its percentiles are over."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._protocol = "tcp"
        self._count = self._sent = self._size = 0
        self._is_log = False
        # Each server that a run has figures of.
        self._said: set[str] = set()
        self._server = ""
        self._mean: tuple[OutputLine, str, str] | None = None
        self._latencies: dict[str, float] = {}

    def take(self, line: OutputLine) -> None:
        """One line."""
        text = line.text
        self._is_log = self._is_log or bool(_FULL_LOG.match(text))
        if version := _VERSION.search(text):
            self.end()
            self.version, self._size, self._server, self._said = version[1], 0, "", set()
        elif server := _SERVER.match(text):
            self.end()
            self._server = server[1]
        elif connection := _CONNECTION.match(text):
            self._protocol = connection[1].lower()
        elif count := _COUNT.match(text):
            self._count, self._sent = int(count["received"]), int(count["sent"])
        elif stated := _STATED_SIZE.match(text):
            self._size = int(stated[1])
        elif text and not self._figure(line) and not _REMARK.match(text):
            line.refuse(_IS_LOG if self._is_log else "")

    def _figure(self, line: OutputLine) -> bool:
        """Whether a line says something of a figure, which is kept."""
        text = line.text
        if mean := _MEAN.match(text):
            self._once(line, f"mean {self._server}")
            self.end()
            self._mean = (line, mean["kind"], mean["mean"])
        elif found := _PERCENTILE.match(text):
            name = {"MAX": "100", "MIN": "0", None: ""}[found["end"]] or f"{float(found['at']):g}"
            if self._mean is None or name in self._latencies:
                line.refuse("no line before it has its mean")
            self._latencies[name] = 1000 * float(line.number_of(found["time"]))
        elif rate := _RATE.match(text):
            self._once(line, "rate")
            unit = MIB if rate[2] == "M" else 1000 * MIB
            self.rows.append(self._place(own("stream"), line, rate[1], unit))
        else:
            return False
        return True

    def _once(self, line: OutputLine, what: str) -> None:
        if what in self._said:
            line.refuse("its run has such a figure already")
        self._said.add(what)

    def end(self) -> None:
        """A run's last line: its figure."""
        if self._mean is None:
            return
        line, kind, mean = self._mean
        self.rows.append(
            self._place(
                self._latency_test(line, kind),
                line,
                mean,
                operations=self._count,
                latencies_ns=self._latencies,
            )
        )
        self._mean, self._latencies, self._count, self._sent = None, {}, 0, 0

    def _place(
        self,
        test: Pattern,
        line: OutputLine,
        word: str,
        unit: Decimal | None = None,
        **stated: Any,
    ) -> StatedRow:
        """The row of a figure, of a rate in this unit; of a test of its own without its size."""
        typed = _SIZE.search(line.command)
        size = int(typed[1]) if typed else self._size or self._given.bytes
        if size is None:
            test, size = without_size("sockperf", test), 0 if unit is None else 1
        transport = self._given.transport or self._protocol
        section = StatedSection(test=test, transport=transport)
        if unit is None:
            return section.latency(line, size, word, **stated)
        return section.bandwidth(line, size, word, unit, **stated)

    def _latency_test(self, line: OutputLine, kind: str) -> Pattern:
        """By the command; without one, what has few answers for its messages is under load."""
        mode, burst, load = (r.search(line.command) for r in (_MODE, _BURST, _LOAD))
        name = {"pp": "", "ping-pong": "", "ul": "under load", "pb": "playback"}
        words = [name.get(mode["mode"], mode["mode"].replace("-", " "))] if mode else []
        if not mode and self._sent > _UNANSWERED * self._count:
            words = ["under load"]
        if load and words == ["under load"]:
            words = [f"under load of {load[1]} messages per s"]
        words += [f"bursts of {burst[1]}"] if burst and burst[1] != "1" else []
        words += ["round trip"] if kind == "rtt" else []
        title = ", ".join(word for word in words if word)
        if not title:
            return own("ping_pong")
        # Half a round trip is divided by sockperf, which a latency of weft's is too.
        return other("sockperf", title, divisor=1 if kind == "rtt" else 2)


SOCKPERF = Peer(name="sockperf", marks=(_MARK,), read=read)
