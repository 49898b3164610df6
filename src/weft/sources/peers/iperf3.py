"""Outputs of iperf3: text and --json (iperf3_json.py), of one run or many; text of iperf 2.

The receiver's rate counts, of all streams together, in text `receiver` or `[SUM]` of it. An output
without it has one side's account, which is kept under that name. Lower-case bits have prefixes of
1000 (src/units.c). The block of a read or write is its message: -V and the command's -l state it,
and of a command without either it is 128 KiB over TCP.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from weft.sources.peers.iperf3_json import MARK, read_json
from weft.sources.peers.iperf3_rows import (
    USUAL_TCP_BYTES,
    bytes_typed,
    pace_typed,
    test_of,
    utc_of,
)
from weft.sources.peers.stated import (
    Given,
    Peer,
    StatedOutput,
    StatedRow,
    StatedSection,
    finished,
)
from weft.sources.peers.tables import skip_overlapping
from weft.sources.peers.tests import other, without_size
from weft.sources.peers.text import LineError, scale_of

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

_HEADS = re.compile(r"^\[ *ID\](?:\[Role\])? Interval +Transfer +(?:Bitrate|Bandwidth)(?P<rest>.*)")
_MARKS = (
    MARK,
    re.compile(r"^\[ *ID\](?:\[Role\])? Interval +Transfer +"),
)
_PROGRAM = re.compile(r"\biperf3?\b")
_FIGURE = re.compile(
    r"^\[ *(?P<id>\d+|SUM)\](?:\[(?P<role>\w+-\w)\])?"
    r" +(?P<begin>[\d.]{1,12})- *(?P<end>[\d.]{1,12})"
    r" +sec +[\d.]+ [KMGT]?Bytes +(?P<rate>[\d.]+) (?P<prefix>[KMGT]?)(?P<unit>bits|Bytes)/sec"
    r"(?P<rest>.*)$"
)
_BEGINS = re.compile(r"^(?:Connecting to host |iperf Done\.$|Client connecting to )")
_OF_TWO = re.compile(
    r"^(?:Client connecting to .*, (?P<over>TCP|UDP) port|Server listening on (?:TCP|UDP))"
)
_ACCEPTS = re.compile(r"^Accepted connection from ")
_BLOCKS = re.compile(r"^Starting Test: protocol: (\w+), \d+ streams?, (\d{1,18}) byte blocks")
_VERSION = re.compile(r"^iperf (\d\S*)")
_HOST = re.compile(r"^Linux (\S+) \d")
_TIME = re.compile(r"^Time: (.*)$")
_STARTS = re.compile(r"^Connecting to host ")
_REMARK = re.compile(
    r"^(?:Reverse mode|\[ *\d+\](?:\[[\w-]+\])? local|[- ]+$|-{10,}|Server listening"
    r"|Control connection MSS|Cookie: |TCP MSS: |Target Bitrate: |Test Complete\. Summary"
    r"|CPU Utilization: |(?:snd|rcv)_tcp_congestion |\[ *(?:\d+|SUM)\] Sent \d+ datagrams$"
    r"|Accepted connection from |TCP window size: "
    r"|UDP buffer size: |Sending \d+ byte datagrams|Binding to local)"
)
ONE_SIDE = "no line of a run says what its receiver got: it is kept as one side's account"
_SERVERS = "Server output:"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs. Raises LineError if the reading is strict."""
    command = text.commands(_PROGRAM)
    if any(MARK.search(line.text) for line in text.lines):
        return read_json(text, given, command)
    skip_overlapping(text, _STARTS, _FIGURE)
    reader = _Reader(text, given)
    text.each(reader.take)
    reader.end()
    return finished(
        text,
        reader.rows,
        version=reader.version,
        command=command,
        host=reader.host,
        created_utc=reader.created_utc,
        notes=tuple(dict.fromkeys(reader.notes)),
    )


_Figure = tuple["OutputLine", "re.Match[str]"]


