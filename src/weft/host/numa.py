"""NUMA nodes: their CPUs, memory and distances."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.host.files import cpu_list, size_bytes, text, whole

if TYPE_CHECKING:
    from pathlib import Path


class NumaNode(msgspec.Struct, frozen=True, kw_only=True):
    """One NUMA node; `distances` is to each node of the machine in the order of their numbers."""

    node: int
    cpus: list[int] = []
    total_bytes: int | None = None
    free_bytes: int | None = None
    distances: list[int] = []


def collect_numa(root: Path) -> list[NumaNode]:
    """All nodes in the order of their numbers; empty where the kernel shows none."""
    folders = (root / "sys/devices/system/node").glob("node[0-9]*")
    numbered = [(int(match[1]), f) for f in folders if (match := _NODE.fullmatch(f.name))]
    return [_node(node, folder) for node, folder in sorted(numbered)]


_NODE = re.compile(r"node([0-9]{1,9})")


def _node(node: int, folder: Path) -> NumaNode:
    # Lines like "Node 0 MemTotal:       24684092 kB".
    lines = re.findall(r"Node\s+\d+\s+(\w+):\s*(.+)", text(folder, "meminfo") or "")
    sizes = {name: size_bytes(value) for name, value in lines}
    distances = [whole(word) for word in (text(folder, "distance") or "").split()]
    return NumaNode(
        node=node,
        cpus=cpu_list(text(folder, "cpulist")),
        total_bytes=sizes.get("MemTotal"),
        free_bytes=sizes.get("MemFree"),
        distances=[distance for distance in distances if distance is not None],
    )


def node_of(nodes: list[NumaNode], cpu: int) -> NumaNode | None:
    """The node that a logical CPU belongs to."""
    return next((node for node in nodes if cpu in node.cpus), None)


def distance_between(nodes: list[NumaNode], near: NumaNode, far: int) -> int | None:
    """The distance from a node to the node of number `far`; 10 is local (ACPI, SLIT).

    The kernel lists distances by place among the nodes, not by number: numbers may have gaps.
    """
    places = {node.node: place for place, node in enumerate(nodes)}
    place = places.get(far)
    return None if place is None or place >= len(near.distances) else near.distances[place]
