"""A fabric as data: switches, cables between them, and what can be counted of both.

Counts are of one plane. A fabric of several rails has as many equal planes, and every node has an
adapter with one port at each.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CableKind = Literal["node", "uplink", "local", "global"]
CABLES: tuple[CableKind, ...] = ("node", "uplink", "local", "global")


class FabricSwitch(msgspec.Struct, frozen=True):
    """One switch: what it does, its ports, and how many nodes are cabled to it.

    A modular one has line cards of `card_ports` ports, as many of them as its cables need.
    """

    role: str
    radix: int
    nodes: int = 0
    card_ports: int = 0


class Trunk(msgspec.Struct, frozen=True):
    """All cables between two switches, which are named by their places in the list."""

    one: int
    other: int
    cables: int
    kind: CableKind


class Fabric(msgspec.Struct, frozen=True, kw_only=True):
    """A fabric that can be cabled. Nodes are numbered switch by switch.

    `views` are switches with nodes, one of each kind, and how many of its kind there are: all of a
    kind have as many nodes and the same distances. `zone` is the fabric as SimGrid names it
    (topology and topo_parameters); empty where it is not regular enough, and `irregular` says why.
    `spread` says in words how the cables between switches are shared out. `sides` are those of a
    torus, the first the outermost; `groups` how many a dragonfly has. With `shares_spines` all
    rails have the same spines, each of which has ports for all of them.
    """

    title: str
    nodes: int
    switches: tuple[FabricSwitch, ...]
    trunks: tuple[Trunk, ...]
    views: tuple[tuple[int, int], ...]
    rails: int = 1
    spread: str = ""
    zone: tuple[str, str] = ("", "")
    irregular: str = ""
    sides: tuple[int, ...] = ()
    groups: int = 0
    shares_spines: bool = False


class PartCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many of one part all rails need. `part` is its name in a price list."""

    part: str
    role: str
    count: int
    ports_left_over: int = 0


class Hops(msgspec.Struct, frozen=True, kw_only=True):
    """Switches on the shortest way between two unlike nodes: the most, and the mean."""

    diameter: int
    mean: float


class Cable(msgspec.Struct, frozen=True, kw_only=True):
    """One cable with the port at either end; ports count from 1."""

    kind: CableKind
    end: str
    port: int
    other_end: str
    other_port: int


def parts_of(fabric: Fabric) -> tuple[PartCount, ...]:
    """The parts list of all rails: adapters, switches by role, cables by kind."""
    used = ports_used(fabric)
    counts: Counter[tuple[str, int]] = Counter()
    left: Counter[tuple[str, int]] = Counter()
    cards: Counter[int] = Counter()
    for switch, of_one_rail in zip(fabric.switches, used, strict=True):
        planes = 1 if fabric.shares_spines and switch.role == "spine" else fabric.rails
        ports = of_one_rail * fabric.rails // planes
        counts[switch.role, switch.radix] += planes
        there = switch.radix
        if switch.card_ports:
            own = ceil(ports / switch.card_ports)
            cards[switch.radix] += planes * own
            there = own * switch.card_ports
        left[switch.role, switch.radix] += planes * (there - ports)
    cables: Counter[str] = Counter({"node": fabric.nodes * fabric.rails})
    for trunk in fabric.trunks:
        cables[trunk.kind] += trunk.cables * fabric.rails
    return (
        PartCount(part="adapter", role="adapter", count=fabric.nodes * fabric.rails),
        *(
            PartCount(
                part=f"switch {radix}", role=role, count=count, ports_left_over=left[role, radix]
            )
            for (role, radix), count in counts.items()
        ),
        *(
            PartCount(part=f"line card {radix}", role="line card", count=count)
            for radix, count in cards.items()
        ),
        *(
            PartCount(part=f"{kind} cable", role=f"{kind} cable", count=cables[kind])
            for kind in CABLES
            if cables[kind]
        ),
    )


