"""Cores that buy their ports by line cards: more of them with fewer cables each may be cheaper.

The search here is written apart from the code: every tree of three levels is tried, and of each
kind of switch the price is that of a chassis and of the cards that its cables need.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from weft.fabric.fat_tree import TreeAsked, build_fat_tree
from weft.fabric.network import ports_used
from weft.fabric.tree_search import SwitchPrice, TreePrices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.fabric.network import Fabric


def with_cards(switch: SwitchPrice, ports: int) -> float:
    """What a switch of this kind costs with so many cables."""
    cards = ceil(ports / switch.card_ports) if switch.card_ports else 0
    return switch.price + cards * switch.card_price


def price_of(fabric: Fabric, prices: TreePrices) -> float:
    """Of all its switches and of the cables between them."""
    kinds = {"leaf": prices.leaf, "spine": prices.spine, "core": prices.core}
    of_switches = sum(
        with_cards(kinds[switch.role], ports)
        for switch, ports in zip(fabric.switches, ports_used(fabric), strict=True)
    )
    return of_switches + prices.cable * sum(trunk.cables for trunk in fabric.trunks)


def shared(number: int, among: int) -> list[int]:
    return [number // among + (at < number % among) for at in range(among)]


def divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def every_price(nodes: int, prices: TreePrices) -> Iterator[float]:
    """Of all trees of three levels without a taper whose cables find ports."""
    leaf, spine, core = prices.leaf, prices.spine, prices.core
    for leaves, up in product(range(2, nodes + 1), range(1, leaf.radix)):
        own = shared(nodes, leaves)
        if own[0] + up > leaf.radix or own[0] > up:
            continue
        below = sum(with_cards(leaf, one + up) for one in own) + leaves * up * prices.cable
        for spines, pods in product(divisors(up), range(2, leaves + 1)):
            down = [of_pod * (up // spines) for of_pod in shared(leaves, pods)]
            for above in range(down[0], spine.radix - down[0] + 1):
                middle = sum(spines * with_cards(spine, one + above) for one in down)
                middle += pods * spines * above * prices.cable
                for places, each in product(divisors(spines), divisors(above)):
                    ports = pods * places * each
                    if ports <= core.radix:
                        cores = (spines // places) * (above // each)
                        yield below + middle + cores * with_cards(core, ports)


def drawn(seed: int) -> tuple[int, TreePrices]:
    """A number of nodes, and switches of which some have cards that cost more than the chassis."""
    draw = np.random.default_rng(seed)

    def one(least: int, most: int, modular: float) -> SwitchPrice:
        is_modular = draw.random() < modular
        return SwitchPrice(
            radix=int(draw.integers(least, most + 1)),
            price=float(draw.choice((0, 2, 9))),
            card_ports=int(draw.integers(3, 6)) if is_modular else 0,
            card_price=float(draw.integers(5, 41)) if is_modular else 0.0,
        )

    prices = TreePrices(
        leaf=one(4, 7, 0.3),
        spine=one(5, 8, 0.3),
        core=one(6, 12, 1.0),
        cable=float(draw.choice((0, 1, 3))),
    )
    return int(draw.integers(8, 21)), prices


def tree(nodes: int, prices: TreePrices) -> Fabric:
    return build_fat_tree(
        TreeAsked(
            nodes=nodes,
            radixes=(prices.leaf.radix, prices.spine.radix, prices.core.radix),
            blocking=(Fraction(1), Fraction(1)),
            prices=prices,
            levels=3,
        )
    )


def test_three_cores_with_a_card_each_are_cheaper_than_two_with_two() -> None:
    """Two pods of two spines, each with three cables to cores: twelve cables.

    Two cores would take six each on two cards; three take four, on one.
    """
    prices = TreePrices(
        leaf=SwitchPrice(radix=5, price=35.0, card_ports=3, card_price=2.0),
        spine=SwitchPrice(radix=6, price=0.0, card_ports=3, card_price=18.0),
        core=SwitchPrice(radix=7, price=2.0, card_ports=4, card_price=39.0),
        cable=3.0,
    )
    fabric = tree(9, prices)
    assert sum(switch.role == "core" for switch in fabric.switches) == 3
    # One of the leaves has one node, and so one card.
    leaves, spines, cables = 4 * (35 + 2 * 2) + 35 + 2, 4 * 2 * 18, 3 * (10 + 12)
    assert price_of(fabric, prices) == leaves + spines + cables + 3 * (2 + 39)
    assert price_of(fabric, prices) == min(every_price(9, prices))


@pytest.mark.parametrize("hundred", range(4))
def test_no_tree_with_modular_cores_is_cheaper(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        nodes, prices = drawn(seed)
        found = price_of(tree(nodes, prices), prices)
        assert found == pytest.approx(min(every_price(nodes, prices))), seed
