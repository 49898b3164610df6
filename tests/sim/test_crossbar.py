"""A calibrated platform as a file: its kind, its precision, and what its nodes compute."""

from pathlib import Path

import pytest

from support.lattices import lattice_of
from support.simulations import KNOWN, platform, simulated
from weft.fabric.topologies import FabricAsked
from weft.plan.simulated import SimulatedPlatform
from weft.sim.crossbar import at_crossbar, coarseness_of
from weft.sim.predicted import Variant, predicted


def crossbar(nodes: int, gflops: float = 1.0) -> SimulatedPlatform:
    named = platform(nodes=nodes)
    return at_crossbar(named, KNOWN, "known", flops_per_s=1e9 * gflops, is_coarse=True)


def test_more_nodes_are_what_was_calibrated_and_coarser() -> None:
    few, many = crossbar(64), crossbar(128)
    assert (few.kind, few.nodes, many.kind, many.nodes) == ("model", 64, "model", 128)
    assert "limiter_link" in few.xml
    assert "surf/precision" not in few.xml
    assert '"surf/precision" value="1e-9"' in many.xml


def test_moments_that_count_as_one_are_a_thousandth_of_the_latency_apart_at_most() -> None:
    assert coarseness_of(64, 4000.0) == coarseness_of(64, 4000.0, 19000.0) == ""
    # A 200th of 23 us and of 8 us, as far as one digit says; never finer than of a small message.
    assert coarseness_of(4096, 4000.0, 19000.0) == "1e-7"
    assert coarseness_of(4096, 4000.0, 4000.0) == "4e-8"
    assert coarseness_of(4096, 4000.0, 1.0) == "2e-8"
    assert coarseness_of(4096, 4000.0, 0.0) == "1e-9"
    for nodes in (65, 512, 513, 4096):
        assert [coarseness_of(nodes, ns) for ns in (4000.0, 999.0, 200.0)] == [
            "1e-9", "1e-10", "1e-10",
        ]  # fmt: skip


def pair(base: SimulatedPlatform) -> SimulatedPlatform:
    return predicted(base, Variant(fabric=FabricAsked(nodes=2, switch="8")))


@pytest.mark.engine
@pytest.mark.parametrize("is_predicted", [False, True])
def test_work_is_charged_at_the_speed_of_the_nodes(tmp_path: Path, is_predicted: bool) -> None:
    """An iteration of the solver on one rank sends nothing: 1187 operations a site, no more."""
    base = crossbar(2, gflops=2)
    run = simulated(tmp_path, ("milc",), "36", pair(base) if is_predicted else base, ranks=1)
    assert run.measured
    for batch in run.measured:
        lattice = lattice_of(run.cases[batch.case])
        assert min(run.time_ns(batch)) == pytest.approx(1187 * lattice.sites / 2, rel=1e-3)
