"""Fabrics of few hops whose switches all have nodes: HyperX and Slim Fly, to be priced.

HyperX: switches in a grid, each with cables to all others of its row along each side (Ahn, Binkert,
Davis, McLaren and Schreiber, HyperX: Topology, Routing, and Packaging of Efficient Large-Scale
Networks, SC09). Slim Fly: 2 q^2 switches, of which no two are more than two cables apart (Besta and
Hoefler, Slim Fly: A Cost Effective Low-Diameter Network Topology, SC14; the graphs are those of
McKay, Miller and Siran, 1998), here for prime numbers q.
"""

from __future__ import annotations

from itertools import product
from math import ceil, prod
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.fabric.network import Fabric, FabricSwitch, Trunk
from weft.fabric.tree_search import shares
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

# Prime numbers q of a Slim Fly; the largest has 1,922 switches.
PRIMES = (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)


class DirectAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes, ports of a switch, and the sides of a HyperX; none: two equal ones.

    `per_switch` are the most nodes of a switch of a fabric whose size nobody chose; 0: as many as
    leave a HyperX its full bisection, and for a Slim Fly half of its cables to others.
    """

    nodes: int
    radix: int
    shape: tuple[int, ...] = ()
    per_switch: int = 0


def build_hyperx(asked: DirectAsked) -> Fabric:
    """The HyperX of that shape, or the square with the fewest switches. Raises WeftError."""
    shape = asked.shape or _square(asked)
    switches = prod(shape)
    further = sum(side - 1 for side in shape)
    fullest = ceil(asked.nodes / switches)
    _check(asked, f"HyperX {_named(shape)}", switches, fullest + further)
    cables = (asked.radix - fullest) // further if further else 0
    places = {place: at for at, place in enumerate(product(*map(range, shape)))}
    trunks = tuple(
        Trunk(at, places[(*place[:side], other, *place[side + 1 :])], cables, "local")
        for place, at in places.items()
        for side in range(len(shape))
        for other in range(place[side] + 1, shape[side])
    )
    return _fabric(
        asked,
        f"HyperX {_named(shape)}",
        switches,
        trunks,
        f"cables between every two switches of a row: {cables}",
    )


def build_slim_fly(asked: DirectAsked) -> Fabric:
    """The smallest Slim Fly with ports for so many nodes. Raises WeftError."""
    most = 0
    for q in PRIMES:
        switches, degree = 2 * q * q, _degree(q)
        each = min(asked.per_switch or ceil(degree / 2), asked.radix - degree)
        most = max(most, switches * each)
        if asked.nodes <= switches * each:
            _check(asked, f"Slim Fly of {counted(switches, 'switch')}", switches, 0)
            trunks = tuple(Trunk(one, other, 1, "local") for one, other in _edges(q))
            spread = f"each switch has cables to {counted(degree, 'other')}"
            title = f"Slim Fly of 2 x {q} x {q} switches"
            return _fabric(asked, title, switches, trunks, spread)
    raise WeftError(
        f"no Slim Fly of {counted(asked.radix, 'port')} has {counted(asked.nodes, 'node')}",
        f"use --nodes {most} or fewer" if most > 0 else f"use --switch {_degree(PRIMES[0]) + 1}",
    )


def _fabric(
    asked: DirectAsked, title: str, switches: int, trunks: tuple[Trunk, ...], spread: str
) -> Fabric:
    nodes = shares(asked.nodes, switches)
    is_even = nodes[0] == nodes[-1]
    each = f"{nodes[0]}" if is_even else f"{nodes[-1]} or {nodes[0]}"
    return Fabric(
        title=f"{title}, nodes per switch: {each}",
        nodes=asked.nodes,
        switches=tuple(FabricSwitch("router", asked.radix, own) for own in nodes),
        trunks=trunks,
        # The switches of either see as many others at each distance.
        views=((0, switches),) if is_even else tuple((at, 1) for at in range(switches)),
        spread=spread,
        irregular="SimGrid has no zone of this topology",
    )


def _check(asked: DirectAsked, what: str, switches: int, ports: int) -> None:
    if asked.nodes < switches:
        raise WeftError(
            f"{counted(asked.nodes, 'node')} leave some switch of a {what} without one",
            f"use --nodes {switches} or more, or a smaller fabric",
        )
    if ports > asked.radix:
        raise WeftError(
            f"a switch of a {what} needs {counted(ports, 'port')} and has {asked.radix}",
            f"use --switch {ports} or more, or another --shape",
        )


def _square(asked: DirectAsked) -> tuple[int, ...]:
    """Two equal sides with the fewest switches that have the ports. Raises WeftError."""
    for side in range(2, asked.radix + 1):
        each = ceil(asked.nodes / side**2)
        cables = (asked.radix - each) // (2 * (side - 1))
        # Half of a row has side / 2 cables from each switch of the other half.
        most = asked.per_switch or cables * side // 2
        if cables > 0 and each <= most:
            return (side, side)
    raise WeftError(
        f"no square HyperX of {counted(asked.radix, 'port')} has {counted(asked.nodes, 'node')}",
        "use a larger --switch or --per-switch, or --shape with three sides, like 8x8x8",
    )


def _named(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _degree(q: int) -> int:
    """Cables of a switch to others: (3 q - d) / 2, where q is 4 w + d and d is 1 or -1."""
    return (3 * q - (1 if q % 4 == 1 else -1)) // 2


def _edges(q: int) -> Iterator[tuple[int, int]]:
    """Switches (0, x, y) and (1, m, c) are joined where y = m x + c, those of one x where their y
    differ by one of a first set, those of one m where their c differ by one of a second."""
    first, second = _generators(q)
    for half, own in enumerate((first, second)):
        for row, one in product(range(q), repeat=2):
            for other in range(one + 1, q):
                if (other - one) % q in own:
                    start = half * q * q + row * q
                    yield start + one, start + other
    for x, m, c in product(range(q), repeat=3):
        yield x * q + (m * x + c) % q, q * q + m * q + c


def _generators(q: int) -> tuple[frozenset[int], frozenset[int]]:
    """Two sets of differences modulo q, each with its negatives, which together have all."""
    root = next(n for n in range(2, q) if len({pow(n, k, q) for k in range(q - 1)}) == q - 1)
    powers = [pow(root, k, q) for k in range(q - 1)]
    if q % 4 == 1:
        return frozenset(powers[::2]), frozenset(powers[1::2])
    half = (q - 1) // 2
    even = (*range(0, half, 2), *range(half, q - 1, 2))
    first = frozenset(powers[k] for k in even)
    return first, frozenset(powers[(k + 1) % (q - 1)] for k in even)
