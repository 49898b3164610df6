"""Ways through a dragonfly (Kim, Dally, Scott and Abts, ISCA 2008, section 4).

Minimal: to the switch with a cable to the other group, over it, and to the end (local, global,
local). Valiant: the same to another group and from there to the end, which doubles the load of all
global cables together, whatever the pattern. A bound: as no routing can be faster.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.fabric.dragonfly_draws import steps_between_groups
from weft.fabric.links import Bundle
from weft.fabric.network import groups_of, ports_used

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.fabric.dragonfly_draws import Cables, Steps
    from weft.fabric.links import Links, Ways
    from weft.fabric.network import Fabric


class _Groups:
    """Groups of a dragonfly and the cables between each two of them, as pairs of switches."""

    def __init__(self, fabric: Fabric) -> None:
        self.count = fabric.groups
        every = groups_of(fabric)
        self.size = len(every[0])
        self.is_whole = all(len(own) == self.size for own in every)
        self.cables: dict[tuple[int, int], Counter[tuple[int, int]]] = defaultdict(Counter)
        for trunk in fabric.trunks:
            if trunk.kind == "global":
                one, other = self.of(trunk.one), self.of(trunk.other)
                self.cables[one, other][trunk.one, trunk.other] += trunk.cables
                self.cables[other, one][trunk.other, trunk.one] += trunk.cables

    def of(self, switch: int) -> int:
        """The group of a switch."""
        return switch // self.size

    def of_first(self) -> Cables:
        """The cables of the first group by the place of the other, as those of each group are."""
        found = []
        for other in range(1, self.count):
            ends = sorted(self.cables[0, other].items())
            own = tuple(((one, end % self.size), count) for (one, end), count in ends)
            found.append((other, own))
        return tuple(found)

    def passed(self, start: int, end: int, steps: Steps) -> Iterator[int]:
        """The switches of a way that goes from group to group by these steps."""
        yield start
        here, group = start, self.of(start)
        for further, (one, other) in steps:
            ends = (group, one), ((group + further) % self.count, other)
            group = ends[1][0]
            for number, place in ends:
                if (switch := number * self.size + place) != here:
                    yield switch
                here = switch
        if here != end:
            yield end


def minimal_ways(fabric: Fabric, links: Links) -> Ways:
    """At most one global cable, and a local one before and behind it."""
    return _ways(fabric, links, is_indirect=False)


def valiant_ways(fabric: Fabric, links: Links) -> Ways:
    """Over a third group, where there is one; in a group the ways stay minimal."""
    return _ways(fabric, links, is_indirect=True)


def bound_ways(fabric: Fabric) -> tuple[tuple[Bundle, ...], Ways]:
    """As no routing can be faster, adaptive or not: all cables of a switch are one link each way,
    all global cables of a group are one, and a way passes one further switch."""
    groups = _Groups(fabric)
    count = len(fabric.switches)
    cables = [
        used - switch.nodes
        for used, switch in zip(ports_used(fabric), fabric.switches, strict=True)
    ]
    bundles = [Bundle(f"switch-{at}-out", own) for at, own in enumerate(cables)]
    bundles += [Bundle(f"switch-{at}-in", own, switches=0) for at, own in enumerate(cables)]
    for group in range(groups.count):
        own = sum(found.total() for (one, _), found in groups.cables.items() if one == group)
        bundles += [Bundle(f"group-{group}-{way}", own, switches=0) for way in ("out", "in")]
    ways: Ways = {}
    for start in range(count):
        for end in range(count):
            one, other = groups.of(start), groups.of(end)
            middle = (2 * (count + one), 2 * (count + other) + 1) if one != other else ()
            if start != end:
                ways[start, end] = (start, *middle, count + end)
    return tuple(bundles), ways


def _ways(fabric: Fabric, links: Links, *, is_indirect: bool) -> Ways:
    groups = _Groups(fabric)
    if not groups.is_whole:
        if is_indirect:
            raise WeftError(
                "valiant routing is of dragonflies whose groups are all alike",
                "use --routing minimal or ideal, or --nodes that fill the last group",
            )
        return _ways_in_turn(fabric, groups, links)
    chosen = steps_between_groups(
        groups.count, groups.size, groups.of_first(), is_indirect=is_indirect
    )
    ways: Ways = {}
    for start in range(len(fabric.switches)):
        for end in range(len(fabric.switches)):
            if start == end:
                continue
            further = (groups.of(end) - groups.of(start)) % groups.count
            steps = chosen[start % groups.size, further, end % groups.size] if further else ()
            passed = groups.passed(start, end, steps)
            ways[start, end] = tuple(links[pair] for pair in pairwise(passed))
    return ways


def _ways_in_turn(fabric: Fabric, groups: _Groups, links: Links) -> Ways:
    """Minimal ways between groups of different sizes: pairs of switches take the cables between
    their groups in turn."""
    ways: Ways = {}
    cables = {pair: sorted(found.elements()) for pair, found in groups.cables.items()}
    for start in range(len(fabric.switches)):
        for end in range(len(fabric.switches)):
            if start == end:
                continue
            passed = [start, end]
            one, other = groups.of(start), groups.of(end)
            if one != other:
                own = cables[one, other]
                gate, further = own[(start % groups.size + end % groups.size) % len(own)]
                passed = [start, *(gate,) * (gate != start), *(further,) * (further != end), end]
            ways[start, end] = tuple(links[pair] for pair in pairwise(passed))
    return ways
