"""Ways through a dragonfly (Kim, Dally, Scott and Abts, ISCA 2008, section 4).

Minimal: to the switch with a cable to the other group, over it, and to the end (local, global,
local). Valiant: the same to another group and from there to the end, which doubles the load of all
global cables together, whatever the pattern. A bound: as no routing can be faster.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

from weft.fabric.links import Bundle
from weft.fabric.network import ports_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft.fabric.links import Links, Ways
    from weft.fabric.network import Fabric


class _Groups:
    """Groups of a dragonfly and the cables between each two of them, as pairs of switches."""

    def __init__(self, fabric: Fabric) -> None:
        self.count = fabric.groups
        self.size = len(fabric.switches) // fabric.groups
        self.cables: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for trunk in fabric.trunks:
            if trunk.kind == "global":
                one, other = self.of(trunk.one), self.of(trunk.other)
                self.cables[one, other] += [(trunk.one, trunk.other)] * trunk.cables
                self.cables[other, one] += [(trunk.other, trunk.one)] * trunk.cables
        self._even = [
            times
            for times in range(2, self.count)
            if gcd(times, self.count) == gcd(times - 1, self.count) == 1
        ]

    def of(self, switch: int) -> int:
        """The group of a switch."""
        return switch // self.size

    def over(self, groups: Sequence[int], start: int, end: int) -> Iterator[int]:
        """The switches of a way over these groups; of several cables between two of them all
        pairs of switches take each as often."""
        yield start
        here = start
        # Another number for each pair, and for those of one switch with all of a group.
        row, column = start % self.size, end % self.size
        pair = row * self.size + (row + column) % self.size
        for one, other in pairwise(groups):
            cables = self.cables[one, other]
            for place in cables[pair % len(cables)]:
                if place != here:
                    yield place
                here = place
        if here != end:
            yield end

    def between(self, start: int, end: int) -> tuple[int, ...]:
        """The group that Valiant's way takes, if there is a third: the pairs of two groups take all
        others in turn.

        What is left then is as even too, wherever the number of groups permits: a third group so
        many times as far around as the second, where that number and the one before share no
        divisor with the number of groups, is another one for each start, middle or end.
        """
        one, other = self.of(start), self.of(end)
        others = [(one + n) % self.count for n in range(1, self.count)]
        others.remove(other)
        if not others:
            return ()
        pair = start % self.size * self.size + end % self.size
        whole = self.size**2 // len(others) * len(others)
        left = self.size**2 - whole
        if pair >= whole and left <= len(self._even):
            # The first two of them meet on a cable where all of a group send to the next.
            times = self._even[(pair - whole + 2) % len(self._even)]
            return ((one + times * (other - one)) % self.count,)
        return (others[(pair + other) % len(others)],)


def minimal_ways(fabric: Fabric, links: Links) -> Ways:
    """At most one global cable, and a local one before and behind it."""
    groups = _Groups(fabric)

    def passed(start: int, end: int) -> Iterator[int]:
        one, other = groups.of(start), groups.of(end)
        return groups.over((one, other) if one != other else (), start, end)

    return _ways(fabric, links, passed)


def valiant_ways(fabric: Fabric, links: Links) -> Ways:
    """Over a third group, where there is one; in a group the ways stay minimal."""
    groups = _Groups(fabric)

    def passed(start: int, end: int) -> Iterator[int]:
        one, other = groups.of(start), groups.of(end)
        if one == other:
            return groups.over((), start, end)
        return groups.over((one, *groups.between(start, end), other), start, end)

    return _ways(fabric, links, passed)


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
        own = sum(len(found) for (one, _), found in groups.cables.items() if one == group)
        bundles += [Bundle(f"group-{group}-{way}", own, switches=0) for way in ("out", "in")]
    ways: Ways = {}
    for start in range(count):
        for end in range(count):
            one, other = groups.of(start), groups.of(end)
            middle = (2 * (count + one), 2 * (count + other) + 1) if one != other else ()
            if start != end:
                ways[start, end] = (start, *middle, count + end)
    return tuple(bundles), ways


def _ways(fabric: Fabric, links: Links, passed: Callable[[int, int], Iterator[int]]) -> Ways:
    switches = range(len(fabric.switches))
    return {
        (start, end): tuple(links[pair] for pair in pairwise(passed(start, end)))
        for start in switches
        for end in switches
        if start != end
    }
