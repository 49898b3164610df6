"""Ways through a fat tree: up to where both ends meet, and down.

Ideal: all cables of a leaf upwards are one link, and so are those of a pod to the cores: messages
spread over them as adaptive routing would at best. Static: each cable is a link of its own, and a
message takes the one that its end has (D-mod-k: Zahavi, D-Mod-K Routing Providing Non-Blocking
Traffic for Shift Permutations on Real Life Fat Trees, CCIT Report 776, Technion, 2010), as
InfiniBand's tables do. Where leaves are not full the missing nodes count too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from weft.fabric.links import Bundle, End, switch_ends

if TYPE_CHECKING:
    from weft.fabric.links import Ways
    from weft.fabric.network import Fabric

# A cable: the switch below, the one above, and which one of those between them.
Cable = tuple[int, int, int]


class _Tree:
    """Who is above whom. Leaves of one pod share their spines; without cores all are one pod."""

    def __init__(self, fabric: Fabric) -> None:
        self.up: dict[int, dict[int, int]] = defaultdict(dict)
        for trunk in fabric.trunks:
            self.up[trunk.one][trunk.other] = trunk.cables
        self.leaves = [place for place, switch in enumerate(fabric.switches) if switch.nodes]
        self.pods = {leaf: min(self.up[leaf], default=0) for leaf in self.leaves}
        self.has_cores = any(self.up.get(spine) for leaf in self.leaves for spine in self.up[leaf])
        if not self.has_cores:
            self.pods = dict.fromkeys(self.leaves, 0)

    def ports(self, switch: int) -> list[Cable]:
        """A switch's cables upwards, those to one switch as far apart as they can be."""
        above = self.up[switch]
        cables = [(n, other) for other, count in above.items() for n in range(count)]
        return [(switch, other, n) for n, other in sorted(cables)]

    def cable(self, below: int, above: int, n: int) -> Cable:
        """The cable between two switches that stands at that place, or as if there were more."""
        return (below, above, n % self.up[below][above])


def ideal_ways(fabric: Fabric) -> tuple[tuple[Bundle, ...], Ways]:
    """The links are those of whole leaves and pods."""
    tree = _Tree(fabric)
    bundles: list[Bundle] = []
    links: dict[tuple[str, int], tuple[int, int]] = {}

    def add(what: str, number: int, cables: int) -> None:
        links[what, number] = (len(bundles), len(bundles) + 1)
        bundles.extend(Bundle(f"{what}-{number}-{way}", cables) for way in ("up", "down"))

    pods = sorted(set(tree.pods.values()))
    for leaf in tree.leaves:
        add("leaf", leaf, sum(tree.up[leaf].values()))
    for pod in pods if len(pods) > 1 else ():
        spines = {
            spine for leaf in tree.leaves if tree.pods[leaf] == pod for spine in tree.up[leaf]
        }
        add("pod", pod, sum(cables for spine in spines for cables in tree.up[spine].values()))
    ways: Ways = {}
    for one in tree.leaves:
        for other in tree.leaves:
            if one == other:
                continue
            middle: tuple[int, ...] = ()
            if tree.pods[one] != tree.pods[other]:
                middle = (links["pod", tree.pods[one]][0], links["pod", tree.pods[other]][1])
            ways[one, other] = (links["leaf", one][0], *middle, links["leaf", other][1])
    return tuple(bundles), ways


def static_ways(fabric: Fabric) -> tuple[tuple[Bundle, ...], tuple[End, ...], Ways]:
    """The node d is reached by port d mod U of its leaf, of U upwards, and by port d / U mod V of
    the spine there, of V; those from below take the same spine, core and cables."""
    tree = _Tree(fabric)
    cables = [(trunk.one, trunk.other, n) for trunk in fabric.trunks for n in range(trunk.cables)]
    place = {cable: 2 * at for at, cable in enumerate(cables)}
    bundles = tuple(
        Bundle(f"cable-{one}-{other}-{n}-{way}", 1)
        for one, other, n in cables
        for way in ("up", "down")
    )
    reached = _reached(fabric, tree)
    ends = tuple(End(down[0][0], tuple(nodes)) for down, nodes in reached.items())
    downs = list(reached)
    ways: Ways = {}
    for one, start in enumerate(ends):
        for other, end in enumerate(ends):
            if one == other:
                continue
            up = _upwards(tree, start.switch, end.switch, downs[other])
            ways[one, other] = (
                *(place[cable] for cable in up),
                *(place[cable] + 1 for cable in reversed(downs[other][: len(up)])),
            )
    return bundles, ends, ways


def static_ends(fabric: Fabric) -> int:
    """How many ends static ways have: nodes of a leaf that are reached alike are one."""
    return len(_reached(fabric, _Tree(fabric)))


def _reached(fabric: Fabric, tree: _Tree) -> dict[tuple[Cable, ...], list[int]]:
    """The cables from a leaf upwards over which its nodes are reached, and these nodes."""
    fullest = max(switch.nodes for switch in fabric.switches)
    found: dict[tuple[Cable, ...], list[int]] = defaultdict(list)
    for leaf in switch_ends(fabric):
        ports = tree.ports(leaf.switch)
        for at, node in enumerate(leaf.nodes):
            number = leaf.switch * fullest + at
            first = ports[number % len(ports)]
            above = tree.ports(first[1]) if tree.has_cores else []
            more = [above[number // len(ports) % len(above)]] if above else []
            found[first, *more].append(node)
    return found


def _upwards(tree: _Tree, start: int, end: int, down: tuple[Cable, ...]) -> list[Cable]:
    """From a leaf to where it meets the way down to the end: none in the same leaf."""
    if start == end:
        return []
    (_, spine, n), *above = down
    if tree.pods[start] == tree.pods[end]:
        return [tree.cable(start, spine, n)]
    # Spines at the same place of their pods meet at the same cores, or the next ones do.
    spines, place = sorted(tree.up[start]), sorted(tree.up[end]).index(spine)
    [(_, core, m)] = above
    own = next(one for one in (*spines[place:], *spines[:place]) if core in tree.up[one])
    return [tree.cable(start, own, n), tree.cable(own, core, m)]
