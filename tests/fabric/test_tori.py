"""Tori: their switches, nodes per switch, cables and bisection, counted by hand."""

from __future__ import annotations

import msgspec
import pytest

from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked, build, build_fabric, parse_shape


def test_a_torus_and_its_known_bisection() -> None:
    """8x8x8 of one node each: the cut of the middle and of the way round, 2 x 64 cables."""
    built = build(FabricAsked(nodes=512, switch="7", topology="torus", shape="8x8x8"))
    assert {part.role: part.count for part in built.parts}["local cable"] == 3 * 512
    assert (built.bisection_cables, built.diameter_hops) == (128, 13)
    # The mean distance along a ring of 8 is 2; of 512 nodes one is the node itself.
    assert built.mean_hops == pytest.approx(1 + 6 * 512 / 511)


def test_a_torus_without_a_shape_is_the_most_cubic_with_the_fewest_switches() -> None:
    """At most 12 of 24 ports for nodes: 43 switches have room, and 45 make a torus. The other 12
    ports in six directions are two each."""
    built = build(FabricAsked(nodes=512, switch="24", topology="torus"))
    assert built.fabric.title == "torus 5x3x3, nodes per switch: 11 or 12"
    assert {part.role: part.count for part in built.parts}["local cable"] == 45 * 3 * 2
    assert built.bisection_cables == 53


@pytest.mark.parametrize(
    ("per_switch", "title", "cables"),
    [
        (0, "torus 3x2x2, nodes per switch: 8 or 9", 2),  # were 100 switches with a node each
        (5, "torus 5x2x2, nodes per switch: 5", 3),
        (2, "torus 5x5x2, nodes per switch: 2", 3),
        (1, "torus 5x5x4, nodes per switch: 1", 3),
    ],
)
def test_a_torus_of_100_nodes_has_a_stated_number_of_nodes_per_switch(
    per_switch: int, title: str, cables: int
) -> None:
    words = FabricAsked(nodes=100, switch="24", topology="torus", per_switch=per_switch)
    if per_switch in (5, 2):
        words = msgspec.structs.replace(words, shape=title.split()[1].strip(","))
    fabric = build_fabric(words)
    assert fabric.title == title
    assert max(trunk.cables for trunk in fabric.trunks if trunk.one + 1 < trunk.other) >= cables
    assert sum(switch.nodes for switch in fabric.switches) == 100


@pytest.mark.parametrize(
    ("nodes", "sizes"),
    [(2, "8"), (7, "8"), (9, "8 or 12"), (11, "8 or 12"), (13, "12 or 16"), (26, "24 or 27")],
)
def test_the_nearest_sizes_of_a_torus_are_named_down_to_the_least(nodes: int, sizes: str) -> None:
    with pytest.raises(WeftError) as refused:
        build_fabric(FabricAsked(nodes=nodes, switch="7", topology="torus"))
    assert refused.value.fix == f"use --nodes {sizes}, or --shape"
    for size in sizes.split(" or "):
        assert build_fabric(FabricAsked(nodes=int(size), switch="7", topology="torus")).sides


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("1", (1,)), ("12x1x30", (12, 1, 30)), ("9999x1", (9999, 1)),
        ("2x2x2x2x2x1", (2, 2, 2, 2, 2, 1)),
        ("0x2", None), ("2x0", None), ("10000", None), ("2x10000", None), ("2x2x2x2x2x2x2", None),
        ("2xx2", None), ("x2", None), ("2x", None), ("", None), ("2x-1", None),
    ],
)  # fmt: skip
def test_one_to_six_sides_of_one_to_9999_are_a_shape(
    text: str, sides: tuple[int, ...] | None
) -> None:
    if sides is None:
        with pytest.raises(WeftError, match=f"^'{text}' is not the shape of a torus"):
            parse_shape(text)
    else:
        assert parse_shape(text) == sides


@pytest.mark.parametrize(
    ("shape", "nodes", "switch", "cables", "bisection"),
    [
        # A ring of two has both of its cables between the same two switches.
        ("2x1x1", 8, "6", 2, 2),
        ("2x2x2", 16, "8", 2 * 12, 8),
        ("4x2x1", 16, "6", 8 + 2 * 4, 4),
    ],
)
def test_a_side_of_two_has_both_cables_of_its_ring(
    shape: str, nodes: int, switch: str, cables: int, bisection: int
) -> None:
    built = build(FabricAsked(nodes=nodes, switch=switch, topology="torus", shape=shape))
    assert {part.role: part.count for part in built.parts}["local cable"] == cables
    assert built.bisection_cables == bisection


@pytest.mark.parametrize(
    ("shape", "nodes", "switch"),
    [("2x2x1", 5, 9), ("3x2x1", 7, 9), ("3x3x3", 40, 10), ("4x1x1", 9, 7), ("2x1x1", 3, 6)],
)
def test_no_switch_has_more_cables_than_ports(shape: str, nodes: int, switch: int) -> None:
    fabric = build_fabric(
        FabricAsked(nodes=nodes, switch=str(switch), topology="torus", shape=shape)
    )
    used = [one.nodes for one in fabric.switches]
    for trunk in fabric.trunks:
        used[trunk.one] += trunk.cables
        used[trunk.other] += trunk.cables
    assert max(used) <= switch
    assert sum(one.nodes for one in fabric.switches) == nodes
