"""Ways through a fabric: of the right length, over cables that are there, each as wide as it is.

How many ways each link has is counted here from the names of the links, and known in closed form
where every node sends to every other one.
"""

from collections import Counter, defaultdict
from itertools import product
from math import ceil

import pytest

from weft.errors import WeftError
from weft.fabric.network import Fabric, hops_of
from weft.fabric.routes import ROUTINGS, Routes, routes_of
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


def all_to_all(routes: Routes) -> dict[str, float]:
    """Of each link the ways per cable, where each node sends to each other one."""
    ways: Counter[str] = Counter()
    for (one, other), links in routes.ways.items():
        pairs = len(routes.ends[one].nodes) * len(routes.ends[other].nodes)
        for at in links:
            ways[routes.bundles[at].name] += pairs
    return {one.name: ways[one.name] / one.cables for one in routes.bundles}


# A ring of k has k/8 ways a cable and node where k is even, (k^2 - 1)/8k where it is odd.
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("shape", "nodes", "most"),
    [
        ("8x8", 64, 64),
        ("8x8x8", 512, 512),
        ("6x6", 36, 27),
        ("4x4x2", 32, 16),
        ("7x7", 49, 42),
        ("4x3", 12, 6),
        # Six ties in a ring of 6 are no whole number for each of 12 cables: 4.5 is 5.
        ("6", 6, ceil(4.5)),
    ],
)
def test_no_cable_of_a_torus_has_more_ways_than_its_ring_needs(
    shape: str, nodes: int, most: int
) -> None:
    switch = f"{1 + 2 * len(shape.split('x'))}"
    asked = FabricAsked(nodes=nodes, switch=switch, topology="torus", shape=shape)
    assert max(all_to_all(routes_of(build_fabric(asked))).values()) == most


