"""Every estimator on data whose answer is known."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.stats.intervals import median_of_launches, order_statistics
from weft.analysis.stats.percentiles import percentiles
from weft.analysis.stats.shape import drift, two_modes

TRIALS = 1000
# Four standard errors of a coverage of 95 % in 1,000 trials, and the project's own bounds.
LOWEST, HIGHEST = 0.93, 0.97


def launch_medians(random: np.random.Generator, launches: int) -> list[float]:
    """Log-normal launches of true median 100, each seen through 200 skewed samples."""
    levels = 100 * np.exp(random.normal(0, 0.05, launches))
    samples = levels[:, None] * (1 + random.gamma(0.5, 0.02, (launches, 200)))
    return list(np.median(samples, axis=1))


@cache
def true_median() -> float:
    random = np.random.default_rng(99)
    return float(np.median([launch_medians(random, 1)[0] for _ in range(20_000)]))


def coverage(launches: int) -> float:
    random = np.random.default_rng(launches)
    hits = 0
    for _ in range(TRIALS):
        estimate = median_of_launches(launch_medians(random, launches))
        hits += estimate.low <= true_median() <= estimate.high
    return hits / TRIALS


@pytest.mark.parametrize("launches", [2, 3, 4, 5])
def test_few_launches_cover_the_truth_as_often_as_said(launches: int) -> None:
    assert LOWEST <= coverage(launches) <= HIGHEST


@pytest.mark.parametrize("launches", [6, 9, 20, 40])
def test_many_launches_cover_at_least_as_often_as_said(launches: int) -> None:
    assert coverage(launches) >= LOWEST


def test_pooling_the_samples_of_launches_would_lie() -> None:
    """The planted fault: an interval over all samples together covers far less than it says."""
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        levels = 100 * np.exp(random.normal(0, 0.05, 5))
        pooled = (levels[:, None] * (1 + random.gamma(0.5, 0.02, (5, 200)))).ravel()
        low, high, _ = order_statistics(pooled.size) or (0, 0, 0.0)
        ordered = np.sort(pooled)
        hits += ordered[low] <= true_median() <= ordered[high]
    assert hits / 200 < 0.8


def test_order_statistics_are_the_binomial_ones() -> None:
    assert order_statistics(5) is None
    assert order_statistics(6) == (0, 5, 1 - 2 / 64)
    assert order_statistics(9) == (1, 7, 1 - 2 * 10 / 512)
    low, high, _ = order_statistics(1000) or (0, 0, 0.0)
    assert (low, high) == pytest.approx((468, 531), abs=1)


@given(st.lists(st.floats(1, 1e9), min_size=1, max_size=30), st.integers(-10, 10))
def test_estimates_scale_with_their_unit_and_hold_their_median(
    values: list[float], power: int
) -> None:
    factor = 2.0**power
    estimate = median_of_launches(values)
    assert estimate.low <= estimate.value <= estimate.high
    scaled = median_of_launches([value * factor for value in values])
    assert scaled.low == pytest.approx(estimate.low * factor)
    assert scaled.high == pytest.approx(estimate.high * factor)
    turned = estimate.mapped(lambda value: 1 / value)
    assert turned.low <= turned.value <= turned.high


@pytest.mark.parametrize("values", [[], [0.0, 1.0], [-1.0]])
def test_what_is_no_time_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        median_of_launches(values)


def test_percentiles_are_left_out_where_too_few_samples_lie_beyond() -> None:
    assert set(percentiles(np.arange(20.0))) == set()
    assert set(percentiles(np.arange(100.0))) == {"25", "75", "90"}
    assert "99.9" not in percentiles(np.arange(9_999.0))
    assert percentiles(np.arange(10_001.0))["99.9"] == pytest.approx(9990)


def skewed(random: np.random.Generator, kind: int, size: int) -> np.ndarray:
    """One-moded noise of the kinds that networks show."""
    if kind == 0:
        return 100 * np.exp(random.normal(0, 0.2, size))
    if kind == 1:
        return 100 + random.exponential(20, size)
    if kind == 2:
        return 100 + random.gamma(2, 10, size)
    return 100 + np.abs(random.standard_t(2, size)) * 3


def test_one_skewed_mode_is_not_called_two() -> None:
    random = np.random.default_rng(3)
    sets = [skewed(random, trial % 4, 200 + trial * 4) for trial in range(500)]
    flagged = sum(two_modes(values) is not None for values in sets)
    assert flagged <= 0.02 * len(sets)


def test_two_modes_are_found_where_they_are() -> None:
    random = np.random.default_rng(4)
    found = 0
    trials = 200
    for trial in range(trials):
        share = 0.2 + 0.3 * trial / trials
        low = 100 * np.exp(random.normal(0, 0.02, int(1000 * share)))
        high = 125 * np.exp(random.normal(0, 0.02, int(1000 * (1 - share))))
        modes = two_modes(random.permutation(np.concatenate([low, high])))
        if modes is not None:
            found += 1
            assert modes[0] == pytest.approx(100, rel=0.03)
            assert modes[1] == pytest.approx(125, rel=0.03)
            assert modes[2] == pytest.approx(share, abs=0.03)
    assert found >= 0.95 * trials


def test_a_drift_is_found_and_noise_is_not() -> None:
    random = np.random.default_rng(6)
    still = [100 + random.exponential(10, 500) for _ in range(300)]
    assert sum(drift(values) is not None for values in still) <= 3
    rising = np.linspace(100, 110, 500) + random.exponential(2, 500)
    change = drift(rising)
    assert change is not None
    assert change == pytest.approx(math.log(1.1), abs=0.02)
