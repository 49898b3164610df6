"""Where the switches of a fabric are drawn: which share a box, what it is called, and its place.

Where there are many, switches that are cabled alike are folded into one box: leaves and spines by
their pods, groups of a dragonfly as they are numbered, switches of a torus by their coordinates.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import ceil, cos, pi, sin
from typing import TYPE_CHECKING

import msgspec

from weft.fabric.network import groups_of, switch_names
from weft.fabric.routes import topology_of
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.network import Fabric

# So many boxes are beside each other in a row at most, else so many; on a circle, and along a side
# of a grid.
MOST_IN_ROW = 9
_FOLDED_IN_ROW = 8
# Of cores, so that their lines to the spines below still have their numbers.
_FOLDED_ON_TOP = 6
MOST_AROUND = 16
MOST_ALONG = 8
# What the sides of a torus are called.
_AXES = "xyzuvw"
_SEVERAL = {"leaf": "leaves", "spine": "spines", "core": "cores"}


class PlacedBox(msgspec.Struct, frozen=True, kw_only=True):
    """A box: its switches, its names in lines, where its middle is (0 to 1 each way), and in which
    row of a tree it is, from the top."""

    switches: list[int]
    names: tuple[str, ...]
    x: float
    y: float
    row: int = 0


class FabricLayout(msgspec.Struct, frozen=True, kw_only=True):
    """All boxes, how many are above each other, and what is to be known of them."""

    boxes: list[PlacedBox]
    rows: int
    notes: tuple[str, ...] = ()


def layout_of(fabric: Fabric) -> FabricLayout:
    """By the fabric's topology."""
    kinds = {"torus": _grid, "dragonfly": _circle, "dragonfly+": _circle}
    return kinds.get(topology_of(fabric), _tree)(fabric)


def _tree(fabric: Fabric) -> FabricLayout:
    """Leaves below, spines above them, cores on top; leaves and spines of a pod share a column."""
    names = switch_names(fabric)
    by_role: dict[str, list[int]] = defaultdict(list)
    for place, switch in enumerate(fabric.switches):
        by_role[switch.role].append(place)
    boxes = []
    for row, (role, switches) in enumerate(reversed(by_role.items())):
        columns = [("", part) for part in _folded(switches, _most_of(switches, _FOLDED_IN_ROW))]
        if len(by_role) > 2:
            columns = _of_pods(fabric, role) if row else _cores(switches)
        boxes += [
            PlacedBox(
                switches=own,
                names=(*filter(None, [pod]), _range_of(own, names)),
                x=(at + 0.5) / len(columns),
                y=row / max(len(by_role) - 1, 1),
                row=row,
            )
            for at, (pod, own) in enumerate(columns)
        ]
    return FabricLayout(boxes=boxes, rows=len(by_role))


def _most_of(switches: Sequence[int], folded: int) -> int:
    return MOST_IN_ROW if len(switches) <= MOST_IN_ROW else folded


def _cores(switches: list[int]) -> list[tuple[str, list[int]]]:
    return [("", part) for part in _folded(switches, _most_of(switches, _FOLDED_ON_TOP))]


def _of_pods(fabric: Fabric, role: str) -> list[tuple[str, list[int]]]:
    """The switches of that role by pods, several of them in a box, or a pod in several boxes."""
    pods = [pod[role] for pod in _pods(fabric)]
    if len(pods) > _FOLDED_IN_ROW:
        return [
            (
                f"pods {own[0] + 1} to {own[-1] + 1}" if len(own) > 1 else f"pod {own[0] + 1}",
                sorted(place for pod in own for place in pods[pod]),
            )
            for own in _folded(range(len(pods)), _FOLDED_IN_ROW)
        ]
    return [
        (f"pod {at}", part)
        for at, pod in enumerate(pods, 1)
        for part in _folded(pod, _FOLDED_IN_ROW // len(pods))
    ]


def _pods(fabric: Fabric) -> list[dict[str, list[int]]]:
    """Leaves that share spines, with these, in the order of the leaves."""
    above: dict[int, list[int]] = defaultdict(list)
    for trunk in fabric.trunks:
        above[trunk.one].append(trunk.other)
    pods: dict[tuple[int, ...], dict[str, list[int]]] = {}
    for place, switch in enumerate(fabric.switches):
        if switch.nodes:
            spines = tuple(sorted(above[place]))
            role = fabric.switches[spines[0]].role
            pods.setdefault(spines, {switch.role: [], role: list(spines)})[switch.role] += [place]
    return list(pods.values())


def _circle(fabric: Fabric) -> FabricLayout:
    """Groups of a dragonfly around a circle, several in a box where there are many."""
    every = groups_of(fabric)
    around = _folded(range(fabric.groups), MOST_AROUND)
    boxes = []
    for at, own in enumerate(around):
        turn = 2 * pi * at / len(around)
        first, last = own[0] + 1, own[-1] + 1
        boxes.append(
            PlacedBox(
                switches=[place for one in own for place in every[one]],
                names=(f"group {first}" if first == last else f"groups {first} to {last}",),
                x=0.5 + 0.5 * sin(turn),
                y=0.5 - 0.5 * cos(turn),
            )
        )
    return FabricLayout(boxes=boxes, rows=max(3, len(around) // 2))


def _grid(fabric: Fabric) -> FabricLayout:
    """The last two sides of a torus along the axes; switches of its other sides in one box."""
    height, width = (1, *fabric.sides)[-2:]
    down, across = ("", *_AXES[: len(fabric.sides)])[-2:]
    rows, columns = _folded(range(height), MOST_ALONG), _folded(range(width), MOST_ALONG)
    layers = len(fabric.switches) // (height * width)
    names = switch_names(fabric)
    boxes = []
    for row, own_rows in enumerate(rows):
        for column, own in enumerate(columns):
            switches = [
                (layer * height + y) * width + x
                for layer in range(layers)
                for y in own_rows
                for x in own
            ]
            sides = [_places(down, own_rows)] if down else []
            place = ", ".join([*sides, _places(across, own)])
            words = (place, counted(len(switches), "switch"))
            boxes.append(
                PlacedBox(
                    switches=switches,
                    names=words if len(switches) > 1 else (names[switches[0]],),
                    x=(column + 0.5) / len(columns),
                    y=row / max(len(rows) - 1, 1),
                )
            )
    others = list(_AXES[: len(fabric.sides)])[:-2]
    note = f"each box has all switches along {' and '.join(others)}" if layers > 1 else ""
    return FabricLayout(boxes=boxes, rows=len(rows), notes=tuple(filter(None, [note])))


def _places(axis: str, own: Sequence[int]) -> str:
    """Where on a side, counted from 1: "y 3", "y 1-4"."""
    first, last = own[0] + 1, own[-1] + 1
    return f"{axis} {first}" if first == last else f"{axis} {first}-{last}"


def _folded(items: Sequence[int], most: int) -> list[list[int]]:
    """In their order in so many parts at most: equal ones, where there are not half as many."""
    equal = next((n for n in range(most, most // 2, -1) if len(items) % n == 0), 0)
    parts = equal or ceil(len(items) / ceil(len(items) / most))
    ends = [len(items) * at // parts for at in range(parts + 1)]
    return [list(items[first:end]) for first, end in pairwise(ends)]


def _range_of(own: Sequence[int], names: Sequence[str]) -> str:
    """The switches of a box, which follow each other."""
    if len(own) == 1:
        return names[own[0]]
    role, _, first = names[own[0]].rpartition(" ")
    return f"{_SEVERAL.get(role, role)} {first} to {names[own[-1]].rpartition(' ')[2]}"
