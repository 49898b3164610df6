"""Tests whose figure depends on which nodes take part: those of two ranks, and those that draw."""

from weft.plan.case import USUAL_QUEUE_DEPTH

# Tests of two ranks that are alone on the fabric: which two is said by `pairs`.
OF_PAIRS = ("ping_pong", "ping_ping", "stream")
# Tests that draw who sends to whom anew for each launch, and how often they are drawn: the mean of
# so many is within 2 % where a draw scatters by 10 %.
DRAWING = ("random_pairs",)
DRAWS = 100
# A pair's sample has four latencies beside its messages. As many messages are under way that these
# are below so large a share: more cost the simulator their number squared and change nothing.
_LATENCIES = 4
_SHARE = 1e-3


def queue_of(latency_ns: float, message_ns: float) -> int:
    """How many messages a drawn pair has under way: a power of two, the usual number at most."""
    depth = 1
    while depth < USUAL_QUEUE_DEPTH and _LATENCIES * latency_ns > _SHARE * depth * message_ns:
        depth *= 2
    return depth