class _Reader:
    """The state between the lines: one run's streams, until its end or the next one."""

    def __init__(self, text: OutputText, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.notes: list[str] = []
        self.version = self.host = self.created_utc = ""
        self._text, self._given = text, given
        self._begin()

    def _begin(self) -> None:
        self._received: list[_Figure] = []
        self._others: list[_Figure] = []
        self._has_heads = self._is_servers = False
        self._protocol = "tcp"
        self._bytes = 0

    def take(self, line: OutputLine) -> None:
        """One line: the begin or end of a run, its heads, a figure, or a remark."""
        text = line.text
        figure = _FIGURE.match(text)
        if _BEGINS.match(text) or (_ACCEPTS.match(text) and not self._is_servers):
            self.end()
            two = _OF_TWO.match(text)
            self._protocol = (two["over"] or "TCP").lower() if two else "tcp"
        elif heads := _HEADS.match(text):
            if line.runs and self._others and self._others[-1][0].runs != line.runs:
                self.end()
            self._has_heads = True
            if "Datagrams" in heads["rest"]:
                self._protocol = "udp"
        elif figure and not self._has_heads:
            line.refuse("no line before it names the columns")
        elif figure and not self._is_servers:
            self._figure(line, figure)
        elif text == _SERVERS:
            # The other side's own account of what was counted already.
            self._is_servers = True
        elif text and not (self._stated(text) or figure or _REMARK.match(text)):
            line.refuse()

    def _figure(self, line: OutputLine, figure: re.Match[str]) -> None:
        rest = figure["rest"].strip()
        if rest.endswith("receiver"):
            known = [(one["id"], one["role"]) for _, one in self._received]
            if (figure["id"], figure["role"]) in known:
                line.refuse("its run has such a line already")
            self._received.append((line, figure))
        elif not rest.endswith("(omitted)"):
            self._others.append((line, figure))

    def _stated(self, text: str) -> bool:
        """Whether a line of -V says something of the run or its host."""
        if blocks := _BLOCKS.match(text):
            self._protocol, self._bytes = blocks[1].lower(), int(blocks[2])
        elif version := _VERSION.match(text):
            self.end()
            self.version = version[1]
        elif host := _HOST.match(text):
            self.host = host[1]
        elif time := _TIME.match(text):
            self.created_utc = self.created_utc or utc_of(time[1])
        else:
            return False
        return True

    def end(self) -> None:
        """The end of a run: its figures."""
        received, others = self._received, self._others
        if received:
            self._add(received, "")
        elif others:
            summary = _summary_of(others)
            self.notes.append(f"{others[-1][0].place}: {ONE_SIDE}")
            self._add(
                summary, "one side's account" if summary != others else "one side's intervals"
            )
        self._begin()

    def _add(self, found: list[_Figure], account: str) -> None:
        """The sums of streams of each role, or streams that are alone."""
        has_sum = any(one["id"] == "SUM" for _, one in [*found, *self._others])
        for role in dict.fromkeys(one["role"] for _, one in found):
            of_role = [(line, one) for line, one in found if one["role"] == role]
            streams = len({one["id"] for _, one in of_role} - {"SUM"})
            for line, one in of_role:
                try:
                    if one["id"] == "SUM" or (streams == 1 and not has_sum):
                        self.rows.append(self._row(line, one, streams, account))
                    elif not any(other_one["id"] == "SUM" for _, other_one in of_role):
                        line.refuse("the sum of the streams is missing")
                except LineError:
                    self._text.skip(line)

    def _row(
        self, line: OutputLine, figure: re.Match[str], streams: int, account: str
    ) -> StatedRow:
        size = self._bytes or bytes_typed(line) or self._given.bytes
        if size is None and line.command and self._protocol == "tcp":
            size = USUAL_TCP_BYTES
        is_bits = figure["unit"] == "bits"
        unit = Decimal(scale_of(figure["prefix"], 1000 if is_bits else 1024))
        pace = pace_typed(line, self._protocol)
        test = test_of(figure["role"] or "", streams, pace)
        if account:
            beside = ", ".join(filter(None, [test.title.partition(" (")[0], account]))
            test = other("iperf3", beside, divisor=0, factor=1)
        if size is None:
            test = without_size("iperf3", test)
        section = StatedSection(test=test, transport=self._given.transport or self._protocol)
        worth = unit / 8 if is_bits else unit
        return section.bandwidth(line, 1 if size is None else size, figure["rate"], worth)


def _summary_of(found: list[_Figure]) -> list[_Figure]:
    """The lines of a whole run: the sender's, or the longest; all if they are intervals."""
    if labelled := [(line, one) for line, one in found if one["rest"].strip().endswith("sender")]:
        return labelled
    longest = max(float(one["end"]) for _, one in found)
    whole = [
        (line, one)
        for line, one in found
        if float(one["begin"]) == 0 and float(one["end"]) == longest
    ]
    return whole or found


IPERF3 = Peer(name="iperf3", marks=_MARKS, read=read)
