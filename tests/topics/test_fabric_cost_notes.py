"""The sentences under a fabric's parts: every figure in them is another one, and in its place."""

import msgspec
import pytest

from weft.fabric.cost import FabricCost
from weft.fabric.topologies import FabricAsked, build
from weft.topics.fabric_cost import cost_notes, fabric_notes

COST = FabricCost(
    name="list", currency="EUR", date="2026-03", ports=37, lines=(), list_total=8000.0,
    total=6200.0, per_port=167.57, years=5.0, replaced=1234.0, power_w=45_678.0,
    energy_kwh=2_001_000.0, energy=400_200.0, over_years=407_634.0,
    without_power=("cable", "adapter"),
)  # fmt: skip


def test_every_amount_stands_in_its_sentence() -> None:
    assert cost_notes(COST) == (
        "prices: list, 2026-03, in EUR; list price 8,000, 22.5 % off",
        "replacing parts that live shorter than 5 years: 1,234",
        "energy: 45.7 kW, 2,001,000 kWh in 5 years, which costs 400,200",
        "without the power of cable, adapter, which is not known",
        "5 years cost 407,634, 11,017 per port",
    )


@pytest.mark.parametrize(
    ("changes", "at", "line"),
    [
        ({"total": 8000.0}, 0, "prices: list, 2026-03, in EUR"),
        ({"total": 7999.0}, 0, "prices: list, 2026-03, in EUR; list price 8,000, 0.0 % off"),
        ({"replaced": 0.0}, 1, "energy: 45.7 kW, 2,001,000 kWh in 5 years, which costs 400,200"),
        ({"energy": None}, 2, "energy: 45.7 kW, 2,001,000 kWh in 5 years"),
        ({"power_w": 0.0}, 2, "5 years cost 407,634, 11,017 per port"),
        ({"without_power": ()}, 3, "5 years cost 407,634, 11,017 per port"),
        ({"over_years": None}, -1, "without the power of cable, adapter, which is not known"),
    ],
)
def test_a_sentence_is_there_where_its_figure_is(
    changes: dict[str, object], at: int, line: str
) -> None:
    assert cost_notes(msgspec.structs.replace(COST, **changes))[at] == line


def test_what_a_fabric_can_do() -> None:
    built = build(FabricAsked(nodes=54, switch="36", topology="fat-tree"))
    unlike = msgspec.structs.replace(built, bisection_cables=1027, mean_hops=2.345, diameter_hops=3)
    assert fabric_notes(unlike)[:2] == (
        "bisection: 1,027 cables of the 27 that half of the nodes have",
        "hops: switches between two nodes: 2.35 in the mean, at most 3 (diameter)",
    )
    known = msgspec.structs.replace(unlike, link="HDR", bisection_bytes_per_s=675e9)
    assert fabric_notes(known)[0].endswith(
        " half of the nodes have, one way 675 GB/s at the peak of HDR"
    )
