"""Shift permutations: what leaves a leaf together shares its uplinks."""

from pathlib import Path

import pytest

from support.simulations import platform, simulated
from weft.analysis.summary import summarise
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols

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
