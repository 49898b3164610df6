"""Endpoints in two groups: those whose messages are fast among each other, and those that are slow
with any partner. Pure.

If three of ten endpoints are slow, half of all pairs have a slow one, and no median of pairs shows
what is usual. So each endpoint is judged by its fastest pairs: a slow one has none. From there on
what is usual is that of the fast ones among each other, and an endpoint is judged by its pairs with
them, until the groups stay as they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weft.analysis.diagnosis.pair_times import medians_of, order_by
from weft.analysis.stats.median_deviation import spread

if TYPE_CHECKING:
    from weft.analysis.diagnosis.pair_times import PairTimes

# Of an endpoint's values, the share of its fastest ones that counts at first: up to four of five
# endpoints may be slow.
_FASTEST = 0.2
# Values of fast endpoints that have a median to take off.
_FEWEST = 4
_MOST_PASSES = 20
# A group is more than one endpoint, and fast ones have an odd cycle of pairs.
_FEWEST_SLOW, _FEWEST_FAST = 2, 3
# The groups differ by so many deviations of an endpoint from its group, and between them is a gap
# of this share of the difference.
_DEVIATIONS = 6.0
_GAP = 0.5


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """Slow endpoints by place, and all values relative to the fast ones.

    `logs` are NaN for distances without fast pairs.
    """

    is_slow: NDArray[Any]
    logs: NDArray[Any]


def split_of(times: PairTimes, kinds: NDArray[Any], least: float) -> Split | None:
    """The two groups, if there are any that differ by the share `least`; times are finite.

    `kinds` has a number for each value: healthy pairs with one number take equally long.
    """
    logs: NDArray[Any] = np.log(times.time_ns)
    beyond = logs - _quantiles_by(kinds, logs, _FASTEST / 2)[kinds]
    ends = np.concatenate((times.source, times.target))
    scores = _quantiles_by(ends, np.tile(beyond, 2), _FASTEST, len(times.names))
    is_slow = _upper(scores)
    for _ in range(_MOST_PASSES):
        beyond = _beyond(times, kinds, logs, ~is_slow)
        scores = _with_fast(times, beyond, is_slow)
        if not _has_enough(scores, is_slow):
            return None
        before, is_slow = is_slow, scores > _middle(scores, is_slow)
        if (before == is_slow).all():
            break
    if not _has_enough(scores, is_slow) or not _is_clear(scores, is_slow, math.log1p(least)):
        return None
    return Split(is_slow=is_slow, logs=beyond)


def _has_enough(scores: NDArray[Any], is_slow: NDArray[Any]) -> bool:
    known = np.isfinite(scores)
    slow, fast = int((is_slow & known).sum()), int((~is_slow & known).sum())
    return slow >= _FEWEST_SLOW and fast >= _FEWEST_FAST


def _middle(scores: NDArray[Any], is_slow: NDArray[Any]) -> float:
    return float(np.nanmedian(scores[is_slow]) + np.nanmedian(scores[~is_slow])) / 2


def _is_clear(scores: NDArray[Any], is_slow: NDArray[Any], least: float) -> bool:
    """Whether the groups differ by enough, and no endpoint is between them."""
    known = np.isfinite(scores)
    slow, fast = scores[is_slow & known], scores[~is_slow & known]
    apart = float(np.median(slow) - np.median(fast))
    own = spread(np.concatenate((slow - np.median(slow), fast - np.median(fast))))
    gap = float(slow.min() - fast.max())
    return apart >= max(least, _DEVIATIONS * own) and gap >= _GAP * apart


def _upper(scores: NDArray[Any]) -> NDArray[Any]:
    """The scores above the cut with the greatest variance between both sides (Otsu 1979)."""
    known = np.sort(scores[np.isfinite(scores)])
    count = len(known)
    below = np.arange(1, count)
    sums = np.cumsum(known)[:-1]
    means, others = sums / below, (known.sum() - sums) / (count - below)
    between = below * (count - below) * (others - means) ** 2
    found: NDArray[Any] = scores > known[int(np.argmax(between))]
    return found


def _beyond(
    times: PairTimes, kinds: NDArray[Any], logs: NDArray[Any], is_fast: NDArray[Any]
) -> NDArray[Any]:
    """Logarithms less the median of fast endpoints' pairs so far apart, and of the same visit.

    A visit of few such pairs has nothing taken off, and pairs so far apart that few such are known
    are not a number.
    """
    among = is_fast[times.source] & is_fast[times.target]
    beyond = logs
    for keys, otherwise in ((kinds, np.nan), (times.visit, 0.0)):
        among = among & np.isfinite(beyond)
        counts = np.bincount(keys[among], minlength=int(keys.max()) + 1)
        usual = np.full(len(counts), otherwise)
        known = np.flatnonzero(counts >= _FEWEST)
        place = np.full(len(counts), -1)
        place[known] = np.arange(len(known))
        used = among & (place[keys] >= 0)
        usual[known] = medians_of(place[keys[used]], beyond[used], len(known))
        beyond = beyond - usual[keys]
    return beyond


def _with_fast(times: PairTimes, beyond: NDArray[Any], is_slow: NDArray[Any]) -> NDArray[Any]:
    """For each endpoint, the median of its values with fast partners; NaN without any."""
    own = np.concatenate((times.source, times.target))
    partner = np.concatenate((times.target, times.source))
    values = np.tile(beyond, 2)
    used = np.isfinite(values) & ~is_slow[partner]
    return _quantiles_by(own[used], values[used], 0.5, len(times.names))


def _quantiles_by(
    keys: NDArray[Any], values: NDArray[Any], share: float, count: int = 0
) -> NDArray[Any]:
    """For each key, this quantile of its values."""
    count = count or int(keys.max()) + 1
    order = np.argsort(values, kind="stable")
    order = order[order_by(keys[order], count)]
    sizes = np.bincount(keys, minlength=count)
    first = np.cumsum(sizes) - sizes
    found = np.full(count, np.nan)
    there = sizes > 0
    found[there] = values[order][(first + (share * (sizes - 1)).astype(int))[there]]
    return found
