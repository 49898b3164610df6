"""Slurm's topology.conf, or `scontrol show topology`: which hosts are below which switch.

As man topology.conf (Slurm 24.11) has it: a line a switch, SwitchName= with Nodes= or Switches=, or
a block, BlockName= with Nodes=, each a list of names with ranges in brackets; keys ignore case, and
LinkSpeed and BlockSizes are not used. What scontrol prints has Level= and, above the leaves, both
Nodes= and Switches=. It knows neither cables nor routes: a diagnosis on it can name a leaf, and
never a cable.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric

if TYPE_CHECKING:
    from pathlib import Path

_MOST_NAMES = 100_000
_LIST = re.compile(r"[^,\[\]]*(?:\[[^\]]*\][^,\[\]]*)*")
# As Slurm's parser has it (parse_config.c): blanks around "=", and a value may be in quotes.
_PAIR = re.compile(r'\s*([\w.]+)\s*=\s*("[^"]*"|[^\s"]\S*|)')
_MOST_LEVELS = 16
_DIGITS = re.compile(r"[0-9]{1,9}")
_FIX = "name a topology.conf of Slurm with SwitchName= and Nodes= or Switches="
_LIST_FIX = "write a list of names with ranges, like n[1-4,7]"


class SlurmSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """A switch or a block: the nodes at it, or the switches below it."""

    nodes: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    is_block: bool = False


def fabric_of_slurm(path: Path, text: str) -> KnownFabric:
    """The switches as groups of hosts. Raises WeftError."""
    switches: dict[str, SlurmSwitch] = {}
    for number, line in enumerate(_joined(text.splitlines()), 1):
        said = line.partition("#")[0]
        pairs = {key.lower(): value.strip('"') for key, value in _PAIR.findall(said)}
        rest = _PAIR.sub("", said).strip()
        if not pairs and not rest:
            continue
        place = f"{path}, line {number}"
        if "blockname" not in pairs and "blocksizes" in pairs:
            continue
        name = pairs.get("switchname") or pairs.get("blockname")
        if rest or not name or not ("nodes" in pairs or "switches" in pairs):
            raise WeftError(f"{place} is no switch with Nodes= or Switches=", _FIX)
        own = SlurmSwitch(
            # scontrol names the nodes of all leaves below a switch too.
            nodes=names_in("" if "switches" in pairs else pairs["nodes"], place),
            switches=names_in(pairs.get("switches", ""), place),
            is_block="blockname" in pairs,
        )
        add_switches(switches, name, own, place)
    return fabric_of_switches(path, switches, _FIX)


def add_switches(
    switches: dict[str, SlurmSwitch], names: str, own: SlurmSwitch, place: str
) -> None:
    """Each of the names is such a switch. Raises WeftError for one that is there already."""
    for name in names_in(names, place):
        if name in switches:
            raise WeftError(f"{place}: {name} is there twice", "name each switch and block once")
        switches[name] = own


def fabric_of_switches(path: Path, switches: dict[str, SlurmSwitch], fix: str) -> KnownFabric:
    """Each switch as a group of the hosts below it. Raises WeftError."""
    if not switches:
        raise WeftError(f"{path} has no switch", fix)
    return KnownFabric(groups=tuple(_group(path, name, switches) for name in switches))


def _joined(lines: list[str]) -> list[str]:
    """A backslash at its end continues a line."""
    found = [""]
    for line in lines:
        found[-1] += line.removesuffix("\\")
        if not line.endswith("\\"):
            found.append("")
    return found


def _group(path: Path, name: str, switches: dict[str, SlurmSwitch]) -> Group:
    below = [name]
    members: set[str] = set()
    for level in range(1, _MOST_LEVELS + 1):
        unknown = [one for one in below if one not in switches]
        if unknown:
            raise WeftError(f"{path} has no switch {unknown[0]}", "add it, or omit its name")
        members |= {node for one in below for node in switches[one].nodes}
        below = [*dict.fromkeys(other for one in below for other in switches[one].switches)]
        if name in below:
            raise WeftError(f"{path}: switch {name} is above itself", "correct what is below it")
        if not below:
            kind = "leaf" if level == 1 else "switch"
            kind = "block" if switches[name].is_block else kind
            return Group(name=f"{kind} {name}", members=frozenset(members), level=level)
    raise WeftError(
        f"{path}: switch {name} has over {_MOST_LEVELS} levels of switches below it",
        "correct the switches below it",
    )


def names_in(text: str, place: str) -> tuple[str, ...]:
    """Names of a list with ranges: "n[1-3,7],gpu[01-02]" has six. Raises WeftError."""
    found: list[str] = []
    outside = re.sub(r"\[[^\[\]]*\]", "", text)
    if "[" in outside or "]" in outside:
        raise WeftError(f"{place}: {text} has a bracket without its other one", _LIST_FIX)
    for word in filter(None, _LIST.findall(text)):
        ends = [""]
        parts = re.split(r"[\[\]]", word)
        for at, part in enumerate(parts):
            choices = [part] if at % 2 == 0 else _range(part, place)
            if len(ends) * len(choices) > _MOST_NAMES:
                raise WeftError(f"{place}: {word} are too many names", _LIST_FIX)
            ends = [one + other for one in ends for other in choices]
        found += ends
    return tuple(found)


def _range(text: str, place: str) -> list[str]:
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        last = last or first
        are_numbers = _DIGITS.fullmatch(first) and _DIGITS.fullmatch(last)
        if not are_numbers or not 0 <= int(last) - int(first) <= _MOST_NAMES:
            raise WeftError(f"{place}: [{text}] is no range of numbers", _LIST_FIX)
        found += [f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1)]
    return found
