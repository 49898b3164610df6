"""Which node of a fabric each rank is on."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import msgspec

from weft.names import choose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.fabric.routes import Routes

# The usual one first.
MAPPINGS = ("in-order", "far", "by-leaf", "random")
PAIRS = ("random", "near", "far")
# So many times ranks are drawn.
DRAWN = 8


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """The node of each rank, and how much of a mean it counts: all of a mapping add up to 1."""

    nodes: tuple[int, ...]
    share: float = 1.0


def placements(routes: Routes, mapping: str = "", pairs: str = "") -> tuple[Placement, ...]:
    """Where ranks are, by a mapping or, of two ranks, by pairs. Raises WeftError for unknown ones.

    Mappings are in-order: leaf by leaf; far: the same, but rank 1 is where the most switches are
    between it and rank 0; by-leaf: each next rank at the next leaf; random: drawn, several times.
    Pairs are near: at one switch, or with the fewest switches between them; far: with the most;
    random: of all pairs, one for each number of switches between two nodes, with the share of the
    pairs that have as many. What a message takes alone follows from that number.
    """
    if pairs:
        [name] = choose("pairs", [pairs], PAIRS)
        return _of_pairs(routes, name)
    [name] = choose("mapping", [mapping or MAPPINGS[0]], MAPPINGS)
    nodes = _in_order(routes)
    if name == "random":
        return tuple(_drawn(nodes, seed) for seed in range(DRAWN))
    if name == "by-leaf":
        leaves: dict[int, list[int]] = defaultdict(list)
        for end in routes.ends:
            leaves[end.switch] += end.nodes
        rounds = zip_longest(*map(sorted, leaves.values()))
        nodes = [node for node in chain.from_iterable(rounds) if node is not None]
    elif name == "far":
        far = _farthest(routes)
        nodes[1], nodes[far] = nodes[far], nodes[1]
    return (Placement(nodes=tuple(nodes)),)


def _in_order(routes: Routes) -> list[int]:
    return sorted(node for end in routes.ends for node in end.nodes)


def _drawn(nodes: Sequence[int], seed: int) -> Placement:
    order = list(nodes)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    return Placement(nodes=tuple(order), share=1 / DRAWN)


def _of_pairs(routes: Routes, name: str) -> tuple[Placement, ...]:
    counts: Counter[int] = Counter()
    first: dict[int, tuple[int, int]] = {}
    for further, count, pair in _each_pair(routes):
        counts[further] += count
        first.setdefault(further, pair)
    few = {"near": [min(counts)], "far": [max(counts)]}.get(name, sorted(counts))
    every = sum(counts[further] for further in few)
    nodes = _in_order(routes)
    return tuple(
        Placement(
            nodes=(*first[further], *(node for node in nodes if node not in first[further])),
            share=counts[further] / every,
        )
        for further in few
    )


def _each_pair(routes: Routes) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """For ends that have pairs: the further switches between them, how many, and one of them."""
    for end in routes.ends:
        if len(end.nodes) > 1:
            yield 0, len(end.nodes) * (len(end.nodes) - 1), (end.nodes[0], end.nodes[1])
    for (one, other), way in routes.ways.items():
        start, end = routes.ends[one], routes.ends[other]
        pair = (start.nodes[0], end.nodes[0])
        yield routes.further_switches(way), len(start.nodes) * len(end.nodes), pair


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
