"""Flags: seldom on one skewed mode, nearly always on two clear ones."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from weft.analysis.stats.shape import (
    BLOCKS,
    KENDALL_SUM,
    _block_medians,
    drift,
    drift_in_words,
    launches_apart,
    spread_percent,
    two_modes,
)

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

ONE_MODE: dict[str, Draw] = {
    "normal": lambda r, n: 1000 * (1 + 0.02 * r.standard_normal(n)),
    "lognormal": lambda r, n: 1000 * np.exp(r.uniform(0.01, 0.6) * r.standard_normal(n)),
    "gamma": lambda r, n: 1000 + r.uniform(10, 1000) * r.gamma(r.uniform(0.7, 5), 1, n),
    "exponential": lambda r, n: 1000 + r.exponential(r.uniform(10, 2000), n),
    "coarse clock": lambda r, n: np.round((1000 + 30 * r.gamma(2, 1, n)) / 25) * 25,
    "rare pauses": lambda r, n: np.where(
        r.random(n) < 0.03,
        5000 * np.exp(r.standard_normal(n)),
        1000 * (1 + 0.01 * r.normal(size=n)),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("count", [100, 201, 2000])
@pytest.mark.parametrize("name", ONE_MODE)
def test_one_mode_is_seldom_taken_for_two(name: str, count: int) -> None:
    generator = np.random.default_rng(7)
    sets = [ONE_MODE[name](generator, count) for _ in range(500)]
    assert sum(two_modes(values) is not None for values in sets) < 0.02 * len(sets)


@pytest.mark.thorough
@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("share", [0.2, 0.35, 0.5, 0.65, 0.8])
@pytest.mark.parametrize(("apart", "noise"), [(0.2, 0.01), (0.2, 0.03), (0.6, 0.05), (3.0, 0.05)])
def test_two_clear_modes_are_found_where_they_are(
    count: int, share: float, apart: float, noise: float
) -> None:
    generator = np.random.default_rng(7)
    found = 0
    for _ in range(100):
        upper = generator.random(count) >= share
        centre = 1000 * np.where(upper, 1 + apart, 1)
        modes = two_modes(centre * np.exp(noise * generator.standard_normal(count)))
        found += bool(
            modes is not None
            and abs(modes[0] / 1000 - 1) < 0.05
            and abs(modes[1] / 1000 / (1 + apart) - 1) < 0.05
            and abs(modes[2] - np.mean(~upper)) < 0.05
        )
    assert found > 95


def test_two_steps_of_a_coarse_clock_are_not_two_modes() -> None:
    generator = np.random.default_rng(7)
    values = np.where(generator.random(1000) < 0.5, 80.0, 120.0)
    assert two_modes(values) is not None
    assert two_modes(values, resolution=40.0) is None


def test_few_samples_or_samples_of_no_time_are_no_trouble() -> None:
    assert two_modes(np.array([1.0, 2.0] * 49)) is None
    assert two_modes(np.zeros(1000)) is None
    assert two_modes(np.full(1000, 7.0)) is None


def test_the_limit_of_kendalls_sum_is_its_one_in_a_thousand() -> None:
    """Against scipy's exact p of an order of 10 blocks that has just this sum, and the next."""
    blocks = list(range(BLOCKS))
    blocks.insert(5, blocks.pop(0))  # five pairs fall: 45 - 2 * 5
    assert scipy.stats.kendalltau(range(BLOCKS), blocks, method="exact").pvalue < 0.001
    assert KENDALL_SUM == 45 - 2 * 5
    blocks = list(range(BLOCKS))
    blocks.insert(6, blocks.pop(0))
    assert scipy.stats.kendalltau(range(BLOCKS), blocks, method="exact").pvalue > 0.001


@pytest.mark.parametrize("change", [0.04, 0.1, 0.5, -0.04, -0.3])
def test_a_drift_is_found_with_its_size(change: float) -> None:
    generator = np.random.default_rng(7)
    for _ in range(50):
        values = np.linspace(1, 1 + change, 500) * np.exp(0.01 * generator.standard_normal(500))
        # Medians of blocks lie inside the ends: 9/10 of the way, relative to the middle.
        assert drift(values) == pytest.approx(0.9 * change / (1 + change / 2), abs=0.01)


@pytest.mark.parametrize("change", [0.0, 0.01, -0.015])
def test_no_drift_and_a_small_one_are_silent(change: float) -> None:
    generator = np.random.default_rng(7)
    for _ in range(200):
        noise = generator.exponential(0.05, 500)
        assert drift(np.linspace(1, 1 + change, 500) + 0.1 * noise) is None


def test_few_samples_have_no_drift() -> None:
    assert drift(np.linspace(1, 2, 49)) is None
    assert drift(np.linspace(1, 2, 50)) is not None


@pytest.mark.parametrize("launches", [2, 5, 20])
def test_launches_that_only_their_noise_sets_apart_are_silent(launches: int) -> None:
    generator = np.random.default_rng(7)
    for _ in range(300):
        assert (
            launches_apart([100 + generator.exponential(60, 30) for _ in range(launches)]) is None
        )


def test_one_launch_of_five_that_is_apart_is_told() -> None:
    generator = np.random.default_rng(7)
    places = [1000, 1000, 1300, 1000, 1000]
    times = [place * (1 + 0.01 * generator.standard_normal(200)) for place in places]
    low, high = launches_apart(times) or (0, 0)
    assert low == pytest.approx(1000, rel=0.01)
    assert high == pytest.approx(1300, rel=0.01)


def test_launches_a_little_apart_are_silent() -> None:
    assert launches_apart([np.full(100, 1000.0), np.full(100, 1080.0)]) is None


def test_spread_is_half_the_interquartile_range_over_the_median() -> None:
    assert spread_percent([90.0, 95.0, 100.0, 105.0, 1e9]) == pytest.approx(5.0)


@pytest.mark.parametrize("count", [50, 51, 59, 60, 1999, 2000])
def test_a_drift_looks_at_ten_blocks_in_a_row(count: int) -> None:
    values = np.random.default_rng(count).random(count)
    by_hand = [float(np.median(block)) for block in np.array_split(values, 10)]
    assert _block_medians(values).tolist() == by_hand


def test_a_drift_says_which_way_it_goes() -> None:
    assert "the time rises by 5.0% within a batch" in drift_in_words(0.05, "3 of 5 launches")
    assert "the time falls by 5.0% within a batch" in drift_in_words(-0.05, "3 of 5 launches")
