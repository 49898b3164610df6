"""Rail-optimised fabrics: a leaf has one adapter of many nodes, and rails share spines."""

import re
from fractions import Fraction
from math import ceil

import pytest

from support.halves import least_of_all_sets
from weft.errors import WeftError
from weft.fabric.halves import bisection_cables
from weft.fabric.network import cables_of, ports_used
from weft.fabric.picture import picture_of
from weft.fabric.routes import routes_of
from weft.fabric.topologies import FabricAsked, build, build_fabric
from weft.sim.predicted import Variant, read_topology


def asked(nodes: int, switch: str, rails: int, blocking: str = "1:1") -> FabricAsked:
    return FabricAsked(
        nodes=nodes, switch=switch, rails=rails, blocking=blocking, topology="rail-optimised"
    )


@pytest.mark.parametrize(
    ("nodes", "switch", "rails", "leaves", "spines"),
    [
        # 32 nodes at each leaf of 64 ports; a spine has a cable or more to each leaf.
        (32, "64", 8, 8, 4),
        (64, "64", 8, 16, 8),
        (256, "64", 8, 64, 32),
        (128, "64", 4, 16, 8),
        (16, "64,128", 8, 8, 1),
        (64, "32", 2, 8, 4),
    ],
)
def test_rails_share_spines_by_closed_forms(
    nodes: int, switch: str, rails: int, leaves: int, spines: int
) -> None:
    built = build(asked(nodes, switch, rails))
    counts = {part.role: part.count for part in built.parts}
    ports = nodes * rails
    assert counts == {
        "adapter": ports, "leaf": leaves, "spine": spines, "node cable": ports,
        "uplink cable": ports,
    }  # fmt: skip
    left = {part.role: part.ports_left_over for part in built.parts}
    radixes = [int(one) for one in switch.split(",")]
    assert left["leaf"] == leaves * radixes[0] - 2 * ports
    assert left["spine"] == spines * radixes[-1] - ports
    # Half of the nodes send over all of their rails.
    assert built.bisection_cables == ports // 2
    # On one rail a node meets the others of its leaf there, and the others over a spine.
    each = nodes * rails // leaves
    assert built.diameter_hops == (1 if each == nodes else 3)
    assert built.mean_hops == pytest.approx((each - 1 + 3 * (nodes - each)) / (nodes - 1))


def test_a_taper_halves_uplinks_spines_and_bisection() -> None:
    """Leaves of 48 ports have 32 nodes and 16 uplinks."""
    built = build(asked(128, "48", 8, "2:1"))
    counts = {part.role: part.count for part in built.parts}
    assert (counts["leaf"], counts["uplink cable"], counts["spine"]) == (32, 512, 16)
    assert built.bisection_cables == 8 * 4 * 16 // 2
    # Nodes of one leaf need no uplinks.
    assert build(asked(32, "48", 8, "2:1")).bisection_cables == 8 * 16


@pytest.mark.parametrize("nodes", [5, 8, 12, 13, 20, 24])
@pytest.mark.parametrize("blocking", ["1:1", "2:1"])
def test_no_half_of_the_nodes_has_less(nodes: int, blocking: str) -> None:
    """Of one rail; each rail has its own leaves and its own ports at the spines.

    As of other trees, traffic inside the leaf in which the halves meet does not count.
    """
    fabric = build_fabric(asked(nodes, "8,24", 2, blocking))
    least = least_of_all_sets(fabric)
    if sum(switch.nodes > 0 for switch in fabric.switches) > 1:
        least = min(least, ceil(sum(trunk.cables for trunk in fabric.trunks) / 2))
    assert bisection_cables(fabric) == least
    assert build(asked(nodes, "8,24", 2, blocking)).bisection_cables == 2 * least


@pytest.mark.parametrize("nodes", range(2, 129))
def test_each_spine_has_ports_for_all_rails(nodes: int) -> None:
    rails, radix = 4, 32
    for blocking in ("1:1", "3:1"):
        fabric = build_fabric(asked(nodes, str(radix), rails, blocking))
        used = ports_used(fabric)
        for switch, ports in zip(fabric.switches, used, strict=True):
            assert ports * (rails if switch.role == "spine" else 1) <= radix
            if switch.role == "leaf":
                assert (ports - switch.nodes) * Fraction(blocking.replace(":", "/")) >= switch.nodes
        assert len(list(cables_of(fabric))) == nodes + sum(one.cables for one in fabric.trunks)


def test_too_many_nodes_are_refused_with_the_most() -> None:
    """Eight leaves a rail at spines of 64 ports, 32 nodes each."""
    with pytest.raises(WeftError, match="at most 256 nodes, not 257") as caught:
        build_fabric(asked(257, "64", 8))
    [most] = re.findall(r"--nodes (\d+)", caught.value.fix)
    assert build_fabric(asked(int(most), "64", 8)).nodes == 256


@pytest.mark.parametrize(
    ("option", "told"),
    [({"levels": 3}, "--levels"), ({"spread": "any"}, "--spread"), ({"bisection": "50%"}, "--bis")],
)
def test_other_options_of_trees_are_refused(option: dict[str, object], told: str) -> None:
    whole = {"nodes": 64, "switch": "64", "topology": "rail-optimised", "rails": 8, **option}
    with pytest.raises(WeftError, match=told):
        build_fabric(FabricAsked(**whole))  # type: ignore[arg-type]


def test_a_prediction_takes_one_rail_as_a_fat_tree() -> None:
    words = read_topology("rail-optimised 64 2:1", FabricAsked(nodes=64, rails=8))
    assert (words.topology, words.switch, words.blocking) == ("rail-optimised", "64", "2:1")
    fabric = build_fabric(asked(64, "64", 8))
    for routing in ("ideal", "d-mod-k"):
        assert routes_of(fabric, routing).most_switches == 3
    assert routes_of(build_fabric(asked(32, "64", 8))).most_switches == 1
    assert Variant(fabric=asked(64, "64", 8)).label == "rail-optimised 1:1 8 rails"
    assert picture_of(fabric).notes[-1] == "one of 8 equal planes; all have the same spines"
