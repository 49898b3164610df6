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

from weft.sim.assumptions import FLOAT_BYTES, AssumedPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.simgrid import PlatformParameters
    from weft.sim.assumptions import Assumption

_LINES = ("smpi/os", "smpi/ois", "smpi/or")


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """How many times as long the platform's own times are, those of no byte and those of each; and
    all those of the `memory` that ranks of a node share. `assumed_ns` replaces assumed times."""

    fixed: float = 1.0
    byte: float = 1.0
    memory: float = 1.0
    assumed_ns: dict[AssumedPart, float] = {}


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


def ends_of_ranges(assumptions: Sequence[Assumption]) -> tuple[Move, ...]:
    """Each assumption at each end of its range, and all at the same end together.

    An end that equals the usual time is not simulated again.
    """
    usual = {one.part: one.usual_ns for one in assumptions}
    least = {one.part: one.least_ns for one in assumptions}
    most = {one.part: one.most_ns for one in assumptions}
    asked = [{part: end[part]} for part in usual for end in (least, most)]
    found: list[dict[AssumedPart, float]] = []
    for times in (*asked, least, most):
        changed = {part: time for part, time in times.items() if time != usual[part]}
        if changed and changed not in found:
            found.append(changed)
    return tuple(Move(assumed_ns=one) for one in found)


def with_assumed(parameters: PlatformParameters, move: Move) -> PlatformParameters:
    """The parameters with the times that the move assumes of switches and operations."""
    flops, sums = parameters.flops_per_s, parameters.sum_bytes_per_s
    if operation_ns := move.assumed_ns.get("computing"):
        # Additions have an assumption of their own.
        flops, sums = 1e9 / operation_ns, sums or FLOAT_BYTES * flops
    if addition_ns := move.assumed_ns.get("adder"):
        sums = FLOAT_BYTES * 1e9 / addition_ns
    hop_ns = move.assumed_ns.get("switches", parameters.hop_ns)
    return msgspec.structs.replace(
        parameters, hop_ns=hop_ns, flops_per_s=flops, sum_bytes_per_s=sums
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
