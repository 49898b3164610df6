"""Fits of several launches whose sizes lie off the line in all of them alike."""

import numpy as np
import pytest

from weft.analysis.fits.linear import fit_line
from weft.analysis.fits.misfit import shared_share, unit_covariance, with_misfit
from weft.analysis.fits.sweeps import Series, series_of_times
from weft.estimate import Estimate


def test_what_all_launches_share_is_told_from_what_varies() -> None:
    random = np.random.default_rng(1)
    common = random.normal(0, 1, 4000)
    own = random.normal(0, 1, (4, 4000))
    # Of the mean's variance of 1 + 1/4, four fifths are shared.
    assert shared_share(common + own) == pytest.approx(0.8, abs=0.02)
    assert shared_share(own) < 0.05
    assert shared_share(np.vstack([common] * 3)) == pytest.approx(1)
    assert shared_share(np.zeros((2, 5))) == 0


def parameter(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, coverage=0.95, method="made")


def test_variances_add_up() -> None:
    over, sizes = parameter(10, 7, 14), parameter(11, 7, 14)
    both = with_misfit(over, sizes, 1.0, positive=False)
    assert (both.value, both.low, both.high) == (10, 5, 15)
    half = with_misfit(over, sizes, 0.25, positive=False)
    assert half.low == pytest.approx(10 - np.hypot(3, 2))
    assert with_misfit(over, sizes, 0.0, positive=True) == over


def test_what_is_positive_stays_so() -> None:
    both = with_misfit(parameter(10, 1, 100), parameter(10, 1, 100), 1.0, positive=True)
    assert both.low == pytest.approx(10 / 10 ** np.sqrt(2))
    assert both.high == pytest.approx(10 * 10 ** np.sqrt(2))


def test_the_covariance_is_that_of_weighted_least_squares() -> None:
    sizes = np.array([0, 1, 1024, 4194304], dtype=np.float64)
    scale = 1500 + 0.25 * sizes
    design = np.column_stack([np.ones(4), sizes]) / scale[:, None]
    assert unit_covariance(sizes, scale) == pytest.approx(np.linalg.inv(design.T @ design))


def test_three_sizes_give_an_interval_with_two_ends() -> None:
    launches = [
        series_of_times("x", np.array([8, 1024, 65536]), np.array(times, dtype=np.float64))
        for times in ([1000, 1300, 17000], [1010, 1310, 17200], [990, 1290, 16900])
    ]
    fit = fit_line(Series(name="x", launches=tuple(one.launches[0] for one in launches)))
    for line in (fit.least_squares, fit.median_line):
        assert line.latency_ns.is_bounded
        assert line.slope_ns_per_byte.low > 0
