"""A fabric drawn: its switches in rows, groups or a grid, and cables between them as one line.

Where there are many, switches that are cabled alike are folded into one box, and all cables between
two boxes are one line with their number. A line may have a load: what its busiest cable carried, as
a share of what the busiest cable of a node did. Above 1 the links bind, and not the nodes' own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.network import ports_used
from weft.fabric.picture_layout import layout_of
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.fabric.network import Fabric
    from weft.fabric.picture_layout import PlacedBox


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """Switches that are drawn as one, where its middle is (0 to 1 each way), and its words.

    `cables` are between its switches, and `load` is that of the busiest of them.
    """

    x: float
    y: float
    lines: tuple[str, ...]
    cables: int = 0
    load: float | None = None


class CableBundle(msgspec.Struct, frozen=True, kw_only=True):
    """All cables between two boxes, by their places; `load` is None where nothing is known.

    One that closes a ring of a torus would pass others (`is_around`): it is drawn out of the grid.
    `level` says between which rows of a tree it is, from the top.
    """

    one: int
    other: int
    cables: int
    load: float | None = None
    is_around: bool = False
    level: int = 0


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
    layout = layout_of(fabric)
    box_of = {switch: at for at, box in enumerate(layout.boxes) for switch in box.switches}
    loads = loads_of(fabric, link_bytes)
    cables: dict[tuple[int, int], int] = defaultdict(int)
    most: dict[tuple[int, int], float] = {}
    for trunk in fabric.trunks:
        one, other = sorted((box_of[trunk.one], box_of[trunk.other]))
        cables[one, other] += trunk.cables
        if (load := loads.get((trunk.one, trunk.other))) is not None:
            most[one, other] = max(load, most.get((one, other), 0.0))
    used = ports_used(fabric)
    boxes = tuple(
        Box(
            x=box.x,
            y=box.y,
            lines=(*box.names, *_words(fabric, box.switches, used)),
            cables=cables.get((at, at), 0),
            load=most.get((at, at)),
        )
        for at, box in enumerate(layout.boxes)
    )
    is_bound = bool(fabric.trunks and link_bytes.get("node")) and not loads
    return FabricPicture(
        title=fabric.title,
        boxes=boxes,
        lines=tuple(
            CableBundle(
                one=one,
                other=other,
                cables=count,
                load=most.get((one, other)),
                is_around=bool(fabric.sides) and _is_far(layout.boxes, one, other),
                level=min(layout.boxes[one].row, layout.boxes[other].row),
            )
            for (one, other), count in sorted(cables.items())
            if one != other
        ),
        notes=(*layout.notes, *_notes(fabric, sum(box.cables for box in boxes), is_bound)),
        rows=layout.rows,
    )


def _is_far(boxes: Sequence[PlacedBox], one: int, other: int) -> bool:
    """Whether a box is between two of a grid."""
    first, last = boxes[one], boxes[other]
    return any(
        min(first.x, last.x) < box.x < max(first.x, last.x)
        or min(first.y, last.y) < box.y < max(first.y, last.y)
        for box in boxes
        if box.x == first.x == last.x or box.y == first.y == last.y
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


def _words(fabric: Fabric, switches: Sequence[int], used: Sequence[int]) -> tuple[str, ...]:
    """Of a box: its nodes, and the ports left over."""
    nodes = sum(fabric.switches[at].nodes for at in switches)
    left = sum(fabric.switches[at].radix - used[at] for at in switches)
    words = []
    if nodes:
        words.append(counted(nodes, "node"))
    if left:
        words.append(f"{counted(left, 'port')} left")
    return tuple(words)


def _notes(fabric: Fabric, inside: int, is_bound: bool) -> list[str]:
    """What is to be known of a picture and does not stand in it."""
    notes = [f"{counted(inside, 'cable')} inside of boxes"] if inside else []
    if fabric.rails > 1:
        shared = "; all have the same spines" if fabric.shares_spines else ""
        notes.append(f"one of {counted(fabric.rails, 'equal plane')}{shared}")
    if is_bound:
        notes.append("this routing is a bound: what its single cables carry is not known")
    return notes
