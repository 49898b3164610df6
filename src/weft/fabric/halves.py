"""The bisection of a fabric, in cables of one plane.

The bisection is the least over all halves of the largest flow between them. By the theorem of
maximum flow and minimum cut it is the least, over all sets of switches, of the cables that leave
the set plus the nodes by which the set differs from a half. Trees are halved in the order of their
nodes. Other fabrics are searched by moving single switches (Fiduccia and Mattheyses, A Linear-Time
Heuristic for Improving Network Partitions, DAC 1982), which may miss the least in irregular ones.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Any

from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weft.fabric.network import Fabric

# Random halves from which a search begins; fewer for large fabrics.
_DRAWN = 24
_MOST_SWITCHES_DRAWN = 2_000
_SEED = 1


def bisection_cables(fabric: Fabric) -> int:
    """The most that a half of the nodes can send to the other at once, in cables of one plane."""
    found = [_flow_in_order(fabric), *_halves_of_levels(fabric)]
    if fabric.trunks and not any(trunk.kind == "uplink" for trunk in fabric.trunks):
        found.append(_least_cut(fabric))
    return min(found)


def _flow_in_order(fabric: Fabric) -> int:
    """The largest flow (Dinic's algorithm) from the first half of the nodes to the second.

    Nodes are halved as they are numbered: by pods, by the longest side of a torus, by groups.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    half = fabric.nodes // 2
    source, sink = len(fabric.switches), len(fabric.switches) + 1
    edges: Counter[tuple[int, int]] = Counter()
    first = 0
    for place, switch in enumerate(fabric.switches):
        sends = min(max(half - first, 0), switch.nodes)
        first += switch.nodes
        edges[source, place] += sends
        edges[place, sink] += switch.nodes - sends
    for trunk in fabric.trunks:
        edges[trunk.one, trunk.other] += trunk.cables
        edges[trunk.other, trunk.one] += trunk.cables
    kept = [(one, other, count) for (one, other), count in edges.items() if count]
    rows, columns, counts = np.array(kept, dtype=np.int32).T
    size = len(fabric.switches) + 2
    graph = csr_array((counts, (rows, columns)), shape=(size, size), dtype=np.int32)
    return int(maximum_flow(graph, source, sink).flow_value)


def _halves_of_levels(fabric: Fabric) -> list[int]:
    """For each two levels of a tree, half of the cables between them; empty if it is not a tree.

    If all nodes share one leaf, no cable above it counts. Traffic inside the leaf or pod where the
    halves meet is left out.
    """
    found: Counter[str] = Counter()
    if sum(switch.nodes > 0 for switch in fabric.switches) == 1:
        return []
    for trunk in fabric.trunks:
        if trunk.kind == "uplink":
            found[fabric.switches[trunk.one].role] += trunk.cables
    return [ceil(cables / 2) for cables in found.values()]


def _least_cut(fabric: Fabric) -> int:
    """The least that moving switches finds, from the order of the nodes and from drawn halves."""
    import numpy as np

    count = len(fabric.switches)
    drawn = min(_DRAWN, _MOST_SWITCHES_DRAWN // count)
    cut = _Cut(fabric)
    generator = np.random.default_rng(_SEED)
    orders = [np.arange(count), *(generator.permutation(count) for _ in range(drawn))]
    return min(cut.improved(order) for order in counted_off(orders, "halving the nodes"))


class _Cut:
    """A fabric as a graph, whose least cut is searched by moving switches."""

    def __init__(self, fabric: Fabric) -> None:
        import numpy as np
        from scipy.sparse import coo_array

        self._nodes = np.array([switch.nodes for switch in fabric.switches])
        ends = np.array([(trunk.one, trunk.other) for trunk in fabric.trunks]).T
        cables = np.array([trunk.cables for trunk in fabric.trunks])
        size = len(fabric.switches)
        rows, columns = np.concatenate([ends, ends[::-1]], axis=1)
        self._beside = coo_array((np.tile(cables, 2), (rows, columns)), shape=(size, size)).tocsr()
        self._total = self._beside.sum(axis=1)

    def improved(self, order: NDArray[Any]) -> int:
        """The least cost found from the first switches of an order, which have half of the nodes.

        Each pass moves every switch once, and keeps the best set that it came by.
        """
        import numpy as np

        before = np.cumsum(self._nodes[order]) - self._nodes[order]
        inside = np.zeros(len(order), dtype=bool)
        inside[order] = before < self._nodes.sum() // 2
        least = self._cost(inside)
        while True:
            costs, moved = zip(*self._passed(inside.copy()), strict=True)
            best = int(np.argmin(costs))
            if costs[best] >= least:
                return least
            least = costs[best]
            inside[list(moved[: best + 1])] ^= True

    def _passed(self, inside: NDArray[Any]) -> Iterator[tuple[int, int]]:
        """The cost after each move, and the switch moved: from the side that has too many nodes."""
        import numpy as np

        half, held = self._nodes.sum() / 2, int(self._nodes[inside].sum())
        # Growth of the cut if the switch changes sides.
        adds = self._signed(inside)
        cut = self._cost(inside) - self._apart(held)
        is_free = np.ones(len(inside), dtype=bool)
        for _ in range(len(inside)):
            may = is_free & ((inside == (held > half)) | (self._nodes == 0) | (held == half))
            if not may.any():
                return
            moved = int(np.argmin(np.where(may, adds, np.inf)))
            cut += int(adds[moved])
            held += int(self._nodes[moved]) * (-1 if inside[moved] else 1)
            first, last = self._beside.indptr[moved : moved + 2]
            others, cables = self._beside.indices[first:last], self._beside.data[first:last]
            adds[others] += np.where(inside[others] == inside[moved], -2, 2) * cables
            inside[moved] ^= True
            adds[moved] *= -1
            is_free[moved] = False
            yield cut + self._apart(held), moved

    def _signed(self, inside: NDArray[Any]) -> NDArray[Any]:
        """For every switch, its cables to its own side minus its cables to the other side."""
        across = self._beside @ inside.astype(int)
        own = across * inside + (self._total - across) * ~inside
        adds: NDArray[Any] = 2 * own - self._total
        return adds

    def _cost(self, inside: NDArray[Any]) -> int:
        """Cables that leave a set, plus the nodes that it has more or fewer than a half."""
        leaving = int((self._beside @ inside.astype(int))[~inside].sum())
        return leaving + self._apart(int(self._nodes[inside].sum()))

    def _apart(self, held: int) -> int:
        half = int(self._nodes.sum()) // 2
        other = int(self._nodes.sum()) - half
        return min(abs(held - half), abs(held - other))
