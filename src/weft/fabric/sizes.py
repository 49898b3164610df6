"""The same kind of fabric at other sizes, for a price against the size."""

from __future__ import annotations

from itertools import count, takewhile
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.topologies import MOST_NODES, Built, FabricAsked

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_NODES = 8
# How much larger than the fabric itself the others are at most.
LARGER = 4


def others_like(built: Built) -> list[FabricAsked]:
    """Fabrics of the same switches, ascending, the fabric itself among them.

    Fat trees have sizes of powers of two and halfway between; tori as many nodes per switch as the
    fabric, and sides as equal as can be; dragonflies whole groups. The largest may be more than
    the switches permit.
    """
    own = built.asked
    most = min(LARGER * own.nodes, MOST_NODES)
    each = built.fabric.switches[0].nodes
    kinds = {"torus": _tori(own, each), "dragonfly": _dragonflies(own, each)}
    found = kinds.get(own.topology, _trees(own))
    sizes = {one.nodes: one for one in takewhile(lambda one: one.nodes <= most, found)}
    return [one for _, one in sorted({**sizes, own.nodes: own}.items())]


def _trees(own: FabricAsked) -> Iterator[FabricAsked]:
    for power in count(LEAST_NODES.bit_length() - 1):
        yield msgspec.structs.replace(own, nodes=1 << power)
        yield msgspec.structs.replace(own, nodes=3 << (power - 1))


def _tori(own: FabricAsked, each: int) -> Iterator[FabricAsked]:
    for side in count(2):
        for shape in ((side,) * 3, (side + 1, side, side), (side + 1, side + 1, side)):
            nodes = each * shape[0] * shape[1] * shape[2]
            yield msgspec.structs.replace(own, nodes=nodes, shape="x".join(map(str, shape)))


def _dragonflies(own: FabricAsked, each: int) -> Iterator[FabricAsked]:
    for power in count(1):
        for groups in (1 << power, 3 << (power - 1)):
            yield msgspec.structs.replace(own, nodes=groups * 2 * each * each)
