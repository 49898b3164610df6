"""What a user types as --topology: a file of a fabric, or words; and what it says of hosts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.cabling import known_of_cabling
from weft.fabric.routes import ROUTINGS
from weft.fabric.topologies import TOPOLOGIES, FabricAsked
from weft.fabric.topology import Topology
from weft.names import as_typed
from weft.sim.predicted import read_topology
from weft.sources.named import split_source
from weft.sources.topologies.forwarding import forwarding_of, is_forwarding
from weft.sources.topologies.ibdiagnet import cabling_of_ibdiagnet, is_ibdiagnet
from weft.sources.topologies.ibnetdiscover import cabling_of_ibnetdiscover, is_ibnetdiscover
from weft.sources.topologies.links import cabling_of_links, is_links
from weft.sources.topologies.lldp import fabric_of_neighbours, is_neighbours
from weft.sources.topologies.own import cabling_of_own
from weft.sources.topologies.slurm import fabric_of_slurm
from weft.sources.topologies.slurm_yaml import fabric_of_yaml, is_yaml
from weft.units import MANY_DIGITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.cabling import Cabling, Forwarding

# A switch or a block of Slurm, or another of its things, which is then said to be none.
_NAMES_ONE = re.compile(r"^\s*\w+name\s*=", re.MULTILINE | re.IGNORECASE)
KINDS = (
    "name a topology.conf or topology.yaml of Slurm, an output of ibnetdiscover or"
    " iblinkinfo, an ibdiagnet2.db_csv, a folder of LLDP neighbours, a .toml of weft, or words like"
    ' "fat-tree 24/288 full"'
)


def topology_of(words: Sequence[str]) -> Topology:
    """The topology that was typed: one, or an InfiniBand fabric's and its forwarding tables.

    Raises WeftError.
    """
    if not all(one.strip() for one in words):
        raise WeftError("--topology is empty", KINDS)
    return msgspec.structs.replace(_topology_of(words), typed=tuple(words))


def _topology_of(words: Sequence[str]) -> Topology:
    tables = [one for one in words if _begins(one, is_forwarding)]
    others = [one for one in words if one not in tables]
    if len(others) != 1 or len(tables) > 1:
        said = tables[0] if tables and not others else " and ".join(words)
        raise WeftError(
            f"{said} {'are routes without cables' if not others else 'are several topologies'}",
            "use one --topology, and with one of ibnetdiscover a second one: its dump_lfts.sh",
        )
    [one] = others
    if not tables:
        return _phrase(one) if one.split()[:1] and _is_phrase(one) else _read(one)
    cabling = _cabling(Path(one))
    if cabling is None or not cabling.lids:
        raise WeftError(f"{one} has no LIDs to follow {tables[0]} by", "name one of ibnetdiscover")
    forwarding = forwarding_of(Path(tables[0]), cabling)
    return _cabled(one, cabling, forwarding)


def _cabled(words: str, cabling: Cabling, forwarding: Forwarding | None = None) -> Topology:
    fabric = known_of_cabling(cabling, forwarding)
    if not fabric.groups:
        raise WeftError(f"{words} has no switch with hosts", "name the file of a whole fabric")
    return Topology(fabric=fabric)


def _is_phrase(words: str) -> bool:
    return not Path(words).exists() and words.split(maxsplit=1)[0] in TOPOLOGIES


def _phrase(words: str) -> Topology:
    """Words of weft price, and a routing where it is known. Raises WeftError."""
    routings = {name for of in ROUTINGS.values() for name in of} - {"ideal"}
    routing = [word for word in words.split() if word in routings]
    rest = [word for word in words.split() if word not in routings]
    asked = read_topology(" ".join(rest), FabricAsked(nodes=0))
    if len(routing) > 1 or any(one not in ROUTINGS[asked.topology] for one in routing):
        own = ", ".join(name for name in ROUTINGS[asked.topology] if name != "ideal")
        raise WeftError(
            f"'{words}' has no routing of a {asked.topology}",
            f"name one of {own}, or omit it" if own else f"omit {routing[0]}",
        )
    return Topology(asked=asked, routing=routing[0] if routing else "")


def _begins(words: str, is_one: re.Pattern[str]) -> bool:
    path = Path(words)
    return path.is_file() and bool(is_one.search(text_of(path)))


def _read(words: str) -> Topology:
    typed, name = split_source(words)
    path = Path(typed)
    if name and path.exists() and not _begins(typed, is_yaml):
        raise WeftError(f"{path} has one topology, without a name", f"use {as_typed(path)}")
    if path.is_dir():
        return Topology(fabric=fabric_of_neighbours(path))
    cabling = _cabling(path)
    if cabling is not None:
        return _cabled(typed, cabling)
    text = text_of(path)
    if is_yaml.search(text):
        return Topology(fabric=fabric_of_yaml(path, text, name))
    if is_neighbours.search(text):
        return Topology(fabric=fabric_of_neighbours(path))
    if not _NAMES_ONE.search(text):
        raise WeftError(f"{path} is no topology", KINDS)
    return Topology(fabric=fabric_of_slurm(path, text))


def _cabling(path: Path) -> Cabling | None:
    """What is cabled, of a file that says so. Raises WeftError."""
    if path.suffix == ".toml":
        return cabling_of_own(path)
    text = text_of(path)
    if is_ibnetdiscover.search(text):
        return cabling_of_ibnetdiscover(text)
    if is_links.search(text):
        return cabling_of_links(text)
    return cabling_of_ibdiagnet(path, text) if is_ibdiagnet.search(text) else None


def text_of(path: Path) -> str:
    """Raises WeftError for a file that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WeftError(f"cannot read {path} as a topology: {reason}", KINDS) from None
    if MANY_DIGITS.search(text):
        raise WeftError(f"{path} has a number of over 400 digits, and is no topology", KINDS)
    return text
