"""What got slower or faster between two maps of the same endpoints. Pure.

Of each pair that both have, the time in the second map is divided by the pair's median in the
first, and the quotients are explained as the times of a map are: a cause is named where its pairs
changed otherwise than the others. What all pairs have in common is the median of the quotients.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.diagnosis.collisions import least_loaded
from weft.analysis.diagnosis.diagnose import Diagnosis, diagnose
from weft.analysis.diagnosis.matrix import matrix_of
from weft.analysis.stats.intervals import interval_of_median
from weft.fabric.known import KnownFabric

if TYPE_CHECKING:
    from weft.analysis.diagnosis.pair_times import PairTimes


class MapChange(msgspec.Struct, frozen=True, kw_only=True):
    """What changed: who got slower, who faster, each beside the others, and all together.

    `longer` is the share by which the pairs take longer, their median with its 95 % interval over
    the pairs; `endpoints` and directed `pairs` are those of both maps, and `lost` endpoints of the
    first alone.
    """

    slower: Diagnosis
    faster: Diagnosis
    longer: float
    longer_low: float
    longer_high: float
    endpoints: int
    pairs: int
    lost: tuple[str, ...]


def change_between(before: PairTimes, after: PairTimes, fabric: KnownFabric) -> MapChange | None:
    """From the first to the second; None where they have no pair in common."""
    first = matrix_of(least_loaded(before), KnownFabric())
    place = {name: at for at, name in enumerate(first.names)}
    of_first = np.array([place.get(name, -1) for name in after.names])
    source, target = of_first[after.source], of_first[after.target]
    usual_ns = np.where((source >= 0) & (target >= 0), first.time_ns[source, target], np.nan)
    quotient = after.time_ns / usual_ns
    known = np.isfinite(quotient)
    if not known.any():
        return None
    ratios = msgspec.structs.replace(after, time_ns=quotient).at(known)
    inverse = msgspec.structs.replace(ratios, time_ns=1 / ratios.time_ns)
    by_pair = matrix_of(ratios, KnownFabric()).time_ns
    logs = np.log(by_pair[np.isfinite(by_pair)])
    low, high, _ = interval_of_median(logs.tolist())
    return MapChange(
        slower=diagnose(ratios, fabric),
        faster=diagnose(inverse, fabric),
        longer=math.expm1(float(np.median(logs))),
        longer_low=math.expm1(low),
        longer_high=math.expm1(high),
        endpoints=len(np.union1d(ratios.source, ratios.target)),
        pairs=len(logs),
        lost=tuple(name for name in before.names if name not in after.names),
    )
