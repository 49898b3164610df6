"""Where all nodes send to all others, the simulator takes as long as the busiest link has ways."""

from collections import Counter
from pathlib import Path

import pytest

import weft
from support.simulations import platform, simulated
from weft.fabric.routes import routes_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.plan.cases import Experiment, Variants
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols

pytestmark = pytest.mark.engine
PLAIN = Protocols(transfer=(Piece(0, 2000.0, 1.0),), eager_below_bytes=1)
BYTES = 1 << 20
RING = FabricAsked(nodes=8, switch="3", topology="torus", shape="8")
GROUPS = FabricAsked(nodes=6, switch="3", topology="dragonfly")
HALF = FabricAsked(nodes=16, switch="6", blocking="2:1")
FULL = FabricAsked(nodes=8, switch="4")


# The ways over the busiest link, by hand: k/8 of 8 nodes. Three groups of two nodes, a switch each:
# a global cable has the 2 x 2 of two groups, and by Valiant twice as many; a group's local cable
# has one way of its own and, as each global cable is at one switch, two from or to each other group
# (5), by Valiant also the four of one other group to the other one, which come in at one switch
# and go out at the other (9). 4 nodes of a leaf to 12 others over 2 cables. A node's own link has
# as many as there are others.
@pytest.mark.parametrize(
    ("fabric", "routing", "ways"),
    [
        (RING, "dimension-order", 8),
        (GROUPS, "minimal", 5),
        (GROUPS, "valiant", 9),
        (GROUPS, "ideal", 5),
        (HALF, "ideal", 24),
        (HALF, "d-mod-k", 24),
        (FULL, "d-mod-k", 7),
    ],
)
def test_all_to_all_takes_as_long_as_the_busiest_link(
    tmp_path: Path, fabric: FabricAsked, routing: str, ways: int
) -> None:
    named = SimulatedPlatform(name="plain", kind="model", nodes=2)
    settings = {"smpi/alltoall": "basic_linear"}
    variant = Variant(fabric=fabric, routing=routing, settings=settings)
    on = predicted(at_crossbar(named, PLAIN, "plain"), variant)
    run = simulated(tmp_path, ("alltoall",), "1MiB", on, ranks=fabric.nodes, samples=3)
    [batch] = run.measured
    assert float(min(run.time_ns(batch))) == pytest.approx(ways * BYTES, rel=0.01)
    _check_carried(run, fabric, routing)


def _check_carried(run: weft.Run, asked: FabricAsked, routing: str) -> None:
    """The record has of each link the bytes of all ways over it, in every operation of the run."""
    routes = routes_of(build_fabric(asked), routing)
    flows: Counter[str] = Counter()
    for (one, other), way in routes.ways.items():
        for at in way:
            pairs = len(routes.ends[one].nodes) * len(routes.ends[other].nodes)
            flows[routes.bundles[at].name] += pairs
    [end] = run.lines.ends
    carried = dict(end.link_bytes)
    of_a_node = carried.pop("node") / (asked.nodes - 1)
    assert of_a_node % BYTES == 0
    assert carried == {name: pairs * of_a_node for name, pairs in flows.items()}


# What a node's busiest cable carries over the uplinks of the first leaf: 15 messages of a node for
# each 48 of its leaf where all send to all, 15 of a receiver for 12 from other leaves. A bus has
# both ways together, and is no cable.
@pytest.mark.parametrize(
    ("test", "link", "share"),
    [("alltoall", "leaf-0-up", 15 / 48), ("hot_spot_receive", "leaf-0-down", 15 / 12)],
)
def test_the_busiest_cable_of_a_node_is_one_way_of_it(
    tmp_path: Path, test: str, link: str, share: float
) -> None:
    on = predicted(platform(), Variant(fabric=HALF))
    part = Experiment(tests=(test,), sizes="1MiB", ranks=16)
    run = simulated(tmp_path, (), "", on, parts=(part,), samples=1, budget_s=600.0)
    carried = run.lines.ends[0].link_bytes
    peers = [case.point for case in run.cases.values() if case.point]
    if peers:
        # Of fewer peers too, those of the own leaf first.
        own = sum(min(one, 3) for one in peers)
        share = sum(peers) / (sum(peers) - own)
    assert carried["node"] / carried[link] == pytest.approx(share, rel=0.01)


# All nodes of a torus of 8x8x8 send to the one opposite in the outermost dimension: over four
# cables of a ring of eight, half of them either way round, so that each cable has two. Were all
# ties broken alike it had four.
def test_a_shift_to_the_opposite_side_of_a_torus_takes_twice_a_message(tmp_path: Path) -> None:
    torus = FabricAsked(nodes=512, switch="7", topology="torus", shape="8x8x8")
    named = SimulatedPlatform(name="plain", kind="model", nodes=2)
    on = predicted(at_crossbar(named, PLAIN, "plain"), Variant(fabric=torus))
    part = Experiment(tests=("shift",), sizes="1MiB", ranks=512, variants=Variants(points=(256,)))
    asked = {"samples": 1, "budget_s": 600.0, "case_deadline_s": 600.0}
    run = simulated(tmp_path, (), "", on, parts=(part,), **asked)
    [batch] = run.measured
    assert float(min(run.time_ns(batch))) == pytest.approx(2 * BYTES, rel=0.02)
