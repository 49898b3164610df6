"""A platform's parameters moved within the errors of its calibration. Pure.

What a message takes is made of times that no byte changes (latency, overheads) and of times of
each byte (bandwidth, copies, the bus). Each kind is off by at most so much; the fabrics of a
comparison have the same links, so all are moved alike. All of the platform's own times longer by a
factor make every time longer by it, and no ratio changes: what counts is how much one kind is
longer than the other, and that is largest in the opposite corners. A time that is not the
platform's (a further switch, computing) stays, and with it the other two corners count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.fabric.simgrid import PlatformParameters

_LINES = ("smpi/os", "smpi/ois", "smpi/or")


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """How many times as long the platform's own times are, those of no byte and those of each; and
    all those of the `memory` that ranks of a node share."""

    fixed: float = 1.0
    byte: float = 1.0
    memory: float = 1.0


def corners(
    fixed: tuple[float, float],
    byte: tuple[float, float],
    memory: tuple[float, float] = (1.0, 1.0),
) -> tuple[Move, ...]:
    """All kinds as far off as they may be, each way: the opposite ones first.

    The ends are how many times as long a kind may be, at least and at most. What ranks of a node
    send to each other takes as long on each fabric of a comparison: the longer, the smaller is a
    difference, so both of its kinds are moved as one.
    """
    (fixed_low, fixed_high), (byte_low, byte_high) = fixed, byte
    of_links = (
        (fixed_low, byte_high), (fixed_high, byte_low),
        (fixed_low, byte_low), (fixed_high, byte_high),
    )  # fmt: skip
    return tuple(
        Move(fixed=one, byte=other, memory=end)
        for one, other in of_links
        for end in dict.fromkeys(memory)
    )


def moved(parameters: PlatformParameters, move: Move) -> PlatformParameters:
    """The links and hosts with these times; a further switch and computing stay as they are."""
    settings = {
        name: _line(text, move) if name in _LINES else text
        for name, text in parameters.settings.items()
    }
    return msgspec.structs.replace(
        parameters,
        latency_ns=parameters.latency_ns * move.fixed,
        bandwidth_bytes_per_s=parameters.bandwidth_bytes_per_s / move.byte,
        bus_bytes_per_s=parameters.bus_bytes_per_s / move.byte,
        settings=settings,
        further={name: _line(text, move) for name, text in parameters.further.items()},
    )


def _line(text: str, move: Move) -> str:
    """Pieces of SimGrid's: a size, a time, and a time of each byte."""
    pieces = []
    for piece in text.split(";"):
        size, fixed, byte = piece.split(":")
        pieces.append(f"{size}:{float(fixed) * move.fixed:.12g}:{float(byte) * move.byte:.12g}")
    return ";".join(pieces)
