"""A platform's nodes on a larger fabric: what was calibrated at one switch, cabled otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.simgrid import Zone, zone_of
from weft.fabric.topologies import FabricAsked, build_fabric
from weft.sim.platforms import assembled

if TYPE_CHECKING:
    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.protocols import Protocols

# What a further switch adds to a way: about 0.2 us of InfiniBand's first switches; nobody
# calibrated it.
HOP_NS = 200.0
# Beyond so many nodes moments that are nearer to each other than this count as one, which saves
# most of the time: at 256 ranks of a halo 1e-7 s moves the answer by 0.1 % and 1e-6 s by 0.7 %.
_COARSE_S = ((512, "1e-6"), (64, "1e-7"))
_BLOCKINGS = {"full": "1:1", "half": "2:1", "quarter": "4:1"}
_FORMS = (
    'type "crossbar", "fat-tree 24/288 half", "fat-tree 24 3:1", "torus 8x8x16" or "dragonfly 24"'
)


def parse_topology(text: str, nodes: int) -> Zone:
    """So many nodes on "fat-tree 24/288 half", "torus 8x8" or "dragonfly 24". Raises WeftError."""
    kind, *words = text.split()
    if kind == "crossbar" and not words:
        return Zone(title=f"{nodes} nodes at one crossbar", nodes=nodes)
    if kind == "torus" and len(words) == 1:
        # In SimGrid's torus a node is its switch: a port for it and one for each neighbour.
        radix = 2 * len(words[0].split("x")) + 1
        asked = FabricAsked(nodes=nodes, switch=str(radix), topology=kind, shape=words[0])
    elif kind == "dragonfly" and len(words) == 1:
        asked = FabricAsked(nodes=nodes, switch=words[0], topology=kind)
    elif kind == "fat-tree" and len(words) in (1, 2):
        blocking = words[1] if len(words) > 1 else "full"
        asked = FabricAsked(
            nodes=nodes,
            switch=words[0].replace("/", ","),
            blocking=_BLOCKINGS.get(blocking, blocking),
        )
    else:
        raise WeftError(f"'{text}' is no topology", _FORMS)
    return zone_of(build_fabric(asked))


def on_fabric(
    platform: SimulatedPlatform, protocols: Protocols, zone: Zone, hop_ns: float = HOP_NS
) -> SimulatedPlatform:
    """The platform's nodes on that fabric, where each further switch of a way takes `hop_ns`.

    The buses of nodes bind at a crossbar only: no zone of SimGrid has them elsewhere.
    """
    at_crossbar = not zone.topology
    name = platform.name if at_crossbar else f"{platform.name} on {zone.title}"
    kind = platform.kind if at_crossbar else "predicted"
    named = msgspec.structs.replace(platform, name=name, kind=kind, xml="")
    coarse = coarseness_of(zone.nodes)
    more = {"surf/precision": coarse} if coarse else {}
    return assembled(
        protocols,
        msgspec.structs.replace(zone, bus_bytes_per_s=protocols.bus_bytes_per_s),
        named,
        more,
        0.0 if at_crossbar else hop_ns,
    )


def coarseness_of(nodes: int) -> str:
    """The precision of SimGrid's for so many nodes, s; empty where it is that of the clock."""
    return next((text for most, text in _COARSE_S if nodes > most), "")
