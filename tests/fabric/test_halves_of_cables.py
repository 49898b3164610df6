"""Half of the cables between two levels of a tree, by hand."""

import msgspec
import pytest

from weft.fabric.halves import _halves_of_levels
from weft.fabric.network import FabricSwitch, Trunk
from weft.fabric.topologies import FabricAsked, build_fabric


@pytest.mark.parametrize(("uplinks", "half"), [((1, 1, 1), 2), ((3, 1, 1), 3), ((2, 2, 2), 3)])
def test_half_of_an_odd_number_of_cables_is_the_larger_half(
    uplinks: tuple[int, ...], half: int
) -> None:
    """Three leaves below one spine; 24 nodes, of which no cut through a leaf is less."""
    leaves = [FabricSwitch("leaf", 16, 8) for _ in uplinks]
    trunks = [Trunk(at, len(leaves), count, "uplink") for at, count in enumerate(uplinks)]
    fabric = msgspec.structs.replace(
        build_fabric(FabricAsked(nodes=32, switch="8")),
        nodes=24, switches=(*leaves, FabricSwitch("spine", 16)), trunks=tuple(trunks),
    )  # fmt: skip
    assert _halves_of_levels(fabric) == [half]
