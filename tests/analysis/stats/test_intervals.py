"""Intervals against known answers, and whether they cover what they say."""

import math
import statistics
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from weft.analysis.stats.intervals import (
    WIDENING,
    interval_of_median,
    median_of_launches,
    order_statistics,
)
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.precision import scatter_at_most, settled

TRIALS = 1000
Draw = Callable[[np.random.Generator, int], list[NDArray[np.float64]]]


@pytest.mark.parametrize("count", [*range(1, 300), 999, 1000, 1001, 12_345, 1_000_000, 10_000_001])
def test_order_statistics_are_the_tightest_that_cover(count: int) -> None:
    found = order_statistics(count)
    binomial = scipy.stats.binom(count, 0.5)
    if found is None:
        assert 1 - 2 * binomial.cdf(0) < 0.95
        return
    low, high, coverage = found
    assert low + high == count - 1
    assert coverage == pytest.approx(1 - 2 * binomial.cdf(low), abs=1e-6)
    assert coverage >= 0.95
    assert 1 - 2 * binomial.cdf(low + 1) < 0.95 or 2 * (low + 1) >= count


def test_known_ranks() -> None:
    # Tables of the sign test: n = 6 range, n = 10 second of each end, n = 20 sixth.
    assert order_statistics(5) is None
    for count, ranks, outside in ((6, (0, 5), 2 / 64), (10, (1, 8), 22 / 1024)):
        found = order_statistics(count)
        assert found is not None
        assert found[:2] == ranks
        assert found[2] == pytest.approx(1 - outside)
    assert (order_statistics(20) or ())[:2] == (5, 14)


def test_the_interval_of_known_values() -> None:
    low, high, method = interval_of_median([3.0, 1.0, 2.0])
    assert (low, high) == pytest.approx((1 - 2 * WIDENING[3], 3 + 2 * WIDENING[3]))
    assert method.format("3 launches") == "range of 3 launches, widened to 95 %"
    for few in ([], [4.0]):
        with pytest.raises(ValueError, match="at least two"):
            interval_of_median(few)


@pytest.mark.parametrize("count", [6, 7, 8, 9, 11, 20])
def test_from_six_values_on_the_interval_is_interpolated_to_95_percent(count: int) -> None:
    """Both kinds of figure have it: a launch's times and a fit's parameters."""
    draw = np.random.default_rng(count)
    held = 0
    for _ in range(4 * TRIALS):
        values = draw.standard_normal(count).tolist()
        low, high, _ = interval_of_median(values)
        held += low <= 0 <= high
    error = 3.3 * math.sqrt(0.95 * 0.05 / (4 * TRIALS))
    assert held / (4 * TRIALS) == pytest.approx(0.95, abs=error + 0.002)
    times = [math.exp(value) for value in values]
    estimate, parameter = median_of_launches(times), over_launches(times, positive=True)
    assert (estimate.low, estimate.high) == pytest.approx((parameter.low, parameter.high))
    assert (
        estimate.method == parameter.method == f"interpolated order statistics of {count} launches"
    )


@pytest.mark.thorough
@pytest.mark.parametrize("launches", [2, 3, 4, 5])
def test_the_widening_covers_95_percent_of_normal_launch_medians(launches: int) -> None:
    """P(min - c (max - min) > true median) integrated over the joint density of min and max."""
    widening = WIDENING[launches]
    density = scipy.stats.norm.pdf
    cumulative = scipy.stats.norm.cdf

    def joint(high: float, low: float) -> float:
        between = cumulative(high) - cumulative(low)
        return float(
            launches * (launches - 1) * density(low) * density(high) * between ** (launches - 2)
        )

    missed_below, _ = scipy.integrate.dblquad(
        joint, 0, 8, lambda low: low, lambda low: min(8.0, low * (1 + widening) / widening)
    )
    assert 1 - 2 * missed_below == pytest.approx(0.95, abs=1e-4)


def test_two_launches_agree_with_student() -> None:
    # For two values the interval is Student's with one degree of freedom: half width t / 2 * range.
    estimate = median_of_launches([math.exp(1.0), math.exp(1.2)])
    half = scipy.stats.t.ppf(0.975, 1) / 2 * 0.2
    assert math.log(estimate.low) == pytest.approx(1.1 - half, abs=1e-4)
    assert math.log(estimate.high) == pytest.approx(1.1 + half, abs=1e-4)


def test_six_launches_are_told_by_their_method() -> None:
    """The range of six holds 96.9 %, the second of each end 78.1 %: 0.1 of the way in chance is
    5 * 0.1 / (1 + 4 * 0.1) of the way in values (Hettmansperger and Sheather), of the logarithms.
    """
    estimate = median_of_launches([4.0, 1.0, 3.0, 2.0, 6.0, 5.0])
    assert estimate.low == pytest.approx(2 ** (0.5 / 1.4))
    assert estimate.high == pytest.approx(6 * (5 / 6) ** (0.5 / 1.4))
    assert estimate.coverage == pytest.approx(0.95)
    assert estimate.launches == 6


