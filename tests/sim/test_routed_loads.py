"""Where all nodes send to all others, the simulator takes as long as the busiest link has ways."""

from pathlib import Path

import pytest

from support.simulations import simulated
from weft.fabric.topologies import FabricAsked
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


# The ways over the busiest link, by hand: k/8 of 8 nodes; two groups of two nodes over a third one
# and back, so twice 2 x 2; 4 nodes of a leaf to 12 others over 2 cables. A node's own link has as
# many as there are others.
@pytest.mark.parametrize(
    ("fabric", "routing", "ways"),
    [
        (RING, "dimension-order", 8),
        (GROUPS, "minimal", 5),
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
