"""Ways through a torus: dimension order, each ring the shorter way round.

(Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE
TC C-36 (5), 1987.)
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.fabric.links import Links, Ways
    from weft.fabric.network import Fabric

Place = tuple[int, ...]


def ordered_ways(fabric: Fabric, links: Links) -> Ways:
    """First the outermost dimension is set right, then the next.

    In a ring of an even side the opposite switch is as far either way. Half of the messages go
    each way round, so that with N switches and an even side k no link has more than N k / 8 ways;
    the half is chosen by the sum of the coordinates that are left of the start and of those that
    are right of the end, which all pairs of a ring together take evenly.
    """
    places = list(product(*map(range, fabric.sides)))
    number = {place: at for at, place in enumerate(places)}
    ways: Ways = {}
    for start in places:
        for end in places:
            if start == end:
                continue
            passed = [number[place] for place in _passed(start, end, fabric.sides)]
            ways[number[start], number[end]] = tuple(links[pair] for pair in pairwise(passed))
    return ways


def _passed(start: Place, end: Place, sides: Place) -> Iterator[Place]:
    """The switches of a way, with both ends."""
    yield start
    for at, side in enumerate(sides):
        forward = (end[at] - start[at]) % side
        back = side - forward
        is_odd = (sum(start[: at + 1]) + sum(end[at + 1 :])) % 2
        step = 1 if forward < back or (forward == back and not is_odd) else -1
        for n in range(1, min(forward, back) + 1 if forward else 1):
            yield (*end[:at], (start[at] + n * step) % side, *start[at + 1 :])
