"""The file of a calibrated platform: so many nodes at one crossbar, which compute so much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.simgrid import SUM_RATE, Zone, platform_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.protocols import Protocols

# What the file says of the platform beside its numbers, each as weft-NAME.
FACTS = ("name", "kind", "origin")
# Beyond so many nodes moments that are nearer to each other than a share of the latency count as
# one, which saves time. A message has a few such moments, so that none is off by 0.5 %.
_EXACT_NODES = 64
_SHARE = 1e-3
# Where all messages are as long: of the time of one. All nodes' solutions are found anew at each
# moment that counts, and where leaves are no whole part of the lattice no two messages end at one.
_SHARE_OF_MESSAGE = 1 / 200


def at_crossbar(
    named: SimulatedPlatform,
    protocols: Protocols,
    title: str,
    *,
    flops_per_s: float = 1e9,
    sum_bytes_per_s: float = 0.0,
    more: Mapping[str, str] = {},
    more_settings: Mapping[str, str] = {},
    is_coarse: bool = False,
) -> SimulatedPlatform:
    """The platform of that name with its file; `is_coarse`: as coarse as its nodes allow.

    A rank adds `sum_bytes_per_s` to others in a sum; 0: an operation a number, as it computes. The
    file carries `more` facts along, and has `more_settings` of SimGrid's.
    """
    zone = Zone(
        title=title,
        nodes=named.nodes,
        bus_bytes_per_s=protocols.bus_bytes_per_s,
        flops_per_s=flops_per_s,
    )
    settings = {**protocols.settings(), **more_settings}
    if is_coarse and (coarse := coarseness_of(named.nodes, protocols.latency_ns)):
        settings["surf/precision"] = coarse
    facts = {f"weft-{name}": str(getattr(named, name)) for name in FACTS} | dict(more)
    facts |= protocols.further()
    if sum_bytes_per_s:
        facts[SUM_RATE] = f"{sum_bytes_per_s:.12g}"
    rate, latency_ns = protocols.bandwidth_bytes_per_s, protocols.latency_ns
    text = platform_xml(zone, rate, latency_ns, settings, facts)
    return msgspec.structs.replace(named, xml=text)


def coarseness_of(nodes: int, latency_ns: float, bytes_ns: float = 0.0) -> str:
    """The precision of SimGrid's for so many nodes, s; empty where it is that of the clock.

    A power of ten below a thousandth of the latency of a small message; one digit below a 200th of
    a message's time where none has bytes that take less than `bytes_ns`, if that is more.
    """
    if nodes <= _EXACT_NODES:
        return ""
    least = math.floor(math.log10(_SHARE * latency_ns * 1e-9))
    of_message = _SHARE_OF_MESSAGE * (latency_ns + bytes_ns) * 1e-9
    power = math.floor(math.log10(of_message))
    if bytes_ns and power > least:
        return f"{math.floor(of_message / 10.0**power):d}e{power:d}"
    return f"1e{least:d}"
