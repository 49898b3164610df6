"""Shifts by a whole group share the cables between groups; rails carry a part of each message."""

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


@pytest.mark.parametrize(
    ("asked", "places", "share"),
    [
        # Three groups of 16 nodes: 8 cables between two of them; within a group nothing is shared.
        (FabricAsked(nodes=48, switch="8", topology="dragonfly+"), 16, 2.0),
        (FabricAsked(nodes=48, switch="8", topology="dragonfly+"), 4, 1.0),
        # Four leaves a rail; two rails carry half of a message each.
        (FabricAsked(nodes=16, switch="8", topology="rail-optimised"), 4, 1.0),
        (FabricAsked(nodes=16, switch="8", topology="rail-optimised", rails=2), 4, 0.5),
        (FabricAsked(nodes=16, switch="6,12", topology="rail-optimised", blocking="2:1"), 4, 2.0),
    ],
)
def test_a_shift_takes_as_long_as_the_cables_that_it_shares(
    tmp_path: Path, asked: FabricAsked, places: int, share: float
) -> None:
    on = predicted(platform(PLAIN), Variant(fabric=asked))
    part = Experiment(
        tests=("shift",), sizes=str(BYTES), ranks=asked.nodes, variants=Variants(points=(places,))
    )
    [one] = summarise(simulated(tmp_path, (), "", on, parts=(part,)))
    assert one.latency_ns is not None
    assert one.latency_ns.value == pytest.approx(share * BYTES, rel=0.02)
