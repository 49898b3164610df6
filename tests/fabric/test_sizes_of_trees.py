"""How many nodes a fat tree of unlike switches holds, and what a part without a price costs."""

from fractions import Fraction
from typing import Any

import pytest

from weft.errors import WeftError
from weft.fabric.fat_tree import TreeAsked, most_nodes
from weft.fabric.part_prices import PricedPart
from weft.fabric.topologies import FabricAsked, build_fabric, tree_prices
from weft.fabric.tree_search import SwitchPrice


@pytest.mark.parametrize(("levels", "most"), [(1, 40), (2, 24 * 40), (3, 24 * 30 * 20)])
def test_the_largest_tree_of_unlike_switches_is_of_each_ones_ports(levels: int, most: int) -> None:
    """A leaf has 24 of its 36 ports downwards, a spine 30 of 40, and a core all 20."""
    asked = TreeAsked(nodes=8, radixes=(36, 40, 20), blocking=(Fraction(2), Fraction(3)))
    assert most_nodes(asked, levels) == most


class SomePrices:
    """Of a list that has neither the spine's price nor the cable's."""

    def of(self, part: str) -> PricedPart:
        prices = {"switch 36": 900.0, "switch 20": 5000.0}
        if part not in prices:
            raise WeftError(f"no price of {part}", "name one")
        return PricedPart(part=part, list_price=prices[part], discount=0.25)

    def has(self, part: str) -> bool:
        return part in ("switch 36", "switch 20")

    def card_of(self, radix: int) -> PricedPart | None:
        return PricedPart(part="card", list_price=80.0, ports=5) if radix == 20 else None


def test_a_part_without_a_price_costs_nothing_and_none_gives_another_its_own() -> None:
    found = tree_prices(SomePrices(), (36, 40, 20))
    assert found.leaf == SwitchPrice(radix=36, price=675.0, card_ports=0, card_price=0.0)
    assert found.spine == SwitchPrice(radix=40, price=0.0, card_ports=0, card_price=0.0)
    assert found.core == SwitchPrice(radix=20, price=3750.0, card_ports=5, card_price=80.0)
    assert found.cable == 0.0


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"nodes": 16, "switch": "4"}, "each leaf has 2 uplinks, 1 to each spine of its pod"),
        ({"nodes": 8, "switch": "4"}, "each leaf has 2 uplinks, 1 to each spine"),
    ],
)
def test_the_spines_of_a_leaf_are_those_of_its_pod(asked: dict[str, Any], words: str) -> None:
    assert build_fabric(FabricAsked(**asked)).spread == words
