"""Pairs of a round that share a cable, and the times that are used because of it. Pure.

All pairs of a round run at once. If the routes are known, it is known too which of them meet on a
cable, each time that the round is played. How long they then take depends on who is in step with
whom, so a pair counts where it shares its cables with the fewest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.analysis.diagnosis.pair_times import PairTimes
    from weft.fabric.known import KnownFabric

# At least this share of the times of pairs that pass cables counts.
_LEAST_SHARE = 0.25


def load_of(times: PairTimes, fabric: KnownFabric) -> NDArray[Any] | None:
    """For each time, the number of pairs on the busiest cable of its route, itself included.

    0 of a way without cables; None where no routes over single cables are known.
    """
    ends = dict.fromkeys(link for both in fabric.cables.values() for link in both)
    if not ends or not fabric.ways:
        return None
    links = {link: at for at, link in enumerate(ends)}
    count = len(times.names)
    number, of_value = np.unique(times.source * count + times.target, return_inverse=True)
    pairs = zip((number // count).tolist(), (number % count).tolist(), strict=True)
    known = [fabric.ways.get((times.names[i], times.names[j]), ()) for i, j in pairs]
    ways = [[links[link] for link in way if link in links] for way in known]
    longest = max(map(len, ways), default=0)
    # A way without a cable more has a place that no cable has.
    passed = np.array([way + [-1] * (longest - len(way)) for way in ways], dtype=int)[of_value]
    cell = times.visit[:, None] * len(links) + passed
    is_cable = passed >= 0
    _, where, counts = np.unique(cell[is_cable], return_inverse=True, return_counts=True)
    load = np.zeros(passed.shape, dtype=int)
    load[is_cable] = counts[where]
    found: NDArray[Any] = load.max(axis=1, initial=0)
    return found


def least_loaded(times: PairTimes) -> PairTimes:
    """The times of pairs that share no cable; if these are few, of pairs with the least sharing."""
    if times.load is None:
        return times
    passing = times.load[times.load > 0]
    if not len(passing):
        return times
    most = int(np.quantile(passing, _LEAST_SHARE, method="inverted_cdf"))
    return times.at(times.load <= most)
