"""The slowest of several ranks, without taking luck for slowness. Pure.

The largest of many noisy medians is larger than any rank's true one: of sixteen equal ranks one is
always slow by chance. So the rank is chosen in one half of the launches and measured in the other,
where it is no longer chosen for its luck (Stone, Cross-validatory choice and assessment of
statistical predictions, Journal of the Royal Statistical Society B 36, 1974), and the other way
round. Halves and not single launches: choices that share nearly all launches go wrong together, and
the scatter of what they choose does not show it (of 256 equal ranks and twenty launches the
variance of the mean is five times what it looks).

The choice can miss a rank that is slower by less than the scatter. No rank is slower than the one
whose launches are slowest on average looks, so an interval ends where that one's does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import in_sessions, median_of_case
from weft.analysis.stats.needed import Needed, at_first, to_tell
from weft.analysis.stats.ratios import ONE_SIDED, Ratio, ratio_of_paces
from weft.analysis.stats.slowdown import MOST_HALF_TICK, Paces, slowdown_between
from weft.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

# The launches of even numbers are one half, the others the other: both are of the whole time.
_HALVES = 2


class SlowestRank(msgspec.Struct, frozen=True, kw_only=True):
    """The time of the slowest rank with its 95 % interval, and the launches behind it.

    `chosen` has of each launch the time of the rank that the other half chose, `slowest` that of
    the rank that is slowest on average: this looks no quicker than the slowest rank is, that no
    slower.
    """

    time: Estimate
    chosen: Paces
    slowest: Paces


def slowest_rank(
    launches: Sequence[Sequence[float]], resolution: float = 0.0, sessions: Sequence[int] = ()
) -> SlowestRank:
    """The slowest rank, from each launch's ranks in one order.

    Positive times; `resolution` as in `median_of_launches`. `sessions` has the number of the
    session of each launch: of several the interval is over them. One launch gives its largest,
    which has no interval. Raises ValueError where launches have unlike numbers of ranks.
    """
    rank = _slowest_of(launches)
    slowest = [ranks[rank] for ranks in launches]
    is_one = len(launches) == 1
    chosen = slowest if is_one else _by_the_other_half(launches)
    found, bound = (median_of_case(own, sessions, resolution) for own in (chosen, slowest))
    if not is_one:
        found = msgspec.structs.replace(
            found,
            high=max(found.high, bound.high),
            method=f"slowest rank of the other half of the launches; {found.method}",
        )
    return SlowestRank(
        time=found,
        chosen=_paces(chosen, resolution, sessions),
        slowest=_paces(slowest, resolution, sessions),
    )


def speed_of(base: SlowestRank, here: SlowestRank) -> Ratio:
    """The slowest rank's speed here over that of the base, both of one record, with its interval.

    As `weft compare` has it for two parts of a record. Each end is the farther one of what the
    chosen ranks say and of what one side's slowest rank on average says.
    """
    found = ratio_of_paces(base.chosen, here.chosen, same_session=True)
    low = ratio_of_paces(base.chosen, here.slowest, same_session=True).low
    high = ratio_of_paces(base.slowest, here.chosen, same_session=True).high
    return msgspec.structs.replace(found, low=min(found.low, low), high=max(found.high, high))


def to_be_told(
    base: SlowestRank, here: SlowestRank, difference: float, *, is_slower: bool
) -> Needed:
    """What tells the slowest rank here slower, or not slower, by a difference of logarithms.

    Beside the scatter stands what luck adds to the rank that is slowest on average, on the side
    that the interval ends with it: it falls as the scatter of a mean does.
    """
    found = slowdown_between(here.chosen, base.chosen)
    if found is None:
        return at_first(here.time.unit)
    units = (len(here.chosen.logs(found.unit)), len(base.chosen.logs(found.unit)))
    needed = to_tell(found, units, difference, ONE_SIDED)
    side = base if is_slower else here
    luck = max(side.slowest.mean_log - side.chosen.mean_log, 0.0)
    # A root and its square again may be a little more than the whole number.
    if not needed.is_possible or not luck:
        return needed
    root = math.sqrt(needed.count) + luck * math.sqrt(min(units)) / difference
    return msgspec.structs.replace(needed, count=float(math.ceil(root**2)))


def _by_the_other_half(launches: Sequence[Sequence[float]]) -> list[float]:
    choices = [_slowest_of(launches[1 - at :: _HALVES]) for at in range(_HALVES)]
    return [ranks[choices[at % _HALVES]] for at, ranks in enumerate(launches)]


def _slowest_of(launches: Sequence[Sequence[float]]) -> int:
    """The index of the rank whose times are largest on average of their logarithms."""
    ranks = zip(*launches, strict=True)
    sums = [math.fsum(map(math.log, own)) for own in ranks]
    return sums.index(max(sums))


def _paces(times: Sequence[float], resolution: float, sessions: Sequence[int]) -> Paces:
    return Paces(
        sessions=tuple(map(tuple, in_sessions(times, sessions))),
        half_tick=min(resolution / 2 / min(times), MOST_HALF_TICK),
    )
