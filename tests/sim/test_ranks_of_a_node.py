"""Several ranks a node: they share its cable, and their own messages cost as in its memory."""

from pathlib import Path

import msgspec
import pytest

from support.simulations import KNOWN, platform, simulated
from weft.analysis.summary import summarise
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.record.host_pairs import HostPairs
from weft.sim.predicted import Variant, parameters_of, predicted
from weft.sim.protocols import Piece, Protocols

pytestmark = pytest.mark.engine
# Shared memory: faster, with overheads of its own; the switch of protocol is the fabric's.
MEMORY = Protocols(
    transfer=(Piece(0, 300.0, 0.5), Piece(2048, 800.0, 0.2)),
    blocking_send=(Piece(0, 70.0),),
    send=(Piece(0, 90.0),),
    receive=(Piece(0, 50.0),),
    eager_below_bytes=2048,
)
VARIANT = Variant(
    fabric=FabricAsked(nodes=4, switch="8"), ranks_per_node=2,
    shared=parameters_of(platform(MEMORY)),
)  # fmt: skip
MIB = 1 << 20


@pytest.mark.parametrize("size", [8, 1024, 4096, MIB])
def test_two_ranks_of_a_node_have_its_memory_and_those_of_two_the_cable(
    tmp_path: Path, size: int
) -> None:
    for test, known in (("ping_pong", "ping_pong_ns"), ("sendrecv", "sendrecv_ns")):
        for place, variant in (
            ("within", VARIANT),
            ("between", msgspec.structs.replace(VARIANT, mapping="", ranks_per_node=1)),
        ):
            (folder := tmp_path / f"{test}-{place}").mkdir()
            run = simulated(folder, (test,), str(size), predicted(platform(), variant), ranks=2)
            [one] = summarise(run)
            assert one.latency_ns is not None
            wanted = getattr(MEMORY if place == "within" else KNOWN, known)(size)
            assert one.latency_ns.value == pytest.approx(wanted, rel=1e-4)
            hosts = {facts.host for facts in run.lines.launches[0].ranks}
            assert len(hosts) == (1 if place == "within" else 2)


def test_all_ranks_of_a_node_share_its_cable(tmp_path: Path) -> None:
    """A shift by a node's ranks sends all of them out of it at once."""
    for places, share, between in ((1, 1, 4), (2, 2, 8)):
        (folder := tmp_path / str(places)).mkdir()
        part = Experiment(
            tests=("shift",), sizes=str(MIB), ranks=8, variants=Variants(points=(places,))
        )
        plain = Protocols(transfer=(Piece(0, 2000.0, 1.0),), eager_below_bytes=1)
        on = predicted(platform(plain), VARIANT)
        [one] = summarise(simulated(folder, (), "", on, parts=(part,)))
        assert one.latency_ns is not None
        assert one.latency_ns.value == pytest.approx(share * MIB, rel=0.02)
        assert one.pairs == HostPairs(pairs=8, least=between, most=between)
