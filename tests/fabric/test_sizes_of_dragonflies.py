"""Which numbers of nodes are a dragonfly, of every number up to beyond the largest."""

import re

import pytest

from weft.errors import WeftError
from weft.fabric.dragonfly import DragonflyAsked, build_dragonfly

# Of 7 ports 2 are a switch's nodes', 4 switches are a group, and 9 groups of 8 are the most.
WHOLE, MOST = 8, 9


@pytest.mark.parametrize("nodes", range(1, WHOLE * (MOST + 2)))
def test_two_whole_groups_or_more_are_one_and_what_else_is_near_is_said(nodes: int) -> None:
    groups, rest = divmod(nodes, WHOLE)
    if not rest and 2 <= groups <= MOST:
        fabric = build_dragonfly(DragonflyAsked(nodes=nodes, radix=7))
        assert (fabric.nodes, fabric.groups) == (nodes, groups)
        return
    with pytest.raises(WeftError) as caught:
        build_dragonfly(DragonflyAsked(nodes=nodes, radix=7))
    advised = [int(one) for one in re.findall(r"\d+", caught.value.fix)]
    # The nearest that there are, below and above.
    there = [WHOLE * each for each in range(2, MOST + 1)]
    below = [one for one in there if one <= nodes][-1:]
    above = [one for one in there if one > nodes][:1]
    assert advised == below + above