def test_one_launch_says_that_it_knows_nothing_of_others() -> None:
    estimate = median_of_launches([50.5])
    assert (estimate.value, estimate.low, estimate.high) == (50.5, -math.inf, math.inf)
    assert (estimate.launches, estimate.is_bounded, estimate.coverage) == (1, False, 0)
    assert estimate.method == "one launch: the variation between launches is unknown"
    turned = estimate.mapped(lambda time: 1 / time)
    assert (turned.value, turned.low, turned.high) == (1 / 50.5, -math.inf, math.inf)
    assert b'"low":null,"high":null' in msgspec.json.encode(estimate)


@given(
    medians=st.lists(st.integers(1, 50), min_size=2, max_size=12),
    ops=st.integers(1, 64),
)
def test_an_interval_is_never_narrower_than_half_a_tick_of_a_sample(
    medians: list[int], ops: int
) -> None:
    """A median of whole ticks is known to half a tick, whatever the launches agree on."""
    tick = 40 / ops
    estimate = median_of_launches([tick * count for count in medians], tick)
    assert estimate.value - estimate.low >= 0.4999 * tick
    assert estimate.high - estimate.value >= 0.4999 * tick
    assert settled([tick * 3] * 5, 0.01, 5)
    # The range may be longer by a tick before it is widened: two launches on one tick show nothing.
    if len(medians) == 2:
        assert estimate.high - estimate.value >= 3 * tick
    assert not settled([tick * 3] * 5, 0.01, 5, tick)


def test_two_launches_that_scatter_within_one_tick_hold_the_truth() -> None:
    """Launches scatter by 1 %, a tick is 2 to 4 % of them: two on one tick look alike."""
    draw = np.random.default_rng(8)
    held = []
    for _ in range(TRIALS):
        truth = draw.uniform(1000, 2000)
        ticks = 40 * np.rint(truth * np.exp(0.01 * draw.standard_normal(2)) / 40)
        if ticks[0] == ticks[1]:
            estimate = median_of_launches(ticks.tolist(), 40.0)
            held.append(estimate.low <= truth <= estimate.high)
    assert np.mean(held) >= 0.93


def test_launches_that_all_fall_on_one_tick_hold_the_truth() -> None:
    """40 ns ticks, samples of 101.5 to 102.5 ticks: without the half tick nearly none would."""
    draw = np.random.default_rng(7)
    held, bare = 0, 0
    for _ in range(TRIALS):
        truth = 102 + draw.uniform(-0.5, 0.5)
        ends = truth * np.exp(0.0002 * draw.standard_normal((5, 201)))
        medians = 40 * np.median(np.floor(ends + draw.random((5, 201))), axis=1)
        estimate = median_of_launches(medians.tolist(), 40.0)
        held += estimate.low <= 40 * truth <= estimate.high
        blind = median_of_launches(medians.tolist())
        bare += blind.low <= 40 * truth <= blind.high
    assert held >= 0.95 * TRIALS
    assert bare < 0.7 * TRIALS


@pytest.mark.parametrize("bad", [[], [0.0], [-1.0, 2.0, 3.0]])
def test_no_launch_or_no_time_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        median_of_launches(bad)


@given(
    medians=st.lists(st.floats(1e-3, 1e12), min_size=2, max_size=40),
    factor=st.floats(1e-3, 1e3),
)
def test_an_interval_is_positive_holds_its_median_and_scales(
    medians: list[float], factor: float
) -> None:
    estimate = median_of_launches(medians)
    assert 0 < estimate.low <= estimate.value <= estimate.high
    assert estimate.low <= max(medians)
    scaled = median_of_launches([factor * value for value in medians])
    assert scaled.low == pytest.approx(factor * estimate.low, rel=1e-6)
    assert scaled.high == pytest.approx(factor * estimate.high, rel=1e-6)


@given(medians=st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=9).filter(lambda v: len(v) % 2))
def test_time_and_bandwidth_tell_the_same(medians: list[float]) -> None:
    time = median_of_launches(medians)
    rate = median_of_launches([1 / v for v in medians])
    turned = time.mapped(lambda t: 1 / t)
    for mine, other in ((turned.low, rate.low), (turned.value, rate.value)):
        assert mine == pytest.approx(other, rel=1e-6)
    assert turned.high == pytest.approx(rate.high, rel=1e-6)


@pytest.mark.parametrize("count", range(1, 12))
def test_the_middle_is_the_median(count: int) -> None:
    values = [100.0 * 1.5**step for step in range(count)]
    assert median_of_launches(values[::-1]).value == pytest.approx(statistics.median(values))


