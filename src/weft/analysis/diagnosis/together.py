"""Whether what was measured at once was slow together, and what that adds to a variance. Pure.

Pairs that run at once wait for each other where they share a cable, or their switch is disturbed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weft.analysis.diagnosis.pair_times import order_by

if TYPE_CHECKING:
    from collections.abc import Sequence

# So many visits tell whether their pairs are slow together.
_FEWEST_VISITS = 24
_WAYS_OF_PAIR = 2
# Causes are gone through together until they have so many values and visits: some 30 MB an array.
_AT_ONCE = 1 << 22
_ROUNDING = 1e-12


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
    ways = 1 + _likeness_of_ways(pairs, scores)
    sizes = np.array([len(places) for places in causes], dtype=int)
    values = _by_pair(pairs, scores, visit)
    made = np.array([int(values.number[places].sum()) for places in causes], dtype=int)
    block = np.cumsum(made + values.visits) // _AT_ONCE
    found = []
    for own in np.split(np.arange(len(causes)), np.flatnonzero(np.diff(block)) + 1):
        visits, added, by_pair = _clustered(values, [causes[int(at)] for at in own], sizes[own])
        grown = 1 + np.maximum(0.0, _quotient(added, by_pair))
        few = np.where(sizes[own] == _WAYS_OF_PAIR, ways, 1.0)
        found.append(np.where(visits < _FEWEST_VISITS, few, grown))
    return np.concatenate(found)


class _ByPair(msgspec.Struct, frozen=True, kw_only=True):
    """Scores and their visits, pair by pair: (values,) each; `at`: visits from the mean of all.

    `at` has shape (visits,). Of each pair `number` says how many it has and `start` where they
    begin. `sums` has shape (6, pairs): the sums over each pair's values of 1, the score, its
    square, `at`, `at` times the score, and the square of `at`. `visits` is a number that no visit
    reaches.
    """

    scores: NDArray[Any]
    visit: NDArray[Any]
    at: NDArray[Any]
    start: NDArray[Any]
    number: NDArray[Any]
    sums: NDArray[Any]
    visits: int


def _by_pair(pairs: Pairs, scores: NDArray[Any], visit: NDArray[Any]) -> _ByPair:
    order = order_by(pairs.of_value, len(pairs.log))
    number = np.bincount(pairs.of_value)
    at = visit - visit.mean()
    summed = (np.ones(len(at)), scores, scores**2, at, at * scores, at**2)
    return _ByPair(
        scores=scores[order],
        visit=visit[order],
        at=np.arange(int(visit.max()) + 1) - visit.mean(),
        start=np.cumsum(number) - number,
        number=number,
        sums=np.array([np.bincount(pairs.of_value, one) for one in summed]),
        visits=int(visit.max()) + 1,
    )


def _clustered(
    values: _ByPair, causes: Sequence[NDArray[Any]], sizes: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of each cause its visits, and of what is left of its values beside their line two sums.

    That of the products of values of one visit, each with the others, and that of the squares of
    the sums of its pairs. The line is that of least squares, all from sums: values of a cause are
    gone through once.
    """
    places, cause = np.concatenate(causes), np.repeat(np.arange(len(causes)), sizes)
    count, total, squares, along, product, width = (
        np.bincount(cause, one[places]) for one in values.sums
    )
    covariance = product - total * along / count
    slope = _quotient(covariance, width - along**2 / count)
    level = (total - slope * along) / count
    of_pair = values.sums[1, places] - level[cause] * values.sums[0, places]
    of_pair -= slope[cause] * values.sums[3, places]
    by_pair = np.bincount(cause, of_pair**2)
    # Values that are all alike, as simulated ones are, leave what rounding makes of them.
    by_pair[by_pair < _ROUNDING * squares] = 0
    shape = len(causes), values.visits
    number = values.number[places]
    own = _ranges(values.start[places], number)
    cell = np.repeat(cause * values.visits, number) + values.visit[own]
    cells = len(causes) * values.visits
    there = np.bincount(cell, minlength=cells).reshape(shape)
    of_visit = np.bincount(cell, values.scores[own], minlength=cells).reshape(shape)
    of_visit -= there * (level[:, None] + slope[:, None] * values.at)
    alone = squares - total**2 / count - slope * covariance
    return (there > 0).sum(axis=1), (of_visit**2).sum(axis=1) - alone, by_pair


def _quotient(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """0 where the divisor is not positive."""
    found: NDArray[Any] = np.divide(one, other, out=np.zeros(len(one)), where=other > 0)
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


def _ranges(starts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """The whole numbers of several ranges, one after the other."""
    ends = np.cumsum(sizes)
    found: NDArray[Any] = np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1])
    return found
