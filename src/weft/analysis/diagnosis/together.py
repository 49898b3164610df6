"""Whether what was measured at once was slow together, and what that adds to a variance. Pure.

Pairs that run at once wait for each other where they share a cable, or their switch is disturbed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

# So many visits tell whether their pairs are slow together.
_FEWEST_VISITS = 24
_WAYS_OF_PAIR = 2


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """Directed pairs: (pairs,) each, the logarithm of a pair's time beyond what is usual.

    `of_value` has for each value the place of its pair.
    """

    source: NDArray[Any]
    target: NDArray[Any]
    log: NDArray[Any]
    of_value: NDArray[Any]


def means_by(pairs: Pairs, values: NDArray[Any]) -> NDArray[Any]:
    """The mean of each pair's values, less that of all pairs."""
    own: NDArray[Any] = np.bincount(pairs.of_value, values) / np.bincount(pairs.of_value)
    own -= own.mean()
    return own


def inflations(
    pairs: Pairs, scores: NDArray[Any], visit: NDArray[Any], causes: Sequence[NDArray[Any]]
) -> NDArray[Any]:
    """By how much the variance of each cause's mean exceeds that of pairs by themselves; 1 or more.

    The variance is that of values which are clustered by pair and by visit (Cameron, Gelbach and
    Miller 2011), about a line over the visits: what slows down as it warms up is no noise. Few
    visits do not tell; the two ways of a pair, which has few, are as much alike as those of all
    pairs are.
    """
    order = np.argsort(pairs.of_value, kind="stable")
    sizes = np.bincount(pairs.of_value)
    starts = np.cumsum(sizes) - sizes
    found = np.ones(len(causes))
    ways = 1 + _likeness_of_ways(pairs, scores)
    for at, places in enumerate(causes):
        values = order[_ranges(starts[places], sizes[places])]
        visits, cluster = np.unique(visit[values], return_inverse=True)
        if len(visits) < _FEWEST_VISITS:
            found[at] = ways if len(places) == _WAYS_OF_PAIR else 1.0
            continue
        rest = _about_line(visit[values], scores[values])
        of_pair = np.bincount(np.repeat(np.arange(len(places)), sizes[places]), rest)
        by_pair = float((of_pair**2).sum())
        added = float((np.bincount(cluster, rest) ** 2).sum()) - float((rest**2).sum())
        if by_pair > 0:
            found[at] = 1 + max(0.0, added / by_pair)
    return found


def _likeness_of_ways(pairs: Pairs, scores: NDArray[Any]) -> float:
    """The correlation of the two ways of a pair, over all pairs; 0 where it is negative."""
    own = means_by(pairs, scores)
    low, high = np.minimum(pairs.source, pairs.target), np.maximum(pairs.source, pairs.target)
    number = low * (high.max() + 1) + high
    _, pair, ways = np.unique(number, return_inverse=True, return_counts=True)
    both = ways[pair] == _WAYS_OF_PAIR
    total = float((own[both] ** 2).sum())
    together = float((np.bincount(pair[both], own[both]) ** 2).sum())
    return max(0.0, together / total - 1) if total > 0 else 0.0


def _about_line(at: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """What is left of the values beside their line over `at` (least squares)."""
    along = at - at.mean()
    rest: NDArray[Any] = values - values.mean()
    rest -= along * float(along @ rest) / float(along @ along)
    return rest


def _ranges(starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """The whole numbers of several ranges, one after the other."""
    ends = np.cumsum(sizes)
    found: NDArray[Any] = np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1])
    return found
