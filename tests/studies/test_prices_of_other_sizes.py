"""The curve of prices passes through the fabric's own price, whatever its ports are."""

from pathlib import Path

import pytest

from support.price_lists import price_list
from weft.fabric.topologies import FabricAsked
from weft.sources.fabrics import options_of
from weft.sources.price_lists import read_prices
from weft.studies.pricing import curve_of


@pytest.mark.parametrize("rails", [1, 2])
def test_its_own_size_has_its_own_price(tmp_path: Path, rails: int) -> None:
    prices = price_list(tmp_path / "p.toml")
    [option] = options_of([prices], FabricAsked(nodes=48, switch="24", rails=rails))
    _, points = curve_of(option, read_prices(prices))
    assert dict(points)[48 * rails] == pytest.approx(option.cost.per_port)
    assert [ports % rails for ports, _ in points] == [0] * len(points)
