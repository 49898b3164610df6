"""Links of a fabric and who is at the ends of its ways: what all rules of routing share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.fabric.network import Fabric

# For each two ends, by their places, the places of the links between them in their order.
Ways = dict[tuple[int, int], tuple[int, ...]]
# The place of the link from a switch to the next one.
Links = dict[tuple[int, int], int]


class Bundle(msgspec.Struct, frozen=True):
    """Parallel cables between switches, one way of them, as one link.

    So many `switches` are passed behind it before the next link.
    """

    name: str
    cables: int
    switches: int = 1


class End(msgspec.Struct, frozen=True):
    """Nodes of one switch, which are named by their numbers, whose messages have the same ways."""

    switch: int
    nodes: tuple[int, ...]


def switch_ends(fabric: Fabric) -> tuple[End, ...]:
    """All nodes of a switch are one end. Switches with nodes are the first of a fabric."""
    ends = []
    first = 0
    for place, switch in enumerate(fabric.switches):
        if switch.nodes:
            ends.append(End(place, tuple(range(first, first + switch.nodes))))
        first += switch.nodes
    return tuple(ends)


def switch_links(fabric: Fabric) -> tuple[tuple[Bundle, ...], Links]:
    """All cables between two switches are one link each way."""
    bundles: list[Bundle] = []
    links: Links = {}
    for trunk in fabric.trunks:
        for one, other in ((trunk.one, trunk.other), (trunk.other, trunk.one)):
            links[one, other] = len(bundles)
            bundles.append(Bundle(f"switch-{one}-{other}", trunk.cables))
    return tuple(bundles), links
