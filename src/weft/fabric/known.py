"""What is known of a fabric that was measured: who is below which switch, and the ways."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import switch_names
from weft.fabric.routes import routes_of
from weft.wording import few_of, verb_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.fabric.links import Bundle
    from weft.fabric.network import Fabric

_MOST_NAMED = 8
# Nearer than those of any switch, and not what pairs without a group in common have: 0.
LEVEL_OF_HOST = -1
# Of the endpoints of one rail: beyond any switch that a topology has.
LEVEL_OF_RAIL = 99
# As weft.fabric.tree_routes names a cable: the switches below and above, which one, which way.
_CABLE = re.compile(r"cable-(\d+)-(\d+)-(\d+)-(up|down)")
# As weft.fabric.links names all cables from one switch to another.
_JOINT = re.compile(r"switch-(\d+)-(\d+)")

# What a cable of such a fabric is called, and one of a file that names ports.
_ENDS = re.compile(r"cable \d+ between (.+)|cable (.+)/\S+ - (.+)/\S+")


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Endpoints that share a switch, by their names, and what it is called: "leaf l1".

    `level` is 1 for the smallest groups of hosts, and higher for those that hold them; endpoints of
    one host are of LEVEL_OF_HOST. `absent` are hosts that share the switch too, and are none of
    these endpoints.
    """

    name: str
    members: frozenset[str]
    level: int = 1
    absent: tuple[str, ...] = ()


class KnownFabric(msgspec.Struct, frozen=True, kw_only=True):
    """The groups, and where routes are known the links on the way of each two endpoints.

    A link is one way of a cable; `cables` has for each cable the two links that it is.
    `is_guessed`: the groups were found in the times themselves. `typed` are the words after
    --topology that it is read from.
    """

    groups: tuple[Group, ...] = ()
    ways: dict[tuple[str, str], tuple[str, ...]] = {}
    cables: dict[str, tuple[str, str]] = {}
    is_guessed: bool = False
    typed: tuple[str, ...] = ()


def host_of(endpoint: str) -> str:
    """The host of an endpoint, which is the rank's number behind it where a host has several."""
    return endpoint.partition("/")[0]


def on_endpoints(fabric: KnownFabric, names: Sequence[str]) -> KnownFabric:
    """A fabric of hosts as one of endpoints. Raises WeftError, with the hosts below no switch."""
    if not fabric.groups:
        return fabric
    held = frozenset[str]().union(*(group.members for group in fabric.groups))
    called = _as_held({host_of(name) for name in names}, held)
    hosts = [called.get(host_of(name), "") for name in names]
    lost = list(
        dict.fromkeys(host_of(name) for name, host in zip(names, hosts, strict=True) if not host)
    )
    if lost:
        topology = f"the topology {' and '.join(fabric.typed)}".rstrip()
        raise WeftError(
            f"{topology} does not fit: {few_of(lost, _MOST_NAMED)} {verb_of(len(lost), 'are')}"
            " below no switch",
            "name the topology of these hosts, or omit --topology",
        )
    ends = list(zip(names, hosts, strict=True))
    here = set(hosts)
    groups = (
        msgspec.structs.replace(
            group,
            members=frozenset(name for name, host in ends if host in group.members),
            absent=tuple(sorted(group.members - here)),
        )
        for group in fabric.groups
    )
    ways = {
        (one, other): way
        for one, host in ends
        for other, target in ends
        if (way := fabric.ways.get((host, target)))
    }
    return msgspec.structs.replace(
        fabric, groups=tuple(one for one in groups if one.members), ways=ways
    )


def _as_held(hosts: Iterable[str], held: Iterable[str]) -> dict[str, str]:
    """What a fabric calls each of these hosts, where it has them.

    One side may have a domain behind its names ("n1.site") and the other one none.
    """
    known = set(held)
    alike: dict[str, list[str]] = {}
    for name in known:
        alike.setdefault(name.partition(".")[0], []).append(name)
    found = {}
    for host in hosts:
        own = alike.get(host.partition(".")[0], [])
        if host in known:
            found[host] = host
        elif len(own) == 1 and ("." not in host or "." not in own[0]):
            found[host] = own[0]
    return found


