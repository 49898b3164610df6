"""Tests whose figure depends on which nodes take part: those of two ranks, and those that draw."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from weft.analysis.stats.parameters import student
from weft.plan.case import USUAL_QUEUE_DEPTH

if TYPE_CHECKING:
    from collections.abc import Sequence

# Tests of two ranks that are alone on the fabric: which two is said by `pairs`.
OF_PAIRS = ("ping_pong", "ping_ping", "stream")
# Tests that draw who sends to whom anew for each launch, and how often they are drawn: until the
# mean is within 2 %: 100 times where a draw scatters by 10 %. Routes that share nothing make
# all draws alike, and few are enough.
DRAWING = ("random_pairs",)
FEWEST_DRAWS, DRAWS = 8, 100
WITHIN = 0.02
# A pair's sample has four latencies beside its messages. As many messages are under way that these
# are below so large a share: more cost the simulator their number squared and change nothing.
_LATENCIES = 4
_SHARE = 2e-3


def queue_of(latency_ns: float, message_ns: float) -> int:
    """How many messages a drawn pair has under way: a power of two, the usual number at most."""
    depth = 1
    while depth < USUAL_QUEUE_DEPTH and _LATENCIES * latency_ns > _SHARE * depth * message_ns:
        depth *= 2
    return depth


def draws_needed(values: Sequence[float]) -> int:
    """The number of draws after which the mean is known within `WITHIN`."""
    mean = statistics.fmean(values)
    reach = student(len(values) - 1) * statistics.stdev(values) / mean
    return min(max(math.ceil((reach / WITHIN) ** 2), len(values)), DRAWS)
