"""Tori: switches in a grid whose rows are rings, with the same number of nodes each or one less.

Ports that nodes leave are cabled to the next switches, as many in each direction. A torus whose
shape nobody chose gives at most half of a switch's ports to nodes, or as many as are stated.
"""

from __future__ import annotations

from itertools import count, product
from math import ceil, prod
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.fabric.tree_search import shares
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

# A shape that nobody chose is not longer than so many times its shortest side.
LONGEST = 2
SIDES = 3
LEAST = 2**SIDES


class TorusAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A torus as it is asked for: nodes, ports of a switch, and the sides, or none of them.

    `per_switch` are the most nodes of a switch; 0: as many as leave half of the ports.
    """

    nodes: int
    radix: int
    shape: tuple[int, ...] = ()
    per_switch: int = 0


def build_torus(asked: TorusAsked) -> Fabric:
    """The torus of that shape, or the one with the fewest switches. Raises WeftError."""
    most = asked.per_switch or min(asked.radix // 2, asked.radix - 2 * SIDES)
    # The longest side is the outermost, so that halving the nodes halves that side.
    shape = tuple(sorted(asked.shape or _shape_of(asked, most), reverse=True))
    switches = prod(shape)
    fullest = ceil(asked.nodes / switches)
    _check(asked, shape)
    directions = 2 * sum(side > 1 for side in shape)
    taken = asked.per_switch or (fullest if asked.shape else most)
    cables = (asked.radix - taken) // directions if directions else 0
    nodes = shares(asked.nodes, switches)
    is_even = nodes[0] == nodes[-1]
    is_plain = is_even and nodes[0] == cables == 1
    each = f"{nodes[0]}" if is_even else f"{nodes[-1]} or {nodes[0]}"
    return Fabric(
        title=f"torus {_named(shape)}, nodes per switch: {each}",
        nodes=asked.nodes,
        switches=tuple(FabricSwitch("torus", asked.radix, own) for own in nodes),
        trunks=tuple(_trunks(shape, cables)),
        views=((0, switches),) if is_even else tuple((at, 1) for at in range(switches)),
        spread=f"cables from each switch to the next, in either direction of each side: {cables}",
        sides=shape,
        zone=("TORUS", ",".join(map(str, reversed(shape)))) if is_plain else ("", ""),
        irregular="" if is_plain else "its switches have several nodes, or cables to the next one",
    )


def _check(asked: TorusAsked, shape: tuple[int, ...]) -> None:
    """Raises WeftError where switches of this shape have too few nodes, or too few ports."""
    switches, directions = prod(shape), 2 * sum(side > 1 for side in shape)
    if asked.nodes < switches:
        raise WeftError(
            f"{counted(asked.nodes, 'node')} leave some switch of {_named(shape)} without one",
            f"use --nodes {switches} or more, or a smaller --shape",
        )
    taken = max(ceil(asked.nodes / switches), 0 if asked.shape else asked.per_switch)
    if asked.per_switch and taken > asked.per_switch:
        most = asked.per_switch * switches
        more = f", or --per-switch {taken}" if taken + directions <= asked.radix else ""
        raise WeftError(
            f"a torus of {_named(shape)} with {counted(asked.per_switch, 'node')} at each switch"
            f" has {most:,}, not {asked.nodes:,}",
            f"use --nodes {most} or fewer{more}",
        )
    ports = max(taken, asked.per_switch) + directions
    if ports > asked.radix:
        most = (asked.radix - directions) * switches
        fix = f"--switch {ports}, or --nodes {most}" if most > 0 else f"--switch {ports}"
        raise WeftError(
            f"a switch of this torus needs {counted(ports, 'port')}, {ports - directions} of them"
            f" for nodes, and has {asked.radix}",
            f"use {fix}",
        )


def _named(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _trunks(shape: tuple[int, ...], cables: int) -> Iterator[Trunk]:
    """The cables from every switch to the next along each side; in a ring of two twice as many."""
    places = {place: number for number, place in enumerate(product(*map(range, shape)))}
    for place, number in places.items():
        for at, side in enumerate(shape):
            if side < 2 or (side == 2 and place[at] == 1):
                continue
            beside = (*place[:at], (place[at] + 1) % side, *place[at + 1 :])
            yield Trunk(number, places[beside], 2 * cables if side == 2 else cables, "local")


def _shape_of(asked: TorusAsked, most: int) -> tuple[int, ...]:
    """The shape with the fewest switches that have room for so many nodes each, the most cubic.

    Raises WeftError where there is none, or there are too few nodes for it.
    """
    if most < 1:
        raise WeftError(
            f"a switch of {counted(asked.radix, 'port')} makes no torus of {SIDES} sides",
            f"use --switch {2 * SIDES + 1} or more, or --shape",
        )
    shape = next(filter(None, map(_cubic, count(max(ceil(asked.nodes / most), LEAST)))))
    if prod(shape) > asked.nodes:
        fewer = next((n for n in range(asked.nodes, LEAST - 1, -1) if _cubic(n)), 0)
        sizes = [n for n in (fewer, prod(shape)) if n]
        raise WeftError(
            f"{counted(asked.nodes, 'node')} make no torus of {SIDES} sides, the longest at most"
            f" {LONGEST} times the shortest, with a node or more at each switch",
            f"use --nodes {' or '.join(map(str, sizes))}, or --shape",
        )
    return shape


def _cubic(switches: int) -> tuple[int, ...]:
    """Three sides of at least two that are nearest to each other; empty where none are near."""
    best: tuple[int, ...] = ()
    for low in range(2, round(switches ** (1 / SIDES)) + 1):
        if switches % low:
            continue
        rest = switches // low
        for middle in range(low, int(rest**0.5) + 1):
            high, left = divmod(rest, middle)
            if not left and high <= LONGEST * low and (not best or high - low < best[0] - best[2]):
                best = (high, middle, low)
    return best
