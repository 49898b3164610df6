"""Which links a message takes between two nodes: one way for each pair, by a rule of routing.

In a fat tree messages spread ideally over all cables upwards, as adaptive routing would at best
("ideal"), or take one cable by where they go ("d-mod-k": weft.fabric.tree_routes). In a torus they
go by the order of the dimensions (weft.fabric.torus_routes), in a dragonfly over one cable between
groups, over another group, or as no routing can do better (weft.fabric.dragonfly_routes). In a
Dragonfly+ they spread ideally over all shortest routes. Each way of a link is a link of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.fabric.dragonfly_plus import plus_ways
from weft.fabric.dragonfly_routes import bound_ways, minimal_ways, valiant_ways
from weft.fabric.links import Bundle, End, Ways, switch_ends, switch_links
from weft.fabric.torus_routes import ordered_ways
from weft.fabric.tree_routes import ideal_ways, static_ends, static_ways
from weft.names import choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.fabric.network import Fabric

# By topology, the usual one first.
ROUTINGS: Mapping[str, tuple[str, ...]] = {
    "fat-tree": ("ideal", "d-mod-k"),
    "torus": ("dimension-order",),
    "dragonfly": ("minimal", "valiant", "ideal"),
    "dragonfly+": ("ideal",),
    # One rail is a fat tree.
    "rail-optimised": ("ideal", "d-mod-k"),
}


class Routes(msgspec.Struct, frozen=True, kw_only=True):
    """The links, who is at the ends of ways, and for each two ends the places of the links there.

    An end is some nodes of a switch that have the same ways; ends of one switch have a way without
    links.
    """

    bundles: tuple[Bundle, ...]
    ends: tuple[End, ...]
    ways: Ways

    @property
    def most_switches(self) -> int:
        """On the longest way between two nodes."""
        return 1 + max(map(self.further_switches, self.ways.values()), default=0)

    def further_switches(self, way: tuple[int, ...]) -> int:
        """Those on a way beyond its first."""
        return sum(self.bundles[at].switches for at in way)


def ends_of(fabric: Fabric, routing: str = "") -> int:
    """How many ends there are by a routing. Raises WeftError for one that is not the topology's."""
    if _is_static(fabric, _named(fabric, routing)):
        return static_ends(fabric)
    return sum(switch.nodes > 0 for switch in fabric.switches)


def routes_of(fabric: Fabric, routing: str = "") -> Routes:
    """All ways between ends by a routing, or by the usual one. Raises WeftError for another."""
    topology = topology_of(fabric)
    name = _named(fabric, routing)
    if _is_static(fabric, name):
        bundles, ends, ways = static_ways(fabric)
        return Routes(bundles=bundles, ends=ends, ways=ways)
    ends = switch_ends(fabric)
    if topology == "fat-tree":
        bundles, ways = ideal_ways(fabric)
    elif topology == "dragonfly+":
        bundles, ways = plus_ways(fabric)
    elif name == "ideal":
        bundles, ways = bound_ways(fabric)
    else:
        bundles, links = switch_links(fabric)
        rule = {"minimal": minimal_ways, "valiant": valiant_ways}.get(name, ordered_ways)
        ways = rule(fabric, links)
    return Routes(bundles=bundles, ends=ends, ways=ways)


def topology_of(fabric: Fabric) -> str:
    """Which of the topologies a fabric is, of those in ROUTINGS."""
    if fabric.sides:
        return "torus"
    if fabric.groups:
        return "dragonfly" if all(switch.nodes for switch in fabric.switches) else "dragonfly+"
    return "fat-tree"


def _named(fabric: Fabric, routing: str) -> str:
    topology = topology_of(fabric)
    known = ROUTINGS[topology]
    [name] = choose(f"routing of a {topology}", [routing or known[0]], known)
    return name


def _is_static(fabric: Fabric, name: str) -> bool:
    """One switch alone has no cables to choose."""
    return name == "d-mod-k" and len(fabric.trunks) > 0
