"""Each rank has a node of its own, where its mapping says."""

from collections import Counter

import pytest

from weft.errors import WeftError
from weft.fabric.mapping import MAPPINGS, nodes_of_ranks
from weft.fabric.routes import Routes, routes_of
from weft.fabric.topologies import FabricAsked, build_fabric

TREE = FabricAsked(nodes=10, switch="6", blocking="2:1")


def routes(asked: FabricAsked = TREE, routing: str = "") -> Routes:
    return routes_of(build_fabric(asked), routing)


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
    drawn = [tuple(nodes_of_ranks(routes(), "random")) for _ in range(3)]
    assert list(Counter(drawn).values()) == [3]
    assert drawn[0] != tuple(range(10))


def test_an_unknown_mapping_is_refused() -> None:
    with pytest.raises(WeftError, match="by-leaf"):
        nodes_of_ranks(routes(), "by-rack")
