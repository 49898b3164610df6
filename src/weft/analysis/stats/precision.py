"""Whether a case is measured precisely enough. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.slowdown import SESSION_SCATTER

if TYPE_CHECKING:
    from collections.abc import Sequence

# The interval is looked at after every launch, so a few launches that are near each other by luck
# would end the measurement. So the scatter must be small enough even where it is greater than it
# looks: the bound that holds in 90 % of cases, DOUBT standard deviations of a normal distribution.
DOUBT = 1.2816
# Half the 95 % interval of a median, in standard deviations over the root of the launches.
REACH = 1.96 * math.sqrt(math.pi / 2)
# One launch in so many may be far off without a say: the median does not move for it either.
MAY_BE_OFF = 10
# So many sessions show how far sessions differ.
FEWEST_SETTLED = 5


def settled(
    launch_medians: Sequence[float], precision: float, launches: int, resolution: float = 0.0
) -> bool:
    """Whether the interval over the launches is inside the precision, after enough launches.

    The scatter that the launches may have, not only the one that they show, must allow it.
    `resolution` is what a tick of the clock is worth in the medians: no interval is narrower.
    """
    if len(launch_medians) < launches:
        return False
    # Where the clock did not move there is no time, and no interval around it.
    if min(launch_medians) <= 0:
        return False
    # One launch does not show the variation between launches: its interval has no ends.
    found = median_of_launches(launch_medians, resolution)
    if found.relative_half_width > precision:
        return False
    reach = REACH * scatter_at_most(launch_medians, found.value) / math.sqrt(len(launch_medians))
    return reach <= precision


def settled_over_sessions(
    sessions: Sequence[float], precision: float, resolution: float = 0.0
) -> bool:
    """Whether the interval over the medians of sessions is inside the precision, beyond doubt.

    Few sessions that are near each other by luck show nothing: they are never taken to differ by
    less than sessions do (SESSION_SCATTER), and fewer than FEWEST_SETTLED do not settle.
    """
    if len(sessions) < FEWEST_SETTLED or min(sessions) <= 0:
        return False
    found = median_of_launches(sessions, resolution, "session")
    scatter = max(scatter_at_most(sessions, found.value), SESSION_SCATTER)
    reach = REACH * scatter / math.sqrt(len(sessions))
    return max(found.relative_half_width, reach) <= precision


def scatter_at_most(values: Sequence[float], middle: float) -> float:
    """The upper bound of the relative standard deviation about the middle: it holds in 90 %.

    Of two positive values or more, without the tenth that is farthest off.
    """
    off = sorted(math.log(value / middle) ** 2 for value in values)
    kept = off[: len(off) - len(off) // MAY_BE_OFF]
    freedom = len(kept) - 1
    return math.sqrt(math.fsum(kept) / freedom / share_of_variance(freedom, DOUBT))


def share_of_variance(freedom: float, deviations: float) -> float:
    """Of the true variance, what those degrees of freedom show at least so often as a normal
    variable is below so many standard deviations.

    The quantile of chi squared is Wilson and Hilferty's (The distribution of chi-square, PNAS 17,
    1931).
    """
    part = 2 / (9 * freedom)
    return (1 - part - deviations * math.sqrt(part)) ** 3
