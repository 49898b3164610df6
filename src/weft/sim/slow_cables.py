"""A simulated platform some of whose cables are slow, and one on a fabric of switches.

What is slow is typed: n7=0.5 is a node's own cable, leaf3-spine2=0.5 all cables between two
switches of a fabric in words, leaf3-spine2/1=0.5 the first of them, and any other name that of a
link in the platform's file; both ways of each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.known import links_by_name
from weft.fabric.simgrid import read_parameters, with_slow_links
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.sim.predicted import Variant, predicted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.simulated import SimulatedPlatform

_WORD = re.compile(r"([^=\s]+)=(0?\.\d{1,9}|1)")
_NODE = re.compile(r"n?(\d{1,6})")
# The links of a platform by the names that a user types.
LinksByName = dict[str, tuple[str, ...]]


def parse_slow(words: Sequence[str]) -> dict[str, float]:
    """By name the share of its bandwidth that a cable has: n7=0.5. Raises WeftError."""
    shares: dict[str, float] = {}
    for word in words:
        match = _WORD.fullmatch(word)
        if match is None or float(match[2]) <= 0:
            raise WeftError(
                f"'{word}' is no node or link and the share of its speed",
                "use --slow n7=0.5, or --slow leaf3-spine2=0.5",
            )
        node = _NODE.fullmatch(match[1])
        name = f"n{int(node[1])}" if node else match[1]
        if name in shares:
            raise WeftError(f"{name} is slow twice", "name each node or link once")
        shares[name] = float(match[2])
    return shares


def slow_nodes(shares: Mapping[str, float]) -> dict[int, float]:
    """Those of them that are nodes, by their numbers."""
    return {int(one[1]): share for name, share in shares.items() if (one := _NODE.fullmatch(name))}


def on_fabric(
    base: SimulatedPlatform, asked: FabricAsked, nodes: int, routing: str
) -> tuple[SimulatedPlatform, LinksByName]:
    """The links of a crossbar on a fabric of so many nodes, and what its cables are called.

    A platform with switches of its own stays as it is. Raises WeftError for what cannot be built.
    """
    import xml.etree.ElementTree as ET

    if read_parameters(ET.fromstring(base.xml)) is None:  # noqa: S314 - the user's own file
        return base, {}
    asked = msgspec.structs.replace(asked, nodes=nodes)
    built = predicted(base, Variant(fabric=asked, routing=routing))
    return built, links_by_name(build_fabric(asked), routing)


def with_slow(
    platform: SimulatedPlatform, shares: Mapping[str, float], links: LinksByName
) -> SimulatedPlatform:
    """The platform with some cables at a share of their bandwidth. Raises WeftError.

    It is a prediction then: nobody calibrated one of more than two nodes, or such a one.
    """
    if not shares:
        return msgspec.structs.replace(platform, kind="predicted")
    origin = "; ".join((platform.origin, *(f"{name} at {s:g}" for name, s in shares.items())))
    nodes = slow_nodes(shares)
    of_links = {
        link: share
        for name, share in shares.items()
        if not _NODE.fullmatch(name)
        for link in links.get(name, (name,))
    }
    try:
        text = with_slow_links(platform.xml, nodes, of_links)
    except ValueError as error:
        raise WeftError(
            f"{platform.name} takes no --slow: {error}",
            f"name one of n0 to n{platform.nodes - 1}, or {_cables_of(links)}",
        ) from None
    return msgspec.structs.replace(platform, kind="predicted", origin=origin, xml=text)


def _cables_of(links: LinksByName) -> str:
    """How the cables of a fabric are named, or how to have such a fabric."""
    ways = [name for name in links if "/" not in name]
    if not ways:
        return (
            'with --topology "fat-tree 16/32 full d-mod-k" the cables between two switches:'
            " leaf1-spine1"
        )
    # Both ways of a bundle stand beside each other, from below first.
    words = f"the cables between two switches, {ways[0]} to {ways[-2]}"
    return words + (f", of which {ways[0]}/1 is one" if f"{ways[0]}/1" in links else "")