def test_a_way_through_a_torus_sets_one_dimension_after_the_other() -> None:
    asked = FabricAsked(nodes=60, switch="7", topology="torus", shape="5x4x3")
    routes = routes_of(build_fabric(asked))
    for way in routes.ways.values():
        hops = [tuple(map(int, routes.bundles[at].name.split("-")[1:])) for at in way]
        # The outermost coordinate that a hop changes.
        dimensions = [
            next(at for at, step in enumerate((12, 3, 1)) if here // step != there // step)
            for here, there in hops
        ]
        assert dimensions == sorted(dimensions)


DRAGONFLY = FabricAsked(nodes=72, switch="7", topology="dragonfly")


def by_kind(loads: dict[str, float], group: int) -> dict[str, list[float]]:
    """The loads of local and of global cables."""
    found: dict[str, list[float]] = {"local": [], "global": []}
    for name, load in loads.items():
        one, other = map(int, name.split("-")[1:])
        found["local" if one // group == other // group else "global"].append(load)
    return found


def test_minimal_ways_of_a_dragonfly_take_one_global_cable() -> None:
    routes = routes_of(build_fabric(DRAGONFLY))
    for (start, end), way in routes.ways.items():
        hops = [map(int, routes.bundles[at].name.split("-")[1:]) for at in way]
        kinds = ["local" if one // 4 == other // 4 else "global" for one, other in hops]
        assert kinds.count("global") == (start // 4 != end // 4)
        assert "".join(one[0] for one in kinds) in {"l", "g", "lg", "gl", "lgl"}
    found = by_kind(all_to_all(routes), 4)
    # Of a switches with p nodes and h global cables each: (ap)^2, and p^2 + 2 p^2 ah.
    assert set(found["global"]) == {(4 * 2) ** 2}
    assert set(found["local"]) == {2**2 + 2 * 2**2 * 4 * 2}


def test_several_cables_between_two_groups_have_as_many_ways_each() -> None:
    few = FabricAsked(nodes=24, switch="7", topology="dragonfly")
    found = by_kind(all_to_all(routes_of(build_fabric(few))), 4)
    # Four cables between each two of three groups, at two switches, for 8 x 8 pairs of nodes.
    assert set(found["global"]) == {8 * 8 / 4}


def test_valiant_ways_of_a_dragonfly_take_two_global_cables() -> None:
    routes = routes_of(build_fabric(DRAGONFLY), "valiant")
    for (start, end), way in routes.ways.items():
        hops = [map(int, routes.bundles[at].name.split("-")[1:]) for at in way]
        count = sum(one // 4 != other // 4 for one, other in hops)
        assert count == (2 if start // 4 != end // 4 else 0)


# Each global cable has twice the pairs of nodes of two groups over the cables between them, though
# 7 third groups do not divide the 16 pairs of switches of two groups. `size` is of a group.
@pytest.mark.parametrize(
    ("nodes", "ports", "size", "most"),
    [(72, "7", 4, 128), (40, "7", 4, 64), (342, "11", 6, 648), (24, "7", 4, 32), (48, "7", 4, 128)],
)
def test_valiant_ways_load_all_global_cables_alike(
    nodes: int, ports: str, size: int, most: float
) -> None:
    asked = FabricAsked(nodes=nodes, switch=ports, topology="dragonfly")
    found = by_kind(all_to_all(routes_of(build_fabric(asked), "valiant")), size)["global"]
    assert set(found) == {most}


# Of three to the 19 groups that 11 ports permit: of three, nine cables are between two of them, and
# each has six switches.
@pytest.mark.thorough
@pytest.mark.parametrize("groups", range(3, 20))
def test_cables_between_two_groups_are_taken_as_often(groups: int) -> None:
    asked = FabricAsked(nodes=groups * 18, switch="11", topology="dragonfly")
    fabric = build_fabric(asked)
    minimal = by_kind(all_to_all(routes_of(fabric, "minimal")), 6)["global"]
    # The pairs of switches are those of three by three nodes.
    assert max(minimal) - min(minimal) <= 9
    valiant = by_kind(all_to_all(routes_of(fabric, "valiant")), 6)["global"]
    assert max(valiant) <= 1.001 * sum(valiant) / len(valiant)


def busiest_of_draws(fabric: Fabric, size: int, *, is_indirect: bool) -> float:
    """The most ways over a cable in a group where each message draws cables and third groups: each
    cable between two groups, and each third group, as often."""
    cables: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for trunk in fabric.trunks:
        if trunk.kind == "global":
            for one, other in ((trunk.one, trunk.other), (trunk.other, trunk.one)):
                between = cables.setdefault((one // size, other // size), [])
                between += [(one, other)] * trunk.cables
    loads: dict[tuple[int, int], float] = defaultdict(float)
    switches = range(len(fabric.switches))
    for start, end in product(switches, switches):
        groups = start // size, end // size
        thirds = [one for one in range(fabric.groups) if one not in groups]
        steps: list[tuple[tuple[int, int], ...]] = [()]
        if groups[0] != groups[1] and is_indirect:
            steps = [
                pair
                for third in thirds
                for pair in product(cables[groups[0], third], cables[third, groups[1]])
            ]
        elif groups[0] != groups[1]:
            steps = [(cable,) for cable in cables[groups]]
        for passed in steps:
            here = start
            for one, other in (*passed, (end, end)):
                loads[here, one] += 1 / len(steps)
                here = other
    nodes = fabric.switches[0].nodes
    return nodes**2 * max(load for (one, other), load in loads.items() if one != other)


# Nine cables are between two of three groups, and a pair of switches takes one; in 19 groups all
# ports have a cable. Switches whose ports lead nowhere are passed by fewer: that is the geometry.
@pytest.mark.parametrize("is_indirect", [False, True])
@pytest.mark.parametrize(
    ("ports", "groups", "most"),
    [("7", 6, 1.01), ("7", 9, 1.01), ("11", 3, 1.23), ("11", 7, 1.05), ("11", 10, 1.05)],
)
def test_cables_in_a_group_carry_what_draws_of_ways_would_bring(
    ports: str, groups: int, most: float, is_indirect: bool
) -> None:
    each = (int(ports) + 1) // 4
    size = 2 * each
    fabric = build_fabric(
        FabricAsked(nodes=groups * size * each, switch=ports, topology="dragonfly")
    )
    routes = routes_of(fabric, "valiant" if is_indirect else "minimal")
    found = by_kind(all_to_all(routes), size)["local"]
    assert max(found) <= most * busiest_of_draws(fabric, size, is_indirect=is_indirect)


def test_valiant_ways_spread_what_one_group_sends_to_the_next() -> None:
    busiest = {}
    for routing in ("minimal", "valiant"):
        routes = routes_of(build_fabric(DRAGONFLY), routing)
        ways: Counter[int] = Counter()
        for (start, end), way in routes.ways.items():
            if end == (start + 4) % 36:
                ways.update(dict.fromkeys(way, 2))
        busiest[routing] = max(ways.values())
    # All eight nodes of a group over one cable, and in pairs over seven other groups.
    assert busiest["minimal"] == 8
    assert busiest["valiant"] < 8


def test_no_routing_of_a_dragonfly_beats_the_bound() -> None:
    fabric = build_fabric(DRAGONFLY)
    bound = max(all_to_all(routes_of(fabric, "ideal")).values())
    assert bound == 64
    for routing in ("minimal", "valiant"):
        assert max(all_to_all(routes_of(fabric, routing)).values()) >= bound
    assert routes_of(fabric, "ideal").most_switches == 2


# Full trees: of two levels and of three, whose nodes are numbered leaf by leaf.
FULL = (
    FabricAsked(nodes=32, switch="8"),
    FabricAsked(nodes=50, switch="10"),
    FabricAsked(nodes=54, switch="6", levels=3),
)


@pytest.mark.parametrize("asked", FULL, ids=lambda one: f"{one.nodes} nodes")
def test_shifts_of_all_nodes_share_no_cable_by_d_mod_k(asked: FabricAsked) -> None:
    routes = routes_of(build_fabric(asked), "d-mod-k")
    end_of = {node: at for at, end in enumerate(routes.ends) for node in end.nodes}
    for shift in range(1, asked.nodes):
        used: Counter[int] = Counter()
        for node in range(asked.nodes):
            ends = end_of[node], end_of[(node + shift) % asked.nodes]
            used.update(routes.ways.get(ends, ()))
        assert max(used.values()) == 1, shift


STATIC = (
    *FULL,
    FabricAsked(nodes=45, switch="8"),
    FabricAsked(nodes=96, switch="24", blocking="2:1"),
    FabricAsked(nodes=50, switch="16", blocking="2:1", spread="any"),
    FabricAsked(nodes=100, switch="8", levels=3),
)


@pytest.mark.parametrize("asked", STATIC, ids=lambda one: f"{one.nodes} nodes {one.switch}")
def test_static_ways_go_up_and_down_over_cables_that_are_there(asked: FabricAsked) -> None:
    fabric = build_fabric(asked)
    routes = routes_of(fabric, "d-mod-k")
    cables = {(one.one, one.other): one.cables for one in fabric.trunks}
    assert sorted(node for end in routes.ends for node in end.nodes) == [*range(asked.nodes)]
    for (start, end), way in routes.ways.items():
        here = routes.ends[start].switch
        turns = []
        for at in way:
            low, high, number, direction = routes.bundles[at].name.split("-")[1:]
            assert int(number) < cables[int(low), int(high)]
            ends = (int(low), int(high)) if direction == "up" else (int(high), int(low))
            assert here == ends[0]
            here = ends[1]
            turns.append(direction)
        assert here == routes.ends[end].switch
        assert turns == sorted(turns, reverse=True)
        assert (not way) == (routes.ends[start].switch == routes.ends[end].switch)


def test_nodes_of_a_leaf_are_shared_out_over_its_cables() -> None:
    routes = routes_of(build_fabric(STATIC[4]), "d-mod-k")
    # Leaves of 16 nodes with 8 cables: two nodes are reached over each.
    assert {len(end.nodes) for end in routes.ends} == {2}
    assert len(routes.ends) == 6 * 8


def test_a_routing_of_another_topology_is_refused() -> None:
    with pytest.raises(WeftError, match="valiant"):
        routes_of(build_fabric(FABRICS[1]), "valiant")


@pytest.mark.parametrize(
    ("topology", "routing"), [(name, one) for name, own in ROUTINGS.items() for one in own]
)
def test_each_routing_has_a_way_between_any_two_ends(topology: str, routing: str) -> None:
    switch, shape = {"torus": ("9", "3x3x3"), "dragonfly": ("7", "")}.get(topology, ("8", ""))
    nodes = {"dragonfly": 56, "rail-optimised": 32}.get(topology, 54)
    fabric = build_fabric(
        FabricAsked(
            nodes=nodes,
            switch=switch,
            topology=topology,
            shape=shape,
        )
    )
    routes = routes_of(fabric, routing)
    ends = range(len(routes.ends))
    assert set(routes.ways) == {(one, other) for one in ends for other in ends if one != other}
    switches = [end.switch for end in routes.ends]
    beside = {pair for pair, way in routes.ways.items() if not way}
    assert beside == {pair for pair in routes.ways if switches[pair[0]] == switches[pair[1]]}


def test_links_of_a_bound_are_called_by_their_switch_or_group_and_way() -> None:
    fabric = build_fabric(FabricAsked(nodes=6, switch="3", topology="dragonfly"))
    names = [one.name for one in routes_of(fabric, "ideal").bundles]
    assert names == [
        *(f"switch-{at}-out" for at in range(6)),
        *(f"switch-{at}-in" for at in range(6)),
        *(f"group-{at}-{way}" for at in range(3) for way in ("out", "in")),
    ]
