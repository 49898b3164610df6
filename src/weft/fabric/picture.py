"""A fabric drawn: its switches in rows, groups or a grid, and cables between them as one line.

Where there are many, switches that are cabled alike are folded into one box, and all cables between
two boxes are one line with their number. A line may have a load: what its busiest cable carried, as
a share of what the busiest cable of a node did. Above 1 the links bind, and not the nodes' own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.network import ports_used, switch_names
from weft.fabric.routes import topology_of
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.fabric.network import Fabric

# So many boxes are beside each other in a row at most, else so many; on a circle, and along a side
# of a grid.
MOST_IN_ROW = 9
_FOLDED_IN_ROW = 8
# Of cores, so that their lines to the spines below still have their numbers.
_FOLDED_ON_TOP = 6
MOST_AROUND = 16
MOST_ALONG = 8
# Of lines more are not written beside each other with their numbers.
MOST_NUMBERED = 48


_Places = list[tuple[float, float]]


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """Switches that are drawn as one, where its middle is (0 to 1 each way), and its words."""

    x: float
    y: float
    lines: tuple[str, ...]


class CableBundle(msgspec.Struct, frozen=True, kw_only=True):
    """All cables between two boxes, by their places; `load` is None where nothing is known.

    One that closes a ring of a torus passes others (`is_around`).
    """

    one: int
    other: int
    cables: int
    load: float | None = None
    is_around: bool = False


class FabricPicture(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn of a fabric: `rows` says how many boxes are above each other."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[CableBundle, ...]
    notes: tuple[str, ...] = ()
    rows: int = 1

    @property
    def has_loads(self) -> bool:
        """Whether a simulation reported what links carried."""
        return any(line.load is not None for line in self.lines)


def picture_of(fabric: Fabric, link_bytes: Mapping[str, float] = {}) -> FabricPicture:
    """A fabric, with the loads of its links where a launch reported what they carried."""
    groups, places, rows = _laid_out(fabric)
    box_of = {switch: at for at, group in enumerate(groups) for switch in group}
    loads = loads_of(fabric, link_bytes)
    cables: dict[tuple[int, int], int] = defaultdict(int)
    most: dict[tuple[int, int], float] = {}
    inside = 0
    for trunk in fabric.trunks:
        one, other = sorted((box_of[trunk.one], box_of[trunk.other]))
        if one == other:
            inside += trunk.cables
            continue
        cables[one, other] += trunk.cables
        if (load := loads.get((trunk.one, trunk.other))) is not None:
            most[one, other] = max(load, most.get((one, other), 0.0))
    names, used = switch_names(fabric), ports_used(fabric)
    boxes = [
        Box(x=x, y=y, lines=_words(fabric, group, names, used))
        for group, (x, y) in zip(groups, places, strict=True)
    ]
    notes = [f"{counted(inside, 'cable')} inside of boxes"] if inside else []
    if fabric.rails > 1:
        notes.append(f"one of {counted(fabric.rails, 'equal plane')}")
    return FabricPicture(
        title=fabric.title,
        boxes=tuple(boxes),
        lines=tuple(
            CableBundle(
                one=one,
                other=other,
                cables=count,
                load=most.get((one, other)),
                is_around=bool(fabric.sides) and _is_far(places, one, other),
            )
            for (one, other), count in sorted(cables.items())
        ),
        notes=tuple(notes),
        rows=rows,
    )


def _is_far(places: _Places, one: int, other: int) -> bool:
    """Whether a box is between two of a grid."""
    (x1, y1), (x2, y2) = places[one], places[other]
    return any(
        min(x1, x2) < x < max(x1, x2) or min(y1, y2) < y < max(y1, y2)
        for x, y in places
        if (x == x1 == x2) or (y == y1 == y2)
    )


def loads_of(fabric: Fabric, link_bytes: Mapping[str, float]) -> dict[tuple[int, int], float]:
    """For each two switches with cables the busiest cable's bytes over a node's busiest, one way.

    Links are those of weft.fabric.routes by their names; of a routing whose links are no cables,
    the bound of a dragonfly, nothing is known.
    """
    node = link_bytes.get("node", 0.0)
    if not node:
        return {}
    cables = {(trunk.one, trunk.other): trunk.cables for trunk in fabric.trunks}
    found = dict.fromkeys(cables, 0.0)
    has_known = False
    for name, carried in link_bytes.items():
        pairs = _cables_of(fabric, cables, name)
        has_known = has_known or bool(pairs)
        count = 1 if name.startswith("cable-") else sum(cables[pair] for pair in pairs) or 1
        for pair in pairs:
            found[pair] = max(found[pair], carried / node / count)
    return found if has_known else {}


def _cables_of(
    fabric: Fabric, cables: Mapping[tuple[int, int], int], link: str
) -> list[tuple[int, int]]:
    """The pairs of switches whose cables a link of a routing is, by its name."""
    what, *rest = link.split("-")
    numbers = [int(word) for word in rest if word.isdigit()]
    if what == "leaf":
        return _upwards(fabric, numbers[0])
    if what == "pod":
        # A pod is called by the first of its spines (weft.fabric.tree_routes).
        leaves = [at for at, switch in enumerate(fabric.switches) if switch.nodes]
        spines = [[other for _, other in _upwards(fabric, leaf)] for leaf in leaves]
        own = next(one for one in spines if min(one) == numbers[0])
        return [pair for spine in sorted(set(own)) for pair in _upwards(fabric, spine)]
    one, other, *_ = (*numbers, -1, -1)
    return [pair for pair in ((one, other), (other, one)) if pair in cables]


def _upwards(fabric: Fabric, switch: int) -> list[tuple[int, int]]:
    return [(trunk.one, trunk.other) for trunk in fabric.trunks if trunk.one == switch]


def _laid_out(fabric: Fabric) -> tuple[list[list[int]], _Places, int]:
    """The switches of each box, where the boxes are, and how many are above each other."""
    return {"torus": _grid, "dragonfly": _circle}.get(topology_of(fabric), _tree)(fabric)


def _tree(fabric: Fabric) -> tuple[list[list[int]], _Places, int]:
    """Leaves below, spines above them, cores on top; those of a pod stay together."""
    by_role: dict[str, list[int]] = defaultdict(list)
    for place, switch in enumerate(fabric.switches):
        by_role[switch.role].append(place)
    groups: list[list[int]] = []
    places: _Places = []
    for row, switches in enumerate(reversed(by_role.values())):
        most = _FOLDED_ON_TOP if len(by_role) > 2 and not row else _FOLDED_IN_ROW
        own = _folded(switches, MOST_IN_ROW if len(switches) <= MOST_IN_ROW else most)
        groups += own
        y = row / max(len(by_role) - 1, 1)
        places += [((at + 0.5) / len(own), y) for at in range(len(own))]
    return groups, places, len(by_role)


def _circle(fabric: Fabric) -> tuple[list[list[int]], _Places, int]:
    """Groups of a dragonfly around a circle, several in a box where there are many."""
    size = len(fabric.switches) // fabric.groups
    around = _folded(list(range(fabric.groups)), MOST_AROUND)
    groups = [[one * size + at for one in own for at in range(size)] for own in around]
    turns = [2 * math.pi * at / len(groups) for at in range(len(groups))]
    places = [(0.5 + 0.5 * math.sin(turn), 0.5 - 0.5 * math.cos(turn)) for turn in turns]
    return groups, places, max(3, len(groups) // 2)


def _grid(fabric: Fabric) -> tuple[list[list[int]], _Places, int]:
    """The last two sides of a torus along the axes; switches of its other sides in one box."""
    sides = (1, 1, *fabric.sides)
    height, width = sides[-2:]
    rows = _folded(list(range(height)), MOST_ALONG)
    columns = _folded(list(range(width)), MOST_ALONG)
    layers = len(fabric.switches) // (height * width)
    groups, places = [], []
    for row, own_rows in enumerate(rows):
        for column, own in enumerate(columns):
            groups.append(
                [
                    (layer * height + y) * width + x
                    for layer in range(layers)
                    for y in own_rows
                    for x in own
                ]
            )
            places.append(((column + 0.5) / len(columns), row / max(len(rows) - 1, 1)))
    return groups, places, len(rows)


def _folded(items: Sequence[int], most: int) -> list[list[int]]:
    """In their order in as many parts as there may be, as equal as can be."""
    parts = min(len(items), most)
    ends = [len(items) * at // parts for at in range(parts + 1)]
    return [list(items[first:end]) for first, end in pairwise(ends)]


def _name(fabric: Fabric, group: Sequence[int], names: Sequence[str]) -> str:
    if fabric.groups:
        size = len(fabric.switches) // fabric.groups
        first, last = group[0] // size + 1, group[-1] // size + 1
        return f"group {first}" if first == last else f"groups {first} to {last}"
    if len(group) == 1:
        return names[group[0]]
    if group[-1] - group[0] + 1 == len(group):
        return f"{names[group[0]]} to {names[group[-1]].rpartition(' ')[2]}"
    return f"{len(group)} of {names[group[0]]} on"


def _words(
    fabric: Fabric, group: Sequence[int], names: Sequence[str], used: Sequence[int]
) -> tuple[str, ...]:
    """A box: its switches, their nodes, and the ports left over."""
    nodes = sum(fabric.switches[at].nodes for at in group)
    left = sum(fabric.switches[at].radix - used[at] for at in group)
    words = [_name(fabric, group, names)]
    if nodes:
        words.append(counted(nodes, "node"))
    if left:
        words.append(f"{counted(left, 'port')} left")
    return tuple(words)
