"""Groups of endpoints that are near each other, found in the times of all pairs. Pure.

Average linkage (Sokal and Michener 1958) of each pair's least logarithm; the tree is cut where the
next merging is farthest away. What is found is a guess: it is taken only where pairs between groups
are slower than pairs within by many times their scatter, and a slow endpoint by itself is no group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.analysis.stats.median_deviation import spread
from weft.fabric.known import Group, KnownFabric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.analysis.diagnosis.pair_times import PairTimes

# What a group is called that nobody named, with its number.
GUESSED = "guessed group"
_FEWEST = 6
# Pairs between groups are slower by so many times the scatter of those within.
_APART = 6.0
_LEAST = 0.02


def guessed(times: PairTimes) -> KnownFabric:
    """The groups that the times show, of two endpoints or more each; none where not all met."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    nothing = KnownFabric()
    apart = _least_logs(times)
    if apart is None:
        return nothing
    tree = linkage(squareform(apart, checks=False), "average")
    rises = np.diff(tree[:, 2])
    if not len(rises):
        return nothing
    cut = int(np.argmax(rises))
    label = fcluster(tree, tree[cut, 2] + rises[cut] / 2, "distance")
    sizes = np.bincount(label)
    if sizes.max() < 2 or (sizes[label] < 2).any() or len(sizes) < 3:
        return nothing
    upper = np.triu_indices(len(apart), 1)
    is_within = (label[:, None] == label[None, :])[upper]
    within, between = apart[upper][is_within], apart[upper][~is_within]
    scatter = spread(within)
    if np.quantile(between, 0.1) - np.median(within) < max(_APART * scatter, _LEAST):
        return nothing
    names = np.array(times.names)
    groups = tuple(
        Group(name=f"{GUESSED} {number}", members=frozenset(names[label == one].tolist()))
        for number, one in enumerate(sorted(set(label.tolist())), 1)
    )
    return KnownFabric(groups=groups, is_guessed=True)


def _least_logs(times: PairTimes) -> NDArray[Any] | None:
    """The least logarithm of each pair, beyond the least of all; None where some did not meet."""
    count = len(times.names)
    if count < _FEWEST:
        return None
    is_ok = np.isfinite(times.time_ns)
    least = np.full((count, count), np.inf)
    np.minimum.at(least, (times.source[is_ok], times.target[is_ok]), np.log(times.time_ns[is_ok]))
    least = np.minimum(least, least.T)
    np.fill_diagonal(least, least.min())
    if not np.isfinite(least).all():
        return None
    found: NDArray[Any] = least - least.min()
    np.fill_diagonal(found, 0.0)
    return found
