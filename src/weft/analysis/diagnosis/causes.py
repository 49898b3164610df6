"""What could make pairs slow, and which pairs each such cause would: the matrix of paths. Pure."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from weft.analysis.diagnosis.pair_times import order_by
from weft.fabric.known import LEVEL_OF_HOST, ends_of_cable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.fabric.known import Group, KnownFabric

CauseKind = Literal[
    "node",
    "send",
    "receive",
    "group",
    "out of",
    "into",
    "link",
    "cable",
    "trunk",
    "between",
    "pair",
]
# Beyond so many endpoints single pairs are too many to be causes: each was measured too seldom.
MOST_FOR_PAIRS = 128
_BOTH = 2
_WORDS: dict[CauseKind, str] = {
    "node": "{}",
    "send": "{} when it sends",
    "receive": "{} when it receives",
    "group": "{}",
    "out of": "the way out of {}",
    "into": "the way into {}",
    "link": "{}",
    "cable": "{}",
    "trunk": "{}",
    "between": "the ways between {}",
    "pair": "the pair {}",
}


class Cause(msgspec.Struct, frozen=True):
    """What may be slow: its kind, and the name of the endpoint, group or link."""

    kind: CauseKind
    name: str

    @property
    def in_words(self) -> str:
        """For a sentence: "n7 when it sends"."""
        return _WORDS[self.kind].format(self.name)


class Causes(msgspec.Struct, frozen=True, kw_only=True):
    """All causes by what they would make slow: those of one place make the same pairs slow.

    Such causes no measurement of these pairs tells apart. `places` has for each of them the
    places of its pairs.
    """

    alike: tuple[tuple[Cause, ...], ...]
    places: tuple[NDArray[Any], ...]


def causes_of(
    names: Sequence[str], source: NDArray[Any], target: NDArray[Any], fabric: KnownFabric
) -> Causes:
    """The causes for these directed pairs; `source` and `target` have shape (pairs,)."""
    found: dict[bytes, tuple[list[Cause], NDArray[Any]]] = {}
    for cause, places in _all(names, source, target, fabric):
        if 0 < len(places) < len(source):
            found.setdefault(places.tobytes(), ([], places))[0].append(cause)
    return Causes(
        alike=tuple(tuple(causes) for causes, _ in found.values()),
        places=tuple(places for _, places in found.values()),
    )


def _all(
    names: Sequence[str], source: NDArray[Any], target: NDArray[Any], fabric: KnownFabric
) -> Iterator[tuple[Cause, NDArray[Any]]]:
    by_source, by_target = _places_by(source, len(names)), _places_by(target, len(names))
    for at, name in enumerate(names):
        yield Cause("node", name), _union(by_source[at], by_target[at])
        yield Cause("send", name), by_source[at]
        yield Cause("receive", name), by_target[at]
    yield from _of_groups(names, source, target, fabric)
    links = _passing(names, source, target, fabric)
    for link, passing in links.items():
        yield Cause("link", link), passing
    cables = {
        cable: _union(links[one_way], links[back])
        for cable, (one_way, back) in fabric.cables.items()
        if one_way in links and back in links
    }
    for cable, passing in cables.items():
        yield Cause("cable", cable), passing
    yield from _of_trunks(cables)
    if len(names) <= MOST_FOR_PAIRS:
        low, high = np.minimum(source, target), np.maximum(source, target)
        for number, own in enumerate(_places_by(low * len(names) + high, len(names) ** 2)):
            if len(own):
                one, other = names[number // len(names)], names[number % len(names)]
                yield Cause("pair", f"{one} - {other}"), own


def _of_trunks(cables: dict[str, NDArray[Any]]) -> Iterator[tuple[Cause, NDArray[Any]]]:
    """All cables between two switches that have several."""
    trunks: dict[str, list[str]] = {}
    for cable in cables:
        trunks.setdefault(ends_of_cable(cable), []).append(cable)
    trunks.pop("", None)
    for ends, own in trunks.items():
        if len(own) > 1:
            all_of_it = "both" if len(own) == _BOTH else f"all {len(own)}"
            passing = np.unique(np.concatenate([cables[cable] for cable in own]))
            yield Cause("trunk", f"{all_of_it} cables between {ends}"), passing


def _passing(
    names: Sequence[str], source: NDArray[Any], target: NDArray[Any], fabric: KnownFabric
) -> dict[str, NDArray[Any]]:
    """For each link the places of the pairs that pass it, rising."""
    if not fabric.ways:
        return {}
    ends = zip(source.tolist(), target.tolist(), strict=True)
    ways = [fabric.ways.get((names[i], names[j]), ()) for i, j in ends]
    number: dict[str, int] = {}
    passed = [number.setdefault(link, len(number)) for link in chain.from_iterable(ways)]
    place = np.repeat(np.arange(len(ways)), [len(way) for way in ways])
    of_link = _places_by(np.array(passed, dtype=int), len(number))
    return {link: place[own] for link, own in zip(number, of_link, strict=True)}


def _of_groups(
    names: Sequence[str], source: NDArray[Any], target: NDArray[Any], fabric: KnownFabric
) -> Iterator[tuple[Cause, NDArray[Any]]]:
    for group in fabric.groups:
        has = np.array([name in group.members for name in names])
        out, into = has[source], has[target]
        yield Cause("group", group.name), np.flatnonzero(out | into)
        yield Cause("out of", group.name), np.flatnonzero(out & ~into)
        yield Cause("into", group.name), np.flatnonzero(into & ~out)
    for level in () if fabric.ways else (1, LEVEL_OF_HOST):
        yield from _between(names, source, target, [g for g in fabric.groups if g.level == level])


def _between(
    names: Sequence[str], source: NDArray[Any], target: NDArray[Any], lowest: Sequence[Group]
) -> Iterator[tuple[Cause, NDArray[Any]]]:
    """All ways between two of three or more groups."""
    if len(lowest) < 3:
        return
    group_of = np.full(len(names), -1)
    for number, group in enumerate(lowest):
        group_of[[name in group.members for name in names]] = number
    one, other = group_of[source], group_of[target]
    number = np.minimum(one, other) * len(lowest) + np.maximum(one, other)
    number[(one == other) | (one < 0) | (other < 0)] = len(lowest) ** 2
    for at, own in enumerate(_places_by(number, len(lowest) ** 2 + 1)[:-1]):
        if len(own):
            words = f"{lowest[at // len(lowest)].name} and {lowest[at % len(lowest)].name}"
            yield Cause("between", words), own


def _places_by(numbers: NDArray[Any], count: int) -> list[NDArray[Any]]:
    """For each number below `count` the places where it stands, rising."""
    order = order_by(numbers, count)
    ends = np.searchsorted(numbers[order], np.arange(count + 1))
    return [order[ends[at] : ends[at + 1]] for at in range(count)]


def _union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """The places in either, rising: what numpy's does, without what it prepares for any type."""
    both = np.sort(np.concatenate((one, other)))
    return np.concatenate((both[:1], both[1:][both[1:] != both[:-1]]))
