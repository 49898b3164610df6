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

import msgspec

from weft.errors import WeftError
from weft.fabric.mapping import ranks_at

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
BANDWIDTH_FACTOR = "smpi/bw-factor"
# Properties of the fabric's zone that rank-sim takes for messages between ranks of a node, and the
# settings of the platform whose memory they share.
_SHARED = {
    "shared-latency-factor": LATENCY_FACTOR,
    "shared-bandwidth-factor": BANDWIDTH_FACTOR,
    "shared-os": "smpi/os",
    "shared-ois": "smpi/ois",
    "shared-or": "smpi/or",
}
# What a switch further takes, s, as a property of the link before it: rank-sim adds it once a
# crossing. It is no latency: SimGrid gives a way of a longer one less of the links that it shares.
_CROSSING = '<prop id="crossing" value="{:.12g}"/>'
# What a rank adds to others in a sum, bytes/s: rank-sim charges it. Without it an addition is one
# operation at the hosts' speed.
SUM_RATE = "sum-rate"
# The rails of a node over which the bandwidth was measured; without it one.
RAILS = "weft-rails"
# What a message costs its hosts that follows another at once, as SimGrid's pieces: rank-sim charges
# it (engine/transports/sim/host_costs.hpp).
FURTHER_SEND, FURTHER_RECEIVE = "further-send", "further-receive"
FURTHER = (FURTHER_SEND, FURTHER_RECEIVE)
_SUM_RATE_LINE = re.compile(rf'\s*<prop id="{SUM_RATE}" value="[^"]*"/>')
# Where the fabric that rank-sim looks at begins; one without content ends at once.
_FABRIC = re.compile(r"""<(?:cluster|zone)\s[^>]*\bid="fabric"[^>]*[^>/]>""")
_RATES = {"Bps": 1.0, "kBps": 1e3, "MBps": 1e6, "GBps": 1e9}
_SPEEDS = {"f": 1.0, "kf": 1e3, "Mf": 1e6, "Gf": 1e9, "Tf": 1e12}
# Settings that are lists of SIZE:TIME:TIME.
_PIECES = ("smpi/os", "smpi/ois", "smpi/or")
_DECIMAL = r"[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?"
_WITH_UNIT = re.compile(rf"({_DECIMAL})([a-zA-Z]+)")
_PIECE = re.compile(rf"{_DECIMAL}:-?{_DECIMAL}:-?{_DECIMAL}")
_POSITIVE = re.compile(r"(?=[^eE]*[1-9])" + _DECIMAL)
_SPEED = re.compile(r"""\bspeed=(?:"[^"]*"|'[^']*')""")
_SLOW = "slow-links"
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_MOST_NUMBERS = 10**6
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

    `latency_ns` is between two nodes of one switch; `flops_per_s` is what a rank computes, and
    `sum_bytes_per_s` what it adds to others in a sum; 0: as it computes. `further` are the zone's
    properties of messages that follow others. Bandwidth and bus are those of `rails` together.
    """

    bandwidth_bytes_per_s: float
    latency_ns: float
    bus_bytes_per_s: float = 0.0
    hop_ns: float = 0.0
    flops_per_s: float = 1e9
    sum_bytes_per_s: float = 0.0
    settings: dict[str, str] = {}
    further: dict[str, str] = {}
    rails: int = 1

    def times_over(self, rails: int) -> float:
        """How many times the bandwidth so many rails have."""
        return rails / self.rails


class OnNode(msgspec.Struct, frozen=True, kw_only=True):
    """How many ranks a node has, and what their messages to each other cost."""

    ranks: int = 1
    memory: PlatformParameters | None = None


class _Within(msgspec.Struct, frozen=True):
    """Properties of the fabric's zone, and attributes of the clusters in it."""

    props: dict[str, str] = {}
    attributes: dict[str, str] = {}


