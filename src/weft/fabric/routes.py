"""Which links a message takes between two switches with nodes: one way for each pair.

In a fat tree all cables from a leaf upwards are one link, and so are those from a pod to the cores:
messages spread over them ideally, as adaptive routing would at best. Elsewhere a message takes a
shortest way, another one of several by where it goes, and all cables between two switches are one
link. Each way of a link is a link of its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.fabric.network import Fabric


class Bundle(msgspec.Struct, frozen=True):
    """Parallel cables between switches, one way of them, as one link."""

    name: str
    cables: int


class Routes(msgspec.Struct, frozen=True, kw_only=True):
    """The links, and for each two switches with nodes the places of those that lead there."""

    bundles: tuple[Bundle, ...]
    ways: dict[tuple[int, int], tuple[int, ...]]

    @property
    def most_switches(self) -> int:
        """On the longest way between two nodes."""
        return 1 + max(map(len, self.ways.values()), default=0)


def routes_of(fabric: Fabric) -> Routes:
    """All ways between switches with nodes."""
    if any(trunk.kind == "uplink" for trunk in fabric.trunks):
        return _tree_routes(fabric)
    return _shortest_routes(fabric)


def _tree_routes(fabric: Fabric) -> Routes:
    """Up to where both meet, and down: leaf, pod, pod, leaf."""
    up: dict[int, dict[int, int]] = defaultdict(dict)
    for trunk in fabric.trunks:
        up[trunk.one][trunk.other] = trunk.cables
    leaves = [place for place, switch in enumerate(fabric.switches) if switch.nodes]
    # The spines of a leaf are those of its pod.
    pods = {leaf: min(up[leaf]) for leaf in leaves}
    if not any(up[spine] for leaf in leaves for spine in list(up[leaf])):
        pods = dict.fromkeys(leaves, 0)
    bundles: list[Bundle] = []
    links: dict[tuple[str, int], tuple[int, int]] = {}

    def add(what: str, number: int, cables: int) -> None:
        links[what, number] = (len(bundles), len(bundles) + 1)
        bundles.extend(Bundle(f"{what}-{number}-{way}", cables) for way in ("up", "down"))

    for leaf in leaves:
        add("leaf", leaf, sum(up[leaf].values()))
    for pod in sorted(set(pods.values())) if len(set(pods.values())) > 1 else ():
        spines = {spine for leaf in leaves if pods[leaf] == pod for spine in up[leaf]}
        add("pod", pod, sum(cables for spine in spines for cables in up[spine].values()))
    ways = {}
    for one in leaves:
        for other in leaves:
            if one == other:
                continue
            middle: tuple[int, ...] = ()
            if pods[one] != pods[other]:
                middle = (links["pod", pods[one]][0], links["pod", pods[other]][1])
            ways[one, other] = (links["leaf", one][0], *middle, links["leaf", other][1])
    return Routes(bundles=tuple(bundles), ways=ways)


def _shortest_routes(fabric: Fabric) -> Routes:
    """Along shortest ways; of several the next switch is chosen by the way's two ends."""
    beside: dict[int, dict[int, int]] = defaultdict(dict)
    bundles: list[Bundle] = []
    for trunk in fabric.trunks:
        for one, other in ((trunk.one, trunk.other), (trunk.other, trunk.one)):
            beside[one][other] = len(bundles)
            bundles.append(Bundle(f"switch-{one}-{other}", trunk.cables))
    ends = [place for place, switch in enumerate(fabric.switches) if switch.nodes]
    ways = {}
    for end in ends:
        far = _distances_to(end, beside)
        for start in ends:
            if start != end:
                ways[start, end] = tuple(_way(start, end, beside, far))
    return Routes(bundles=tuple(bundles), ways=ways)


def _way(
    start: int, end: int, beside: Mapping[int, Mapping[int, int]], far: Mapping[int, int]
) -> Iterator[int]:
    here = start
    while here != end:
        nearer = [place for place in sorted(beside[here]) if far[place] < far[here]]
        there = nearer[(start + end) % len(nearer)]
        yield beside[here][there]
        here = there


def _distances_to(end: int, beside: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    found = {end: 0}
    waiting: Sequence[int] = [end]
    while waiting:
        following = []
        for place in waiting:
            for other in beside[place]:
                if other not in found:
                    found[other] = found[place] + 1
                    following.append(other)
        waiting = following
    return found
