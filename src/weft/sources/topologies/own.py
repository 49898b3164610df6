"""A fabric in weft's own file: a [[switch]] with its nodes, and a name for each cable upwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.cabling import Cabling, Plug
from weft.sources.toml_files import read_toml
from weft.sources.topologies.slurm import names_in

if TYPE_CHECKING:
    from pathlib import Path

_FIX = 'write [[switch]] with name = "leaf1", nodes = "n[1-4]" and uplinks = ["spine1", "spine2"]'


class _Switch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A switch: the nodes below it, and for each of its cables upwards the switch there."""

    name: str
    nodes: str = ""
    uplinks: tuple[str, ...] = ()


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    switch: tuple[_Switch, ...]


def cabling_of_own(path: Path) -> Cabling:
    """The cables. Ports count from 1: a switch's uplinks in their order, then whatever comes.

    Raises WeftError.
    """
    rows = read_toml(path, _File, {"switch": _Switch}, lambda _: _FIX).switch
    named = [one.name for one in rows]
    twice = [name for name in named if named.count(name) > 1]
    if twice or not rows:
        raise WeftError(f"{path} has {f'switch {twice[0]} twice' if rows else 'no switch'}", _FIX)
    if own := [one.name for one in rows if one.name in one.uplinks]:
        raise WeftError(f"{path}: switch {own[0]} is above itself", _FIX)
    switches = dict.fromkeys([*named, *(up for one in rows for up in one.uplinks)])
    taken = {one.name: len(one.uplinks) for one in rows}
    cables: list[tuple[Plug, Plug]] = []
    adapters: dict[str, str] = {}

    def next_plug(switch: str) -> Plug:
        taken[switch] = taken.get(switch, 0) + 1
        return Plug(switch, taken[switch])

    for one in rows:
        cables += [
            (Plug(one.name, port), next_plug(other)) for port, other in enumerate(one.uplinks, 1)
        ]
        for host in names_in(one.nodes, str(path)):
            # A host below two switches has an adapter at each.
            adapter = f"{host} at {one.name}"
            adapters[adapter] = host
            cables.append((Plug(adapter, 1), next_plug(one.name)))
    return Cabling(
        switches={name: name for name in switches}, adapters=adapters, cables=tuple(cables)
    )
