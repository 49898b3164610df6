"""Quantiles and medians are those of numpy, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.quantiles import median, quantiles

VALUES = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60)
SHARES = st.lists(st.floats(0, 1), max_size=5)


@given(VALUES, SHARES)
def test_they_are_numpys_whatever_the_values_and_their_order(
    values: list[float], shares: list[float]
) -> None:
    wanted = [*shares, 0.0, 0.25, 0.5, 0.75, 0.999, 1.0]
    assert quantiles(values, wanted) == np.quantile(values, wanted).tolist()
    assert median(values) == np.median(values)


@given(st.lists(st.integers(0, 2**53), min_size=1, max_size=60))
def test_ticks_that_are_whole_numbers_have_them_too(ticks: list[int]) -> None:
    values = np.array(ticks)
    assert quantiles(values, (0.25, 0.5)) == np.quantile(values, (0.25, 0.5)).tolist()
    assert median(values) == np.median(values)


@pytest.mark.parametrize(
    ("values", "shares", "found"),
    [
        ([3.0, 1.0, 2.0], (0.0, 0.5, 1.0), [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 4.0, 10.0], (0.25, 0.5, 0.75), [1.75, 3.0, 5.5]),
        ([5.0], (0.1, 0.9), [5.0, 5.0]),
    ],
)
def test_by_hand(values: list[float], shares: tuple[float, ...], found: list[float]) -> None:
    assert quantiles(values, shares) == pytest.approx(found, rel=1e-15)


def test_the_values_stay_in_their_order() -> None:
    values = np.array([3.0, 1.0, 2.0])
    quantiles(values, (0.5,))
    assert median(values) == 2.0
    assert values.tolist() == [3.0, 1.0, 2.0]
