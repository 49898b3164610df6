"""A platform file for SimGrid (3.32: its DTD, version 4.1): the only writer of it.

A cluster zone with one kind of link, both ways of which are separate (SPLITDUPLEX): a crossbar, or
FAT_TREE, TORUS or DRAGONFLY. Only a crossbar has a limiter for the hosts' buses: in a FAT_TREE it
would throttle the switches too. In a TORUS a node is its switch, so there are no cables of nodes.

Or a cluster for each switch with nodes, and a route for each two of them: any fabric, with a
latency of its own for every further switch and the hosts' buses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import msgspec

from weft.errors import WeftError
from weft.fabric.mapping import nodes_of_ranks, ranks_at

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping, Sequence

    from weft.fabric.network import Fabric
    from weft.fabric.routes import Routes

# A way between two nodes of one switch has two cables.
_CABLES_OF_ONE_SWITCH = 2
# SimGrid multiplies the latency of a whole way by it. On a fabric of switches it is of the cables
# of nodes alone, so rank-sim takes it from a property: SimGrid has no other way to do both.
LATENCY_FACTOR = "smpi/lat-factor"
# What a switch further takes, s, as a property of the link before it: rank-sim adds it once a
# crossing. It is no latency: SimGrid gives a way of a longer one less of the links that it shares.
_CROSSING = '<prop id="crossing" value="{:.12g}"/>'
_RATES = {"Bps": 1.0, "kBps": 1e3, "MBps": 1e6, "GBps": 1e9}
_SPEEDS = {"f": 1.0, "kf": 1e3, "Mf": 1e6, "Gf": 1e9, "Tf": 1e12}
_SPEED = re.compile(r"""\bspeed=(?:"[^"]*"|'[^']*')""")
_TIMES = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


