"""The tests that imported figures belong to: weft's own where the definition is the same.

A figure that weft has no test for keeps the name that its program has for it.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from weft.plan.pattern import FigureKind, Pattern
from weft.wording import WITHOUT_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping

# Title, what latency is divided by, how often bandwidth counts the size, kind of figure: as the
# engine describes them (a test asks it).
_OWN: Mapping[str, tuple[str, int, int, FigureKind]] = MappingProxyType(
    {
        "ping_pong": ("Latency", 2, 2, "latency"),
        "ping_ping": ("Bidirectional latency", 1, 1, "latency"),
        "stream": ("Bandwidth", 0, 1, "bandwidth"),
        "bidirectional_stream": ("Bidirectional bandwidth", 0, 2, "bandwidth"),
        "window_stream": ("Bandwidth by windows", 0, 1, "bandwidth"),
        "bidirectional_window_stream": ("Bidirectional bandwidth by windows", 0, 2, "bandwidth"),
        "sendrecv": ("SendRecv", 1, 2, "exchange"),
        "put_latency": ("Latency of a put", 1, 1, "one_sided_latency"),
        "get_latency": ("Latency of a get", 1, 1, "one_sided_latency"),
        "put_ping_pong": ("Put latency with polled memory", 2, 2, "one_sided_latency"),
        "put_stream": ("Bandwidth of puts", 0, 1, "bandwidth"),
        "get_stream": ("Bandwidth of gets", 0, 1, "bandwidth"),
        "allreduce": ("Allreduce", 1, 0, "collective"),
        "broadcast": ("Broadcast", 1, 0, "collective"),
        "alltoall": ("All to all", 1, 0, "collective"),
        "allgather": ("Allgather", 1, 0, "collective"),
        "barrier": ("Barrier", 1, 0, "collective"),
    }
)


def own(name: str) -> Pattern:
    """A test of weft's."""
    title, divisor, factor, figure = _OWN[name]
    return Pattern(
        name=name,
        title=title,
        summary="as another program measured it",
        ranks=2,
        latency_divisor=divisor,
        bandwidth_factor=factor,
        figure=figure,
        has_size=name not in WITHOUT_SIZE,
        has_queue=figure == "bandwidth",
    )


def other(
    tool: str, title: str, *, divisor: int = 1, factor: int = 0, figure: FigureKind = ""
) -> Pattern:
    """A test that only this tool has, under its title there; by itself one of all ranks."""
    name, whole, summary = _named(tool, title)
    return Pattern(
        name=name,
        title=whole,
        summary=summary,
        ranks=2,
        latency_divisor=divisor,
        bandwidth_factor=factor,
        figure=figure if divisor else "bandwidth",
    )


def variation(tool: str, same: Pattern, title: str) -> Pattern:
    """A test that is like one of weft's, and not the same: its figures are defined alike."""
    name, whole, summary = _named(tool, title)
    return msgspec.structs.replace(same, name=name, title=whole, summary=summary)


def without_size(tool: str, same: Pattern) -> Pattern:
    """A test whose output does not state its message size: no other test's figures are like it.

    A bandwidth is kept as the time of one byte.
    """
    plain = same.title.partition(" (")[0]
    titled = variation(tool, same, f"{plain}, message size not stated")
    return msgspec.structs.replace(
        titled, has_size=False, bandwidth_factor=0 if same.latency_divisor else 1
    )


def _named(tool: str, title: str) -> tuple[str, str, str]:
    """A test's name, title and summary."""
    words = re.sub(r"[^a-z0-9]+", "_", f"{tool} {title}".lower()).strip("_")
    return words, f"{title} ({tool})", f"as {tool} measured it"
