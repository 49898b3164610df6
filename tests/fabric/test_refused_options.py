"""Options that a fabric does not have are refused by their names; the least of others counts."""

from typing import Any

import pytest

from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked, build_fabric


@pytest.mark.parametrize("topology", ["torus", "dragonfly"])
@pytest.mark.parametrize(
    ("name", "value"),
    [("blocking", "2:1"), ("bisection", "50%"), ("levels", 2), ("spread", "any")],
)
def test_what_only_a_fat_tree_has_is_refused_by_its_option(
    topology: str, name: str, value: Any
) -> None:
    asked = FabricAsked(nodes=16, switch="8", topology=topology, **{name: value})
    with pytest.raises(WeftError) as refused:
        build_fabric(asked)
    assert str(refused.value) == f"--{name} is for a fat tree; omit --{name}"


@pytest.mark.parametrize("topology", ["fat-tree", "dragonfly"])
@pytest.mark.parametrize(
    ("name", "value", "option"), [("shape", "4x4", "--shape"), ("per_switch", 2, "--per-switch")]
)
def test_what_only_a_torus_has_is_refused_by_its_option(
    topology: str, name: str, value: Any, option: str
) -> None:
    asked = FabricAsked(nodes=16, switch="8", topology=topology, **{name: value})
    with pytest.raises(WeftError) as refused:
        build_fabric(asked)
    assert str(refused.value) == f"{option} {value} is for a torus; use --topology torus"


def test_the_smallest_bisection_that_can_be_typed_is_one_cable() -> None:
    """No cable at all would be one that nobody stated, which is all that nodes can send."""
    few, usual = (
        sum(trunk.cables for trunk in build_fabric(asked).trunks)
        for asked in (
            FabricAsked(nodes=16, switch="6", bisection="1B/s", link="Ethernet 10G"),
            FabricAsked(nodes=16, switch="6"),
        )
    )
    assert few < usual
