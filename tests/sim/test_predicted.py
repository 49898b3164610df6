"""Fabrics of a platform that is known: what links, switches and rails do to it, to the last digit.

Each figure follows from the platform's numbers and the shape of the fabric by hand.
"""

from pathlib import Path

import pytest

import weft
from support.simulations import KNOWN, by_size, platform, simulated
from weft.analysis.summary import summarise
from weft.applications.asked import ApplicationsAsked
from weft.fabric.topologies import FabricAsked
from weft.plan.cases import Experiment, Variants
from weft.sim.predicted import Variant, predicted

pytestmark = pytest.mark.engine
EXACT = 1e-6
MIB = 1 << 20
RATE = KNOWN.bandwidth_bytes_per_s
HOP_NS = 1000.0
# Four ranks on two leaves of two nodes, at one uplink each or at two; one switch of four ports
# would hold four nodes by itself.
HALF = FabricAsked(nodes=4, switch="3", blocking="2:1")
FULL = FabricAsked(nodes=6, switch="4", blocking="1:1")
RING = FabricAsked(nodes=4, switch="5", topology="torus", shape="4")


def on(
    folder: Path, fabric: FabricAsked, tests: tuple[str, ...], sizes: str, **asked: object
) -> weft.Run:
    """A run on a fabric with the links and hosts of the known platform."""
    speed = asked.pop("speed", 1.0)
    assert isinstance(speed, float)
    variant = Variant(fabric=fabric, hop_ns=HOP_NS, speed=speed)
    return simulated(folder, tests, sizes, predicted(platform(), variant), **asked)


def rates(run: weft.Run) -> list[float]:
    """The bandwidth of each case, bytes/s."""
    found = [row.bandwidth_bytes_per_s for row in summarise(run)]
    assert all(found)
    return [one.value for one in found if one]


def latencies(run: weft.Run, test: str = "ping_pong") -> dict[int, float]:
    found = {size: row.latency_ns for size, row in by_size(run, test).items()}
    return {size: one.value for size, one in found.items() if one}


def test_a_hot_spot_of_n_senders_takes_n_times_the_time_of_one(tmp_path: Path) -> None:
    fabric = FabricAsked(nodes=8, switch="4", blocking="1:1")
    run = on(tmp_path, fabric, ("hot_spot_receive",), "1MiB", ranks=8, samples=1)
    # All of them together move no more than the one link of the receiver.
    assert rates(run) == pytest.approx([RATE] * 4, rel=0.01)


@pytest.mark.parametrize(("per_switch", "further"), [(1, 1), (2, 0)])
def test_nodes_of_a_torus_are_as_many_a_switch_as_asked(
    tmp_path: Path, per_switch: int, further: int
) -> None:
    """Ranks 0 and 1 are at one switch, or at two that are next to each other."""
    fabric = FabricAsked(nodes=8 * per_switch, switch="8", topology="torus", per_switch=per_switch)
    run = on(tmp_path, fabric, ("ping_pong",), "8")
    one_way_ns = KNOWN.ping_pong_ns(8) + further * HOP_NS
    assert latencies(run)[8] == pytest.approx(one_way_ns, rel=0.005)
    assert f"torus {per_switch} node" in Variant(fabric=fabric).label


def test_half_a_tree_has_half_of_the_bisection(tmp_path: Path) -> None:
    """Two pairs across the tree in the same direction share a half tree's only uplink."""
    of_launch = {}
    for name, fabric in (("half", HALF), ("full", FULL)):
        (tmp_path / name).mkdir()
        run = on(tmp_path / name, fabric, ("random_pairs",), "1MiB", ranks=4, launches=5, samples=1)
        times = sorted((one.launch, min(one.ticks)) for one in run.measured)
        of_launch[name] = [
            2 * MIB * one.ops_per_sample / 2 / (t / 1e12)
            for (_, t), one in zip(
                times, sorted(run.measured, key=lambda one: one.launch), strict=True
            )
        ]
    assert of_launch["full"] == pytest.approx([2 * RATE] * 5, rel=0.01)
    shares = [a / b for a, b in zip(of_launch["half"], of_launch["full"], strict=True)]
    assert {round(share, 1) for share in shares} == {0.5, 1.0}


def test_neighbours_in_a_torus_are_one_hop_apart(tmp_path: Path) -> None:
    (tmp_path / "near").mkdir()
    one_switch = FabricAsked(nodes=4, switch="24")
    near = latencies(on(tmp_path / "near", one_switch, ("ping_pong",), "8,1MiB"))
    far = latencies(on(tmp_path, RING, ("ping_pong",), "8,1MiB"))
    for size in (8, MIB):
        assert near[size] == pytest.approx(KNOWN.ping_pong_ns(size), rel=EXACT)
    # An eager message passes the further switch once; a rendezvous asks, is answered and sends.
    assert far[8] - near[8] == pytest.approx(HOP_NS, rel=EXACT)
    assert far[MIB] - near[MIB] == pytest.approx(3 * HOP_NS, rel=1e-5)


