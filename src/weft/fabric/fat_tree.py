"""Fat trees of one to three levels with any blocking factor: one switch; leaves below spines; pods
of leaves and spines below cores (Leiserson, Fat-trees, 1985; Al-Fares et al., SIGCOMM 2008).

The blocking of a switch is the cables from below over those upwards: 1 is full bandwidth, 2 the
half-bandwidth of Doerfler (2005).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.fabric.tree_search import (
    BisectionNeeds,
    BlockingNeeds,
    Needs,
    Spread,
    SwitchPrice,
    TreeLayers,
    TreePrices,
    TreeSearch,
    ports_down,
    shares,
)
from weft.wording import counted, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LEVELS = 3
LEVELS = ("one switch", "two levels", "three levels")


class TreeAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A fat tree as it is asked for: the ports of leaf, spine and core switches, the blocking of
    leaves and spines, or the cables of its bisection. 0 levels: as many as are the cheapest.
    `spread` "any" saves switches where the uplinks of a leaf need not be shared out evenly.
    Without `prices` the cheapest is that with the fewest switches, then with the fewest cables.
    """

    nodes: int
    radixes: tuple[int, int, int]
    blocking: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))
    bisection_cables: int = 0
    levels: int = 0
    spread: Spread = "even"
    prices: TreePrices | None = None


def most_nodes(asked: TreeAsked, levels: int) -> int:
    """The nodes of the largest fat tree of so many levels of these switches."""
    leaf, spine, core = asked.radixes
    if levels == 1:
        return max(asked.radixes)
    down, _ = ports_down(leaf, asked.blocking[0])
    if levels == 2:
        return down * spine
    spine_down, _ = ports_down(spine, asked.blocking[1])
    return down * spine_down * core


def build_fat_tree(asked: TreeAsked) -> Fabric:
    """The cheapest fat tree of its kind. Raises WeftError with the sizes that can be built."""
    if asked.bisection_cables > asked.nodes // 2:
        raise WeftError(
            f"the bisection of {counted(asked.nodes, 'node')} has at most"
            f" {counted(asked.nodes // 2, 'cable')}, not"
            f" {asked.bisection_cables}",
            f"ask for {asked.nodes // 2} or fewer, or for more --rails",
        )
    found = _cheapest(asked)
    if found is None:
        raise _none(asked)
    return _fabric(asked, found)


