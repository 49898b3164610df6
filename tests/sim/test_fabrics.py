"""Calibrated nodes on larger fabrics: what is cabled how, and what a further switch costs."""

from pathlib import Path

import msgspec
import pytest

from simulations import KNOWN, by_size, platform, simulated
from weft.errors import WeftError
from weft.sim.fabrics import on_fabric, parse_topology


@pytest.mark.parametrize(
    ("text", "nodes", "zone"),
    [
        ("fat-tree 24/288 half", 64, ("FAT_TREE", "2;16,4;1,1;1,8")),
        ("fat-tree 24/288", 24, ("FAT_TREE", "2;12,2;1,1;1,12")),
        ("torus 4x4x4", 64, ("TORUS", "4,4,4")),
        ("crossbar", 9, ("", "")),
    ],
)
def test_a_topology_in_words(text: str, nodes: int, zone: tuple[str, str]) -> None:
    found = parse_topology(text, nodes)
    assert found.nodes == nodes
    assert found.topology == zone[0]
    if text != "fat-tree 24/288":
        assert found.parameters == zone[1]


@pytest.mark.parametrize(
    ("text", "nodes", "message"),
    [
        ("ring 8", 8, "'ring 8' is no topology; type"),
        ("fat-tree", 8, "is no topology"),
        ("fat-tree 24 most", 48, "'most' is not a blocking factor"),
        ("torus 4xx4", 16, "is not the shape of a torus"),
        ("fat-tree 24 half", 1, "--nodes 1 is out of range"),
    ],
)
def test_an_impossible_topology_is_refused(text: str, nodes: int, message: str) -> None:
    with pytest.raises(WeftError) as caught:
        parse_topology(text, nodes)
    assert message in f"{caught.value.what}; {caught.value.fix}"


def test_a_fabric_is_a_prediction_and_a_crossbar_is_not() -> None:
    tree = on_fabric(platform(), KNOWN, parse_topology("fat-tree 24/288 half", 64))
    assert tree.kind == "predicted"
    assert tree.label.startswith("simulated on known on fat tree")
    assert 'id="weft-cable-ns" value="100"' in tree.xml
    assert "limiter_link" not in tree.xml
    assert "surf/precision" not in tree.xml
    assert (
        '"surf/precision" value="1e-7"'
        in on_fabric(platform(), KNOWN, parse_topology("torus 4x4x8", 128)).xml
    )
    flat = on_fabric(platform(), KNOWN, parse_topology("crossbar", 64))
    assert flat.kind == "model"
    assert "limiter_link" in flat.xml
    assert "weft-cable-ns" not in flat.xml


@pytest.mark.engine
def test_a_way_over_a_further_switch_takes_two_cables_more(tmp_path: Path) -> None:
    """Leaves of one node each, so that a pair crosses a spine: 2 x 250 ns."""
    tree = on_fabric(platform(), KNOWN, parse_topology("fat-tree 2/8", 8), 500.0)
    found = by_size(simulated(tmp_path, ("ping_pong",), "8", tree), "ping_pong")
    latency = found[8].latency_ns
    factor = (2000 - 16) / 2000  # of the latency: 16 bytes of envelope are in it
    assert latency is not None
    assert latency.value == pytest.approx(KNOWN.ping_pong_ns(8) + 500 * factor, rel=1e-6)


@pytest.mark.engine
def test_work_is_charged_at_the_speed_of_the_nodes(tmp_path: Path) -> None:
    """An iteration of the solver on one rank sends nothing: 1187 operations a site, no more."""
    zone = msgspec.structs.replace(parse_topology("crossbar", 2), flops_per_s=2e9)
    run = simulated(tmp_path, ("milc",), "36", on_fabric(platform(), KNOWN, zone), ranks=1)
    assert run.measured
    for batch in run.measured:
        lattice = run.cases[batch.case].lattice
        assert lattice is not None
        assert min(run.time_ns(batch)) == pytest.approx(1187 * lattice.sites / 2, rel=1e-3)
