"""Shift permutations: what leaves a leaf together shares its uplinks."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from support.simulations import platform, simulated
from weft.analysis.summary import summarise
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols
from weft.topics.exchange import over_ranks_of

pytestmark = pytest.mark.engine
PLAIN = Protocols(transfer=(Piece(0, 2000.0, 1.0),), eager_below_bytes=1)
BYTES = 1 << 20
# Four leaves of four nodes, at two uplinks each.
HALF = FabricAsked(nodes=16, switch="6", blocking="2:1")


# By one place a leaf's last node alone sends to another leaf; by two, two of them over two cables;
# by four and more all four share two. A cable each has its own: with d-mod-k a shift of all nodes
# to the next leaf has two destinations a cable too.
@pytest.mark.parametrize(("places", "share"), [(1, 1), (2, 1), (3, 1.5), (4, 2), (8, 2), (13, 1.5)])
def test_a_shift_takes_as_long_as_the_uplinks_of_a_leaf(
    tmp_path: Path, places: int, share: float
) -> None:
    on = predicted(platform(PLAIN), Variant(fabric=HALF))
    part = Experiment(
        tests=("shift",), sizes=str(BYTES), ranks=16, variants=Variants(points=(places,))
    )
    [one] = summarise(simulated(tmp_path, (), "", on, parts=(part,)))
    assert one.latency_ns is not None
    assert one.latency_ns.value == pytest.approx(share * BYTES, rel=0.01)


def ranks_by_sharing(places: int) -> Counter[int]:
    """How many ranks share their busiest cable with how many, counted by hand: eight leaves of 8
    and 7 nodes, and a message to the node at place P of its leaf goes over spine P of eight.
    """
    leaves = [(leaf, place) for leaf in range(8) for place in range(8 if leaf < 4 else 7)]
    ways: dict[int, list[tuple[int, int, str]]] = {}
    for rank, (leaf, _) in enumerate(leaves):
        to_leaf, to_place = leaves[(rank + places) % len(leaves)]
        ways[rank] = (
            [(leaf, to_place, "up"), (to_leaf, to_place, "down")] if to_leaf != leaf else []
        )
    loads = Counter(cable for own in ways.values() for cable in own)
    return Counter(max((loads[cable] for cable in own), default=1) for own in ways.values())


@pytest.mark.parametrize(("places", "slow"), [(10, 2), (20, 4), (30, 6)])
def test_a_shift_takes_as_long_as_its_slowest_rank(tmp_path: Path, places: int, slow: int) -> None:
    # Rank 0's own messages share nothing, and its cycle of ranks never waits for another one.
    assert ranks_by_sharing(places) == {1: 60 - slow, 2: slow}
    on = predicted(
        platform(PLAIN), Variant(fabric=FabricAsked(nodes=60, switch="16"), routing="d-mod-k")
    )
    part = Experiment(
        tests=("shift",), sizes=str(BYTES), ranks=60, variants=Variants(points=(places,))
    )
    run = simulated(tmp_path, (), "", on, parts=(part,))
    [one] = summarise(run)
    assert one.latency_ns is not None
    assert one.latency_ns.value == pytest.approx(2 * BYTES, rel=0.01)
    over = over_ranks_of(run, one.case)
    assert over is not None
    assert over.slowest_ns.value == one.latency_ns.value
    assert (1 + slow / 60) * BYTES <= over.mean_ns.value < 1.5 * BYTES


@pytest.mark.parametrize("samples", [1, 2, 7])
def test_a_ring_over_leaves_is_never_faster_than_its_messages(tmp_path: Path, samples: int) -> None:
    # Of 64 messages 8 pass two further switches: 400 ns more. Each rank hands that on to the next.
    eager = msgspec.structs.replace(PLAIN, eager_below_bytes=2048)
    on = predicted(
        platform(eager), Variant(fabric=FabricAsked(nodes=64, switch="16"), hop_ns=200.0)
    )
    part = Experiment(tests=("sendrecv",), sizes="8", ranks=64)
    run = simulated(tmp_path, (), "", on, parts=(part,), samples=samples)
    [one] = summarise(run)
    assert one.latency_ns is not None
    assert one.latency_ns.value == pytest.approx(2000 + 400 + 8, rel=0.01)
    over = over_ranks_of(run, one.case)
    assert over is not None
    assert over.mean_ns.value == pytest.approx(2000 + 50 + 8, rel=0.01)
