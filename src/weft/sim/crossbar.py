"""The file of a calibrated platform: so many nodes at one crossbar, which compute so much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.fabric.simgrid import Zone, platform_xml

if TYPE_CHECKING:
    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.protocols import Protocols

# What the file says of the platform beside its numbers, each as weft-NAME.
FACTS = ("name", "kind", "origin")
# Beyond so many nodes moments that are nearer to each other than this count as one, which saves
# most of the time: at 256 ranks of a halo 1e-7 s moves the answer by 0.1 % and 1e-6 s by 0.7 %.
_COARSE_S = ((512, "1e-6"), (64, "1e-7"))


def at_crossbar(
    named: SimulatedPlatform,
    protocols: Protocols,
    title: str,
    *,
    flops_per_s: float = 1e9,
    is_coarse: bool = False,
) -> SimulatedPlatform:
    """The platform of that name with its file; `is_coarse`: as coarse as its nodes allow."""
    zone = Zone(
        title=title,
        nodes=named.nodes,
        bus_bytes_per_s=protocols.bus_bytes_per_s,
        flops_per_s=flops_per_s,
    )
    settings = protocols.settings()
    if is_coarse and (coarse := coarseness_of(named.nodes)):
        settings["surf/precision"] = coarse
    facts = {f"weft-{name}": str(getattr(named, name)) for name in FACTS}
    rate, latency_ns = protocols.bandwidth_bytes_per_s, protocols.latency_ns
    text = platform_xml(zone, rate, latency_ns, settings, facts)
    return msgspec.structs.replace(named, xml=text)


def coarseness_of(nodes: int) -> str:
    """The precision of SimGrid's for so many nodes, s; empty where it is that of the clock."""
    return next((text for most, text in _COARSE_S if nodes > most), "")
