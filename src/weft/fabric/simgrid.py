"""A platform file for SimGrid (3.32: its DTD, version 4.1): the only writer of it.

A cluster zone with one kind of link, both ways of which are separate (SPLITDUPLEX): a crossbar, or
FAT_TREE, TORUS or DRAGONFLY. Only a crossbar has a limiter for the hosts' buses: in a FAT_TREE it
would throttle the switches too. In a TORUS a node is its switch, so there are no cables of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import msgspec

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.fabric.network import Fabric

# A way between two nodes of one switch has two cables.
_CABLES_OF_ONE_SWITCH = 2


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes and how SimGrid names what joins them; without a topology it is a crossbar.

    `bus_bytes_per_s` is what a node's bus carries of both ways together; 0: any.
    """

    title: str
    nodes: int
    topology: str = ""
    parameters: str = ""
    bus_bytes_per_s: float = 0.0


def zone_of(fabric: Fabric) -> Zone:
    """A fabric's zone. Raises WeftError for one that no zone of SimGrid describes."""
    if fabric.rails > 1:
        raise WeftError("a zone of SimGrid has one rail", "type --rails 1")
    topology, parameters = fabric.zone
    if not topology:
        raise WeftError(
            f"no zone of SimGrid describes this fabric: {fabric.irregular}",
            "choose a smaller size, or one that fills its switches evenly",
        )
    return Zone(title=fabric.title, nodes=fabric.nodes, topology=topology, parameters=parameters)


def platform_xml(
    zone: Zone,
    bandwidth_bytes_per_s: float,
    latency_ns: float,
    settings: Mapping[str, str] = {},
    facts: Mapping[str, str] = {},
) -> str:
    """The platform's text: the zone, SimGrid's `settings`, and `facts` that it only carries along.

    `latency_ns` is between two nodes of one switch: each of its two cables has half of it.
    """
    attributes = {
        "id": "fabric",
        "prefix": "node-",
        "suffix": "",
        "radical": f"0-{zone.nodes - 1}",
        "speed": "1Gf",
        "bw": f"{bandwidth_bytes_per_s:.0f}Bps",
        "lat": f"{latency_ns / _CABLES_OF_ONE_SWITCH:.3f}ns",
        "sharing_policy": "SPLITDUPLEX",
    }
    if zone.topology:
        attributes |= {"topology": zone.topology, "topo_parameters": zone.parameters}
    elif zone.bus_bytes_per_s:
        attributes["limiter_link"] = f"{zone.bus_bytes_per_s:.0f}Bps"
    words = "\n           ".join(f"{name}={quoteattr(text)}" for name, text in attributes.items())
    config = f"  <config>\n{_props(settings, 4)}  </config>\n" if settings else ""
    inner = f">\n{_props(facts, 4)}  </cluster>" if facts else "/>"
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f"<!-- {zone.title.replace('--', '-')} -->\n"
        f'<platform version="4.1">\n{config}  <cluster {words}{inner}\n</platform>\n'
    )


def _props(pairs: Mapping[str, str], indent: int) -> str:
    return "".join(
        f"{' ' * indent}<prop id={quoteattr(name)} value={quoteattr(text)}/>\n"
        for name, text in pairs.items()
    )