def _within(asked: OnNode | None) -> _Within:
    """For rank-sim the number of ranks a node, and what a message within one costs."""
    if asked is None or asked.ranks == 1 or asked.memory is None:
        return _Within()
    memory = asked.memory
    props = {"ranks-per-node": str(asked.ranks)}
    props |= {shared: memory.settings.get(name, "0:0:0") for shared, name in _SHARED.items()}
    attributes = {
        "core": str(asked.ranks),
        "loopback_bw": f"{memory.bandwidth_bytes_per_s:.0f}Bps",
        "loopback_lat": f"{memory.latency_ns:.3f}ns",
    }
    return _Within(props, attributes)


def zone_of(fabric: Fabric) -> Zone:
    """A fabric's zone. Raises WeftError for one that no zone of SimGrid describes."""
    if fabric.rails > 1:
        raise WeftError("a zone of SimGrid has one rail", "use --rails 1")
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
    words = "\n           ".join(f"{name}={_quoted(text)}" for name, text in attributes.items())
    inner = f">\n{_props(facts, 4)}  </cluster>" if facts else "/>"
    return _platform(zone.title, settings, f"  <cluster {words}{inner}\n")


def routed_xml(
    fabric: Fabric,
    routes: Routes,
    parameters: PlatformParameters,
    nodes: Sequence[int],
    within: OnNode | None = None,
) -> str:
    """The text of a fabric of switches: nodes have their cables, and so have switches.

    `parameters.latency_ns` is between two nodes of one switch, and each further one adds `hop_ns`.
    A fabric of several rails has so many times the bandwidth of one: messages are striped over
    them. A node is called by its place among those of the ranks, the `nodes`.
    """
    ranks = ranks_at(nodes)
    more = parameters.times_over(fabric.rails)
    rate = parameters.bandwidth_bytes_per_s * more
    lines = ['  <zone id="fabric" routing="Full">']
    settings = dict(parameters.settings)
    if factors := settings.pop(LATENCY_FACTOR, ""):
        lines.append(f'    <prop id="latency-factor" value={_quoted(factors)}/>')
    own = _within(within)
    if own.props:
        # SimGrid takes a setting, or a rule by both ends of a message: not both.
        own.props["bandwidth-factor"] = settings.pop(BANDWIDTH_FACTOR)
    own.props.update(parameters.further)
    lines += [f'    <prop id="{name}" value={_quoted(text)}/>' for name, text in own.props.items()]
    if parameters.sum_bytes_per_s:
        lines.append(f'    <prop id="{SUM_RATE}" value="{parameters.sum_bytes_per_s:.12g}"/>')
    for place, end in enumerate(routes.ends):
        attributes = _cluster(
            f"end-{place}", sorted(ranks[one] for one in end.nodes), rate, parameters.latency_ns
        )
        attributes["router_id"] = f"router-{place}"
        attributes["speed"] = _speed(parameters.flops_per_s)
        attributes |= own.attributes
        if parameters.bus_bytes_per_s:
            attributes["limiter_link"] = f"{parameters.bus_bytes_per_s * more:.0f}Bps"
        words = " ".join(f"{name}={_quoted(text)}" for name, text in attributes.items())
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
    settings = {key: text for one in root.iter("config") for key, text in _props_of(one).items()}
    own = _props_of(cluster)
    return PlatformParameters(
        bandwidth_bytes_per_s=_number(cluster.get("bw", ""), _RATES),
        latency_ns=_number(cluster.get("lat", ""), _TIMES) * _CABLES_OF_ONE_SWITCH,
        bus_bytes_per_s=_number(limiter, _RATES) if limiter else 0.0,
        flops_per_s=_number(cluster.get("speed", ""), _SPEEDS),
        sum_bytes_per_s=float(own.get(SUM_RATE, "0")),
        settings=settings,
        further={name: own[name] for name in FURTHER if name in own},
        rails=int(own.get(RAILS, "1")),
    )


def adding(text: str, bytes_per_s: float) -> str:
    """A platform's text whose ranks add so much in a sum. Raises ValueError for another's file."""
    cleared = _SUM_RATE_LINE.sub("", text)
    return _with_property(cleared, SUM_RATE, f"{bytes_per_s:.12g}")


