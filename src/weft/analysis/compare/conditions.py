"""Under which conditions records were measured, and what of them they do not share. Pure.

Launches are one sample only where all of these are the same. `weft check` pools by them,
`weft run --resume` goes on by them, and `weft compare` names those that its sides do not share.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import msgspec

from weft.fabric.detect import device_on
from weft.fabric.service_class import BEFORE, SERVICE_LEVEL, SETTINGS, TRAFFIC_CLASS
from weft.plan.thread_level import FUNNELED, OPTION, PROVIDED, REQUESTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weft.plan.simulated import SimulatedPlatform
    from weft.record.model import Header, Launch
    from weft.record.run import Run

UNKNOWN = "unknown"
NOT_SET = "not set"
# Details that are a launch's own: where it listened, what connecting took, its libraries' threads.
_OWN = re.compile(
    r"(rail \d+ )?(address|connect_ns|connected_peers)|helper threads|starter network"
)
_RAIL = re.compile(r"rail \d+ ")
# The thread level of each library in records that do not state it.
_LEVELS_BEFORE = {
    "mpi": {REQUESTED: FUNNELED, PROVIDED: FUNNELED},
    "ucx": {"thread level": "single"},
    "ofi": {"thread level": "FI_THREAD_DOMAIN"},
}
# What of a host's manifest steers a measurement: the name of the condition, where it stands.
_OF_HOST = {
    "processor": ("cpu", "model"),
    "number of CPUs": ("cpu", "logical_cpus"),
    "governor": ("cpu", "governor"),
    "turbo": ("cpu", "turbo"),
    "kernel": ("software", "kernel"),
    "kernel options": ("software", "kernel_command_line"),
}
_MAY_READ = {True: "allowed", False: "blocked"}
_OF_DEVICE = ("driver", "firmware", "mtu", "speed_mbit_per_s", "duplex")


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of how something was measured, as texts.

    `facts` are by name; one that is missing or empty is not known. `kinds` hold further ones:
    option, variable (of the environment), library, and what each transport said of itself. A kind
    that is missing is not known; a name that is missing in a kind was not set.
    """

    facts: dict[str, str]
    kinds: dict[str, dict[str, str]] = {}


def machine_of(header: Header) -> str:
    """Whose figures a record has: its nodes, or the platform that was simulated."""
    platform = header.plan.simulated
    return platform.label if platform else " and ".join(header.hosts)


def conditions_of(header: Header, launches: Sequence[Launch]) -> Conditions:
    """What must agree before launches are put together, from a record's header and launches."""
    if header.plan.simulated:
        return _of_simulation(header, header.plan.simulated, launches)
    hosts = header.hosts.values()
    facts = {
        name: joined(fact_at(host, *keys) for host in hosts) for name, keys in _OF_HOST.items()
    }
    gauge = header.plan.application_file
    # Launches report the thread level and the classes that they had, by an option or without.
    options = {
        name: value
        for name, value in header.plan.options.items()
        if name != OPTION and not name.endswith(SETTINGS)
    }
    kinds = {
        "option": options,
        "gauge": {"field": gauge.field} if gauge else {},
    }
    for kind, keys in (
        ("variable", ("environment",)),
        ("library", ("software", "libraries")),
        ("library file", ("software", "shared_libraries")),
    ):
        known = [found for host in hosts if isinstance(found := fact_at(host, *keys), dict)]
        if known:
            kinds[kind] = _merged(pair for found in known for pair in found.items())
    if copies := joined(_MAY_READ.get(fact_at(host, "single_copy")) for host in hosts):
        kinds["host"] = {"process_vm_readv": copies}
    return Conditions(
        facts={
            "nodes": machine_of(header),
            **facts,
            "MPI": header.plan.mpi,
            "method": f"weft {header.weft_version}",
        },
        kinds=kinds | _of_transports(header, launches),
    )


def _of_simulation(
    header: Header, platform: SimulatedPlatform, launches: Sequence[Launch]
) -> Conditions:
    """A simulated run depends on its platform's file and on the simulator, on no machine."""
    digest = hashlib.sha256(platform.xml.encode()).hexdigest()[:12]
    return Conditions(
        facts={
            "simulated": platform.in_words,
            "platform file": digest,
            "MPI": header.plan.mpi,
            "method": f"weft {header.weft_version}",
        },
        kinds=_of_transports(header, launches),
    )


