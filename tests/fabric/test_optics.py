"""Transceivers as parts: two for each cable of a kind for which the price list has some."""

from pathlib import Path

import pytest

from support.price_lists import price_list
from weft.fabric.cost import cost_of
from weft.fabric.topologies import FabricAsked, build
from weft.sources.price_lists import read_prices

OPTICS = '\n[[part]]\npart = "uplink transceiver"\nlist_price = 100\npower_w = 8\n'


def test_each_uplink_cable_has_two_transceivers(tmp_path: Path) -> None:
    plain = read_prices(price_list(tmp_path / "plain.toml"))
    path = price_list(tmp_path / "optics.toml")
    path.write_text(path.read_text(encoding="utf-8") + OPTICS, encoding="utf-8")
    optics = read_prices(path)
    asked = FabricAsked(nodes=48, switch="24", blocking="2:1")
    before, after = build(asked, plain), build(asked, optics)
    counts = {part.part: part.count for part in after.parts}
    assert counts["uplink transceiver"] == 2 * counts["uplink cable"] == 48
    assert "node transceiver" not in counts
    assert all(not part.part.endswith("transceiver") for part in before.parts)
    costs = [
        cost_of(built.parts, built.ports, prices)
        for built, prices in ((before, plain), (after, optics))
    ]
    assert costs[1].total - costs[0].total == pytest.approx(48 * 100)
    assert costs[1].power_w == 48 * 8


def test_dear_optics_move_the_search_to_fewer_cables(tmp_path: Path) -> None:
    """One switch of 288 ports has no uplinks at all."""
    path = price_list(tmp_path / "p.toml")
    asked = FabricAsked(nodes=96, switch="24,24,288")
    cheap = build(asked, read_prices(path))
    path.write_text(
        path.read_text(encoding="utf-8") + OPTICS.replace("= 100", "= 100000"), encoding="utf-8"
    )
    dear = build(asked, read_prices(path))
    assert len(cheap.fabric.trunks) > 0
    assert dear.fabric.trunks == ()
