"""From the words of a command or a file to a fabric, and what is counted of it."""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.direct import DirectAsked, build_hyperx, build_slim_fly
from weft.fabric.dragonfly import DragonflyAsked, build_dragonfly
from weft.fabric.dragonfly_plus import build_dragonfly_plus
from weft.fabric.fat_tree import MOST_LEVELS, TreeAsked, build_fat_tree, build_rail_optimised
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric, PartCount, hops_of, parts_of
from weft.fabric.peaks import parse_link
from weft.fabric.torus import TorusAsked, build_torus
from weft.fabric.tree_search import Spread, SwitchPrice, TreePrices
from weft.names import choose
from weft.units import parse_bandwidth, parse_percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.fabric.part_prices import PricesByPart

TOPOLOGIES = ("fat-tree", "rail-optimised", "torus", "dragonfly", "dragonfly+")
# Without routes: to be priced, and not to be mapped or predicted.
PRICED = (*TOPOLOGIES, "hyperx", "slim-fly")
# Options of a fat tree that a rail-optimised fabric has too.
OF_RAILS = ("--blocking",)
SPREADS: Mapping[str, Spread] = {"even": "even", "any": "any"}
MOST_NODES = 100_000
MOST_PORTS = 4096
MOST_RAILS = 16
# Of a cable: as much as a division may be off.
ROUNDING = 1e-9


class FabricAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fabric in words, as the options of `weft price` and the [[fabric]] of a file have them.

    `bisection` is what a fat tree has at least, "50%" of all nodes' bandwidth or "48GB/s", in place
    of a blocking. `per_switch` are the nodes of a torus' fullest switch. `link` is a name that
    weft.fabric.peaks reads; `measured` a record or a published platform; `application` a record of
    milc, measured or predicted.
    """

    nodes: int
    switch: str = ""
    name: str = ""
    topology: str = "fat-tree"
    blocking: str = "1:1"
    bisection: str = ""
    levels: int = 0
    rails: int = 1
    shape: str = ""
    per_switch: int = 0
    spread: str = "even"
    link: str = ""
    measured: str = ""
    application: str = ""


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """A fabric with its counts, of all rails together. Without a link no bandwidth is known.

    `bisection_bytes_per_s` is one way, at the peak of the link.
    """

    asked: FabricAsked
    fabric: Fabric
    parts: tuple[PartCount, ...]
    bisection_cables: int
    diameter_hops: int
    mean_hops: float
    link: str = ""
    bisection_bytes_per_s: float | None = None

    @property
    def ports(self) -> int:
        """Ports of nodes: one per node and rail."""
        return self.asked.nodes * self.asked.rails


def build(
    asked: FabricAsked, prices: PricesByPart | None = None, rate_bytes_per_s: float | None = None
) -> Built:
    """The cheapest fabric that was asked for, and what is counted of it.

    With `prices` the cheapest is that of the least price, else that with the fewest switches. The
    rate is what was measured of one link, in place of its peak. Raises WeftError for what cannot be
    built.
    """
    fabric = build_fabric(asked, prices, rate_bytes_per_s)
    cables = bisection_cables(fabric) * asked.rails
    hops = hops_of(fabric)
    link = parse_link(asked.link) if asked.link else None
    return Built(
        asked=asked,
        fabric=fabric,
        parts=with_optics(parts_of(fabric), prices),
        bisection_cables=cables,
        diameter_hops=hops.diameter,
        mean_hops=hops.mean,
        link=link.name if link else "",
        bisection_bytes_per_s=cables * link.one_way_bytes_per_s if link else None,
    )


def with_optics(parts: tuple[PartCount, ...], prices: PricesByPart | None) -> tuple[PartCount, ...]:
    """Two transceivers for each cable of a kind for which the list has some."""
    kinds = [one.role.removesuffix(" cable") for one in parts if one.role.endswith(" cable")]
    counts = {one.role: one.count for one in parts}
    optics = tuple(
        PartCount(part=name, role=name, count=2 * counts[f"{kind} cable"])
        for kind in kinds
        if prices is not None and prices.has(name := f"{kind} transceiver")
    )
    return (*parts, *optics)


def build_fabric(
    asked: FabricAsked, prices: PricesByPart | None = None, rate_bytes_per_s: float | None = None
) -> Fabric:
    """The fabric without what is counted of it. Raises WeftError."""
    _in_range("--nodes", asked.nodes, 2, MOST_NODES)
    _in_range("--rails", asked.rails, 1, MOST_RAILS)
    _in_range("--levels", asked.levels, 0, MOST_LEVELS)
    _in_range("--per-switch", asked.per_switch, 0, MOST_PORTS)
    plane = _plane(asked, prices, rate_bytes_per_s)
    return msgspec.structs.replace(plane, rails=asked.rails)


def _plane(
    asked: FabricAsked, prices: PricesByPart | None, rate_bytes_per_s: float | None
) -> Fabric:
    [topology] = choose("topology", [asked.topology], PRICED)
    radixes = parse_switches(asked.switch)
    if topology != "fat-tree":
        _only_one(asked, radixes, OF_RAILS if topology == "rail-optimised" else ())
    shape = parse_shape(asked.shape) if asked.shape else ()
    if topology == "torus":
        return build_torus(
            TorusAsked(
                nodes=asked.nodes, radix=radixes[0], shape=shape, per_switch=asked.per_switch
            )
        )
    direct = DirectAsked(
        nodes=asked.nodes, radix=radixes[0], shape=shape, per_switch=asked.per_switch
    )
    if topology == "hyperx":
        return build_hyperx(direct)
    if shape:
        raise WeftError(f"--shape {asked.shape} is for a torus", "use --topology torus")
    if topology == "slim-fly":
        return build_slim_fly(direct)
    if asked.per_switch:
        raise WeftError(f"--per-switch {asked.per_switch} is for a torus", "use --topology torus")
    grouped = DragonflyAsked(nodes=asked.nodes, radix=radixes[0])
    if topology == "dragonfly":
        return build_dragonfly(grouped)
    if topology == "dragonfly+":
        return build_dragonfly_plus(grouped)
    [spread] = choose("spread", [asked.spread], tuple(SPREADS))
    tree = TreeAsked(
        nodes=asked.nodes,
        radixes=radixes,
        blocking=parse_blocking(asked.blocking),
        bisection_cables=_bisection(asked, rate_bytes_per_s),
        levels=asked.levels,
        spread=SPREADS[spread],
        prices=None if prices is None else tree_prices(prices, radixes),
    )
    if topology == "rail-optimised":
        return build_rail_optimised(tree, asked.rails)
    return build_fat_tree(tree)


def tree_prices(prices: PricesByPart, radixes: tuple[int, int, int]) -> TreePrices:
    """What the switches and cables of a fat tree cost. A part without a price costs nothing here:
    what a fabric has is asked for again where all of it is priced."""

    def of(part: str) -> float:
        try:
            return prices.of(part).price
        except WeftError:
            return 0.0

    def switch(radix: int) -> SwitchPrice:
        card = prices.card_of(radix)
        return SwitchPrice(
            radix=radix,
            price=of(f"switch {radix}"),
            card_ports=card.ports if card else 0,
            card_price=card.price if card else 0.0,
        )

    leaf, spine, core = map(switch, radixes)
    return TreePrices(
        leaf=leaf, spine=spine, core=core, cable=of("uplink cable") + 2 * of("uplink transceiver")
    )


def _bisection(asked: FabricAsked, rate_bytes_per_s: float | None) -> int:
    """The cables of one plane that a stated bisection needs; 0 where none is stated."""
    if not asked.bisection:
        return 0
    if any(one != 1 for one in parse_blocking(asked.blocking)) or asked.spread != "even":
        raise WeftError(
            "--bisection says how many cables run upwards, and so do --blocking and --spread",
            "omit the others",
        )
    if asked.bisection.endswith("%"):
        return ceil(asked.nodes // 2 * parse_percent(asked.bisection) - ROUNDING)
    if rate_bytes_per_s is None:
        if not asked.link:
            raise WeftError(
                f"--bisection {asked.bisection} needs the bandwidth of a link",
                'use --link "IB 4x SDR" or --measured FILE, or --bisection 50%',
            )
        rate_bytes_per_s = parse_link(asked.link).one_way_bytes_per_s
    wanted = parse_bandwidth(asked.bisection)
    return max(1, ceil(wanted / (asked.rails * rate_bytes_per_s) - ROUNDING))


def parse_switches(text: str) -> tuple[int, int, int]:
    """Ports of leaf, spine and core switches from "24", "24,288". Raises WeftError."""
    if not text:
        raise WeftError("no switch given", "give its ports: --switch 24, or --switch 24,288")
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > MOST_LEVELS or not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
        raise WeftError(
            f"'{text}' is not one to {MOST_LEVELS} numbers of ports",
            "use those of a leaf and of a spine, like 24,288",
        )
    ports = [int(part) for part in parts]
    for count in ports:
        _in_range("--switch", count, 2, MOST_PORTS)
    ports += ports[-1:] * (MOST_LEVELS - len(ports))
    return ports[0], ports[1], ports[2]


def parse_blocking(text: str) -> tuple[Fraction, Fraction]:
    """The blocking of leaves, and of spines (1:1 unless named), from "2:1" or "2:1,1:1"."""
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?):(\d{1,4})", part.strip())
        factor = Fraction(match[1]) / int(match[2]) if match and int(match[2]) else Fraction(0)
        if factor < 1:
            raise WeftError(
                f"'{part}' is not a blocking factor", "use one of 1:1 or more, like 2:1"
            )
        found.append(factor)
    if len(found) >= MOST_LEVELS:
        raise WeftError(
            f"'{text}' has more than two factors", "use those of leaves and spines, like 2:1,1:1"
        )
    return found[0], (*found, Fraction(1))[1]


def parse_shape(text: str) -> tuple[int, ...]:
    """The sides of a torus from "8x8x4". Raises WeftError."""
    if not re.fullmatch(r"[1-9]\d{0,3}(x[1-9]\d{0,3}){0,5}", text):
        raise WeftError(f"'{text}' is not the shape of a torus", "give its sides, like 8x8x4")
    return tuple(int(side) for side in text.split("x"))


def _only_one(asked: FabricAsked, radixes: tuple[int, int, int], but: tuple[str, ...]) -> None:
    """Raises WeftError for options that only a fat tree has, `but` these."""
    given = [
        name
        for name, is_given in (
            ("--blocking", any(one != 1 for one in parse_blocking(asked.blocking))),
            ("--bisection", asked.bisection != ""),
            ("--levels", asked.levels != 0),
            ("--spread", asked.spread != "even"),
        )
        if is_given and name not in but
    ]
    if given:
        raise WeftError(f"{given[0]} is for a fat tree", f"omit {given[0]}")
    if len(set(radixes)) > 1 and not but:
        raise WeftError(
            f"a {asked.topology} has switches of one kind", f"use --switch {radixes[0]}"
        )


def _in_range(name: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise WeftError(f"{name} {number} is out of range", f"use {least} to {most}")
