"""The bisection of a small fabric, counted over every set of its switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fabric.network import Fabric


def least_of_all_sets(fabric: Fabric) -> int:
    """Over every set of switches: the cables that leave it, and its nodes more or fewer than half.

    By the theorem of maximum flow and minimum cut this is the least flow over all halves of nodes.
    """
    sets = np.arange(1 << len(fabric.switches), dtype=np.int64)

    def holds(switch: int) -> NDArray[Any]:
        return sets >> switch & 1

    leaving, nodes = np.zeros_like(sets), np.zeros_like(sets)
    for trunk in fabric.trunks:
        leaving += trunk.cables * (holds(trunk.one) ^ holds(trunk.other))
    for at, switch in enumerate(fabric.switches):
        nodes += switch.nodes * holds(at)
    half = fabric.nodes // 2
    apart = np.minimum(abs(nodes - half), abs(nodes - (fabric.nodes - half)))
    return int((leaving + apart).min())