def unlike(sides: Sequence[Conditions]) -> dict[str, tuple[str, ...]]:
    """The conditions that sides do not share, by name: its value on each side.

    A fact that one side does not report differs from one that is reported. Within a kind only the
    sides that know the kind are compared.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(name for side in sides for name in side.facts):
        texts = tuple(side.facts.get(name) or UNKNOWN for side in sides)
        if len(set(texts)) > 1:
            found[name] = texts
    for kind in dict.fromkeys(kind for side in sides for kind in side.kinds):
        known = [side.kinds.get(kind) for side in sides]
        for name in dict.fromkeys(name for own in known if own is not None for name in own):
            texts = tuple(UNKNOWN if own is None else _value(kind, own, name) for own in known)
            if len(set(texts) - {UNKNOWN}) > 1:
                found[f"{kind} {name}"] = texts
    return found


def _value(kind: str, own: Mapping[str, str], name: str) -> str:
    """What a side reports; what all launches had if its record is too old to state it."""
    if name in own:
        return own[name]
    family, plain = kind.partition(":")[0], _RAIL.sub("", name)
    is_reported = len(own) > 1  # every launch has its MPI, an imported one has nothing else
    if plain in (TRAFFIC_CLASS, SERVICE_LEVEL):
        return BEFORE.get(family, {}).get(plain, UNKNOWN) if is_reported else UNKNOWN
    levels = _LEVELS_BEFORE.get(family, {})
    return levels.get(plain, NOT_SET) if is_reported else NOT_SET


def differences(then: Conditions, now: Conditions) -> tuple[str, ...]:
    """What keeps the launches of two records from being one sample, in words; empty for nothing."""
    return tuple(
        f"{name} {before} then, {after} now"
        for name, (before, after) in unlike((then, now)).items()
    )


def differences_of_runs(then: Run, now: Run) -> tuple[str, ...]:
    """The same of two records."""
    sides = (conditions_of(run.header, run.lines.launches) for run in (then, now))
    return differences(*sides)


def _of_transports(header: Header, launches: Iterable[Launch]) -> dict[str, dict[str, str]]:
    """By transport what its launches said of themselves, and their devices as the hosts say."""
    pairs: dict[str, list[tuple[str, Any]]] = {}
    for launch in launches:
        own = pairs.setdefault(launch.transport, [("MPI", launch.mpi)])
        own += [pair for pair in launch.details.items() if not _OWN.fullmatch(pair[0])]
        for host in dict.fromkeys(rank.host for rank in launch.ranks):
            own += _of_devices(header.hosts.get(host, {}), launch.details)
    return {transport: _merged(own) for transport, own in pairs.items()}


def _of_devices(manifest: dict[str, Any], details: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """What the manifest says of the devices that a launch used: of each rail its own."""
    prefixes = {match[0] if (match := _RAIL.match(key)) else "" for key in details}
    for prefix in sorted(prefixes):
        own = {key.removeprefix(prefix): text for key, text in details.items() if prefix in key}
        device = device_on(manifest, own)
        if device is None:
            continue
        for name in _OF_DEVICE:
            yield f"{prefix}device {name}", device.get(name)
        for port in device.get("ports", ()):
            yield f"{prefix}port {port.get('port')}", port.get("rate")
        for hop in device.get("pcie", ()):
            at = f"{prefix}bus at {hop.get('address')}"
            yield f"{at}, GT/s", hop.get("speed_gt_per_s")
            yield f"{at}, lanes", hop.get("width")


def _merged(pairs: Iterable[tuple[str, Any]]) -> dict[str, str]:
    values: dict[str, list[Any]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: text for name, known in values.items() if (text := joined(known))}


def fact_at(manifest: Any, *keys: str) -> Any:
    """A fact of a manifest by its place; None where it is not there."""
    for key in keys:
        manifest = manifest.get(key) if isinstance(manifest, dict) else None
    return manifest


def joined(values: Iterable[Any], most: int | None = None) -> str:
    """The different values, each once, "a or b", at most so many; what is not known is omitted."""
    known = {str(value) for value in values if value not in (None, "")}
    texts = sorted(known, key=lambda text: (len(text), text))
    shown = texts[:most]
    more = [f"{len(texts) - len(shown)} more"] if len(shown) < len(texts) else []
    return " or ".join([*shown, *more])
