"""The other value of each option of an application is another one, and one that can be run."""

import pytest

from weft.applications.effects import OTHER_VALUES


@pytest.mark.parametrize("option", ["mass", "u0"])
@pytest.mark.parametrize("value", [0.01, 0.5, 1.0, 2.0, 40.0])
def test_another_positive_number_is_positive(option: str, value: float) -> None:
    other = OTHER_VALUES[option].change(value)
    assert other > 0
    assert other != value


@pytest.mark.parametrize("option", ["depth", "compute", "sums", "threads", "extents", "lattice"])
def test_another_amount_is_no_smaller(option: str) -> None:
    amount = "4,4,4,4" if option in ("extents", "lattice") else 3
    other = OTHER_VALUES[option].change(amount)
    assert other != amount
    assert len(other) > len(amount) if isinstance(amount, str) else other > amount
