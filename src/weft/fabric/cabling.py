"""A fabric as it is cabled, and what that says of the pairs of its hosts. Pure.

Who is below which switch follows from the cables alone. Which cables a message passes follows only
where one shortest way leads between any two leaves, or where the switches' forwarding tables are
known; else a diagnosis knows groups and no cables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# By switch and by adapter the port through which the switch sends what goes there.
Forwarding = dict[str, dict[str, int]]
_MOST_LEVELS = 8


class Plug(msgspec.Struct, frozen=True, order=True):
    """One end of a cable."""

    device: str
    port: int


class Cabling(msgspec.Struct, frozen=True, kw_only=True):
    """Switches by their names, the adapters of hosts by the hosts' names, and all cables.

    `lids` are the addresses of adapters in forwarding tables, where they are known.
    """

    switches: dict[str, str]
    adapters: dict[str, str]
    cables: tuple[tuple[Plug, Plug], ...]
    lids: dict[int, str] = {}


def known_of_cabling(cabling: Cabling, forwarding: Forwarding | None = None) -> KnownFabric:
    """The groups of a cabled fabric, and its ways where they are known; none without hosts.

    Raises WeftError for forwarding tables that do not fit it.

    A host of several adapters has no ways: which of them a message takes is not known.
    """
    graph = _Graph(cabling)
    groups = graph.groups()
    counts = Counter(adapter for adapters in graph.adapters_of.values() for adapter in adapters)
    hosts = Counter(cabling.adapters[adapter] for adapter in counts.elements())
    if any(count > 1 for count in hosts.values()):
        return KnownFabric(groups=groups)
    ways = graph.only_ways() if forwarding is None else graph.forwarded_ways(forwarding)
    return KnownFabric(groups=groups, ways=ways, cables=graph.cables() if ways else {})


class _Graph:
    """The cables by the switches that they join."""

    def __init__(self, cabling: Cabling) -> None:
        self._cabling = cabling
        self._names = _own_names(cabling.switches)
        # By switch and port the plug at the cable's other end.
        self._far: dict[str, dict[int, Plug]] = {switch: {} for switch in cabling.switches}
        self.adapters_of: dict[str, list[str]] = {switch: [] for switch in cabling.switches}
        for cable in cabling.cables:
            for near, far in (cable, cable[::-1]):
                if near.device in self._far:
                    self._far[near.device][near.port] = far
                    if far.device in cabling.adapters:
                        self.adapters_of[near.device].append(far.device)

    @property
    def _leaves(self) -> list[str]:
        return [switch for switch, adapters in self.adapters_of.items() if adapters]

    def _switches_at(self, switch: str) -> Iterable[tuple[int, str]]:
        for port, far in self._far[switch].items():
            if far.device in self._far:
                yield port, far.device

    def _hosts_of(self, switches: Iterable[str]) -> frozenset[str]:
        return frozenset(
            self._cabling.adapters[adapter] for one in switches for adapter in self.adapters_of[one]
        )

    def groups(self) -> tuple[Group, ...]:
        """Hosts of each leaf; and those that reach each other over no switch above a level."""
        leaves = self._leaves
        found = [
            Group(name=f"leaf {self._names[leaf]}", members=self._hosts_of([leaf]))
            for leaf in leaves
        ]
        everybody = self._hosts_of(leaves)
        height = self._heights(leaves)
        for level in range(1, _MOST_LEVELS):
            parts = self._parts({one for one, own in height.items() if own <= level})
            several = [part for part in parts if len([one for one in part if one in leaves]) > 1]
            for part in several:
                members = self._hosts_of(part)
                first = min(self._names[one] for one in part if one in leaves)
                if members != everybody and all(members != one.members for one in found):
                    name = f"the switches around {first}"
                    found.append(Group(name=name, members=members, level=max(2, level)))
        return tuple(found)

    def _heights(self, leaves: Sequence[str]) -> dict[str, int]:
        """How many cables each switch is above the nearest leaf, leaves being 1."""
        height = dict.fromkeys(leaves, 1)
        waiting = list(leaves)
        for switch in waiting:
            for _, other in self._switches_at(switch):
                if other not in height:
                    height[other] = height[switch] + 1
                    waiting.append(other)
        return height

    def _parts(self, switches: set[str]) -> list[list[str]]:
        """These switches by whether cables among them join them."""
        left, parts = set(switches), []
        while left:
            part = [min(left)]
            left.remove(part[0])
            for switch in part:
                beside = {other for _, other in self._switches_at(switch)} & left
                left -= beside
                part += sorted(beside)
            parts.append(part)
        return parts

    def only_ways(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The ways between hosts; none where two leaves have several shortest ones."""
        between: dict[tuple[str, str], tuple[str, ...]] = {}
        for leaf in self._leaves:
            ways, several = self._shortest_from(leaf)
            for other in self._leaves:
                if other in several:
                    return {}
                if other in ways:
                    between[leaf, other] = self._passed(leaf, ways[other])
        return {
            (self._cabling.adapters[one], self._cabling.adapters[two]): way
            for (leaf, other), way in between.items()
            for one in self.adapters_of[leaf]
            for two in self.adapters_of[other]
            if one != two
        }

    def _shortest_from(self, leaf: str) -> tuple[dict[str, tuple[int, ...]], set[str]]:
        """The ports of the shortest way to each switch, and switches that have several."""
        ways: dict[str, tuple[int, ...]] = {leaf: ()}
        several: set[str] = set()
        waiting = [leaf]
        for switch in waiting:
            for port, other in self._switches_at(switch):
                if other not in ways:
                    ways[other] = (*ways[switch], port)
                    waiting.append(other)
                    if switch in several:
                        several.add(other)
                elif len(ways[other]) == len(ways[switch]) + 1:
                    several.add(other)
        return ways, several

    def forwarded_ways(self, forwarding: Forwarding) -> dict[tuple[str, str], tuple[str, ...]]:
        """The ways between hosts by the switches' tables. Raises WeftError for one that ends."""
        leaf_of = {one: leaf for leaf in self._leaves for one in self.adapters_of[leaf]}
        found: dict[tuple[str, str], tuple[str, ...]] = {}
        for target, last in leaf_of.items():
            from_leaf = {
                leaf: self._passed(leaf, self._followed(forwarding, leaf, last, target))
                for leaf in self._leaves
            }
            for source, leaf in leaf_of.items():
                if source != target:
                    hosts = self._cabling.adapters[source], self._cabling.adapters[target]
                    found[hosts] = from_leaf[leaf]
        return found

    def _followed(
        self, forwarding: Forwarding, leaf: str, last: str, target: str
    ) -> tuple[int, ...]:
        at, ports = leaf, list[int]()
        while at != last:
            port = forwarding.get(at, {}).get(target, 0)
            far = self._far[at].get(port)
            if far is None or far.device not in self._far or len(ports) > len(self._far):
                raise WeftError(
                    f"the routes do not fit the topology: switch {self._names[at]} sends what goes"
                    f" to {self._cabling.adapters[target]} nowhere",
                    "dump both at the same time: ibnetdiscover, and dump_lfts.sh",
                )
            ports.append(port)
            at = far.device
        return tuple(ports)

    def _passed(self, leaf: str, ports: Iterable[int]) -> tuple[str, ...]:
        """What lies on a way: its cables, and the switches between its leaves."""
        found = list[str]()
        at = leaf
        for port in ports:
            if at != leaf:
                found.append(f"switch {self._names[at]}")
            far = self._far[at][port]
            found.append(self._link(Plug(at, port), far))
            at = far.device
        return tuple(found)

    def cables(self) -> dict[str, tuple[str, str]]:
        """Each cable between switches, and what its two links are called."""
        return {
            f"cable {self._plug(one)} - {self._plug(other)}": (
                self._link(one, other),
                self._link(other, one),
            )
            for one, other in self._cabling.cables
            if one.device in self._far and other.device in self._far
        }

    def _link(self, near: Plug, far: Plug) -> str:
        return f"cable {self._plug(near)} to {self._plug(far)}"

    def _plug(self, plug: Plug) -> str:
        return f"{self._names[plug.device]}/{plug.port}"


def _own_names(switches: Mapping[str, str]) -> dict[str, str]:
    """Each switch under a name of its own: with its identity where several are called alike."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for device, name in switches.items():
        by_name[name or device].append(device)
    return {
        device: name if len(alike) == 1 else f"{name} ({device})"
        for name, alike in by_name.items()
        for device in alike
    }
