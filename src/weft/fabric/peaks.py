"""The peak of a link or a bus: lanes, signalling rate and encoding, then headers.

The figures and their sources are in links.toml. Rates are exact fractions, so that a peak comes out
to the last digit. 1 MB is 10^6 bytes.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files

import msgspec

from weft.errors import WeftError

_EXAMPLES = "IB 4x FDR, 100G Ethernet, RoCE 200G, PCIe 4 x16, NVLink 5, CXL 3 x16 or Slingshot 11"
# Rates that are typed in Tbit/s.
_TERA = {"1.6": "1600"}
# How a name of each family may be written; `rate` and `lanes` are named after links.toml.
_QSNET = {"1": "I", "i": "I", "3": "I", "2": "II", "ii": "II", "4": "II"}
_GRAMMAR = (
    ("InfiniBand", r"(?:ib|infiniband) ?(?P<lanes>\d+)x ?(?P<rate>[sdqfehnx]dr(?:10)?)"),
    ("InfiniBand", r"(?:ib|infiniband) ?(?P<rate>[sdqfehnx]dr(?:10)?) ?(?:(?P<lanes>\d+)x)?"),
    ("Ethernet", r"(?:ethernet|eth) ?(?P<rate>[\d.]+) ?g?(?:be|bit/s)?"),
    ("Ethernet", r"(?P<rate>[\d.]+) ?g(?:be|(?:bit/s)? ?(?:ethernet|eth))"),
    ("RoCE", r"roce(?: ?v?2)? (?P<rate>[\d.]+) ?g?(?:be|bit/s)?"),
    ("RoCE", r"(?P<rate>[\d.]+) ?g(?:be|bit)? roce(?: ?v?2)?"),
    ("Ethernet", r"(?:ethernet|eth) ?(?P<tera>1\.6) ?t(?:be|bit/s)?"),
    ("Ethernet", r"(?P<tera>1\.6) ?t(?:be|(?:bit/s)? ?(?:ethernet|eth))"),
    ("RoCE", r"roce(?: ?v?2)? (?P<tera>1\.6) ?t"),
    ("UEC", r"(?:uec|ultra ?ethernet|uet) (?P<rate>\d+) ?g?(?:be|bit/s)?"),
    ("UEC", r"(?:uec|ultra ?ethernet|uet) (?P<tera>1\.6) ?t"),
    ("PCIe", r"(?:pcie|pci[ -]express) ?(?:gen ?)?(?P<rate>\d)(?:\.0)? ?x ?(?P<lanes>\d+)"),
    ("CXL", r"cxl ?(?P<rate>\d)(?:\.\d)? ?x ?(?P<lanes>\d+)"),
    ("NVLink", r"(?:(?P<channels>[1-9]|1[0-8])x )?nvlink[ -]?(?P<rate>\d)(?:\.0)?"),
    ("NVLink", r"nvlink[ -]?(?P<rate>\d)(?:\.0)? ?x ?(?P<channels>[1-9]|1[0-8])"),
    ("PCI-X", r"pci-?x ?(?:(?P<lanes>32|64)[ /-]?(?:bits?)?[ /])?(?P<rate>\d+)(?: ?mhz)?"),
    ("PCI", r"pci ?(?P<lanes>32|64)[ /-]?(?:bits?)?[ /](?P<rate>\d+)(?: ?mhz)?"),
    ("Myrinet", r"myrinet[ -]?(?P<rate>2000)"),
    ("QsNet", r"qsnet ?(?P<rate>i{1,2}|[12])"),
    ("QsNet", r"elan ?(?P<rate>[34])"),
    ("Omni-Path", r"(?:omni-?path|opa)[ -]?(?P<rate>\d+)"),
    ("Slingshot", r"slingshot[ -]?(?P<rate>\d+)"),
    ("DDR", r"(?:(?P<channels>\d)x )?ddr2?-(?P<rate>\d+)"),
)


class Packet(msgspec.Struct, frozen=True, kw_only=True):
    """What a protocol adds to an MTU: bytes on top of it and inside it, a share of what is left."""

    mtus: tuple[int, ...]
    source: str
    outside: tuple[tuple[str, int], ...] = ()
    inside: tuple[tuple[str, int], ...] = ()
    share: tuple[int, int] = (1, 1)


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One speed: `mbit_per_s` of a lane one way on the wire, an exact number as text.

    Without `bound` its packet headers are unknown, unlike those of the rest of the family.
    """

    name: str
    mbit_per_s: str
    encoding: tuple[tuple[int, int], ...]
    code: str
    lanes: int = 0
    flit: bool = False
    bound: bool = True


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """The links of one standard, as links.toml has them."""

    name: str
    both_ways: bool
    source: str
    note: str = ""
    why_no_bound: str = ""
    widths: tuple[int, ...] = ()
    rates: tuple[Rate, ...] = ()
    rates_of: str = ""
    packet: Packet | None = None
    flit_packet: Packet | None = None


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """What the headers leave of a link's peak when every packet is full."""

    mtu_bytes: int
    payload_bytes: int
    header_bytes: int
    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link or a bus: its peak one way, and both ways at once (the same where they share it)."""

    name: str
    family: str
    lanes: int
    lane_bits_per_s: float
    encoding: str
    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float
    bounds: tuple[Bound, ...]
    headers: str
    source: str
    note: str = ""

    def peak_bytes_per_s(self, directions: int) -> float:
        """The peak for a test that moves data one way (1) or both ways at once (2)."""
        return self.both_ways_bytes_per_s if directions == 2 else self.one_way_bytes_per_s


@cache
def families() -> tuple[Family, ...]:
    """Every family of links.toml; one that shares another's rates has them filled in."""
    text = files("weft.fabric").joinpath("links.toml").read_text(encoding="utf-8")
    found = msgspec.convert(tomllib.loads(text)["family"], tuple[Family, ...])
    rates = {family.name: family.rates for family in found}
    return tuple(
        msgspec.structs.replace(family, rates=rates[family.rates_of]) if family.rates_of else family
        for family in found
    )


