"""What differs between the hosts of a run, the odd ones named: a line for each difference. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import weft
from weft.errors import WeftError
from weft.host.software import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# What is compared: its name in a sentence, and where it stands in a manifest.
_FACTS = (
    ("weft", ("weft",)),
    ("governor", ("cpu", "governor")),
    ("turbo", ("cpu", "turbo")),
    ("processor", ("cpu", "model")),
    ("CPUs", ("cpu", "logical_cpus")),
    ("memory", ("memory", "total_bytes")),
    ("huge pages", ("memory", "transparent_huge_pages")),
    ("locked memory", ("limits", "memlock_bytes")),
    ("single copy", ("single_copy",)),
    ("kernel", ("software", "kernel")),
    ("kernel options", ("software", "kernel_command_line")),
    ("distribution", ("software", "distribution")),
    ("clock source", ("cpu", "clock_source")),
    ("hypervisor", ("system", "hypervisor")),
)
_PACKAGES = ("software", "libraries")
_LIBRARIES = (_PACKAGES, ("software", "programs"))
_OF_INTERFACE = ("driver", "firmware", "mtu", "speed_mbit_per_s", "duplex")
_OF_RDMA = ("driver", "firmware", "board")
# Memory that differs by less is the same, but for what the kernel keeps.
_MEMORY_STEP = 1 << 30
# Clocks of hosts that a time service keeps differ by less.
MOST_APART_S = 0.05
ABSENT = "none"
UNKNOWN = "unknown"
PACKAGES_UNKNOWN = "not known: dpkg is busy"


def check_versions(hosts: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises WeftError where a host has another weft than this process, or programs of another."""
    here = weft.__version__
    others = [
        f"{what}{facts[key]} on {name}"
        for name, facts in sorted(hosts.items())
        for key, what in (("weft", ""), ("engine", "rank programs of "))
        if facts.get(key) and facts[key] != here
    ]
    if others:
        raise WeftError(
            f"hosts have other versions of weft: {here} here, {', '.join(others)}",
            "install the same one on every host, or leave these out",
        )


def unlike_hosts(hosts: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """As "n3: governor powersave, others performance": what hosts do not share, and clocks apart.

    Of two values that as many hosts have, each is given with its hosts.
    """
    if len(hosts) < 2:
        return ()
    by_host = {name: dict(_facts_of(facts)) for name, facts in hosts.items()}
    lines = []
    for fact in dict.fromkeys(fact for own in by_host.values() for fact in own):
        values = {
            host: own.get(fact, ABSENT)
            for host, own in by_host.items()
            if fact in own or not _may_have(fact, own)
        }
        if len(set(values.values())) > 1:
            lines.append(_line(fact, values))
    for name, facts in hosts.items():
        ahead_s = facts.get("clock_s") or 0.0
        if abs(ahead_s) > MOST_APART_S:
            way = "ahead of" if ahead_s > 0 else "behind"
            lines.append(f"{name}: its clock is at least {abs(ahead_s):.3g} s {way} this host's")
    return tuple(lines)


def _may_have(fact: str, own: Mapping[str, str]) -> bool:
    """Whether a host may have a library of which nobody knows there."""
    return fact in LIBRARIES and own.get("packages") == PACKAGES_UNKNOWN


def _line(fact: str, values: Mapping[str, str]) -> str:
    counts = Counter(values.values())
    (usual, most), *rest = counts.most_common()
    if rest[0][1] == most:
        groups = [f"{_names(values, value)} {value}" for value in counts]
        return f"{fact}: {', '.join(groups)}"
    odd = [f"{_names(values, value)}: {fact} {value}" for value, _ in rest]
    return f"{'; '.join(odd)}, others {usual}"


def _names(values: Mapping[str, str], value: str) -> str:
    return ", ".join(host for host, own in values.items() if own == value)


def _facts_of(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, keys in _FACTS:
        yield name, _text(name, _at(facts, keys))
    for keys in _LIBRARIES:
        libraries = _at(facts, keys)
        if keys == _PACKAGES:
            is_known = libraries is not None or keys[-1] not in (facts.get(keys[0]) or {})
            yield "packages", "known" if is_known else PACKAGES_UNKNOWN
        for name, version in (libraries if isinstance(libraries, dict) else {}).items():
            yield name, str(version)
    yield from _devices(facts.get("interfaces", ()), _OF_INTERFACE)
    yield from _devices(facts.get("rdma", ()), _OF_RDMA)
    for device in facts.get("rdma", ()):
        for port in device.get("ports", ()):
            yield f"{device['name']} port {port['port']}", _text("", port.get("rate"))


def _devices(
    devices: Iterable[Mapping[str, Any]], facts: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """What of each device is to be alike, by its name. The loopback is no device of the network."""
    for device in devices:
        if device["name"] == "lo":
            continue
        for fact in facts:
            name = fact.replace("speed_mbit_per_s", "link speed (Mbit/s)")
            yield f"{device['name']} {name}", _text(fact, device.get(fact))


def _text(name: str, value: Any) -> str:
    if name == "memory" and isinstance(value, int):
        return f"{round(value / _MEMORY_STEP)} GiB"
    if isinstance(value, bool):
        return "on" if value else "off"
    return UNKNOWN if value in (None, "") else str(value)


def _at(facts: Any, keys: Iterable[str]) -> Any:
    for key in keys:
        facts = facts.get(key) if isinstance(facts, dict) else None
    return facts
