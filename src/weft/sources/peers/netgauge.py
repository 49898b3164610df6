"""The console of Netgauge's one_one pattern: `N bytes -> X us == Y Mbit/s`.

X is the minimum of half the round trips; Y is of their median, 10^6 bits, so that both are kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedSection, refuse_empty
from weft.sources.peers.tests import own

if TYPE_CHECKING:
    from weft.sources.peers.text import OutputText

_VERSION = re.compile(r"Netgauge v(\S+)")
_FIGURE = re.compile(r"(?P<bytes>\d+) bytes *-> *(?P<time>[\d.]+) us *== *(?P<rate>[\d.]+) Mbit/s")
_MARK = re.compile(rf"{_VERSION.pattern}|{_FIGURE.pattern}")
_REMARK = re.compile(r"^(?:#|Info|\(|$)|Netgauge v|[Tt]esting|[Ii]nitializ|[Bb]enchmark")
_PROGRAM = re.compile(r"\bnetgauge\b")


def read(text: OutputText, given: Given) -> StatedOutput:
    """The figures of the file. Raises WeftError by line."""
    command = text.commands(_PROGRAM)
    section = StatedSection(test=own("ping_pong"), transport=given.transport or "mpi")
    rows = []
    version = ""
    for line in text.begin(_MARK):
        if found := _FIGURE.search(line.text):
            # Of a bandwidth of the median the median follows.
            size, rate = int(found["bytes"]), float(found["rate"])
            medians = {"50": 8000 * size / rate} if size and rate else {}
            rows.append(
                section.latency(line, size, found["time"], figure="minimum", latencies_ns=medians)
            )
        elif begun := _VERSION.search(line.text):
            version = begun[1]
        elif not _REMARK.search(line.text):
            line.refuse()
    refuse_empty(text, rows, "the output of Netgauge")
    return StatedOutput(rows=tuple(rows), version=version, command=command, failed=text.failed)


NETGAUGE = Peer(name="Netgauge", mark=_MARK, read=read)