def test_relative_half_width() -> None:
    estimate = median_of_launches([9.0, 9.0, 10.0, 10.0, 11.0, 11.0])
    assert estimate.relative_half_width == pytest.approx(0.1, rel=1e-6)


def normal(draw: np.random.Generator, launches: int) -> list[NDArray[np.float64]]:
    """Launch effects of 1 %, and 60 samples with as much noise again."""
    effects = np.exp(0.01 * draw.standard_normal(launches))
    return [1000 * e * np.exp(0.01 * draw.standard_normal(60)) for e in effects]


def skewed(draw: np.random.Generator, launches: int) -> list[NDArray[np.float64]]:
    """Normal launch effects, and an exponential tail of 5 % within; its median is moved to 1."""
    effects = np.exp(0.01 * draw.standard_normal(launches))
    middle = 1 + 0.05 * math.log(2)
    return [1000 * e * (1 + draw.exponential(0.05, 60)) / middle for e in effects]


def coverage(draw: Draw, launches: int, *, pooled: bool = False) -> float:
    """The share of trials whose interval holds the true median, 1000."""
    generator = np.random.default_rng(20261121)
    held = 0
    for _ in range(TRIALS):
        times = draw(generator, launches)
        estimate = median_of_launches([float(np.median(t)) for t in times])
        low, high = estimate.low, estimate.high
        if pooled:
            ordered = np.sort(np.concatenate(times))
            ranks = order_statistics(ordered.size) or (0, 0, 0.0)
            low, high = ordered[ranks[0]], ordered[ranks[1]]
        held += low <= 1000 <= high
    return held / TRIALS


def test_five_launches_with_normal_effects_cover_what_they_say() -> None:
    assert 0.93 <= coverage(normal, 5) <= 0.97


def test_five_launches_with_skewed_samples_cover_what_they_say() -> None:
    assert coverage(skewed, 5) >= 0.93


@pytest.mark.thorough
@pytest.mark.parametrize("launches", [2, 3, 4, 6, 9, 20])
@pytest.mark.parametrize("draw", [normal, skewed])
def test_other_numbers_of_launches_cover_what_they_say(launches: int, draw: Draw) -> None:
    told = median_of_launches([1000.0 + launch for launch in range(launches)]).coverage
    error = 3.3 * math.sqrt(told * (1 - told) / TRIALS)
    assert coverage(draw, launches) >= told - max(error, 0.02)


@pytest.mark.parametrize("launches", [5, 20])
def test_pooling_the_samples_of_all_launches_would_undercover(launches: int) -> None:
    """The planted fault: samples of a launch are not independent of each other."""
    assert coverage(normal, launches, pooled=True) < 0.7


def test_stopping_once_the_interval_is_narrow_costs_a_little_coverage() -> None:
    """The rule of weft run, as docs/numbers/stopping.md tells of it."""
    generator = np.random.default_rng(20261121)
    held = 0
    for _ in range(500):
        medians = np.exp(0.01 * generator.standard_normal(5)).tolist()
        while not settled(medians, 0.01, 5):
            medians.append(math.exp(0.01 * generator.standard_normal()))
        estimate = median_of_launches(medians)
        held += estimate.low <= 1 <= estimate.high
    assert 0.9 <= held / 500 <= 0.97


def test_launches_that_are_near_each_other_by_luck_settle_nothing() -> None:
    """They scatter by 5 %, so 1 % takes some 150 of them: within 20 one run of 75 was called so."""
    generator = np.random.default_rng(20261124)
    lucky = 0
    for _ in range(300):
        medians = np.exp(0.05 * generator.standard_normal(20)).tolist()
        lucky += any(settled(medians[:count], 0.01, 5) for count in range(5, 21))
    assert lucky <= 1


def test_one_launch_of_ten_that_is_far_off_does_not_keep_a_case_from_settling() -> None:
    generator = np.random.default_rng(20261125)
    medians = np.exp(0.003 * generator.standard_normal(10)).tolist()
    assert settled([*medians[:9], 1.5], 0.01, 5)
    assert not settled([*medians[:8], 1.5, 1.4], 0.01, 5)


@pytest.mark.parametrize(("count", "off"), [(9, 0), (10, 1), (20, 2)])
def test_the_scatter_that_launches_may_have_is_of_those_that_are_kept(count: int, off: int) -> None:
    """The 10 % quantile of chi squared, with a degree of freedom fewer than values are kept."""
    kept = count - off
    values = [math.exp(0.01 * (-1) ** at) for at in range(kept)] + [5.0] * off
    bound = 0.01 * math.sqrt(kept / scipy.stats.chi2.ppf(0.1, kept - 1))
    assert scatter_at_most(values, 1.0) == pytest.approx(bound, rel=0.01)
