"""The parts of a fabric of several rails: all of one plane, as many times."""

import pytest

from weft.fabric.network import Fabric, FabricSwitch, Trunk, parts_of


@pytest.mark.parametrize("rails", [1, 2, 3])
def test_every_part_and_every_port_left_over_is_there_once_for_each_rail(rails: int) -> None:
    """Two leaves of 8 ports with 5 and 4 nodes and 2 uplinks each: 1 and 2 ports are left. The
    spine is a chassis with cards of 3 ports, of which 4 uplinks need two: 2 ports are left."""
    fabric = Fabric(
        title="a tree",
        nodes=9,
        switches=(
            FabricSwitch("leaf", 8, 5),
            FabricSwitch("leaf", 8, 4),
            FabricSwitch("spine", 12, card_ports=3),
        ),
        trunks=(Trunk(0, 2, 2, "uplink"), Trunk(1, 2, 2, "uplink")),
        views=((0, 1), (1, 1)),
        rails=rails,
    )
    found = [(one.part, one.role, one.count, one.ports_left_over) for one in parts_of(fabric)]
    assert found == [
        ("adapter", "adapter", rails * 9, 0),
        ("switch 8", "leaf", rails * 2, rails * 3),
        ("switch 12", "spine", rails, rails * 2),
        ("line card 12", "line card", rails * 2, 0),
        ("node cable", "node cable", rails * 9, 0),
        ("uplink cable", "uplink cable", rails * 4, 0),
    ]
