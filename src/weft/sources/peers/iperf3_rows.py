"""What a figure of iperf3 is of: one stream or several, one way or both, at full speed or paced."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from weft.sources.peers.tests import other, own
from weft.sources.peers.text import scale_of
from weft.wording import counted

if TYPE_CHECKING:
    from weft.plan.pattern import Pattern
    from weft.sources.peers.text import OutputLine

USUAL_TCP_BYTES = 128 << 10
# What UDP without -b is held to; 0 is no bound.
_USUAL_UDP_BITS = 1_000_000
_UNKNOWN_PACE = -1
_LENGTH = re.compile(r"\s(?:-l ?|--len(?:gth)?[ =])(?P<count>[\d.]+)(?P<prefix>[kKmMgG]?)\b")
_PACE = re.compile(
    r"\s(?:-b ?|--bitrate[ =]|--bandwidth[ =])(?P<count>[\d.]+)(?P<prefix>[kKmMgG]?)"
)


def bytes_typed(line: OutputLine) -> int | None:
    """The length that the command of a line has; None where it has none."""
    typed = _LENGTH.search(line.command)
    return typed and int(_scaled(line, typed, 1024))


def pace_typed(line: OutputLine, protocol: str) -> int:
    """To how many bits/s a run is held, by its command: 0 for none, -1 where nothing says it."""
    typed = _PACE.search(line.command)
    if typed:
        return int(_scaled(line, typed, 1000))
    if protocol != "udp":
        return 0
    return _USUAL_UDP_BITS if line.command else _UNKNOWN_PACE


def _scaled(line: OutputLine, typed: re.Match[str], base: int) -> float:
    return float(line.number_of(typed["count"])) * scale_of(typed["prefix"], base)


def test_of(role: str, streams: int, pace: int) -> Pattern:
    """weft's stream where nothing is unlike it; what is paced shows its pace and no bandwidth."""
    words = [f"both ways, {role}"] if role else []
    words += [counted(streams, "parallel stream")] if streams > 1 else []
    words += [f"paced at {pace / 1e6:g} Mbit/s"] if pace > 0 else []
    words += ["paced"] if pace == _UNKNOWN_PACE else []
    return other("iperf3", ", ".join(words), divisor=0, factor=1) if words else own("stream")


def utc_of(text: str) -> str:
    """A date as iperf3 writes it, GMT or, of other systems, UTC; empty for another one."""
    try:
        found = datetime.datetime.strptime(
            text.strip().replace("UTC", "GMT"), "%a, %d %b %Y %H:%M:%S GMT"
        )
    except ValueError:
        return ""
    return found.isoformat() + "+00:00"
