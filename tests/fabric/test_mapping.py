"""Each rank has a node of its own, where its mapping says."""

from collections import Counter
from itertools import permutations

import pytest

from weft.errors import WeftError
from weft.fabric.links import Bundle, End, Ways
from weft.fabric.mapping import DRAWN, MAPPINGS, placements
from weft.fabric.routes import Routes, routes_of
from weft.fabric.topologies import FabricAsked, build_fabric

TREE = FabricAsked(nodes=10, switch="6", blocking="2:1")


def routes(asked: FabricAsked = TREE, routing: str = "") -> Routes:
    return routes_of(build_fabric(asked), routing)


def nodes_of_ranks(of: Routes, mapping: str) -> list[int]:
    return list(placements(of, mapping)[0].nodes)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_every_node_has_one_rank(mapping: str) -> None:
    assert sorted(nodes_of_ranks(routes(), mapping)) == [*range(10)]


def test_ranks_by_leaf_go_round_the_leaves() -> None:
    # Three leaves of 4, 3 and 3 nodes; those of one leaf that are reached alike stay in their leaf.
    expected = [0, 4, 7, 1, 5, 8, 2, 6, 9, 3]
    assert nodes_of_ranks(routes(), "by-leaf") == expected
    assert nodes_of_ranks(routes(TREE, "d-mod-k"), "by-leaf") == expected


def test_the_far_rank_has_the_most_switches_before_it() -> None:
    assert nodes_of_ranks(routes(), "far")[:2] == [0, 9]
    ring = FabricAsked(nodes=8, switch="3", topology="torus", shape="8")
    assert nodes_of_ranks(routes(ring), "far") == [0, 4, 2, 3, 1, 5, 6, 7]
    # At one switch all are as near.
    assert sorted(nodes_of_ranks(routes(FabricAsked(nodes=4, switch="8")), "far")) == [*range(4)]


def test_random_ranks_are_drawn_alike_each_time_and_leave_their_order() -> None:
    drawn = [placements(routes(), "random") for _ in range(3)]
    assert drawn[0] == drawn[1] == drawn[2]
    assert len({one.nodes for one in drawn[0]} | {tuple(range(10))}) == DRAWN + 1
    assert sum(one.share for one in drawn[0]) == pytest.approx(1)


def test_an_unknown_mapping_is_refused() -> None:
    with pytest.raises(WeftError, match="by-leaf"):
        nodes_of_ranks(routes(), "by-rack")


RING = FabricAsked(nodes=8, switch="3", topology="torus", shape="8")


@pytest.mark.parametrize(
    ("asked", "routing"),
    [(TREE, ""), (TREE, "d-mod-k"), (RING, ""), (FabricAsked(nodes=4, switch="8"), "")],
)
def test_pairs_of_each_distance_count_as_often_as_there_are_such(
    asked: FabricAsked, routing: str
) -> None:
    """Against every pair of nodes, one by one."""
    of = routes(asked, routing)
    ends = {node: at for at, end in enumerate(of.ends) for node in end.nodes}

    def further(one: int, other: int) -> int:
        same = ends[one] == ends[other]
        return 0 if same else of.further_switches(of.ways[ends[one], ends[other]])

    counts = Counter(further(*pair) for pair in permutations(ends, 2))
    found = placements(of, pairs="random")
    assert {further(*one.nodes[:2]): one.share for one in found} == pytest.approx(
        {distance: count / counts.total() for distance, count in counts.items()}
    )
    for one in found:
        assert sorted(one.nodes) == sorted(ends)
    [near], [far] = placements(of, pairs="near"), placements(of, pairs="far")
    assert (further(*near.nodes[:2]), further(*far.nodes[:2])) == (min(counts), max(counts))
    assert near.share == far.share == 1


def test_unknown_pairs_are_refused() -> None:
    with pytest.raises(WeftError, match="near"):
        placements(routes(), pairs="close")


def test_the_far_rank_is_so_on_the_way_from_the_first_node() -> None:
    """Ways there and back may pass unlike numbers of switches."""
    ends = tuple(End(at, (at,)) for at in range(3))
    near, far = Bundle("near", 1), Bundle("far", 1, switches=4)
    ways: Ways = {
        (0, 1): (0,),
        (1, 0): (1,),
        (0, 2): (1,),
        (2, 0): (0,),
        (1, 2): (1,),
        (2, 1): (0,),
    }
    of = Routes(bundles=(near, far), ends=ends, ways=ways)
    assert nodes_of_ranks(of, "far") == [0, 2, 1]
    back = {pair[::-1]: way for pair, way in ways.items()}
    of = Routes(bundles=(near, far), ends=ends, ways=back)
    assert nodes_of_ranks(of, "far") == [0, 1, 2]
