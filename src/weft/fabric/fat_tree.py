"""Fat trees of one to three levels with any blocking factor: one switch; leaves below spines; pods
of leaves and spines below cores (Leiserson, Fat-trees, 1985; Al-Fares et al., SIGCOMM 2008).

The blocking of a switch is the cables from below over those upwards: 1 is full bandwidth, 2 the
half-bandwidth of Doerfler (2005).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk

if TYPE_CHECKING:
    from collections.abc import Iterator

Spread = Literal["even", "any"]
MOST_LEVELS = 3
LEVELS = ("one switch", "two levels", "three levels")


class TreeAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A fat tree as it is asked for: the ports of leaf, spine and core switches, the blocking of
    leaves and spines. 0 levels: the fewest that do. `spread` "any" saves switches where the
    uplinks of a leaf need not be shared out evenly.
    """

    nodes: int
    radixes: tuple[int, int, int]
    blocking: tuple[Fraction, Fraction]
    levels: int = 0
    spread: Spread = "even"


class _Layers(msgspec.Struct, frozen=True, kw_only=True):
    """How many of everything, and how many cables run upwards from a leaf and from a spine."""

    leaves: int
    leaf_uplinks: int
    pods: int
    spines: int
    spine_uplinks: int = 0
    cores: int = 0


def most_nodes(asked: TreeAsked, levels: int) -> int:
    """The nodes of the largest fat tree of so many levels of these switches."""
    leaf, spine, core = asked.radixes
    if levels == 1:
        return leaf
    down, _ = _ports_down(leaf, asked.blocking[0])
    if levels == 2:
        return down * spine
    spine_down, _ = _ports_down(spine, asked.blocking[1])
    return down * spine_down * core


def build_fat_tree(asked: TreeAsked) -> Fabric:
    """The fat tree with the fewest switches. Raises WeftError with the sizes that can be built."""
    levels = asked.levels or next(
        (n for n in range(1, MOST_LEVELS + 1) if asked.nodes <= most_nodes(asked, n)), MOST_LEVELS
    )
    most = most_nodes(asked, levels)
    if asked.nodes > most:
        raise WeftError(*_too_many(asked, levels, most))
    if levels == MOST_LEVELS and asked.spread == "any":
        raise WeftError(
            f"{asked.nodes} nodes need three levels, whose uplinks always spread evenly",
            "omit --spread",
        )
    if levels == 1:
        return _one_switch(asked)
    layers = _two_levels(asked) if levels == 2 else _three_levels(asked)
    return _fabric(asked, levels, layers)


def _ports_down(radix: int, blocking: Fraction) -> tuple[int, int]:
    """The most ports downwards, and the fewest upwards that keep the blocking."""
    down = next((n for n in range(radix - 1, 0, -1) if n + ceil(n / blocking) <= radix), 0)
    return down, ceil(down / blocking)


def _too_many(asked: TreeAsked, levels: int, most: int) -> tuple[str, str]:
    """Which ports are too few, and what can be built."""
    leaf, spine, core = asked.radixes
    down, up = _ports_down(leaf, asked.blocking[0])
    if levels == 1:
        why = f"the switch has {leaf} ports"
    elif levels == 2:
        why = f"each of {spine} leaves has {down} nodes and {up} uplinks, and a spine has {spine}"
        why += " ports"
    else:
        spine_down, _ = _ports_down(spine, asked.blocking[1])
        why = (
            f"a pod has {spine_down} leaves of {down} nodes, and a core switch has {core} ports,"
            " one for each pod"
        )
    fix = f"type --nodes {most} or fewer, a larger --switch or a higher --blocking"
    more = [n for n in range(levels + 1, MOST_LEVELS + 1) if asked.nodes <= most_nodes(asked, n)]
    if more:
        fix = f"type --nodes {most} or fewer, or --levels {more[0]}"
    what = f"a fat tree of {LEVELS[levels - 1]} has at most {most} nodes, not {asked.nodes}: {why}"
    return what, fix


def _one_switch(asked: TreeAsked) -> Fabric:
    return Fabric(
        title=f"one switch of {asked.radixes[0]} ports",
        nodes=asked.nodes,
        switches=(FabricSwitch("leaf", asked.radixes[0], asked.nodes),),
        trunks=(),
        views=((0, 1),),
        zone=("FAT_TREE", f"1;{asked.nodes};1;1"),
    )


def _leaves(asked: TreeAsked, fewest: int, levels: int) -> tuple[int, int]:
    """How many leaves, and the uplinks of each. Raises WeftError where there are too few."""
    down, _ = _ports_down(asked.radixes[0], asked.blocking[0])
    leaves = ceil(asked.nodes / down)
    if leaves < fewest:
        raise WeftError(
            f"{asked.nodes} nodes fit one leaf of {down}: too few for {LEVELS[levels - 1]}",
            f"type --levels 1, or --nodes {down * (fewest - 1) + 1} or more",
        )
    return leaves, ceil(ceil(asked.nodes / leaves) / asked.blocking[0])


