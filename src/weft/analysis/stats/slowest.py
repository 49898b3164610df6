"""The slowest of several ranks, without taking luck for slowness. Pure.

The largest of many noisy medians is larger than any rank's true one: of sixteen equal ranks one is
always slow by chance. So the rank is chosen in the other launches and measured in this one, where
it is no longer chosen for its luck (Stone, Cross-validatory choice and assessment of statistical
predictions, Journal of the Royal Statistical Society B 36, 1974). That can miss a rank that is
slower by less than the scatter, so the interval ends where the largest medians' interval does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import median_of_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.estimate import Estimate


def slowest_rank(
    launches: Sequence[Sequence[float]], resolution: float = 0.0, sessions: Sequence[int] = ()
) -> Estimate:
    """The time of the slowest rank with its 95 % interval, from each launch's ranks in one order.

    Positive times; `resolution` as in `median_of_launches`. `sessions` has the number of the
    session of each launch: of several the interval is over them. One launch gives its largest,
    which has no interval. Raises ValueError where launches have unlike numbers of ranks.
    """
    largest = median_of_case([max(ranks) for ranks in launches], sessions, resolution)
    if len(launches) == 1:
        return largest
    logs = [[math.log(time) for time in ranks] for ranks in launches]
    sums = [math.fsum(own) for own in zip(*logs, strict=True)]
    chosen = [
        max(zip((total - log for total, log in zip(sums, own, strict=True)), ranks, strict=True))[1]
        for own, ranks in zip(logs, launches, strict=True)
    ]
    found = median_of_case(chosen, sessions, resolution)
    return msgspec.structs.replace(
        found,
        high=max(found.high, largest.high),
        method=f"slowest rank of the other launches; {found.method}",
    )
