"""Dragonfly+: leaves, spines, cables, diameter, bisection and loads by closed forms."""

from collections import Counter

import pytest

from support.halves import least_of_all_sets
from weft.errors import WeftError
from weft.fabric.dragonfly import DragonflyAsked
from weft.fabric.dragonfly_plus import build_dragonfly_plus
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric, groups_of, hops_of, ports_used
from weft.fabric.picture import picture_of
from weft.fabric.routes import routes_of, topology_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.sim.predicted import Variant


def plus(nodes: int, radix: int) -> Fabric:
    return build_dragonfly_plus(DragonflyAsked(nodes=nodes, radix=radix))


@pytest.mark.parametrize(("groups", "radix"), [(2, 8), (5, 8), (17, 8), (3, 16), (5, 36), (37, 12)])
def test_full_groups_have_the_parts_of_closed_forms(groups: int, radix: int) -> None:
    half = radix // 2
    fabric = plus(groups * half**2, radix)
    roles = Counter(switch.role for switch in fabric.switches)
    assert roles == {"leaf": groups * half, "spine": groups * half}
    cables = Counter[str]()
    for trunk in fabric.trunks:
        cables[trunk.kind] += trunk.cables
    between = half**2 // (groups - 1)
    assert cables == {"local": groups * half**2, "global": groups * (groups - 1) // 2 * between}
    used = ports_used(fabric)
    assert max(used) <= radix
    assert all(used[at] == radix for at in range(groups * half))
    hops = hops_of(fabric)
    nodes, own = groups * half**2, half**2
    assert hops.diameter == 4
    total = half - 1 + 3 * (own - half) + 4 * (nodes - own)
    assert hops.mean == pytest.approx(total / (nodes - 1))
    every = tuple((at, 1) for at in range(groups * half))
    assert hops_of(fabric, every).mean == pytest.approx(hops.mean)


@pytest.mark.parametrize("nodes", [2, 7, 30, 33, 100, 170])
def test_any_number_of_nodes_is_shared_out_over_leaves(nodes: int) -> None:
    fabric = plus(nodes, 8)
    own = [switch.nodes for switch in fabric.switches if switch.role == "leaf"]
    assert sum(own) == fabric.nodes == nodes
    assert max(own) - min(own) <= 1
    assert max(own) <= 4
    assert max(ports_used(fabric)) <= 8
    every = tuple((at, 1) for at in range(len(own)))
    assert hops_of(fabric, every) == hops_of(fabric)


@pytest.mark.parametrize("nodes", [2, 5, 8, 10, 12, 16, 17, 20])
def test_no_half_of_a_small_one_has_less(nodes: int) -> None:
    fabric = plus(nodes, 4)
    assert bisection_cables(fabric) == least_of_all_sets(fabric)


@pytest.mark.parametrize(("groups", "radix"), [(2, 8), (4, 8), (6, 16)])
def test_an_even_number_of_groups_is_halved_between_them(groups: int, radix: int) -> None:
    half = radix // 2
    found = bisection_cables(plus(groups * half**2, radix))
    assert found == min((groups // 2) ** 2 * (half**2 // (groups - 1)), groups * half**2 // 2)


def test_routes_load_links_as_an_all_to_all_needs() -> None:
    """Each leaf of 4 nodes sends to all others; a group of 16 sends to each other group."""
    fabric = plus(48, 8)
    assert topology_of(fabric) == "dragonfly+"
    routes = routes_of(fabric)
    assert routes.most_switches == 4
    loads = Counter[str]()
    for (one, other), way in routes.ways.items():
        pairs = len(routes.ends[one].nodes) * len(routes.ends[other].nodes)
        for at in way:
            loads[routes.bundles[at].name] += pairs
    cables = {one.name: one.cables for one in routes.bundles}
    assert loads["leaf-0-up"] == loads["leaf-11-down"] == 4 * 44
    assert loads["group-0-1"] == loads["group-2-0"] == 16 * 16
    assert (cables["leaf-0-up"], cables["group-0-1"]) == (4, 8)
    near, far = routes.ways[0, 1], routes.ways[0, 11]
    assert [routes.further_switches(way) for way in (near, far)] == [2, 3]


def test_its_picture_has_its_groups_and_a_prediction_its_name() -> None:
    fabric = plus(48, 8)
    assert [len(own) for own in groups_of(fabric)] == [8, 8, 8]
    assert [box.lines[0] for box in picture_of(fabric).boxes] == ["group 1", "group 2", "group 3"]
    asked = FabricAsked(nodes=48, switch="8", topology="dragonfly+")
    assert build_fabric(asked) == fabric
    assert Variant(fabric=asked).label == "dragonfly+"


@pytest.mark.parametrize(
    ("nodes", "radix", "told"),
    [(273, 8, "at most 272 nodes, not 273"), (2, 3, "at most 2 nodes|use --switch 4")],
)
def test_too_many_nodes_or_too_few_ports_are_refused(nodes: int, radix: int, told: str) -> None:
    with pytest.raises(WeftError, match=told):
        plus(nodes, radix)
