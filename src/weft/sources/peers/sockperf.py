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
from weft.sources.peers.tables import Tables
from weft.sources.peers.tests import other, own

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine, OutputText

_MARK = re.compile(r"^sockperf: ")
_PROGRAM = re.compile(r"\bsockperf\b")
_VERSION = re.compile(r"== version #(\S+) ==")
_CONNECTION = re.compile(r"^\[ *\d+\] IP = \S+ +PORT = +\d+ # (TCP|UDP)")
# Older ones say avg-lat; behind std-dev newer ones have more.
_MEAN = re.compile(r"^sockperf: =+> avg-(?P<kind>lat|latency|rtt) ?= *(?P<mean>[\d.]+) \(std-dev=")
_COUNT = re.compile(
    r"^sockperf: \[Valid Duration\].* SentMessages=(?P<sent>\d+);"
    r" ReceivedMessages=(?P<received>\d+)"
)
_MODE = re.compile(r"\bsockperf\s+(?P<mode>ping-pong|pp|under-load|ul|playback|pb)\b")
_BURST = re.compile(r"\s(?:-b ?|--burst[ =])(\d+)")
_LOAD = re.compile(r"\s--mps[ =](\d+|max)")
_SIZE = re.compile(r"\s(?:-m ?|--msg-size[ =])(\d+)\b")
# In ping-pong every message is answered, under load one in 100 by default.
_UNANSWERED = 1.5
_PERCENTILE = re.compile(
    r"^sockperf: ---> (?:percentile (?P<at>[\d.]+)|<(?P<end>MAX|MIN)> observation) +="
    r" +(?P<time>[\d.]+)$"
)
_RATE = re.compile(r"^sockperf: Summary: BandWidth is (\S+) ([MG])Bps \(")
_SUMMARY = re.compile(r"^sockperf: Summary: (?:Latency|Round trip) is ")
# Of a throughput by messages that are no packet each.
_STATED_SIZE = re.compile(r"^sockperf: NOTE: test was performed, using msg-size=(\d+)\.")
_FULL_LOG = re.compile(r"^test was performed using the following parameters: ")
# Of several servers each has its own figures. Without one a run has none.
_SERVER = re.compile(r"^sockperf: =+ Printing statistics for Server No: (\d+)")
_ERROR = re.compile(r"^sockperf: ERROR: ")
_REMARK = re.compile(r"^sockperf(?:\[CLIENT\])?[: ]|^$")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs in the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    reader = _Reader(given)
    for line in text.lines:
        if _FULL_LOG.match(line.text):
            line.refuse("this is a full log of single messages", "import what sockperf printed")
    for line in text.begin(re.compile(r"^sockperf")):
        reader.take(line)
    reader.end()
    refuse_empty(text, reader.rows, "the output of sockperf")
    return StatedOutput(
        rows=tuple(reader.rows), version=reader.version, command=command, failed=text.failed
    )


class _Reader:
    """The state between the lines: the mean of a run, until its percentiles are over."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = ""
        self._given = given
        self._protocol = "tcp"
        self._count = self._sent = self._size = 0
        self._server = ""
        self._tables = Tables()
        self._mean: tuple[OutputLine, str, str] | None = None
        self._latencies: dict[str, float] = {}

    def take(self, line: OutputLine) -> None:
        """One line."""
        text = line.text
        if version := _VERSION.search(text):
            self.end()
            self._tables.begin(line)
            self.version, self._size, self._server = version[1], 0, ""
        elif _ERROR.match(text):
            self._tables.once(line, text)
        elif server := _SERVER.match(text):
            self._server = server[1]
        elif connection := _CONNECTION.match(text):
            self._protocol = connection[1].lower()
        elif count := _COUNT.match(text):
            self._count, self._sent = int(count["received"]), int(count["sent"])
        elif stated := _STATED_SIZE.match(text):
            self._size = int(stated[1])
        elif not self._figure(line) and not _REMARK.match(text):
            line.refuse()

    def _figure(self, line: OutputLine) -> bool:
        """Whether a line says something of a figure, which is kept."""
        text = line.text
        if mean := _MEAN.match(text):
            self._tables.once(line, ("mean", self._server))
            self._mean = (line, mean["kind"], mean["mean"])
        elif _SUMMARY.match(text):
            if self._mean is None:
                line.refuse("no line before it has the mean", "import the whole output")
        elif found := _PERCENTILE.match(text):
            name = {"MAX": "100", "MIN": "0", None: ""}[found["end"]] or f"{float(found['at']):g}"
            self._latencies[name] = 1000 * float(found["time"])
            if found["end"] == "MIN":
                self.end()
        elif rate := _RATE.match(text):
            self._tables.once(line, "rate")
            unit = MIB if rate[2] == "M" else 1000 * MIB
            self.rows.append(
                self._section(own("stream")).bandwidth(line, self._bytes(line), rate[1], unit)
            )
        else:
            return False
        return True

    def end(self) -> None:
        """A run's last line: its figure. The shortest observation is printed last."""
        if self._mean is None:
            return
        line, kind, mean = self._mean
        if "0" not in self._latencies:
            line.refuse("its percentiles are missing", "import the whole output")
        row = self._section(self._latency_test(line, kind)).latency(
            line,
            self._bytes(line),
            mean,
            operations=self._count,
            latencies_ns=self._latencies,
        )
        self.rows.append(row)
        self._mean, self._latencies, self._count, self._sent = None, {}, 0, 0

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

    def _section(self, test: Pattern) -> StatedSection:
        return StatedSection(
            test=test,
            transport=self._given.transport or self._protocol,
            ranks=USUAL_RANKS,
        )

    def _bytes(self, line: OutputLine) -> int:
        typed = _SIZE.search(line.command)
        size = int(typed[1]) if typed else self._size or self._given.bytes
        if size is None:
            raise WeftError(
                f"{line.place}: sockperf does not print the message size",
                "type --bytes with it (14 is its default)",
            )
        return size


SOCKPERF = Peer(name="sockperf", mark=_MARK, read=read)
