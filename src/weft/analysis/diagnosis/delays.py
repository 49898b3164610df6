"""Who is kept from his messages now and then, as by a program that takes his CPU. Pure.

A pair has the median of a launch's samples, which does not see that one message of ten takes ten
times as long; their mean does. Of each way the mean over the median is explained as its time is,
so that whoever is slow all the time is not named again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.diagnosis.diagnose import FoundCause, diagnose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.pair_times import PairTimes
    from weft.fabric.known import KnownFabric

# Hosts that are all well differ by less: one has more to do beside the messages than another.
LEAST_DELAY = 0.1


def delayed_in(
    delays: PairTimes, fabric: KnownFabric, gone: Sequence[str] = ()
) -> tuple[FoundCause, ...]:
    """The causes whose mean is beyond their median by LEAST_DELAY more than that of the others.

    In the place of times `delays` has the one over the other. It is so at the lower end of the
    interval. `slower` is that share; those `gone` say nothing.
    """
    found = diagnose(delays, fabric, gone).findings
    return tuple(one for one in found if one.slower_low > LEAST_DELAY)