def _with_property(text: str, name: str, value: str) -> str:
    """A platform's text whose fabric has a property. Raises ValueError where it has no fabric."""
    words = _props({name: value}, 4).rstrip()
    found, count = _FABRIC.subn(lambda opened: f"{opened[0]}\n{words}", text, count=1)
    if not count:
        raise ValueError("it has no cluster or zone called fabric with properties")
    return found


def at_speed(text: str, flops_per_s: float) -> str:
    """A platform's text with all hosts as fast. Raises ValueError where it names no speed."""
    faster, count = _SPEED.subn(f'speed="{_speed(flops_per_s)}"', text)
    if not count:
        raise ValueError("its file has no host with a speed")
    return faster


def _props_of(element: ET.Element) -> dict[str, str]:
    return {prop.get("id", ""): prop.get("value", "") for prop in element.iter("prop")}


def _number(text: str, units: Mapping[str, float]) -> float:
    match = _WITH_UNIT.fullmatch(text)
    if match is None or match[2] not in units:
        raise ValueError(f"'{text[:40]}' is not a number with a unit: {', '.join(units)}")
    return float(match[1]) * units[match[2]]


def check_numbers(root: ET.Element) -> None:
    """Raises ValueError for a platform of weft's whose properties are not as weft writes them."""
    values = {
        name: text
        for element in (*root.iter("config"), *root.iter("cluster"), *root.iter("zone"))
        for name, text in _props_of(element).items()
    }
    for name in {*_PIECES, *FURTHER} & values.keys():
        for piece in values[name].split(";"):
            if _PIECE.fullmatch(piece) is None:
                raise ValueError(f"its {name} has '{piece[:40]}' instead of SIZE:TIME:TIME")
    for name in {SUM_RATE, RAILS} & values.keys():
        if _POSITIVE.fullmatch(values[name]) is None:
            raise ValueError(f"its {name} is '{values[name][:40]}' instead of a positive number")


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


def _quoted(text: str) -> str:
    """An attribute's value; loaded here, since what every command loads would load urllib too."""
    from xml.sax.saxutils import quoteattr

    return quoteattr(text)


def _props(pairs: Mapping[str, str], indent: int) -> str:
    return "".join(
        f"{' ' * indent}<prop id={_quoted(name)} value={_quoted(text)}/>\n"
        for name, text in pairs.items()
    )


def with_slow_links(text: str, nodes: Mapping[int, float], links: Mapping[str, float] = {}) -> str:
    """A platform's text with both ways of these nodes' cables at a share of their bandwidth.

    And with these links of its own. rank-sim reads the property
    (engine/transports/sim/slow_links.hpp). Raises ValueError where the platform is none of weft's,
    or does not have a node or a link.
    """
    import xml.etree.ElementTree as ET

    root = ET.fromstring(text)  # noqa: S314 - the user's own file
    clusters = [(one, numbers_in(one.get("radical", ""))) for one in root.iter("cluster")]
    slow = []
    for node, share in nodes.items():
        own = next((one for one, numbers in clusters if node in numbers), None)
        if own is None or own.get("sharing_policy") != "SPLITDUPLEX":
            raise ValueError(f"it has no node {node} with a cable of its own")
        rate = _number(own.get("bw", ""), _RATES) * share
        slow += [f"{own.get('id')}_link_{node}_{way}:{rate:.0f}" for way in ("UP", "DOWN")]
    known = {one.get("id", ""): one for one in root.iter("link")}
    for name, share in links.items():
        if name not in known:
            raise ValueError(f"it has no link {name}")
        rate = _number(known[name].get("bandwidth", ""), _RATES) * share
        slow.append(f"{name}:{rate:.0f}")
    return _with_property(text, _SLOW, ";".join(slow))


def numbers_in(radical: str) -> set[int]:
    """The numbers that "0-3,7" names. Raises ValueError for text of another form or too many."""
    found: set[int] = set()
    for part in radical.split(",") if radical else ():
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"its radical has '{part[:40]}', which is not a number or a range")
        first, last = int(match[1]), int(match[2] or match[1])
        if len(found) + last - first >= _MOST_NUMBERS:
            raise ValueError(f"its radical has more than {_MOST_NUMBERS:,} numbers")
        found |= set(range(first, last + 1))
    return found
