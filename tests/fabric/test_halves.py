"""The bisection of fabrics without spines, against every set of switches and closed forms."""

import numpy as np
import pytest

from support.halves import least_of_all_sets
from weft.fabric.dragonfly import DragonflyAsked, build_dragonfly
from weft.fabric.halves import bisection_cables
from weft.fabric.network import Fabric
from weft.fabric.topologies import FabricAsked, build, build_fabric


def dragonfly(groups: int, radix: int) -> Fabric:
    each = (radix + 1) // 4
    return build_dragonfly(DragonflyAsked(nodes=groups * 2 * each * each, radix=radix))


@pytest.mark.parametrize(
    ("groups", "radix", "cables"),
    # Of 3 groups of 7 ports, 24 nodes, the order of the nodes has 12.
    [(2, 7, 8), (3, 7, 8), (4, 7, 8), (5, 7, 12), (2, 11, 18), (3, 11, 18), (3, 3, 2)],
)
def test_no_half_of_a_small_dragonfly_has_less(groups: int, radix: int, cables: int) -> None:
    fabric = dragonfly(groups, radix)
    assert bisection_cables(fabric) == least_of_all_sets(fabric) == cables


@pytest.mark.parametrize("shape", ["3x3", "5x3", "3x3x2", "6x3", "7x2", "13", "4x4"])
@pytest.mark.parametrize("more", [0, 1, 5])
def test_no_half_of_a_small_torus_has_less(shape: str, more: int) -> None:
    nodes = more + 2 * int(np.prod([int(side) for side in shape.split("x")]))
    fabric = build_fabric(FabricAsked(nodes=nodes, switch="9", topology="torus", shape=shape))
    assert bisection_cables(fabric) == least_of_all_sets(fabric)


@pytest.mark.parametrize(
    ("groups", "radix"),
    [(3, 23), (3, 63), (5, 23), (5, 63), (7, 23), (9, 7), (9, 23), (9, 63), (25, 23), (73, 23)],
)
def test_an_odd_number_of_groups_is_halved_through_the_middle_of_one(
    groups: int, radix: int
) -> None:
    """Half of the group's switches go with the groups that their global cables lead to.

    Cut are the global cables between the sides and the local ones between the group's halves. The
    closed form is of groups whose global ports are all cabled.
    """
    each = (radix + 1) // 4
    between, rest = divmod(2 * each * each, groups - 1)
    assert rest == 0
    found = bisection_cables(dragonfly(groups, radix))
    assert found == (groups // 2) ** 2 * between + each * each


@pytest.mark.parametrize(("groups", "radix"), [(4, 63), (6, 23), (8, 23), (10, 23), (72, 23)])
def test_an_even_number_of_groups_is_halved_between_groups(groups: int, radix: int) -> None:
    between = 2 * ((radix + 1) // 4) ** 2 // (groups - 1)
    assert bisection_cables(dragonfly(groups, radix)) == (groups // 2) ** 2 * between


def test_the_price_of_bandwidth_rests_on_the_least_half() -> None:
    asked = FabricAsked(nodes=1536, switch="63", topology="dragonfly", link="IB 4x NDR")
    built = build(asked)
    assert built.bisection_cables == 512
    assert built.bisection_bytes_per_s == pytest.approx(512 * 50e9)
