"""Dragonfly+: groups are fat trees of two levels, and spines have the cables between groups.

Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, Dragonfly+: Low Cost Topology for Scaling
Datacenters, HiPINEB 2017. Half of the ports of a leaf are for nodes, and half of the ports of a
spine for other groups. Each leaf of a group has a cable to each of its spines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import ceil
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.fabric.dragonfly import DragonflyAsked, global_trunks
from weft.fabric.links import Bundle
from weft.fabric.network import Fabric, FabricSwitch, Trunk, groups_of
from weft.fabric.tree_search import shares
from weft.wording import counted

if TYPE_CHECKING:
    from weft.fabric.links import Ways

LEAST_RADIX = 4


def build_dragonfly_plus(asked: DragonflyAsked) -> Fabric:
    """The fewest groups that have the nodes, with equal numbers of leaves. Raises WeftError."""
    half = asked.radix // 2
    most = half * half * (half * half + 1)
    if asked.radix < LEAST_RADIX or asked.nodes > most:
        raise WeftError(
            f"a Dragonfly+ of {counted(asked.radix, 'port')} has at most {most:,} nodes, not"
            f" {asked.nodes:,}",
            f"use a larger --switch, or --nodes {most} or fewer"
            if asked.radix >= LEAST_RADIX
            else f"use --switch {LEAST_RADIX} or more",
        )
    groups = max(2, ceil(asked.nodes / half**2))
    in_group = ceil(asked.nodes / (groups * half))
    leaves = groups * in_group
    nodes = shares(asked.nodes, leaves)
    local = (
        Trunk(leaf, leaves + leaf // in_group * half + spine, 1, "local")
        for leaf in range(leaves)
        for spine in range(half)
    )
    trunks = (*local, *global_trunks(groups, half, half, of_last=half, first=leaves))
    views: dict[tuple[int, int], list[int]] = defaultdict(list)
    for leaf, own in enumerate(nodes):
        first = leaf // in_group * in_group
        views[own, sum(nodes[first : first + in_group])].append(leaf)
    each = f"{nodes[0]}" if nodes[0] == nodes[-1] else f"{nodes[-1]} or {nodes[0]}"
    return Fabric(
        title=f"Dragonfly+ of {counted(groups, 'group')}, {in_group} leaves and {half} spines each,"
        f" nodes per leaf: {each}",
        nodes=asked.nodes,
        switches=(
            *(FabricSwitch("leaf", asked.radix, own) for own in nodes),
            *(FabricSwitch("spine", asked.radix),) * (groups * half),
        ),
        trunks=trunks,
        views=tuple((own[0], len(own)) for own in views.values()),
        spread=f"each leaf has a cable to each spine of its group; cables between every two groups:"
        f" {half * half // (groups - 1)}",
        groups=groups,
        irregular="SimGrid has no zone of this topology",
    )


def plus_ways(fabric: Fabric) -> tuple[tuple[Bundle, ...], Ways]:
    """Spread ideally over all shortest routes: the cables of a leaf to its spines are one link
    each way, and so are all cables between two groups."""
    group_of = {place: at for at, own in enumerate(groups_of(fabric)) for place in own}
    leaves = [place for place, switch in enumerate(fabric.switches) if switch.nodes]
    local: Counter[int] = Counter()
    between: Counter[tuple[int, int]] = Counter()
    for trunk in fabric.trunks:
        if trunk.kind == "local":
            local[trunk.one] += trunk.cables
        else:
            one, other = group_of[trunk.one], group_of[trunk.other]
            between[one, other] += trunk.cables
            between[other, one] += trunk.cables
    bundles = [
        Bundle(f"leaf-{leaf}-{way}", local[leaf]) for leaf in leaves for way in ("up", "down")
    ]
    at = {pair: len(bundles) + place for place, pair in enumerate(between)}
    bundles += [Bundle(f"group-{one}-{other}", between[one, other]) for one, other in between]
    ways: Ways = {}
    for start in leaves:
        for end in leaves:
            one, other = group_of[start], group_of[end]
            middle = (at[one, other],) if one != other else ()
            if start != end:
                ways[start, end] = (2 * start, *middle, 2 * end + 1)
    return tuple(bundles), ways
