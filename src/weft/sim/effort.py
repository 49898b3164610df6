"""What a simulation costs here, by small runs on more and more nodes. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

# Smaller simulations are not worth a forecast.
FEWEST_NODES = 128
PILOTS = (16, 8, 4)
# What the smallest one takes is nearly all its start.
_SMALLEST = 4
_START = 0.9
# No simulation's time grows slower than its nodes, nor faster than pairs of them.
_LEAST_POWER, _MOST_POWER = 1.0, 2.0
_TWO = 2


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """A small run: what it took."""

    nodes: int
    seconds: float
    peak_bytes: int


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a run on `nodes` will take: a start and nodes to the `power`, and memory on a line."""

    nodes: int
    seconds: float
    peak_bytes: float
    power: float
    pilots: tuple[Pilot, ...]


def pilot_sizes(nodes: int) -> tuple[int, ...]:
    """So many nodes the small runs have, the fewest first; none for what is small itself."""
    if nodes < FEWEST_NODES:
        return ()
    return (_SMALLEST, *(nodes // part for part in PILOTS))


def forecast(pilots: Sequence[Pilot], nodes: int) -> Forecast | None:
    """From runs on growing numbers of nodes; None of fewer than two.

    Time is a start, which is most of what the shortest run took, and a power of the nodes through
    the last two. Memory grows by the steepest line from a run to the last one: of small ones it
    vanishes behind what this process itself has when it starts them.
    """
    if len(pilots) < _TWO:
        return None
    before, last = pilots[-2], pilots[-1]
    start = _START * min(one.seconds for one in pilots)
    grown = math.log((last.seconds - start) / (before.seconds - start))
    power = grown / math.log(last.nodes / before.nodes)
    power = min(max(power, _LEAST_POWER), _MOST_POWER)
    each = max((last.peak_bytes - one.peak_bytes) / (last.nodes - one.nodes) for one in pilots[:-1])
    return Forecast(
        nodes=nodes,
        seconds=start + (last.seconds - start) * (nodes / last.nodes) ** power,
        peak_bytes=last.peak_bytes + max(each, 0.0) * (nodes - last.nodes),
        power=power,
        pilots=tuple(pilots),
    )
