"""Outputs of iperf3: text and --json (iperf3_json.py), of one run or many in a row.

The receiver's rate counts, of all streams together, in text `receiver` or `[SUM]` of it. Lower-case
bits have prefixes of 1000 (src/units.c). The block of a read or write is its message: -V and the
command's -l state it, and of a command without either it is 128 KiB over TCP.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from weft.errors import WeftError
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
    refuse_empty,
)
from weft.sources.peers.tables import Tables
from weft.sources.peers.text import scale_of

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputLine, OutputText

# --timestamps puts strftime's %c before each line.
_STAMP = re.compile(r"^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}(?: |$)")
_HEADS = re.compile(r"^\[ *ID\](?:\[Role\])? Interval +Transfer +(?:Bitrate|Bandwidth)(?P<rest>.*)")
_MARK = re.compile(
    rf"^(?:{_STAMP.pattern[1:]})?\[ *ID\](?:\[Role\])? Interval +Transfer +|{MARK.pattern}"
)
_PROGRAM = re.compile(r"\biperf3\b")
_FIGURE = re.compile(
    r"^\[ *(?P<id>\d+|SUM)\](?:\[(?P<role>\w+-\w)\])? +[\d.]+- *[\d.]+ +sec +[\d.]+ [KMGT]?Bytes"
    r" +(?P<rate>[\d.]+) (?P<prefix>[KMGT]?)(?P<unit>bits|Bytes)/sec(?P<rest>.*)$"
)
_BEGINS = re.compile(r"^(?:Connecting to host |iperf Done\.$)")
_ACCEPTS = re.compile(r"^Accepted connection from ")
_BLOCKS = re.compile(r"^Starting Test: protocol: (\w+), \d+ streams?, (\d+) byte blocks")
_VERSION = re.compile(r"^iperf (\d\S*)")
_HOST = re.compile(r"^Linux (\S+) \d")
_TIME = re.compile(r"^Time: (.*)$")
_REMARK = re.compile(
    r"^(?:Reverse mode|\[ *\d+\](?:\[[\w-]+\])? local|[- ]+$|$|-{10,}|Server listening"
    r"|Control connection MSS| +Cookie: | +TCP MSS: | *Target Bitrate: |Test Complete\. Summary"
    r"|CPU Utilization: |(?:snd|rcv)_tcp_congestion |\[ *(?:\d+|SUM)\] Sent \d+ datagrams$)"
)
NO_RECEIVER = (
    "no line of this run says what its receiver got",
    "import the output of its client: iperf3 up to 3.1 does not say it of UDP, nor iperf 2 at all",
)
_SERVERS = "Server output:"


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of all runs. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    first = next((line for line in text.lines if line.text.strip()), None)
    if first is not None and first.text.startswith("{"):
        return read_json(text, given, command)
    reader = _Reader(given)
    for line in text.lines:
        line.text = _STAMP.sub("", line.text)
        reader.take(line)
    reader.end()
    refuse_empty(text, reader.rows, "the output of iperf3")
    return StatedOutput(
        rows=tuple(reader.rows),
        version=reader.version,
        command=command,
        host=reader.host,
        created_utc=reader.created_utc,
        failed=text.failed,
    )


class _Reader:
    """The state between the lines: one run's streams, until its end or the next one."""

    def __init__(self, given: Given) -> None:
        self.rows: list[StatedRow] = []
        self.version = self.host = self.created_utc = ""
        self._given = given
        self._begin()

    def _begin(self) -> None:
        self._tables = Tables()
        self._found: list[tuple[OutputLine, re.Match[str]]] = []
        self._has_sum = self._has_heads = self._is_servers = False
        self._last: OutputLine | None = None
        self._protocol = "tcp"
        self._bytes = 0

    def take(self, line: OutputLine) -> None:
        """One line: the begin or end of a run, its heads, a figure, or a remark."""
        text = line.text
        figure = _FIGURE.match(text)
        if _BEGINS.match(text) or (_ACCEPTS.match(text) and not self._is_servers):
            self.end()
        elif heads := _HEADS.match(text):
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
        elif not self._stated(text) and self._has_heads:
            known = figure or _REMARK.match(text) or _ACCEPTS.match(text)
            if not known:
                line.refuse()

    def _figure(self, line: OutputLine, figure: re.Match[str]) -> None:
        self._has_sum = self._has_sum or figure["id"] == "SUM"
        self._last = line
        if figure["rest"].rstrip().endswith("receiver"):
            self._tables.once(line, (figure["id"], figure["role"]))
            self._found.append((line, figure))

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
        """The end of a run: its figures. Raises WeftError for a sum that is missing."""
        if self._last and not self._found:
            self._last.refuse(*NO_RECEIVER)
        sums = [one for one in self._found if one[1]["id"] == "SUM"] or self._found
        roles = {one["role"] for _, one in sums}
        if len(sums) > len(roles) or (self._has_sum and sums and sums[0][1]["id"] != "SUM"):
            sums[-1][0].refuse("the sum of the streams is missing", "import the whole output")
        for line, figure in sums:
            streams = [one for _, one in self._found if one["role"] == figure["role"]]
            self.rows.append(self._row(line, figure, sum(s["id"] != "SUM" for s in streams)))
        self._begin()

    def _row(self, line: OutputLine, figure: re.Match[str], streams: int) -> StatedRow:
        size = self._bytes or bytes_typed(line) or self._given.bytes
        if size is None and line.command and self._protocol == "tcp":
            size = USUAL_TCP_BYTES
        if size is None:
            raise WeftError(
                f"{line.place}: iperf3 does not print the length of its blocks",
                "type --bytes with it (128KiB is its default for TCP)",
            )
        is_bits = figure["unit"] == "bits"
        unit = Decimal(scale_of(figure["prefix"], 1000 if is_bits else 1024))
        pace = pace_typed(line, self._protocol)
        section = StatedSection(
            test=test_of(figure["role"] or "", streams, pace),
            transport=self._given.transport or self._protocol,
        )
        return section.bandwidth(line, size, figure["rate"], unit / 8 if is_bits else unit)


IPERF3 = Peer(name="iperf3", mark=_MARK, read=read)
