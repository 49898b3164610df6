"""A calibrated platform as a file: so many nodes at one crossbar, which compute so much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.fabric.simgrid import Zone
from weft.sim.platforms import assembled

if TYPE_CHECKING:
    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.protocols import Protocols

# Beyond so many nodes moments that are nearer to each other than this count as one, which saves
# most of the time: at 256 ranks of a halo 1e-7 s moves the answer by 0.1 % and 1e-6 s by 0.7 %.
_COARSE_S = ((512, "1e-6"), (64, "1e-7"))


def at_crossbar(
    platform: SimulatedPlatform, protocols: Protocols, nodes: int, flops_per_s: float
) -> SimulatedPlatform:
    """The platform with so many nodes, each of which computes so much."""
    zone = Zone(
        title=f"{nodes} nodes at one crossbar",
        nodes=nodes,
        bus_bytes_per_s=protocols.bus_bytes_per_s,
        flops_per_s=flops_per_s,
    )
    coarse = coarseness_of(nodes)
    return assembled(protocols, zone, platform, {"surf/precision": coarse} if coarse else {})


def coarseness_of(nodes: int) -> str:
    """The precision of SimGrid's for so many nodes, s; empty where it is that of the clock."""
    return next((text for most, text in _COARSE_S if nodes > most), "")
