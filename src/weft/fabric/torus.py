"""Tori: switches in a grid whose rows are rings, each with the same number of nodes.

Ports that nodes leave are cabled to the next switches, as many in each direction. A torus whose
shape nobody chose gives at most half of a switch's ports to nodes.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk

if TYPE_CHECKING:
    from collections.abc import Iterator

# A shape that nobody chose is not longer than so many times its shortest side.
LONGEST = 2
SIDES = 3
_FAR = 4096


class TorusAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A torus as it is asked for: nodes, ports of a switch, and the sides, or none of them."""

    nodes: int
    radix: int
    shape: tuple[int, ...] = ()


def build_torus(asked: TorusAsked) -> Fabric:
    """The torus of that shape, or the one with the fewest switches. Raises WeftError."""
    shape = asked.shape or _shape_of(asked)
    if not shape:
        sizes = [n for n in _nearest(asked) if n]
        raise WeftError(
            f"{asked.nodes} nodes make no torus of {SIDES} sides, the longest at most"
            f" {LONGEST} times the shortest, with switches of {asked.radix} ports",
            f"type --nodes {' or '.join(map(str, sizes))}, or --shape"
            if sizes
            else f"type --switch {2 * SIDES + 1} or more",
        )
    # The longest side is the outermost, so that halving the nodes halves that side.
    shape = tuple(sorted(shape, reverse=True))
    each, rest = divmod(asked.nodes, prod(shape))
    if rest or not each:
        below, above = each * prod(shape), (each + 1) * prod(shape)
        sizes = [n for n in (below, above) if n]
        raise WeftError(
            f"{asked.nodes} nodes do not spread evenly over {_named(shape)} switches",
            f"type --nodes {' or '.join(map(str, sizes))}",
        )
    ports = each + 2 * sum(side > 1 for side in shape)
    if ports > asked.radix:
        most = (asked.radix - (ports - each)) * prod(shape)
        fix = f"--switch {ports}, or --nodes {most}" if most > 0 else f"--switch {ports}"
        raise WeftError(
            f"a switch of this torus needs {ports} ports, {each} of them for nodes, and has"
            f" {asked.radix}",
            f"type {fix}",
        )
    cables = (asked.radix - each) // (ports - each)
    is_plain = each == cables == 1
    return Fabric(
        title=f"torus {_named(shape)}, nodes per switch: {each}",
        nodes=asked.nodes,
        switches=(FabricSwitch("torus", asked.radix, each),) * prod(shape),
        trunks=tuple(_trunks(shape, cables)),
        views=((0, prod(shape)),),
        spread=f"cables from each switch to the next, in either direction of each side: {cables}",
        zone=("TORUS", ",".join(map(str, reversed(shape)))) if is_plain else ("", ""),
        irregular="" if is_plain else "its switches have several nodes, or cables to the next one",
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


def _shape_of(asked: TorusAsked) -> tuple[int, ...]:
    """The most cubic shape with the most nodes per switch; empty where there is none."""
    for each in range(min(asked.radix // 2, asked.radix - 2 * SIDES), 0, -1):
        if asked.nodes % each == 0 and (shape := _cubic(asked.nodes // each)):
            return shape
    return ()


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


def _nearest(asked: TorusAsked) -> tuple[int, int]:
    """The next smaller and the next larger number of nodes that make a torus; 0 where none does."""

    def fits(nodes: int) -> bool:
        return bool(_shape_of(msgspec.structs.replace(asked, nodes=nodes)))

    steps = range(1, _FAR)
    below = (asked.nodes - n for n in steps if asked.nodes > n)
    above = (asked.nodes + n for n in steps)
    return next(filter(fits, below), 0), next(filter(fits, above), 0)
