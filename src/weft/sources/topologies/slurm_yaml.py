"""Slurm's topology.yaml, since Slurm 25.05: named topologies, each a tree, blocks, or flat.

As man topology.yaml has it: a list, each with `topology` as its first field, `cluster_default`, and
one of `tree` (`switches`: `switch` with `children` or `nodes`), `block` (`blocks`: `block` with
`nodes`) and `flat`. Names are lists with ranges, as in topology.conf.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import yaml

from weft.errors import WeftError
from weft.fabric.known import KnownFabric
from weft.names import as_typed
from weft.sources.topologies.slurm import (
    SlurmSwitch,
    add_switches,
    fabric_of_switches,
    names_in,
)

if TYPE_CHECKING:
    from pathlib import Path

# A line that no other file of a fabric has.
is_yaml = re.compile(r"^\s*-\s+topology\s*:", re.MULTILINE)
_TRUE = ("true", "yes", "on")
_FIX = "name a topology.yaml of Slurm: - topology: NAME with tree: or block:"


class _Switch(msgspec.Struct, frozen=True, kw_only=True):
    switch: str
    children: str = ""
    nodes: str = ""


class _Block(msgspec.Struct, frozen=True, kw_only=True):
    block: str
    nodes: str = ""


class _Tree(msgspec.Struct, frozen=True, kw_only=True):
    switches: tuple[_Switch, ...]


class _Blocks(msgspec.Struct, frozen=True, kw_only=True):
    blocks: tuple[_Block, ...]


class _Topology(msgspec.Struct, frozen=True, kw_only=True):
    """What is true or false is a word here: a name may be a number, or "no"."""

    topology: str
    cluster_default: str = "false"
    tree: _Tree | None = None
    block: _Blocks | None = None
    flat: str = "false"

    @property
    def is_default(self) -> bool:
        return self.cluster_default.lower() in _TRUE


def fabric_of_yaml(path: Path, text: str, name: str = "") -> KnownFabric:
    """The topology of that name, or the cluster's default, as groups of hosts. Raises WeftError."""
    own = _chosen(path, _topologies(path, text), name)
    place = f"{path}, topology {own.topology}"
    if own.flat.lower() in _TRUE:
        # It says that nothing is known of the fabric.
        return KnownFabric()
    if own.tree is None and own.block is None:
        raise WeftError(f"{place} has neither tree: nor block:", _FIX)
    switches: dict[str, SlurmSwitch] = {}
    for one in own.tree.switches if own.tree else ():
        # As in topology.conf: what is below a switch above the leaves are its children.
        below = "" if one.children else one.nodes
        switch = SlurmSwitch(nodes=names_in(below, place), switches=names_in(one.children, place))
        add_switches(switches, one.switch, switch, place)
    for block in own.block.blocks if own.block else ():
        nodes = SlurmSwitch(nodes=names_in(block.nodes, place), is_block=True)
        add_switches(switches, block.block, nodes, place)
    return fabric_of_switches(path, switches, _FIX)


def _topologies(path: Path, text: str) -> list[_Topology]:
    """In pure Python, and each word as it stands: libyaml overruns its stack in a bad file."""
    try:
        data = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes words only
        return msgspec.convert(data, list[_Topology])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise WeftError(f"{place} is not YAML: {error.problem}", _FIX) from None
    except msgspec.ValidationError as error:
        what = str(error).replace("`", "").replace("$", "")
        raise WeftError(f"{path}: {what[:1].lower()}{what[1:]}", _FIX) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise WeftError(f"{path} is not YAML: {str(error).splitlines()[0]}", _FIX) from None


def _chosen(path: Path, all_of_them: list[_Topology], name: str) -> _Topology:
    """As Slurm chooses: the first default of the cluster; the only one needs no mark."""
    names = [one.topology for one in all_of_them]
    if name:
        found = [one for one in all_of_them if one.topology == name]
    else:
        found = [one for one in all_of_them if one.is_default or len(all_of_them) == 1]
    if found:
        return found[0]
    what = f"no topology {name}" if name else "several topologies and no cluster_default"
    typed = " or ".join(as_typed(f"{path}@{one}") for one in names)
    raise WeftError(f"{path} has {what}", f"use {typed}")
