"""Where the times of a series change from one line to another: penalised and exact.

All cuts of the sizes into segments are weighed against each other by dynamic programming (Jackson
and others, An algorithm for optimal partitioning of data on an interval, 2005). A cut's cost is the
sum of squared relative deviations from its lines over their expected variance, and a penalty a
change: the logarithm of the number of sizes once for each of the two new parameters and twice for
the place of the change, as in the modified information criterion for places of change (Zhang and
Siegmund, A modified Bayes information criterion, Biometrics 63, 2007).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.median_deviation import deviation_by_distances

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_IN_SEGMENT = 3
# Sizes scatter about a protocol's line by some per cent however well they are measured (alignment,
# pages, packets); only what is beyond that is worth a protocol switch.
OWN_SCATTER = 0.03
# How many logarithms of the number of sizes a change costs, and how many a change in doubt: of 60
# series of 20 sizes 2 % off one line, 2 % have one, and 70 % of those with a step of 15 % between
# lines of one slope, while the others' step is certain.
CERTAIN, DOUBTFUL = 4.0, 1.0
# Twice the log-likelihood by which another place of a change may be worse: 95 % of chi squared.
PLACE_LEVEL = 3.841


class Cuts(msgspec.Struct, frozen=True):
    """Segments as ranges of the sizes' indices, and for each change the places it may have.

    `ranges` are (first, one behind the last). A change at index i lies between sizes i - 1 and i;
    `places` are the lowest and highest such i that the times do not tell from the best.
    """

    ranges: tuple[tuple[int, int], ...]
    places: tuple[tuple[int, int], ...]


def find_changes(
    sizes: NDArray[np.float64], times: NDArray[np.float64], logarithms: float = CERTAIN
) -> Cuts:
    """The best cut of positive times at ascending sizes into lines of three sizes or more.

    A change costs so many `logarithms` of the number of sizes.
    """
    import numpy as np

    count = len(sizes)
    variance = OWN_SCATTER**2 + local_scatter(sizes, times) ** 2
    costs = segment_costs(sizes, times) / variance
    penalty = logarithms * math.log(count)
    # best[j] is the least cost of the first j sizes; came[j] where their last segment begins.
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    came = np.zeros(count + 1, dtype=np.int64)
    for end in range(FEWEST_IN_SEGMENT, count + 1):
        begin = end - FEWEST_IN_SEGMENT + 1
        totals = best[:begin] + costs[:begin, end] + penalty
        came[end] = int(np.argmin(totals))
        best[end] = totals[came[end]]
    ranges: list[tuple[int, int]] = []
    end = count
    while end > 0:
        ranges.insert(0, (int(came[end]), end))
        end = int(came[end])
    return Cuts(tuple(ranges), _places(tuple(ranges), costs))


def local_scatter(sizes: NDArray[np.float64], times: NDArray[np.float64]) -> float:
    """The relative standard deviation of single sizes, from how far each is off its neighbours.

    On a line a time is the interpolation of its neighbours however far apart the sizes are. The
    median of the deviations is not moved by the few that stand at a change. 0 under five sizes.
    """
    import numpy as np

    if len(sizes) < 5:
        return 0.0
    share = (sizes[2:] - sizes[1:-1]) / (sizes[2:] - sizes[:-2])
    before, after = share * times[:-2], (1 - share) * times[2:]
    errors = np.sqrt(times[1:-1] ** 2 + before**2 + after**2)
    return deviation_by_distances((times[1:-1] - before - after) / errors)


def segment_costs(sizes: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least sum of squared relative deviations from a line over sizes i to j - 1, as [i, j].

    A line that would fall is replaced by a level one: no message is sooner there for being longer.
    Infinite where there are fewer than three sizes.
    """
    import numpy as np

    flat = times.min() / times
    rising = sizes / times
    rising = rising / max(float(rising.max()), 1e-300)
    flats, risings, crosses, ones, others = (
        _spans(values) for values in (flat**2, rising**2, flat * rising, flat, rising)
    )
    counts = _spans(np.ones_like(times))
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = flats * risings - crosses**2
        slope = (flats * others - crosses * ones) / determinant
        explained = ((risings * ones - crosses * others) * ones) / determinant + slope * others
        level = ones**2 / flats
        explained = np.where(slope > 0, explained, level)
    costs = np.maximum(counts - explained, 0.0)
    return np.where(counts >= FEWEST_IN_SEGMENT, costs, np.inf)


def _spans(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of values[i:j] as [i, j]."""
    import numpy as np

    sums = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray(sums[None, :] - sums[:, None])


def _places(
    ranges: tuple[tuple[int, int], ...], costs: NDArray[np.float64]
) -> tuple[tuple[int, int], ...]:
    """For each change the outermost places that cost less than PLACE_LEVEL more, others kept."""
    places = []
    for (begin, middle), (_, end) in pairwise(ranges):
        least = costs[begin, middle] + costs[middle, end]
        inside = [
            place
            for place in range(begin + FEWEST_IN_SEGMENT, end - FEWEST_IN_SEGMENT + 1)
            if costs[begin, place] + costs[place, end] <= least + PLACE_LEVEL
        ]
        places.append((min(inside, default=middle), max(inside, default=middle)))
    return tuple(places)
