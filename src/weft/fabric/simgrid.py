"""The same fabric as a platform file for SimGrid (3.32: its DTD, version 4.1).

A cluster zone (FAT_TREE, TORUS or DRAGONFLY) with one kind of link, both ways of which are separate
(SPLITDUPLEX). It has no limiter for the hosts' buses: in a FAT_TREE that would throttle the
switches too. In a TORUS a node is its switch, so there are no cables of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.fabric.network import Fabric

# A way between two nodes of one switch has two cables.
_CABLES_OF_ONE_SWITCH = 2


def platform_xml(fabric: Fabric, bandwidth_bytes_per_s: float, latency_ns: float) -> str:
    """The platform's text. Raises WeftError for a fabric that no zone of SimGrid describes.

    `latency_ns` is between two nodes of one switch: each of its two cables has half of it.
    """
    if fabric.rails > 1:
        raise WeftError("a zone of SimGrid has one rail", "type --rails 1")
    topology, parameters = fabric.zone
    if not topology:
        raise WeftError(
            f"no zone of SimGrid describes this fabric: {fabric.irregular}",
            "choose a smaller size, or one that fills its switches evenly",
        )
    attributes = {
        "id": "fabric",
        "prefix": "node-",
        "suffix": "",
        "radical": f"0-{fabric.nodes - 1}",
        "speed": "1Gf",
        "bw": f"{bandwidth_bytes_per_s:.0f}Bps",
        "lat": f"{latency_ns / _CABLES_OF_ONE_SWITCH:.3f}ns",
        "sharing_policy": "SPLITDUPLEX",
        "topology": topology,
        "topo_parameters": parameters,
    }
    words = "\n           ".join(f"{name}={quoteattr(text)}" for name, text in attributes.items())
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f"<!-- {fabric.title} -->\n"
        f'<platform version="4.1">\n  <cluster {words}/>\n</platform>\n'
    )
