"""What a simulation costs here, by small runs on more and more nodes. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

# Smaller simulations are not worth a forecast.
FEWEST_NODES = 128
PILOTS = (16, 8, 4, 2)
# The last of these is omitted where the one before took a processor so long, s: it costs a quarter
# of the whole. Without it the whole may take more than twice what is foreseen: time grew by
# nodes^1.4 up to 1,024 and by nodes^2.1 up to 4,096 of a tree of three levels.
LONG_S = 30.0
# What the smallest one takes is nearly all its start.
_SMALLEST = 4
_START = 0.9
# No simulation grows slower than its nodes. Pairs of them that share links take time by their
# number squared.
_LEAST_POWER, _MOST_POWER = 1.0, 4.0
# Of few nodes time grows faster than of many: until some message ends at each moment that the
# simulator distinguishes. So further small runs are begun as long as this would do.
HOPED_POWER = 1.5
_MOST_MEMORY_POWER = 2.0
# What small runs have beyond the least is by chance below so many bytes.
_BY_CHANCE = 1e7
# Below so much a forecast is not worth a figure, s: what starts costs as much as what is simulated.
SHORT_S = 10.0
# Nor is one of so little memory.
SMALL_BYTES = 1.5e8
_TWO = 2


class Pilot(msgspec.Struct, frozen=True, kw_only=True):
    """A small run: what it took by the clock and of a processor, and its memory.

    The first without the second (0) is all that is known of it.
    """

    nodes: int
    seconds: float
    peak_bytes: int
    processor_s: float = 0.0

    @property
    def work_s(self) -> float:
        """What it took of a processor: other processes make it no longer."""
        return self.processor_s or self.seconds


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a run on `nodes` will take: a start and nodes to the `power`, and so does memory.

    `processor_s` is the part of `seconds` in which it has a processor.
    """

    nodes: int
    seconds: float
    processor_s: float
    peak_bytes: float
    power: float
    pilots: tuple[Pilot, ...]


def pilot_sizes(nodes: int) -> tuple[int, ...]:
    """So many nodes the small runs have, the fewest first; none for what is small itself."""
    if nodes < FEWEST_NODES:
        return ()
    return (_SMALLEST, *(nodes // part for part in PILOTS))


def is_enough(done: Sequence[Pilot], nodes: int) -> bool:
    """Whether the small runs that are done say enough of one on so many nodes."""
    return bool(done) and done[-1].nodes >= nodes // PILOTS[-2] and done[-1].work_s >= LONG_S


def forecast(
    pilots: Sequence[Pilot], nodes: int, most_power: float = _MOST_POWER
) -> Forecast | None:
    """From runs on growing numbers of nodes; None of fewer than two.

    Time is a start, which is most of what the shortest run took, and a power of the nodes through
    the last two, `most_power` at most, both of a processor: on a busy machine times by the clock
    differ by chance. All of it takes as much longer by the clock as the small runs together did.
    Memory is what the least run has and a power too. Where a run seems to have no more than the
    least, that power is not known, and memory grows by the steepest line.
    """
    if len(pilots) < _TWO:
        return None
    before, last = pilots[-2], pilots[-1]
    start = _START * min(one.work_s for one in pilots)
    power = _power(before, last, (before.work_s - start, last.work_s - start), most_power)
    waits = sum(one.seconds for one in pilots) / sum(one.work_s for one in pilots)
    work_s = start + (last.work_s - start) * (nodes / last.nodes) ** power
    return Forecast(
        nodes=nodes,
        seconds=waits * work_s,
        processor_s=work_s,
        peak_bytes=_memory(pilots, nodes),
        power=power,
        pilots=tuple(pilots),
    )


def _power(before: Pilot, last: Pilot, own: tuple[float, float], most: float) -> float:
    """Of the nodes by which what both have of their own grows."""
    power = math.log(own[1] / own[0]) / math.log(last.nodes / before.nodes) if own[1] > 0 else 1.0
    return min(max(power, _LEAST_POWER), most)


def _memory(pilots: Sequence[Pilot], nodes: int) -> float:
    before, last = pilots[-2], pilots[-1]
    least = min(one.peak_bytes for one in pilots)
    own = (before.peak_bytes - least, last.peak_bytes - least)
    if own[0] > _BY_CHANCE and own[1] > own[0]:
        power = _power(before, last, own, _MOST_MEMORY_POWER)
        return float(least + own[1] * (nodes / last.nodes) ** power)
    each = max((last.peak_bytes - one.peak_bytes) / (last.nodes - one.nodes) for one in pilots[:-1])
    return last.peak_bytes + max(each, 0.0) * (nodes - last.nodes)
