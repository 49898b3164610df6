"""A figure with its interval: its half width, whether it has ends, and functions of it."""

import math

import pytest

from weft.estimate import Estimate

INF = math.inf


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, coverage=0.95, method="m", launches=7)


@pytest.mark.parametrize(
    ("low", "high", "is_bounded"),
    [(1, 4, True), (-INF, 4, False), (1, INF, False), (-INF, INF, False), (2, 2, True)],
)
def test_an_interval_is_bounded_by_two_ends(low: float, high: float, is_bounded: bool) -> None:
    assert estimate(2, low, high).is_bounded is is_bounded


@pytest.mark.parametrize(
    ("value", "low", "high", "half"),
    [(4, 3, 6, 0.375), (-4, -6, -3, 0.375), (-4, -3, 3, 0.75), (0, -1, 1, INF), (5, 5, 5, 0)],
)
def test_half_a_width_is_of_the_values_size(
    value: float, low: float, high: float, half: float
) -> None:
    assert estimate(value, low, high).relative_half_width == half


def test_a_function_of_a_figure_has_its_ends_in_order() -> None:
    turned = estimate(4, 2, 8).mapped(lambda time: 16 / time)
    assert (turned.value, turned.low, turned.high) == (4, 2, 8)
    turned = estimate(4, 2, 5).mapped(lambda time: -time)
    assert (turned.value, turned.low, turned.high) == (-4, -5, -2)
    raised = estimate(4, 2, 5).mapped(lambda time: 3 * time)
    assert (raised.value, raised.low, raised.high) == (12, 6, 15)
    kept = (raised.coverage, raised.method, raised.launches, raised.unit)
    assert kept == (0.95, "m", 7, "launch")


def test_where_no_end_is_known_none_is_afterwards_and_one_goes_its_way() -> None:
    unknown = estimate(4, -INF, INF).mapped(lambda time: 16 / time)
    assert (unknown.value, unknown.low, unknown.high) == (4, -INF, INF)
    half = estimate(4, 2, INF).mapped(lambda time: 16 / time)
    assert (half.value, half.low, half.high) == (4, 0, 8)
    half = estimate(4, -INF, 8).mapped(lambda time: 2 * time)
    assert (half.value, half.low, half.high) == (8, -INF, 16)
