"""Ways through a fabric: of the right length, over cables that are there, each as wide as it is."""

from collections import Counter

import pytest

from weft.fabric.network import hops_of
from weft.fabric.routes import routes_of
from weft.fabric.topologies import FabricAsked, build_fabric

FABRICS = (
    FabricAsked(nodes=20, switch="24"),
    FabricAsked(nodes=50, switch="24", blocking="2:1"),
    FabricAsked(nodes=100, switch="8", levels=3),
    FabricAsked(nodes=54, switch="9", topology="torus", shape="3x3x3"),
    FabricAsked(nodes=16, switch="24", topology="torus", shape="2x2"),
    FabricAsked(nodes=40, switch="7", topology="dragonfly"),
)


@pytest.mark.parametrize("asked", FABRICS, ids=lambda one: f"{one.topology} {one.nodes}")
def test_a_way_is_as_long_as_the_shortest_one(asked: FabricAsked) -> None:
    fabric = build_fabric(asked)
    routes = routes_of(fabric)
    ends = [place for place, switch in enumerate(fabric.switches) if switch.nodes]
    assert set(routes.ways) == {(a, b) for a in ends for b in ends if a != b}
    hops = hops_of(fabric)
    assert routes.most_switches == hops.diameter
    nodes = {place: fabric.switches[place].nodes for place in ends}
    total = sum(nodes[a] * nodes[b] * (1 + len(way)) for (a, b), way in routes.ways.items())
    total += sum(count * (count - 1) for count in nodes.values())
    assert total / (fabric.nodes * (fabric.nodes - 1)) == pytest.approx(hops.mean)


@pytest.mark.parametrize("asked", FABRICS[3:], ids=lambda one: f"{one.topology} {one.shape}")
def test_a_way_goes_from_switch_to_neighbouring_switch(asked: FabricAsked) -> None:
    fabric = build_fabric(asked)
    routes = routes_of(fabric)
    cables = {(one.one, one.other): one.cables for one in fabric.trunks}
    cables |= {(one.other, one.one): one.cables for one in fabric.trunks}
    for (start, end), way in routes.ways.items():
        here = start
        for at in way:
            one, other = map(int, routes.bundles[at].name.split("-")[1:])
            assert one == here
            assert routes.bundles[at].cables == cables[one, other]
            here = other
        assert here == end


def test_a_leaf_has_its_uplinks_and_a_pod_has_those_of_its_spines() -> None:
    fabric = build_fabric(FabricAsked(nodes=100, switch="8", levels=3, blocking="1:1,3:1"))
    routes = routes_of(fabric)
    uplinks: Counter[str] = Counter()
    for trunk in fabric.trunks:
        uplinks[fabric.switches[trunk.one].role] += trunk.cables
    by_kind: Counter[tuple[str, str]] = Counter()
    for bundle in routes.bundles:
        kind, _, way = bundle.name.split("-")
        by_kind[kind, way] += bundle.cables
    assert by_kind["leaf", "up"] == by_kind["leaf", "down"] == uplinks["leaf"]
    assert by_kind["pod", "up"] == by_kind["pod", "down"] == uplinks["spine"]


def test_the_way_up_is_not_the_way_down() -> None:
    routes = routes_of(build_fabric(FABRICS[1]))
    there, back = routes.ways[0, 1], routes.ways[1, 0]
    assert not set(there) & set(back)


def test_several_shortest_ways_share_the_messages() -> None:
    torus = FabricAsked(nodes=16, switch="5", topology="torus", shape="4x4")
    routes = routes_of(build_fabric(torus))
    used = Counter(at for way in routes.ways.values() for at in way)
    assert set(used) == set(range(len(routes.bundles)))
    # All cables are alike: none carries more than twice the mean.
    assert max(used.values()) <= 2 * sum(used.values()) / len(used)
