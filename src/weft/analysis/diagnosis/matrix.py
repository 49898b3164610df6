"""The matrix of all pairs, its endpoints in an order that shows what is behind one switch. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weft.analysis.diagnosis.diagnose import excess_of
from weft.fabric.known import LEVEL_OF_HOST, LEVEL_OF_RAIL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.pair_times import PairTimes
    from weft.fabric.known import KnownFabric


class PairMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """A value for each directed pair, the source's row and the target's column.

    The arrays have shape (endpoints, endpoints), in the order of `names`, and are not a number
    where a pair was not measured: `time_ns` is the median over the pair's visits, `slower` the
    share by which it is beyond what is usual so far apart, and `visits` counts. `begins` are the
    places where another group of endpoints begins.
    """

    names: tuple[str, ...]
    time_ns: NDArray[Any]
    slower: NDArray[Any]
    visits: NDArray[Any]
    begins: tuple[int, ...] = ()


def matrix_of(times: PairTimes, fabric: KnownFabric) -> PairMatrix:
    """All pairs of these times, endpoints of one group side by side."""
    order, begins = _ordered(times.names, fabric)
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    used = times.at(np.isfinite(times.time_ns))
    source, target = place[used.source], place[used.target]
    count = len(order)
    excess = np.expm1(excess_of(used, fabric)) if len(used.source) else np.array([])
    visits = np.zeros((count, count), dtype=int)
    np.add.at(visits, (source, target), 1)
    return PairMatrix(
        names=tuple(times.names[at] for at in order),
        time_ns=_medians(source, target, used.time_ns, count),
        slower=_medians(source, target, excess, count),
        visits=visits,
        begins=begins,
    )


def in_order(matrix: PairMatrix, names: Sequence[str]) -> PairMatrix:
    """The same pairs in the order of these names, those that it has."""
    known = {name: at for at, name in enumerate(matrix.names)}
    kept = [known[name] for name in names if name in known]
    places = np.ix_(kept, kept)
    return PairMatrix(
        names=tuple(matrix.names[at] for at in kept),
        time_ns=matrix.time_ns[places],
        slower=matrix.slower[places],
        visits=matrix.visits[places],
    )


def _ordered(names: Sequence[str], fabric: KnownFabric) -> tuple[list[int], tuple[int, ...]]:
    """The places of the endpoints, those of a leaf together and in it those of a host.

    And where each begins.
    """
    leaf_of = dict.fromkeys(names, len(fabric.groups))
    host_of = leaf_of.copy()
    for number, group in sorted(enumerate(fabric.groups), key=lambda one: -one[1].level):
        if group.level != LEVEL_OF_RAIL:
            into = host_of if group.level == LEVEL_OF_HOST else leaf_of
            into |= dict.fromkeys(group.members & into.keys(), number)
    keys = [(leaf_of[name], host_of[name]) for name in names]
    order = sorted(range(len(names)), key=lambda at: (*keys[at], at))
    of = [keys[at] for at in order]
    return order, tuple(at for at in range(1, len(of)) if of[at] != of[at - 1])


def _medians(
    source: NDArray[Any], target: NDArray[Any], values: NDArray[Any], count: int
) -> NDArray[Any]:
    """The median of each pair's values; not a number of none."""
    found = np.full((count, count), np.nan)
    if not len(values):
        return found
    pair = source * count + target
    order = np.lexsort((values, pair))
    pair, values = pair[order], values[order]
    unique, first, size = np.unique(pair, return_index=True, return_counts=True)
    low, high = values[first + (size - 1) // 2], values[first + size // 2]
    found.flat[unique] = (low + high) / 2
    return found
