"""Times of pairs of endpoints, as a map measured them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

# A message of at most so many bytes takes as long as an answer.
AS_AN_ANSWER = 64


def order_by(numbers: NDArray[Any], count: int) -> NDArray[Any]:
    """The places of whole numbers below `count`, those of a smaller one first, else as they stand.

    Short numbers are sorted by their digits, which is several times as fast as by comparing.
    """
    return np.argsort(numbers.astype(np.min_scalar_type(max(count - 1, 0))), kind="stable")


def medians_by(keys: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """For each value, the median over all values with its key."""
    unique, group_of = np.unique(keys, return_inverse=True)
    found: NDArray[Any] = medians_of(group_of, values, len(unique))[group_of]
    return found


def medians_of(group_of: NDArray[Any], values: NDArray[Any], count: int) -> NDArray[Any]:
    """The median of each of `count` groups, all of which have a value."""
    order = np.argsort(values)
    order = order[order_by(group_of[order], count)]
    ordered = values[order]
    first = np.searchsorted(group_of[order], np.arange(count))
    sizes = np.bincount(group_of, minlength=count)
    low, high = ordered[first + (sizes - 1) // 2], ordered[first + sizes // 2]
    middle: NDArray[Any] = (low + high) / 2
    return middle


class PairTimes(msgspec.Struct, frozen=True, kw_only=True):
    """What each message took, one value for each time that a pair was measured.

    `names` are those of the endpoints. The arrays have one shape, (values,): `source` and `target`
    are places in `names`, `visit` counts what ran at once (a round of a launch), in the order of
    time, and `time_ns` is not a number where a pair failed. `is_first`: the source sent before the
    target did; without it the lower one of both. `load`: how many pairs of the visit are on the
    busiest cable of the way; None where no routes are known.
    """

    names: tuple[str, ...]
    source: NDArray[Any]
    target: NDArray[Any]
    visit: NDArray[Any]
    time_ns: NDArray[Any]
    is_first: NDArray[Any] | None = None
    load: NDArray[Any] | None = None

    @property
    def half(self) -> NDArray[Any]:
        """Which half of its round each value is of: whether the source sent first."""
        found: NDArray[Any] = self.source < self.target
        return found if self.is_first is None else self.is_first

    def at(self, places: NDArray[Any]) -> PairTimes:
        """Only these values: a mask, or their places."""
        return msgspec.structs.replace(
            self,
            source=self.source[places],
            target=self.target[places],
            visit=self.visit[places],
            time_ns=self.time_ns[places],
            is_first=self.half[places],
            load=None if self.load is None else self.load[places],
        )


def joined(maps: Sequence[PairTimes]) -> PairTimes:
    """The times of several maps as of one, endpoints by their names."""
    names = tuple(dict.fromkeys(name for one in maps for name in one.names))
    place = {name: at for at, name in enumerate(names)}
    of = [np.array([place[name] for name in one.names]) for one in maps]
    visits = np.cumsum([0, *(int(one.visit.max(initial=-1)) + 1 for one in maps[:-1])])
    return PairTimes(
        names=names,
        source=np.concatenate([own[one.source] for own, one in zip(of, maps, strict=True)]),
        target=np.concatenate([own[one.target] for own, one in zip(of, maps, strict=True)]),
        visit=np.concatenate([first + one.visit for first, one in zip(visits, maps, strict=True)]),
        time_ns=np.concatenate([one.time_ns for one in maps]),
        is_first=np.concatenate([one.half for one in maps]),
        load=_joined_loads(maps),
    )


def _joined_loads(maps: Sequence[PairTimes]) -> NDArray[Any] | None:
    """The loads of all maps; None if one map has none."""
    loads = [one.load for one in maps if one.load is not None]
    return np.concatenate(loads) if len(loads) == len(maps) else None