def parse_link(text: str) -> Link:
    """The link that a person names: "IB 4x FDR", "PCIe 3 x8", "100GbE". Raises WeftError."""
    plain = " ".join(text.lower().replace(",", " ").replace("_", " ").split())
    for name, pattern in _GRAMMAR:
        if match := re.fullmatch(pattern, plain):
            family = next(family for family in families() if family.name == name)
            return _from_words(text, family, match.groupdict())
    words = [family.name for family in families()]
    near = difflib.get_close_matches(plain.split(" ")[0], [word.lower() for word in words], n=1)
    kind = next((word for word in words if near and word.lower() == near[0]), "")
    hint = f": {kind} needs its rate" + _widths_in_words(kind) if kind else ""
    raise WeftError(f"'{text}' is not a link that weft knows{hint}", f"use one like {_EXAMPLES}")


def _widths_in_words(kind: str) -> str:
    family = next(family for family in families() if family.name == kind)
    return " and its width" if family.widths else ""


def _from_words(text: str, family: Family, words: dict[str, str | None]) -> Link:
    """A link from the parts of its name. Raises WeftError for what the family does not have."""
    name = (words.get("rate") or _TERA.get(words.get("tera") or "", "")).upper()
    if family.name == "QsNet":
        name = _QSNET[name.lower()]
    if family.name in ("Ethernet", "RoCE", "UEC"):
        name = name.removesuffix(".0") + "G"
    rates = {rate.name: rate for rate in family.rates}
    if name not in rates:
        raise WeftError(
            f"'{text}': {family.name} has no rate {name}", f"use one of {', '.join(rates)}"
        )
    rate = rates[name]
    asked = words.get("lanes")
    lanes = int(asked) if asked else rate.lanes
    if not lanes and family.name == "PCI-X":
        lanes = 64
    if family.widths and lanes not in family.widths:
        widths = ", ".join(map(str, family.widths))
        what = f"has no width {lanes}" if lanes else "needs its width"
        raise WeftError(f"'{text}': {family.name} {what}", f"use one of {widths}")
    return make_link(family, rate, lanes * int(words.get("channels") or 1))


def make_link(family: Family, rate: Rate, lanes: int) -> Link:
    """The peaks of so many lanes of a rate."""
    wire = Fraction(rate.mbit_per_s) * 10**6
    one_way = wire * lanes / 8
    for data, coded in rate.encoding:
        one_way *= Fraction(data, coded)
    directions = 2 if family.both_ways else 1
    packet = family.flit_packet if rate.flit else family.packet
    packet = packet if rate.bound else None
    return Link(
        name=_name(family, rate, lanes),
        family=family.name,
        lanes=lanes,
        lane_bits_per_s=float(wire),
        encoding=rate.code,
        one_way_bytes_per_s=float(one_way),
        both_ways_bytes_per_s=float(one_way * directions),
        bounds=tuple(_bound(packet, mtu, one_way, directions) for mtu in packet.mtus)
        if packet
        else (),
        headers=_headers(packet) if packet else f"no second bound: {family.why_no_bound}",
        source=family.source,
        note=family.note if rate.flit else "",
    )


def pcie_bytes_per_s(speed_gt_per_s: float, width: int) -> float | None:
    """Peak of a PCIe link one way; None for a rate (GT/s) that no revision has."""
    family = next(family for family in families() if family.name == "PCIe")
    for rate in family.rates:
        if float(rate.mbit_per_s) == speed_gt_per_s * 1000:
            return make_link(family, rate, width).one_way_bytes_per_s
    return None


def _bound(packet: Packet, mtu: int, one_way: Fraction, directions: int) -> Bound:
    outside = sum(size for _, size in packet.outside)
    inside = sum(size for _, size in packet.inside)
    left = one_way * Fraction(mtu - inside, mtu + outside) * Fraction(*packet.share)
    return Bound(
        mtu_bytes=mtu,
        payload_bytes=mtu - inside,
        header_bytes=outside + inside,
        one_way_bytes_per_s=float(left),
        both_ways_bytes_per_s=float(left * directions),
    )


def _headers(packet: Packet) -> str:
    """The headers with their bytes and where they are defined, one sentence."""
    listed = ", ".join(f"{name} {size}" for name, size in (*packet.outside, *packet.inside))
    share = (
        f"; of the rest {packet.share[0]} of {packet.share[1]}" if packet.share != (1, 1) else ""
    )
    return f"bytes per packet: {listed}{share} ({packet.source})"


def _name(family: Family, rate: Rate, lanes: int) -> str:
    if family.name == "InfiniBand":
        return f"InfiniBand {lanes}x {rate.name}"
    if family.name in ("PCIe", "CXL"):
        return f"{family.name} {rate.name} x{lanes}"
    if family.name == "NVLink":
        links = lanes // rate.lanes
        return f"{links}x NVLink {rate.name}" if links > 1 else f"NVLink {rate.name}"
    if family.name in ("PCI", "PCI-X"):
        return f"{family.name} {lanes}-bit {rate.name} MHz"
    if family.name == "DDR":
        channels = lanes // rate.lanes
        return f"{channels}x DDR-{rate.name}" if channels > 1 else f"DDR-{rate.name}"
    return f"{family.name} {rate.name}"