def build_rail_optimised(asked: TreeAsked, rails: int) -> Fabric:
    """One rail of a tree of two levels whose rails share their spines. Raises WeftError.

    A leaf has the same adapter of many nodes. It has the same number of cables to each spine, and
    there are as few spines as that permits.
    """
    leaf, spine, _ = asked.radixes
    down, _ = ports_down(leaf, asked.blocking[0])
    leaves = -(-asked.nodes // down) if down else 0
    if not 1 <= leaves * rails <= spine:
        most = down * (spine // rails)
        raise WeftError(
            f"a rail-optimised fabric of {counted(rails, 'rail')} has at most"
            f" {counted(most, 'node')}, not {asked.nodes:,}: a spine of {spine} ports has a cable"
            f" to each leaf, and a leaf {counted(down, 'node')}",
            f"use --nodes {most} or fewer, a larger --switch or fewer --rails"
            if most > 1
            else "use a larger --switch or fewer --rails",
        )
    uplinks = ceil(ceil(asked.nodes / leaves) / asked.blocking[0])
    spines = next(
        count
        for count in range(1, uplinks + 1)
        if uplinks % count == 0 and rails * leaves * (uplinks // count) <= spine
    )
    layers = TreeLayers(leaves=leaves, leaf_uplinks=uplinks, spines=spines)
    tree = _fabric(asked, layers)
    return msgspec.structs.replace(
        tree,
        title=f"rail-optimised {tree.title}",
        spread=f"each rail has {leaves} {'leaf' if leaves == 1 else 'leaves'}; {tree.spread};"
        " all rails share the spines",
        shares_spines=True,
    )


def _cheapest(asked: TreeAsked) -> TreeLayers | None:
    """Of all levels that are asked for; with as many levels as needed where all cost the same."""
    needs: Needs = BlockingNeeds(asked.nodes, asked.blocking)
    if asked.bisection_cables:
        needs = BisectionNeeds(asked.nodes, asked.bisection_cables)
    search = TreeSearch(asked.nodes, needs, asked.prices or _unpriced(asked), asked.spread)
    ways = {1: search.one_switch, 2: search.two_levels}
    if asked.spread == "even":
        ways[MOST_LEVELS] = search.three_levels
    for levels, look in ways.items():
        # What has a stated bisection may block as much as its ports permit.
        is_there = asked.bisection_cables or asked.nodes <= most_nodes(asked, levels)
        if asked.levels in (0, levels) and is_there:
            look()
    return search.found


def _unpriced(asked: TreeAsked) -> TreePrices:
    leaf, spine, core = (SwitchPrice(radix=one) for one in asked.radixes)
    return TreePrices(leaf=leaf, spine=spine, core=core)


def _none(asked: TreeAsked) -> WeftError:
    """Why there is no such tree, and what can be built."""
    levels = asked.levels or MOST_LEVELS
    most = most_nodes(asked, levels)
    if asked.bisection_cables:
        return WeftError(
            f"no fat tree of these switches has {counted(asked.nodes, 'node')} and"
            f" {counted(asked.bisection_cables, 'cable')} in its bisection",
            "use a smaller --bisection, a larger --switch or fewer --nodes",
        )
    if asked.nodes <= most and asked.spread == "any":
        return WeftError(
            f"{counted(asked.nodes, 'node')} {verb_of(asked.nodes, 'need')} three levels, whose"
            " uplinks always spread evenly",
            "omit --spread",
        )
    return WeftError(*_too_many(asked, levels, most))


def _too_many(asked: TreeAsked, levels: int, most: int) -> tuple[str, str]:
    """Which ports are too few, and what can be built."""
    leaf, spine, core = asked.radixes
    down, up = ports_down(leaf, asked.blocking[0])
    if levels == 1:
        why = f"the switch has {counted(most, 'port')}"
    elif levels == 2:
        why = (
            f"each of {spine} leaves has {counted(down, 'node')} and {counted(up, 'uplink')},"
            f" and a spine has {spine}"
        )
        why += " ports"
    else:
        spine_down, _ = ports_down(spine, asked.blocking[1])
        why = (
            f"a pod has {spine_down} leaves of {counted(down, 'node')}, and a core switch has"
            f" {counted(core, 'port')},"
            " one for each pod"
        )
    fix = f"use --nodes {most} or fewer, a larger --switch or a higher --blocking"
    more = [n for n in range(levels + 1, MOST_LEVELS + 1) if asked.nodes <= most_nodes(asked, n)]
    if more:
        fix = f"use --nodes {most} or fewer, or --levels {more[0]}"
    what = (
        f"a fat tree of {LEVELS[levels - 1]} has at most {counted(most, 'node')}, not"
        f" {asked.nodes:,}: {why}"
    )
    return what, fix


def _one_switch(asked: TreeAsked, switch: SwitchPrice) -> Fabric:
    return Fabric(
        title=f"one switch of {counted(switch.radix, 'port')}",
        nodes=asked.nodes,
        switches=(FabricSwitch("leaf", switch.radix, asked.nodes, switch.card_ports),),
        trunks=(),
        views=((0, 1),),
        zone=("FAT_TREE", f"1;{asked.nodes};1;1"),
    )


def _fabric(asked: TreeAsked, layers: TreeLayers) -> Fabric:
    if layers.alone:
        return _one_switch(asked, layers.alone)
    of = asked.prices or _unpriced(asked)
    nodes = shares(asked.nodes, layers.leaves)
    switches = [FabricSwitch("leaf", of.leaf.radix, own, of.leaf.card_ports) for own in nodes]
    spine = FabricSwitch("spine", of.spine.radix, card_ports=of.spine.card_ports)
    core = FabricSwitch("core", of.core.radix, card_ports=of.core.card_ports)
    switches += [spine] * (layers.spines * layers.pods) + [core] * layers.cores
    of_pods = shares(layers.leaves, layers.pods)
    trunks = [*_leaf_trunks(layers, of_pods), *_core_trunks(layers)]
    kinds: dict[tuple[int, int], list[int]] = {}
    first = 0
    for count in of_pods:
        inside = nodes[first : first + count]
        for place, own in enumerate(inside, first):
            kinds.setdefault((own, sum(inside)), []).append(place)
        first += count
    zone = _zone(asked, layers)
    levels = MOST_LEVELS if layers.cores else 2
    return Fabric(
        title=f"fat tree of {LEVELS[levels - 1]}, {_asked_in_words(asked, levels)}",
        nodes=asked.nodes,
        switches=tuple(switches),
        trunks=tuple(trunks),
        views=tuple((places[0], len(places)) for places in kinds.values()),
        spread=_in_words(layers),
        zone=("FAT_TREE", zone) if zone else ("", ""),
        irregular="" if zone else "its leaves, pods or uplinks are not all alike",
    )


def _asked_in_words(asked: TreeAsked, levels: int) -> str:
    if asked.bisection_cables:
        return f"bisection of {counted(asked.bisection_cables, 'cable')} or more"
    return "blocking " + ", ".join(_ratio(one) for one in asked.blocking[: levels - 1])


def _leaf_trunks(layers: TreeLayers, of_pods: list[int]) -> Iterator[Trunk]:
    """The cables of every leaf to the spines of its pod; what is left over goes round."""
    each, rest = divmod(layers.leaf_uplinks, layers.spines)
    leaf = 0
    for pod, leaves in enumerate(of_pods):
        first = layers.leaves + pod * layers.spines
        for _ in range(leaves):
            extra = {(leaf * rest + n) % layers.spines for n in range(rest)}
            for spine in range(layers.spines):
                cables = each + (spine in extra)
                if cables:
                    yield Trunk(leaf, first + spine, cables, "uplink")
            leaf += 1


def _core_trunks(layers: TreeLayers) -> Iterator[Trunk]:
    """The cables of every spine: spines at the same place in their pods meet at the same cores."""
    if not layers.cores:
        return
    first_core = layers.leaves + layers.spines * layers.pods
    if layers.is_uneven:
        for at in range(layers.pods * layers.spines):
            first = at * layers.spine_uplinks
            taken = Counter(n % layers.cores for n in range(first, first + layers.spine_uplinks))
            for core, cables in sorted(taken.items()):
                yield Trunk(layers.leaves + at, first_core + core, cables, "uplink")
        return
    of_a_group = layers.cores // layers.core_groups
    for pod in range(layers.pods):
        for place in range(layers.spines):
            spine = layers.leaves + pod * layers.spines + place
            first = first_core + place % layers.core_groups * of_a_group
            for core in range(first, first + of_a_group):
                yield Trunk(spine, core, layers.spine_uplinks // of_a_group, "uplink")


def _in_words(layers: TreeLayers) -> str:
    each, rest = divmod(layers.leaf_uplinks, layers.spines)
    where = " of its pod" if layers.pods > 1 else ""
    counts = f"{each} or {each + 1}" if rest else f"{each}"
    words = f"each leaf has {counted(layers.leaf_uplinks, 'uplink')}, {counts} to each spine{where}"
    if layers.is_uneven:
        least = layers.spines * layers.spine_uplinks // layers.cores
        words += f"; each core has {least} or {least + 1} cables to each pod"
    return f"{words}: not an even spread" if rest or layers.is_uneven else words


def _zone(asked: TreeAsked, layers: TreeLayers) -> str:
    """topo_parameters of SimGrid's FAT_TREE: children, parents and parallel cables by level."""
    is_regular = (
        asked.nodes % layers.leaves == 0
        and layers.leaves % layers.pods == 0
        and layers.leaf_uplinks % layers.spines == 0
        and layers.core_groups in (0, layers.spines)
        and not layers.is_uneven
    )
    if not is_regular:
        return ""
    down = [asked.nodes // layers.leaves, layers.leaves // layers.pods]
    up = [1, layers.spines]
    cables = [1, layers.leaf_uplinks // layers.spines]
    if layers.cores:
        down.append(layers.pods)
        up.append(layers.cores // layers.spines)
        cables.append(layers.spine_uplinks // up[-1])
    lists = (",".join(map(str, one)) for one in (down, up, cables))
    return f"{len(down)};{';'.join(lists)}"


def _ratio(blocking: Fraction) -> str:
    return f"{blocking.numerator}:{blocking.denominator}"