class Zone(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes and how SimGrid names what joins them; without a topology it is a crossbar.

    `bus_bytes_per_s` is what a node's bus carries of both ways together; 0: any. `flops_per_s` is
    what a rank computes, where an application charges its work.
    """

    title: str
    nodes: int
    topology: str = ""
    parameters: str = ""
    bus_bytes_per_s: float = 0.0
    flops_per_s: float = 1e9


class PlatformParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a platform: of a node's cable, of a node's bus (0: any), of further switches.

    `latency_ns` is between two nodes of one switch; `flops_per_s` is what a rank computes.
    """

    bandwidth_bytes_per_s: float
    latency_ns: float
    bus_bytes_per_s: float = 0.0
    hop_ns: float = 0.0
    flops_per_s: float = 1e9
    settings: dict[str, str] = {}


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
    attributes = _cluster("fabric", range(zone.nodes), bandwidth_bytes_per_s, latency_ns)
    attributes["speed"] = _speed(zone.flops_per_s)
    if zone.topology:
        attributes |= {"topology": zone.topology, "topo_parameters": zone.parameters}
    elif zone.bus_bytes_per_s:
        attributes["limiter_link"] = f"{zone.bus_bytes_per_s:.0f}Bps"
    words = "\n           ".join(f"{name}={quoteattr(text)}" for name, text in attributes.items())
    inner = f">\n{_props(facts, 4)}  </cluster>" if facts else "/>"
    return _platform(zone.title, settings, f"  <cluster {words}{inner}\n")


def routed_xml(
    fabric: Fabric, routes: Routes, parameters: PlatformParameters, mapping: str = ""
) -> str:
    """The text of a fabric of switches: nodes have their cables, and so have switches.

    `parameters.latency_ns` is between two nodes of one switch, and each further one adds `hop_ns`.
    A fabric of several rails has so many times the bandwidth: messages are striped over them. A
    node is called by its rank, by a mapping of weft.fabric.mapping.
    """
    ranks = ranks_at(nodes_of_ranks(routes, mapping))
    rate = parameters.bandwidth_bytes_per_s * fabric.rails
    lines = ['  <zone id="fabric" routing="Full">']
    settings = dict(parameters.settings)
    if factors := settings.pop(LATENCY_FACTOR, ""):
        lines.append(f'    <prop id="latency-factor" value={quoteattr(factors)}/>')
    for place, end in enumerate(routes.ends):
        attributes = _cluster(
            f"end-{place}", sorted(ranks[one] for one in end.nodes), rate, parameters.latency_ns
        )
        attributes["router_id"] = f"router-{place}"
        attributes["speed"] = _speed(parameters.flops_per_s)
        if parameters.bus_bytes_per_s:
            attributes["limiter_link"] = f"{parameters.bus_bytes_per_s * fabric.rails:.0f}Bps"
        words = " ".join(f"{name}={quoteattr(text)}" for name, text in attributes.items())
        lines.append(f"    <cluster {words}/>")
    lines += [
        f'    <link id="{one.name}" bandwidth="{one.cables * rate:.0f}Bps"'
        f' latency="0ns">{_CROSSING.format(one.switches * parameters.hop_ns * 1e-9)}</link>'
        for one in routes.bundles
    ]
    # SimGrid wants a link on each way: in a switch one that nobody shares.
    lines.append(
        f'    <link id="inside" bandwidth="{rate:.0f}Bps" latency="0ns"'
        f' sharing_policy="FATPIPE">{_CROSSING.format(0)}</link>'
    )
    for (one, other), way in routes.ways.items():
        names = [routes.bundles[at].name for at in way] or ["inside"]
        inner = "".join(f'<link_ctn id="{name}"/>' for name in names)
        lines.append(
            f'    <zoneRoute src="end-{one}" dst="end-{other}" gw_src="router-{one}"'
            f' gw_dst="router-{other}" symmetrical="NO">{inner}</zoneRoute>'
        )
    text = "\n".join((*lines, "  </zone>")) + "\n"
    return _platform(fabric.title, settings, text)


def read_parameters(root: ET.Element) -> PlatformParameters | None:
    """The numbers of a platform of one crossbar, as `platform_xml` writes it; else None.

    Raises ValueError for a value without a unit that this writer uses.
    """
    cluster = root.find("cluster")
    words = set() if cluster is None else set(cluster.keys())
    if cluster is None or "topology" in words or not {"bw", "lat"} <= words:
        return None
    limiter = cluster.get("limiter_link")
    settings = {
        prop.get("id", ""): prop.get("value", "")
        for config in root.iter("config")
        for prop in config.iter("prop")
    }
    return PlatformParameters(
        bandwidth_bytes_per_s=_number(cluster.get("bw", ""), _RATES),
        latency_ns=_number(cluster.get("lat", ""), _TIMES) * _CABLES_OF_ONE_SWITCH,
        bus_bytes_per_s=_number(limiter, _RATES) if limiter else 0.0,
        flops_per_s=_number(cluster.get("speed", ""), _SPEEDS),
        settings=settings,
    )


def at_speed(text: str, flops_per_s: float) -> str:
    """A platform's text with all hosts as fast. Raises ValueError where it names no speed."""
    faster, count = _SPEED.subn(f'speed="{_speed(flops_per_s)}"', text)
    if not count:
        raise ValueError("its file has no host with a speed")
    return faster


def _number(text: str, units: Mapping[str, float]) -> float:
    match = re.fullmatch(r"([\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]+)", text)
    if match is None or match[2] not in units:
        raise ValueError(f"'{text}' is no figure with one of the units {', '.join(units)}")
    return float(match[1]) * units[match[2]]


def _speed(flops_per_s: float) -> str:
    return f"{flops_per_s / 1e9:g}Gf"


def _cluster(
    name: str, nodes: Sequence[int], bandwidth_bytes_per_s: float, latency_ns: float
) -> dict[str, str]:
    return {
        "id": name,
        "prefix": "node-",
        "suffix": "",
        "radical": _ranges(nodes),
        "bw": f"{bandwidth_bytes_per_s:.0f}Bps",
        "lat": f"{latency_ns / _CABLES_OF_ONE_SWITCH:.3f}ns",
        "sharing_policy": "SPLITDUPLEX",
    }


def _ranges(nodes: Sequence[int]) -> str:
    """Numbers in rising order as SimGrid names them: "0-3,7"."""
    if len(nodes) == nodes[-1] - nodes[0] + 1:
        return f"{nodes[0]}-{nodes[-1]}"
    return ",".join(map(str, nodes))


def _platform(title: str, settings: Mapping[str, str], inner: str) -> str:
    config = f"  <config>\n{_props(settings, 4)}  </config>\n" if settings else ""
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        f"<!-- {title.replace('--', '-')} -->\n"
        f'<platform version="4.1">\n{config}{inner}</platform>\n'
    )


def _props(pairs: Mapping[str, str], indent: int) -> str:
    return "".join(
        f"{' ' * indent}<prop id={quoteattr(name)} value={quoteattr(text)}/>\n"
        for name, text in pairs.items()
    )
