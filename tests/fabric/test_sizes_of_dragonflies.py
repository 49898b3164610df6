"""Which numbers of nodes are a dragonfly, of every number up to beyond the largest."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from support.halves import least_of_all_sets
from weft.errors import WeftError
from weft.fabric.dragonfly import DragonflyAsked, build_dragonfly
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric, groups_of, hops_of, ports_used
from weft.fabric.routes import routes_of

# Of 7 ports 2 are a switch's nodes', 4 switches are a group, and 9 groups of 8 are the most.
EACH, IN_GROUP, WHOLE, MOST = 2, 4, 8, 9


def dragonfly(nodes: int) -> Fabric:
    return build_dragonfly(DragonflyAsked(nodes=nodes, radix=7))


def can_be(nodes: int) -> bool:
    """Whether the last group has a global port for each other group."""
    groups = -(-nodes // WHOLE)
    switches = -(-(nodes - (groups - 1) * WHOLE) // EACH)
    return 2 <= groups <= MOST and switches * EACH >= groups - 1


@pytest.mark.parametrize("nodes", range(1, WHOLE * (MOST + 2)))
def test_the_last_group_may_be_smaller_and_what_else_is_near_is_said(nodes: int) -> None:
    if can_be(nodes):
        fabric = dragonfly(nodes)
        groups = -(-nodes // WHOLE)
        assert (fabric.nodes, fabric.groups) == (nodes, groups)
        assert sum(switch.nodes for switch in fabric.switches) == nodes
        sizes = [len(own) for own in groups_of(fabric)]
        rest = nodes - (groups - 1) * WHOLE
        assert sizes == [IN_GROUP] * (groups - 1) + [-(-rest // EACH)]
        assert max(ports_used(fabric)) <= 7
        return
    with pytest.raises(WeftError) as caught:
        dragonfly(nodes)
    advised = [int(one) for one in re.findall(r"\d+", caught.value.fix)]
    # The nearest that there are, below and above.
    there = [one for one in range(1, WHOLE * MOST + 1) if can_be(one)]
    below = [one for one in there if one <= nodes][-1:]
    above = [one for one in there if one > nodes][:1]
    assert advised == below + above


@pytest.mark.parametrize("nodes", [9, 11, 12, 19, 21, 24, 30, 63, 71])
def test_cables_of_a_smaller_last_group_are_those_of_closed_forms(nodes: int) -> None:
    fabric = dragonfly(nodes)
    sizes = [len(own) for own in groups_of(fabric)]
    cables = Counter[str]()
    for trunk in fabric.trunks:
        cables[trunk.kind] += trunk.cables
    assert cables["local"] == sum(size * (size - 1) // 2 for size in sizes)
    groups = len(sizes)
    between, to_last = (size * EACH // (groups - 1) for size in (sizes[0], sizes[-1]))
    pairs = (groups - 1) * (groups - 2) // 2
    assert cables["global"] == pairs * between + (groups - 1) * to_last
    assert hops_of(fabric).diameter <= 4


@pytest.mark.parametrize("nodes", [9, 10, 11, 13, 15, 17, 19, 21, 23])
def test_no_half_with_a_smaller_last_group_has_less(nodes: int) -> None:
    if can_be(nodes):
        fabric = dragonfly(nodes)
        assert bisection_cables(fabric) == least_of_all_sets(fabric)


@pytest.mark.parametrize("nodes", [12, 19, 30, 63, 71])
def test_minimal_ways_take_the_global_cables_in_turn(nodes: int) -> None:
    """Each is at most a local, a global and a local cable, and joins its two switches."""
    fabric = dragonfly(nodes)
    routes = routes_of(fabric)
    group_of = {place: at for at, own in enumerate(groups_of(fabric)) for place in own}
    taken = Counter[tuple[int, int]]()
    for (start, end), way in routes.ways.items():
        steps = [tuple(map(int, routes.bundles[at].name.split("-")[1:])) for at in way]
        assert steps[0][0] == start
        assert steps[-1][1] == end
        assert all(one[1] == other[0] for one, other in pairwise(steps))
        crossed = [step for step in steps if group_of[step[0]] != group_of[step[1]]]
        assert len(crossed) == (group_of[start] != group_of[end])
        assert len(steps) <= 3
        taken.update((one, other) for one, other in crossed)
    shares = {
        (trunk.one, trunk.other): taken[trunk.one, trunk.other] / trunk.cables
        for trunk in fabric.trunks
        if trunk.kind == "global"
    }
    # Of whole groups all cables between two carry as much, within a pair of switches in turn.
    for first in range(fabric.groups - 1):
        for second in range(first + 1, fabric.groups - 1):
            own = [
                share
                for (one, other), share in shares.items()
                if (group_of[one], group_of[other]) == (first, second)
            ]
            assert max(own) <= 2 * min(own)
    assert routes_of(fabric, "ideal").most_switches == 2


def test_valiant_routing_needs_groups_that_are_alike() -> None:
    with pytest.raises(WeftError, match="groups are all alike; use --routing minimal or ideal"):
        routes_of(dragonfly(12), "valiant")