def test_nodes_of_a_fabric_keep_their_bus(tmp_path: Path) -> None:
    found = latencies(on(tmp_path, FULL, ("sendrecv",), "1MiB"), "sendrecv")
    assert found[MIB] == pytest.approx(KNOWN.sendrecv_ns(MIB), rel=EXACT)


@pytest.mark.parametrize("what", ["rails", "speed"])
def test_two_rails_and_links_twice_as_fast_move_twice_as_much(tmp_path: Path, what: str) -> None:
    fabric = FabricAsked(nodes=6, switch="4", rails=2 if what == "rails" else 1)
    run = on(
        tmp_path, fabric, ("hot_spot_send", "hot_spot_receive"), "1MiB", ranks=4,
        speed=2.0 if what == "speed" else 1.0,
    )  # fmt: skip
    assert rates(run) == pytest.approx([2 * RATE] * len(rates(run)), rel=0.02)


def test_ranks_are_on_the_nodes_in_their_order(tmp_path: Path) -> None:
    fabric = FabricAsked(nodes=12, switch="4", blocking="1:1")
    run = on(tmp_path, fabric, ("hot_spot_send",), "8", ranks=12, samples=1)
    [launch] = run.lines.launches
    assert [facts.host for facts in launch.ranks] == [f"node-{rank}" for rank in range(12)]


def test_a_prediction_says_what_it_is_and_checks_no_message_twice(tmp_path: Path) -> None:
    run = on(tmp_path, HALF, ("ping_pong",), "8")
    simulated_on = run.header.plan.simulated
    assert simulated_on is not None
    assert simulated_on.kind == "predicted"
    assert "1000 ns for each further switch" in run.header.notes[0]
    assert "precision 1e-12 s" in run.header.notes[0]
    (tmp_path / "calibrated").mkdir()
    checked = simulated(tmp_path / "calibrated", ("ping_pong",), "8", platform())
    few, many = (sum(one.verified_bytes for one in each.lines.batches) for each in (run, checked))
    assert 0 < few < many


def test_a_coarser_simulation_says_the_same(tmp_path: Path) -> None:
    found = {}
    fabric = FabricAsked(nodes=16, switch="8", blocking="3:1")
    for is_exact in (True, False):
        folder = tmp_path / str(is_exact)
        folder.mkdir()
        on_it = predicted(
            platform(), Variant(fabric=fabric, hop_ns=HOP_NS), as_of_nodes=16 if is_exact else 128
        )
        assert ("surf/precision" in on_it.xml) != is_exact
        part = Experiment(
            tests=("halo",),
            sizes="256",
            ranks=16,
            variants=Variants(application=ApplicationsAsked(extents="4")),
        )
        run = simulated(folder, ("halo",), "256", on_it, ranks=16, samples=3, parts=(part,))
        found[is_exact] = [min(one.ticks) for one in run.measured]
    assert found[False] == pytest.approx(found[True], rel=0.01)


@pytest.mark.parametrize("test", ["ping_pong", "sendrecv"])
def test_a_small_message_takes_as_long_on_a_fabric_of_any_size(tmp_path: Path, test: str) -> None:
    """It took 4.3 µs on 64 nodes of Escher and 5.3 µs on 513."""
    fabric = FabricAsked(nodes=4, switch="4")
    for nodes in (64, 65, 513, 4096):
        (folder := tmp_path / str(nodes)).mkdir()
        on_it = predicted(platform(), Variant(fabric=fabric), as_of_nodes=nodes)
        own = getattr(KNOWN, f"{test}_ns")(8)
        assert latencies(simulated(folder, (test,), "8", on_it), test)[8] == pytest.approx(
            own, rel=0.005
        )


def test_a_ping_pong_stays_in_a_leaf_unless_its_ranks_are_far(tmp_path: Path) -> None:
    found = {}
    for mapping in ("in-order", "far", "by-leaf"):
        (folder := tmp_path / mapping).mkdir()
        on_it = predicted(platform(), Variant(fabric=HALF, hop_ns=HOP_NS, mapping=mapping))
        found[mapping] = latencies(simulated(folder, ("ping_pong",), "8", on_it))[8]
    near = KNOWN.ping_pong_ns(8)
    assert found["in-order"] == pytest.approx(near, rel=EXACT)
    # Up to a spine and down again: two switches further.
    assert found["far"] == pytest.approx(near + 2 * HOP_NS, rel=EXACT)
    assert found["by-leaf"] == pytest.approx(near + 2 * HOP_NS, rel=EXACT)
