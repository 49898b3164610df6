"""Which node of a fabric each rank is on."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from weft.names import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.routes import Routes

# The usual one first.
MAPPINGS = ("in-order", "far", "by-leaf", "random")
_SEED = 1


def nodes_of_ranks(routes: Routes, mapping: str = "") -> list[int]:
    """The node of each rank. Raises WeftError for an unknown mapping.

    in-order: leaf by leaf; far: as in order, but rank 1 is where the most switches are between it
    and rank 0; by-leaf: each next rank at the next leaf; random: drawn, each time alike.
    """
    [name] = choose("mapping", [mapping or MAPPINGS[0]], MAPPINGS)
    nodes = sorted(node for end in routes.ends for node in end.nodes)
    if name == "random":
        random.Random(_SEED).shuffle(nodes)  # noqa: S311 - no secret
    elif name == "by-leaf":
        leaves: dict[int, list[int]] = defaultdict(list)
        for end in routes.ends:
            leaves[end.switch] += end.nodes
        rounds = zip_longest(*map(sorted, leaves.values()))
        nodes = [node for node in chain.from_iterable(rounds) if node is not None]
    elif name == "far":
        far = _farthest(routes)
        nodes[1], nodes[far] = nodes[far], nodes[1]
    return nodes


def _farthest(routes: Routes) -> int:
    """A node with the most switches on the way from node 0; the last of several."""
    first = next(at for at, end in enumerate(routes.ends) if 0 in end.nodes)
    switches = {first: 0} | {
        end: routes.further_switches(way)
        for (start, end), way in routes.ways.items()
        if start == first
    }
    most = max(switches.values())
    return max(max(routes.ends[end].nodes) for end, count in switches.items() if count == most)


def ranks_at(nodes: Sequence[int]) -> dict[int, int]:
    """The rank on each node, of the nodes of the ranks."""
    return {node: rank for rank, node in enumerate(nodes)}
