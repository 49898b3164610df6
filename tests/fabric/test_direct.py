"""HyperX and Slim Fly: switches, cables, diameter and bisection by closed forms."""

from math import prod

import pytest

from support.halves import least_of_all_sets
from weft.errors import WeftError
from weft.fabric.direct import PRIMES, DirectAsked, build_hyperx, build_slim_fly
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric, hops_of, ports_used


def cables(fabric: Fabric) -> int:
    return sum(trunk.cables for trunk in fabric.trunks)


@pytest.mark.parametrize("q", [one for one in PRIMES if one < 20])
def test_a_slim_fly_has_2_q_q_switches_within_two_cables(q: int) -> None:
    """q is 4 w + 1 or 4 w - 1: each switch has (3 q - 1) / 2 or (3 q + 1) / 2 cables."""
    degree = (3 * q - (1 if q % 4 == 1 else -1)) // 2
    fabric = build_slim_fly(DirectAsked(nodes=2 * q * q, radix=degree + 1, per_switch=1))
    assert len(fabric.switches) == 2 * q * q
    assert set(ports_used(fabric)) == {degree + 1}
    assert cables(fabric) == q * q * degree
    every = tuple((at, 1) for at in range(0, 2 * q * q, max(1, q * q // 20)))
    assert hops_of(fabric, every).diameter == 3
    # All but the neighbours and the switch itself are two cables away.
    others = 2 * q * q - 1
    assert hops_of(fabric).mean == pytest.approx((2 * degree + 3 * (others - degree)) / others)


def test_the_slim_fly_of_50_switches_is_that_of_hoffman_and_singleton() -> None:
    """7 cables each, no triangles and no squares: two switches have at most one in common."""
    fabric = build_slim_fly(DirectAsked(nodes=200, radix=11))
    assert len(fabric.switches) == 50
    beside: dict[int, set[int]] = {at: set() for at in range(50)}
    for trunk in fabric.trunks:
        beside[trunk.one].add(trunk.other)
        beside[trunk.other].add(trunk.one)
    for one in range(50):
        for other in range(one):
            assert len(beside[one] & beside[other]) == (other not in beside[one])


@pytest.mark.parametrize(("nodes", "q"), [(90, 5), (201, 7), (900, 11)])
def test_the_smallest_slim_fly_with_half_as_many_nodes_as_cables(nodes: int, q: int) -> None:
    assert len(build_slim_fly(DirectAsked(nodes=nodes, radix=36)).switches) == 2 * q * q


@pytest.mark.parametrize("each", [1, 3])
def test_no_half_of_a_small_slim_fly_has_less(each: int) -> None:
    fabric = build_slim_fly(DirectAsked(nodes=18 * each, radix=9, per_switch=each))
    assert bisection_cables(fabric) == least_of_all_sets(fabric)


@pytest.mark.parametrize("shape", [(4, 4), (8, 8), (4, 4, 4), (6, 4), (2, 2, 2, 2)])
@pytest.mark.parametrize("each", [2, 5])
def test_a_hyperx_by_closed_forms(shape: tuple[int, ...], each: int) -> None:
    switches, further = prod(shape), sum(side - 1 for side in shape)
    fabric = build_hyperx(DirectAsked(nodes=each * switches, radix=each + 2 * further, shape=shape))
    assert len(fabric.switches) == switches
    assert cables(fabric) == switches * further
    assert hops_of(fabric).diameter == 1 + len(shape)
    # Halved across one side: (side / 2)^2 pairs in each of its rows, two cables each.
    halves = [2 * (side // 2) ** 2 * (switches // side) for side in shape]
    assert bisection_cables(fabric) == min(*halves, each * switches // 2)


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 3, 2), (4, 4), (7, 2)])
@pytest.mark.parametrize("more", [0, 5])
def test_no_half_of_a_small_hyperx_has_less(shape: tuple[int, ...], more: int) -> None:
    fabric = build_hyperx(DirectAsked(nodes=4 * prod(shape) + more, radix=14, shape=shape))
    assert bisection_cables(fabric) == least_of_all_sets(fabric)


def test_a_square_hyperx_nobody_chose_has_its_full_bisection() -> None:
    for nodes in (64, 200, 512, 1000):
        fabric = build_hyperx(DirectAsked(nodes=nodes, radix=48))
        side = round(len(fabric.switches) ** 0.5)
        if side % 2 == 0:
            assert bisection_cables(fabric) == nodes // 2


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (DirectAsked(nodes=10_000, radix=12), "no Slim Fly of 12 ports has 10,000 nodes"),
        (DirectAsked(nodes=10, radix=12), "leave some switch"),
    ],
)
def test_a_slim_fly_that_cannot_be_built_is_refused(asked: DirectAsked, told: str) -> None:
    with pytest.raises(WeftError, match=told):
        build_slim_fly(asked)


def test_a_hyperx_without_ports_is_refused() -> None:
    with pytest.raises(WeftError, match="needs 16 ports and has 12"):
        build_hyperx(DirectAsked(nodes=128, radix=12, shape=(8, 8, 2)))
