"""What switches take is added to the latency of the nodes' cables, which must have one."""

import re
from pathlib import Path

import msgspec
import pytest

from support.simulations import simulated
from weft.analysis.summary import summarise
from weft.fabric.topologies import FabricAsked
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar
from weft.sim.predicted import Variant, predicted
from weft.sim.protocols import Piece, Protocols

pytestmark = pytest.mark.engine
PLAIN = Protocols(transfer=(Piece(0, 2000.0, 1.0),), eager_below_bytes=1 << 20)
NAMED = SimulatedPlatform(name="plain", kind="model", nodes=2)
LEAVES = FabricAsked(nodes=4, switch="4")


def with_cables(latency: str) -> SimulatedPlatform:
    """Two leaves of two nodes each, whose cables have this latency."""
    found = predicted(at_crossbar(NAMED, PLAIN, "plain"), Variant(fabric=LEAVES, routing="ideal"))
    return msgspec.structs.replace(
        found, xml=re.sub(r'\blat="[^"]*"', f'lat="{latency}"', found.xml)
    )


def test_cables_without_latency_are_refused_where_switches_have_one(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("ping_pong",), "8", with_cables("0ns"), ranks=2)
    [end, *_] = run.lines.ends
    assert end.status == "failed"
    assert re.search(r"link end-0_link_0_(UP|DOWN) has no latency, so its switches'", end.reason)
    assert 'give its cluster one, lat="1ns"' in end.reason


def test_cables_of_next_to_none_are_measured(tmp_path: Path) -> None:
    run = simulated(tmp_path, ("ping_pong",), "8", with_cables("0.001ns"), ranks=2)
    [summary] = summarise(run)
    assert summary.status == "ok"
    assert summary.latency_ns is not None
    assert summary.latency_ns.value < 100
