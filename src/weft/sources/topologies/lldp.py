"""What hosts hear of their switches by LLDP: a folder with HOST.json of each host, or one file.

Each is what lldpcli shows there with "-f json" or "-f json0". A host hears its leaf
only: what lies above is not known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FIX = "write n1.json on n1: lldpcli show neighbors -f json0 > n1.json"


# A file of lldpcli begins so.
is_neighbours = re.compile(r'\A\s*\{\s*"lldp"\s*:')


def fabric_of_neighbours(folder: Path) -> KnownFabric:
    """The leaves of all hosts; one that every host hears tells none apart and is omitted.

    Raises WeftError.
    """
    leaves: dict[str, set[str]] = defaultdict(set)
    hosts = sorted(folder.glob("*.json")) if folder.is_dir() else [folder]
    for path in hosts:
        for leaf in _leaves_in(path):
            leaves[leaf].add(path.stem)
    # A switch hears the hosts below it.
    if folder.is_file() and (below := _hosts_in(folder)):
        leaves[folder.stem] = below
    if not leaves:
        raise WeftError(f"{folder} has no host's LLDP neighbours", _FIX)
    several = {name: own for name, own in leaves.items() if len(own) < len(hosts)} or leaves
    return KnownFabric(
        groups=tuple(
            Group(name=f"leaf {name}", members=frozenset(own))
            for name, own in sorted(several.items())
        )
    )


def _leaves_in(path: Path) -> set[str]:
    """The switches that a host hears, by name or by identity. Raises WeftError."""
    return _heard_in(path, switches=True)


def _hosts_in(path: Path) -> set[str]:
    """The hosts that a switch hears. Raises WeftError."""
    return _heard_in(path, switches=False)


def _heard_in(path: Path, *, switches: bool) -> set[str]:
    try:
        heard: Any = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise WeftError(f"{path} is no output of lldpcli: {error}", _FIX) from None
    try:
        neighbours = [one for one in _neighbours_in(heard) if _forwards(one) == switches]
    except (KeyError, TypeError):
        raise WeftError(f"{path} is no output of lldpcli", _FIX) from None
    return {name for one in neighbours for name in _names(one)}


def _neighbours_in(heard: Any) -> Iterator[dict[str, Any]]:
    """What is at the other end of each interface. Raises KeyError or TypeError for other JSON."""
    for lldp in _tables(heard["lldp"]):
        for interface in _tables(lldp.get("interface", ())):
            for port in _interfaces(interface):
                yield from _tables(port.get("chassis", ()))


def _interfaces(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An interface as json0 has it, or several by their names as json has them."""
    if "chassis" in entry:
        yield entry
    else:
        yield from (one for one in entry.values() if isinstance(one, dict))


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    """A value or each of several. Raises TypeError for what is no table of names."""
    for one in _each(value):
        if not isinstance(one, dict):
            raise TypeError
        yield one


def _names(chassis: dict[str, Any]) -> Iterator[str]:
    """As json0 has it: its name's value; as json: the key; and without a name its identity."""
    if "id" not in chassis:
        yield from chassis
        return
    for one in (*_each(chassis.get("name", ())), *_each(chassis["id"])):
        value = one.get("value") if isinstance(one, dict) else one
        if value:
            yield str(value)
            return


def _forwards(chassis: dict[str, Any]) -> bool:
    """Whether a neighbour is a bridge or a router; one that does not say what it is may be.

    A service processor or another host is no switch.
    """
    [about] = _tables(chassis if "id" in chassis else next(iter(chassis.values()), {}))
    said = [one for one in _each(about.get("capability", ())) if isinstance(one, dict)]
    kinds = {one.get("type") for one in said if one.get("enabled")}
    return not said or bool(kinds & {"Bridge", "Router"})


def _each(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list | tuple) else (value,)