def _two_levels(asked: TreeAsked) -> _Layers:
    leaves, up = _leaves(asked, 2, 2)
    spine = asked.radixes[1]
    if asked.spread == "any":
        spines = ceil(leaves * up / spine)
    else:
        spines = next(n for n in _divisors(up) if leaves * (up // n) <= spine)
    return _Layers(leaves=leaves, leaf_uplinks=up, pods=1, spines=spines)


def _three_levels(asked: TreeAsked) -> _Layers:
    """Pods as equal as can be, with spines and cores over which all cables spread evenly."""
    down, _ = _ports_down(asked.radixes[1], asked.blocking[1])
    leaves, up = _leaves(asked, 2, 3)
    pods = max(2, ceil(leaves / down))
    of_a_pod = ceil(leaves / pods)
    spines = next(n for n in _divisors(up) if of_a_pod * (up // n) <= down)
    spine_up = ceil(of_a_pod * (up // spines) / asked.blocking[1])
    core = asked.radixes[2]
    # A core serves several spines of each pod, or a spine's uplinks are shared out over several.
    shared = [spines // n for n in _divisors(spines) if pods * spine_up * n <= core]
    several = [spines * n for n in _divisors(spine_up) if pods * (spine_up // n) <= core]
    return _Layers(
        leaves=leaves,
        leaf_uplinks=up,
        pods=pods,
        spines=spines,
        spine_uplinks=spine_up,
        cores=min(shared + several),
    )


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _shares(number: int, parts: int) -> list[int]:
    """A number in so many whole parts that differ by one at most, the larger ones first."""
    least, more = divmod(number, parts)
    return [least + 1] * more + [least] * (parts - more)


def _fabric(asked: TreeAsked, levels: int, layers: _Layers) -> Fabric:
    leaf, spine, core = asked.radixes
    nodes = _shares(asked.nodes, layers.leaves)
    switches = [FabricSwitch("leaf", leaf, count) for count in nodes]
    switches += [FabricSwitch("spine", spine)] * (layers.spines * layers.pods)
    switches += [FabricSwitch("core", core)] * layers.cores
    of_pods = _shares(layers.leaves, layers.pods)
    trunks = [*_leaf_trunks(layers, of_pods), *_core_trunks(layers)]
    kinds: dict[tuple[int, int], list[int]] = {}
    first = 0
    for count in of_pods:
        inside = nodes[first : first + count]
        for place, own in enumerate(inside, first):
            kinds.setdefault((own, sum(inside)), []).append(place)
        first += count
    zone = _zone(asked, layers)
    factor = ", ".join(_ratio(one) for one in asked.blocking[: levels - 1])
    return Fabric(
        title=f"fat tree of {LEVELS[levels - 1]}, blocking {factor}",
        nodes=asked.nodes,
        switches=tuple(switches),
        trunks=tuple(trunks),
        views=tuple((places[0], len(places)) for places in kinds.values()),
        spread=_in_words(layers),
        zone=("FAT_TREE", zone) if zone else ("", ""),
        irregular="" if zone else "its leaves, pods or uplinks are not all alike",
    )


def _leaf_trunks(layers: _Layers, of_pods: list[int]) -> Iterator[Trunk]:
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


def _core_trunks(layers: _Layers) -> Iterator[Trunk]:
    """The cables of every spine: spines at the same place in their pods meet at the same cores."""
    first_spine = layers.leaves
    first_core = first_spine + layers.spines * layers.pods
    for pod in range(layers.pods if layers.cores else 0):
        for place in range(layers.spines):
            spine = first_spine + pod * layers.spines + place
            if layers.cores <= layers.spines:
                core = first_core + place % layers.cores
                yield Trunk(spine, core, layers.spine_uplinks, "uplink")
                continue
            cores = layers.cores // layers.spines
            for n in range(cores):
                core = first_core + place * cores + n
                yield Trunk(spine, core, layers.spine_uplinks // cores, "uplink")


def _in_words(layers: _Layers) -> str:
    each, rest = divmod(layers.leaf_uplinks, layers.spines)
    where = " of its pod" if layers.pods > 1 else ""
    counts = f"{each} or {each + 1}" if rest else f"{each}"
    words = f"each leaf has {layers.leaf_uplinks} uplinks, {counts} to each spine{where}"
    return f"{words}: not an even spread" if rest else words


def _zone(asked: TreeAsked, layers: _Layers) -> str:
    """topo_parameters of SimGrid's FAT_TREE: children, parents and parallel cables by level."""
    is_regular = (
        asked.nodes % layers.leaves == 0
        and layers.leaves % layers.pods == 0
        and layers.leaf_uplinks % layers.spines == 0
        and layers.cores % layers.spines == 0
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
