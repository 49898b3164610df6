"""Means of samples, and the parameters that are taken apart from them."""

import numpy as np
import pytest
import scipy

from weft.analysis.fits.delays import DelayTest
from weft.analysis.fits.loggp import from_delays
from weft.analysis.stats.means import uninterrupted_mean
from weft.analysis.stats.parameters import of_mean_times, over_launches, unskewed

TRIALS = 300
SIZES = (1, 1024, 65536)
TRIP, GAP, SEND, RECEIVE, BYTE = 5000.0, 700.0, 300.0, 250.0, 0.12
MESSAGES = 8
SAMPLES = 200


def skewed(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Factors of mean 1 that scatter by 30 %, with a sharp lower edge and a long tail."""
    return np.asarray(1 + 0.3 * (random.gamma(2.0, 1.0, shape) - 2) / np.sqrt(2))


def interrupted(random: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """In one sample of a hundred the scheduler took a turn of 4 ms."""
    return np.asarray(times + 4e6 * (random.random(len(times)) < 0.01))


def delay_test(random: np.random.Generator, size: int) -> DelayTest:
    """One launch at a size, noise in each message by itself, sums in each sample."""
    launch = np.exp(random.normal(0, 0.01))
    further = (size - 1) * BYTE
    trip, gap = (TRIP + 2 * further) * launch, (GAP + further) * launch
    pause = 4 * trip
    after = MESSAGES - 1

    def mean(parts: np.ndarray) -> float:
        return uninterrupted_mean(interrupted(random, parts))

    trips = [trip * skewed(random, SAMPLES) for _ in range(3)]
    gaps = (gap * skewed(random, SAMPLES, after)).sum(axis=1)
    sends = (SEND * launch * skewed(random, SAMPLES, after)).sum(axis=1)
    return DelayTest(
        bytes=size,
        messages=MESSAGES,
        single_ns=mean(trips[0]),
        burst_ns=mean(trips[1] + gaps),
        delayed_ns=mean(trips[2] + sends) + after * pause,
        delay_ns=pause,
        receive_ns=mean(RECEIVE * launch * skewed(random, SAMPLES)),
    )


@pytest.mark.thorough
def test_gap_and_overheads_are_held_as_often_as_said_whatever_the_noise_of_a_message() -> None:
    random = np.random.default_rng(1)
    hits = []
    for _ in range(TRIALS):
        found = from_delays("x", [[delay_test(random, size) for size in SIZES] for _ in range(5)])
        wanted = [
            (found.gap_ns, GAP),
            (found.overheads[0].send_ns, SEND),
            (found.overheads[0].receive_ns, RECEIVE),
            (found.gaps[0].gap_ns, GAP),
        ]
        hits.append([one is not None and one.low <= truth <= one.high for one, truth in wanted])
    shares = np.mean(hits, axis=0)
    assert ((shares >= 0.9) & (shares <= 0.985)).all(), shares


def test_parameters_of_several_sessions_are_over_them() -> None:
    """Three launches of one day and one of a slow one: both days count alike."""
    speeds = [(1.0, 0), (1.1, 0), (1.2, 0), (2.0, 1)]
    launches = [
        [
            DelayTest(
                bytes=size, messages=2, single_ns=1000 * slow, burst_ns=(1500 + size) * slow,
                delayed_ns=5400 * slow, delay_ns=4000 * slow, receive_ns=200 * slow,
                session=session,
            )
            for size in SIZES
        ]
        for slow, session in speeds
    ]  # fmt: skip
    found = from_delays("x", launches)
    assert found.gaps[0].gap_ns.value == pytest.approx(501 * np.sqrt(1.1 * 2.0))
    assert found.overheads[0].send_ns.value == pytest.approx(400 * (1.1 + 2.0) / 2)
    assert (found.gap_ns.unit, found.gap_ns.launches) == ("session", 2)


@pytest.mark.parametrize("count", [5, 10, 20])
def test_launches_with_a_tail_hold_what_they_take_on_average(count: int) -> None:
    """The interval of their median held the mean in 72 to 90 %."""
    random = np.random.default_rng(count)
    hits = []
    for _ in range(600):
        found = of_mean_times(
            (1 + 0.1 * (random.exponential(1, count) - 1)).tolist(), positive=True
        )
        hits.append(found.low <= 1 <= found.high)
    assert np.mean(hits) >= 0.9


def test_a_mean_without_skewness_has_the_interval_of_student() -> None:
    values = [-3.0, -1.0, 0.0, 1.0, 3.0]
    found = of_mean_times(values, positive=False)
    reach = scipy.stats.t.ppf(0.975, 4) * np.std(values, ddof=1) / np.sqrt(5)
    ends = over_launches(values, positive=False)
    assert found.high == pytest.approx(max(reach, ends.high))
    assert found.low == pytest.approx(-found.high)


@pytest.mark.parametrize("count", [2, 3, 4, 9])
@pytest.mark.parametrize("value", [7.0, -7.0, 0.0])
def test_launches_that_took_alike_have_an_interval_of_that_alone(value: float, count: int) -> None:
    found = of_mean_times([value] * count, positive=False)
    assert (found.value, found.low, found.high) == (value, value, value)


@pytest.mark.parametrize("skewness", [-0.6, -0.1, 0.0, 0.1, 0.6])
def test_halls_transform_is_undone(skewness: float) -> None:
    steep = skewness / 3
    for quantile in (-2.8, 0.0, 2.8):
        t = unskewed(quantile, skewness)
        back = t + steep * t**2 + steep**2 * t**3 / 3 + skewness / 6
        assert back == pytest.approx(quantile)


def test_a_turn_of_the_scheduler_is_left_out_and_a_tail_is_not() -> None:
    random = np.random.default_rng(2)
    times = 1000 * skewed(random, 20_000)
    assert uninterrupted_mean(times) == times.mean()
    assert uninterrupted_mean(interrupted(random, times)) == pytest.approx(1000, rel=0.01)
    exponential = random.exponential(1000, 100_000)
    assert uninterrupted_mean(exponential) == exponential.mean()


def test_two_modes_are_both_in_the_mean() -> None:
    times = np.array([100.0] * 60 + [180.0] * 40)
    assert uninterrupted_mean(times) == times.mean()


def test_a_coarse_clock_leaves_nothing_out() -> None:
    """All samples on one tick but a few on the next: the quartiles are one number."""
    times = np.array([40.0] * 95 + [80.0] * 5)
    assert uninterrupted_mean(times) == times.mean()


@pytest.mark.parametrize(("sample", "is_kept"), [(290.0, True), (310.0, False)])
def test_what_is_within_twenty_interquartile_ranges_is_no_interruption(
    sample: float, is_kept: bool
) -> None:
    """The quartiles are 95, 100 and 105: the bound is 100 + 20 * 10."""
    times = np.linspace(90, 110, 201)
    kept = [*times, sample] if is_kept else times
    assert uninterrupted_mean(np.array([*times, sample])) == pytest.approx(np.mean(kept))
