"""Where switches of a tree have prices of their own, more of the cheap ones may cost less."""

from fractions import Fraction

from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.network import parts_of
from weft.fabric.tree_search import SwitchPrice, TreePrices


def test_more_spines_than_the_fewest_of_a_pod_may_be_cheaper() -> None:
    """Six spines at a tenth save a leaf at three: 2 leaves, 6 spines and a core, not 3, 3 and 1."""
    prices = TreePrices(
        leaf=SwitchPrice(radix=12, price=3.0),
        spine=SwitchPrice(radix=6, price=0.1),
        core=SwitchPrice(radix=8, price=9.0),
        cable=4.0,
    )
    asked = TreeAsked(
        nodes=12, radixes=(12, 6, 8), blocking=(Fraction(1), Fraction(2)), spread="even",
        levels=3, prices=prices,
    )  # fmt: skip
    found = {part.role: part.count for part in parts_of(build_fat_tree(asked))}
    roles = ("leaf", "spine", "core", "uplink cable")
    assert [found[role] for role in roles] == [2, 6, 1, 18]