def known_of(fabric: Fabric, names: Sequence[str], routing: str) -> KnownFabric:
    """A fabric whose nodes have these names in their order, by a routing of weft.fabric.routes.

    Raises WeftError for a routing that is not the topology's.
    """
    routes = routes_of(fabric, routing)
    leaf_of: dict[int, int] = {}
    end_of: dict[int, int] = {}
    for place, end in enumerate(routes.ends):
        for node in end.nodes:
            leaf_of[node], end_of[node] = end.switch, place
    groups = tuple(
        Group(
            name=switch_names(fabric)[leaf],
            members=frozenset(name for node, name in enumerate(names) if leaf_of[node] == leaf),
        )
        for leaf in sorted(set(leaf_of.values()))
    )
    links = _link_names(fabric, routes.bundles)
    ways = {
        (one, other): _passed(links, routes.ways.get((end_of[i], end_of[j]), ()))
        for i, one in enumerate(names)
        for j, other in enumerate(names)
        if i != j
    }
    return KnownFabric(groups=groups, ways=ways, cables=_cable_names(fabric, routes.bundles))


def links_by_name(fabric: Fabric, routing: str) -> dict[str, tuple[str, ...]]:
    """What a platform calls the links between two switches, by how a user names them, either way.

    "leaf3-spine2" are all of them, "leaf3-spine2/1" both ways of the first cable.
    """
    switches = [name.replace(" ", "") for name in switch_names(fabric)]
    found: dict[str, list[str]] = {}
    for bundle in routes_of(fabric, routing).bundles:
        link = _CABLE.fullmatch(bundle.name) or _JOINT.fullmatch(bundle.name)
        if link is None:
            continue
        ends = switches[int(link[1])], switches[int(link[2])]
        for one, other in (ends, ends[::-1]):
            found.setdefault(f"{one}-{other}", []).append(bundle.name)
            if link.re is _CABLE:
                found.setdefault(f"{one}-{other}/{int(link[3]) + 1}", []).append(bundle.name)
    return {name: tuple(links) for name, links in found.items()}


def _link_names(fabric: Fabric, bundles: Sequence[Bundle]) -> list[tuple[str, ...]]:
    """What a message passes on each link: the cable, and the switch above that it goes to."""
    switches = switch_names(fabric)
    found: list[tuple[str, ...]] = []
    for bundle in bundles:
        cable = _CABLE.fullmatch(bundle.name)
        if cable is None:
            found.append((bundle.name,))
            continue
        below, above = switches[int(cable[1])], switches[int(cable[2])]
        is_up = cable[4] == "up"
        start, end = (below, above) if is_up else (above, below)
        name = _link_name(cable, start, end)
        found.append((name, above) if is_up else (name,))
    return found


def _cable_names(fabric: Fabric, bundles: Sequence[Bundle]) -> dict[str, tuple[str, str]]:
    """Each cable of a tree, and what its two links are called."""
    switches = switch_names(fabric)
    found = {}
    for bundle in bundles:
        cable = _CABLE.fullmatch(bundle.name)
        if cable is not None and cable[4] == "up":
            below, above = switches[int(cable[1])], switches[int(cable[2])]
            name = f"cable {int(cable[3]) + 1} between {below} and {above}"
            found[name] = (_link_name(cable, below, above), _link_name(cable, above, below))
    return found


def ends_of_cable(name: str) -> str:
    """Between which switches a cable of a known fabric is: "leaf 1 and spine 2", or empty."""
    match = _ENDS.fullmatch(name)
    if match is None:
        return ""
    return match[1] or f"{match[2]} and {match[3]}"


def _link_name(cable: re.Match[str], start: str, end: str) -> str:
    return f"cable {int(cable[3]) + 1} from {start} to {end}"


def _passed(links: Sequence[tuple[str, ...]], way: Sequence[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for at in way for name in links[at]))