def ports_used(fabric: Fabric) -> list[int]:
    """How many ports of each switch are cabled, to nodes or to switches."""
    used = [switch.nodes for switch in fabric.switches]
    for trunk in fabric.trunks:
        used[trunk.one] += trunk.cables
        used[trunk.other] += trunk.cables
    return used


def cables_of(fabric: Fabric) -> Iterator[Cable]:
    """Every cable with its ports, first those of the nodes. Raises ValueError without a port."""
    next_port = [1] * len(fabric.switches)
    names = switch_names(fabric)

    def port_at(place: int) -> int:
        port = next_port[place]
        if port > fabric.switches[place].radix:
            raise ValueError(f"{names[place]} has no port {port}")
        next_port[place] = port + 1
        return port

    node = 0
    for place, switch in enumerate(fabric.switches):
        for _ in range(switch.nodes):
            node += 1
            yield Cable(
                kind="node",
                end=f"node {node}",
                port=1,
                other_end=names[place],
                other_port=port_at(place),
            )
    for trunk in fabric.trunks:
        for _ in range(trunk.cables):
            yield Cable(
                kind=trunk.kind,
                end=names[trunk.one],
                port=port_at(trunk.one),
                other_end=names[trunk.other],
                other_port=port_at(trunk.other),
            )


def switch_names(fabric: Fabric) -> list[str]:
    """A name for every switch: "leaf 1", "leaf 2", "spine 1"."""
    seen: Counter[str] = Counter()
    names = []
    for switch in fabric.switches:
        seen[switch.role] += 1
        names.append(f"{switch.role} {seen[switch.role]}")
    return names


def groups_of(fabric: Fabric) -> list[list[int]]:
    """The switches of each group of a dragonfly: those that local cables join."""
    beside: list[list[int]] = [[] for _ in fabric.switches]
    for trunk in fabric.trunks:
        if trunk.kind == "local":
            beside[trunk.one].append(trunk.other)
            beside[trunk.other].append(trunk.one)
    found: list[list[int]] = []
    seen: set[int] = set()
    for place in range(len(fabric.switches)):
        if place not in seen:
            own = [at for at, cables in enumerate(_distances(place, beside)) if cables >= 0]
            found.append(own)
            seen.update(own)
    return found


def hops_of(fabric: Fabric, views: Sequence[tuple[int, int]] = ()) -> Hops:
    """Diameter and mean of the switches between two nodes, seen from the fabric's views.

    With `views` seen from these. Raises ValueError where a node reaches another one not at all.
    """
    beside = _neighbours(fabric)
    total = pairs = diameter = 0
    for place, alike in counted_off(views or fabric.views, "counting switches on the way"):
        own = fabric.switches[place].nodes
        for other, distance in enumerate(_distances(place, beside)):
            nodes = fabric.switches[other].nodes - (1 if other == place else 0)
            if nodes <= 0:
                continue
            if distance < 0:
                raise ValueError(f"switch {place} does not reach switch {other}")
            diameter = max(diameter, distance + 1)
            total += alike * own * nodes * (distance + 1)
            pairs += alike * own * nodes
    return Hops(diameter=diameter, mean=total / pairs if pairs else 0.0)


def _neighbours(fabric: Fabric) -> list[list[int]]:
    beside: list[list[int]] = [[] for _ in fabric.switches]
    for trunk in fabric.trunks:
        beside[trunk.one].append(trunk.other)
        beside[trunk.other].append(trunk.one)
    return beside


def _distances(start: int, beside: Sequence[Sequence[int]]) -> list[int]:
    """Cables between a switch and each other one; -1 where there is no way."""
    found = [-1] * len(beside)
    found[start] = 0
    waiting = [start]
    for place in waiting:
        for other in beside[place]:
            if found[other] < 0:
                found[other] = found[place] + 1
                waiting.append(other)
    return found
