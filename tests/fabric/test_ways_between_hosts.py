"""The cables on the way from one host to another, each way by itself: there is not back."""

from itertools import pairwise

from weft.fabric.known import known_of
from weft.fabric.topologies import FabricAsked, build_fabric

HOSTS = ("a", "b", "c", "d")


def test_ways_of_a_tree_go_up_at_their_start_and_down_at_their_end() -> None:
    tree = build_fabric(FabricAsked(nodes=4, switch="3", blocking="2:1"))
    known = known_of(tree, HOSTS, "")
    up, back = ("leaf-0-up", "leaf-1-down"), ("leaf-1-up", "leaf-0-down")
    assert known.ways == {
        ("a", "b"): (), ("b", "a"): (), ("c", "d"): (), ("d", "c"): (),
        **{(one, other): up for one in "ab" for other in "cd"},
        **{(one, other): back for one in "cd" for other in "ab"},
    }  # fmt: skip
    assert [(one.name, sorted(one.members)) for one in known.groups] == [
        ("leaf 1", ["a", "b"]), ("leaf 2", ["c", "d"]),
    ]  # fmt: skip


def test_ways_of_a_ring_go_around_it_from_their_start() -> None:
    ring = build_fabric(FabricAsked(nodes=4, topology="torus", shape="4", switch="8", per_switch=1))
    ways = known_of(ring, HOSTS, "").ways
    assert len(ways) == 12
    for (one, other), way in ways.items():
        # Each cable begins where the one before it ended: "switch-2-3" is from 2 to 3.
        places = [tuple(map(int, name.removeprefix("switch-").split("-"))) for name in way]
        assert (places[0][0], places[-1][1]) == (HOSTS.index(one), HOSTS.index(other))
        assert all(end == begin for (_, end), (begin, _) in pairwise(places))
        assert len(way) == (1 if abs(HOSTS.index(other) - HOSTS.index(one)) in (1, 3) else 2)
