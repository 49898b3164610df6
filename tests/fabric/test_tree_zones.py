"""Fat trees in SimGrid's words, and as they are without any option."""

from fractions import Fraction
from math import prod

import pytest

from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.network import Fabric, parts_of


def tree(nodes: int, radix: int, leaf: Fraction) -> Fabric:
    asked = TreeAsked(nodes=nodes, radixes=(radix,) * 3, blocking=(leaf, Fraction(1)))
    return build_fat_tree(asked)


def counts(fabric: Fabric) -> tuple[int, ...]:
    """Leaves, spines and cores."""
    found = {part.role: part.count for part in parts_of(fabric)}
    return tuple(found.get(role, 0) for role in ("leaf", "spine", "core"))


@pytest.mark.parametrize(
    ("nodes", "radix", "leaf", "zone"),
    [
        # Six leaves of 16 nodes, two spines, four cables to each.
        (96, 24, 2, "2;16,6;1,2;1,4"),
        (54, 6, 1, "3;3,3,6;1,3,3;1,1,1"),
    ],
)
def test_simgrid_gets_children_parents_and_cables_level_by_level(
    nodes: int, radix: int, leaf: int, zone: str
) -> None:
    found = tree(nodes, radix, Fraction(leaf))
    assert found.zone == ("FAT_TREE", zone)
    children, parents, _ = (
        tuple(map(int, part.split(","))) for part in zone.partition(";")[2].split(";")
    )
    assert prod(children) == nodes
    leaves, spines, cores = counts(found)
    assert leaves == nodes // children[0]
    assert prod(parents) == (cores or spines)


def test_a_tree_has_no_blocking_unless_it_is_asked_for() -> None:
    usual = build_fat_tree(TreeAsked(nodes=54, radixes=(6, 6, 6)))
    assert counts(usual) == counts(tree(54, 6, Fraction(1)))
    assert usual.title == "fat tree of three levels, blocking 1:1, 1:1"
