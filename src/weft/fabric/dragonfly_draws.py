"""Which cables between groups of a dragonfly the ways of pairs of switches take.

A network draws them anew for each message; here a pair has one way. All ways together are chosen
so that each cable has, as nearly as whole ways permit, the share that draws would bring to it: one
pair after the other takes what makes the sum of the squares of the differences smallest, until none
has anything better.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Of the cables from a group to the one so many places on, by places in both groups: how many there
# are between two switches. All groups of a dragonfly are cabled alike.
Cables = tuple[tuple[int, tuple[tuple[tuple[int, int], int], ...]], ...]
# A way's steps from group to group: so many places on, from one place in a group to one in the next
Steps = tuple[tuple[int, tuple[int, int]], ...]
# Start and end as places in their groups, and how far the end's group is on.
Pair = tuple[int, int, int]
# A cable, or a third group of two, as what is counted of it.
_Key = tuple[str, int, int | tuple[int, int]]

# How much a difference counts: global cables carry most, then that third groups are taken in turn.
_WEIGHTS = {"global": 4.0, "third": 2.0, "local": 1.0}
# All ways are looked at again so often at most, and seldomer where they are so many.
_MOST_PASSES = 8
_MOST_LOOKS = 4_000_000
# Costs are sums of parts of a way, which no computer adds exactly.
_AS_GOOD = 1e-9


@lru_cache(maxsize=8)
def steps_between_groups(
    groups: int, size: int, cables: Cables, *, is_indirect: bool
) -> Mapping[Pair, Steps]:
    """The steps of each pair of switches of unlike groups, of which `size` are in a group.

    By one cable, or `is_indirect`: over a third group where there is one.
    """
    return _Choice(groups, size, cables, is_indirect=is_indirect and len(cables) > 1).made()


class _Way(NamedTuple):
    """What leads from a group to another, whichever their switches: its steps, what is counted of
    it, and the places in both groups between which it is."""

    steps: Steps
    keys: tuple[_Key, ...]
    first: int
    last: int


class _Choice:
    """Ways of all pairs that begin in one group: those of the others are the same, further on."""

    def __init__(self, groups: int, size: int, cables: Cables, *, is_indirect: bool) -> None:
        self._groups = groups
        self._size = size
        self._cables = {offset: dict(found) for offset, found in cables}
        self._is_indirect = is_indirect
        self._known = {offset: tuple(self._ways(offset)) for offset in self._cables}
        keys = {key for own in self._known.values() for way in own for key in way.keys}
        keys |= {("local", one, other) for one, other in product(range(size), repeat=2)}
        # What a difference counts: of several cables, what each of them carries.
        self._weights = {key: _WEIGHTS[key[0]] / self._parallel(key) for key in keys}
        # What one way more adds to half of the sum: a weight, times how many more than draws would
        # bring there are, and a half.
        self._costs = {key: weight / 2 for key, weight in self._weights.items()}

    def made(self) -> dict[Pair, Steps]:
        """One way for each pair."""
        for offset in self._cables:
            self._expect(offset)
        found = {
            (start, offset, (start + turn) % self._size): self._first(start, offset, turn)
            for offset in self._cables
            for turn in range(self._size)
            for start in range(self._size)
        }
        for pair, way in found.items():
            self._count(pair, way, 1)
        looks = sum(map(len, self._known.values())) * self._size**2
        for _ in range(max(1, min(_MOST_PASSES, _MOST_LOOKS // looks))):
            before = dict(found)
            for pair, way in before.items():
                found[pair] = self._better(pair, way)
            if found == before:
                break
        return {pair: way.steps for pair, way in found.items()}

    def _ways(self, offset: int) -> Iterator[_Way]:
        """Those to the group so far on, by each cable."""
        if not self._is_indirect:
            for ends in self._cables[offset]:
                yield _Way(((offset, ends),), (("global", offset, ends),), *ends)
            return
        for third in self._cables:
            if third == offset:
                continue
            rest = (offset - third) % self._groups
            for one, other in product(self._cables[third], self._cables[rest]):
                keys: list[_Key] = [("third", offset, third)]
                keys += [("global", third, one), ("global", rest, other)]
                if one[1] != other[0]:
                    keys.append(("local", one[1], other[0]))
                yield _Way(((third, one), (rest, other)), tuple(keys), one[0], other[1])

    def _parallel(self, key: _Key) -> int:
        kind, on, ends = key
        return self._cables[on][ends] if kind == "global" and isinstance(ends, tuple) else 1

    def _cables_of(self, way: _Way) -> int:
        """How often there is such a way: each of the cables between two switches is one."""
        return prod(self._cables[on][ends] for on, ends in way.steps)

    def _first(self, start: int, offset: int, turn: int) -> _Way:
        """Where the search begins: another number for each pair, and for those of one switch with
        all of a group, says which of all cables it takes."""
        own = [way for way in self._known[offset] for _ in range(self._cables_of(way))]
        return own[(start * self._size + (2 * start + turn) % self._size) % len(own)]

    def _expect(self, offset: int) -> None:
        """Take off what draws bring: each third group as often, and each cable to a group."""
        own = self._known[offset]
        thirds = len({way.steps[0][0] for way in own})
        for way in own:
            share = self._cables_of(way) / thirds
            for on, _ in way.steps:
                share /= sum(self._cables[on].values())
            for start, end in product(range(self._size), repeat=2):
                self._count((start, offset, end), way, -share)

    def _better(self, pair: Pair, before: _Way) -> _Way:
        """What a pair takes best where all others stay as they are; what it has, where as good."""
        self._count(pair, before, -1)
        best, least = before, self._cost(pair, before) - _AS_GOOD
        for way in self._known[pair[1]]:
            if (cost := self._cost(pair, way)) < least:
                best, least = way, cost
        self._count(pair, best, 1)
        return best

    def _count(self, pair: Pair, way: _Way, ways: float) -> None:
        """So many ways of a pair more take what a way takes."""
        for key in (*way.keys, *_in_groups(pair, way)):
            self._costs[key] += self._weights[key] * ways

    def _cost(self, pair: Pair, way: _Way) -> float:
        """What one way more adds to half of the sum."""
        return sum(self._costs[key] for key in (*way.keys, *_in_groups(pair, way)))


def _in_groups(pair: Pair, way: _Way) -> Iterator[_Key]:
    """The cables from a start to a way between groups, and from there to an end."""
    start, _, end = pair
    if start != way.first:
        yield "local", start, way.first
    if way.last != end:
        yield "local", way.last, end
