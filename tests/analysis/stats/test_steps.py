"""Steps between sessions: known answers, and how often chance makes one."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy

from weft.analysis.stats.steps import CORRELATED, step_seen, steps_in

# Standard normal values of ten nights, drawn once and rounded.
NOISE = (0.3, -1.1, 0.6, 0.2, -0.7, 1.2, -0.4, 0.9, -0.8, -0.2)


def shifted(first: int, last: int, shift: float) -> list[float]:
    return [value + (shift if first <= at < last else 0) for at, value in enumerate(NOISE)]


def test_a_step_is_the_difference_of_the_means_with_an_interval_for_all_stretches() -> None:
    """Of 10 sessions 35 stretches have two in them and two beside them, and 7 places do."""
    values = shifted(6, 10, 8.0)
    [step] = steps_in(values).steps
    squares = np.var(values[6:]) * 4 + np.var(values[:6]) * 6
    error = CORRELATED * math.sqrt(squares / 8 * (1 / 4 + 1 / 6))
    half = scipy.stats.t.ppf(1 - 0.025 / 35, 8) * error
    assert step.at == 6
    assert step.shift == pytest.approx(np.mean(values[6:]) - np.mean(values[:6]))
    assert [step.low, step.high] == pytest.approx([step.shift - half, step.shift + half])
    assert step.chance == pytest.approx(7 * 2 * scipy.stats.t.sf(step.shift / error, 8))


def test_two_slow_sessions_are_a_step_and_its_return() -> None:
    found = steps_in(shifted(4, 6, 16.0)).steps
    assert [(step.at, math.copysign(1, step.shift)) for step in found] == [(4, 1.0), (6, -1.0)]


@pytest.mark.parametrize("at", [0, 4, 9])
def test_one_slow_session_stands_out_and_is_no_step(at: int) -> None:
    found = steps_in(shifted(at, at + 1, 8.0))
    assert found.steps == ()
    assert found.outliers == (at,)


def test_a_slow_last_session_is_a_step_with_the_next_one() -> None:
    assert [step.at for step in steps_in([*shifted(9, 10, 10.0), 10.2]).steps] == [9]


def test_steps_of_unequal_height_are_all_found() -> None:
    values = [*NOISE, *(value + 8 for value in NOISE), *(value + 12 for value in NOISE)]
    found = steps_in(values)
    assert [step.at for step in found.steps] == [10, 20]
    assert found.steps[1].shift == pytest.approx(4.0)
    assert found.scatter == pytest.approx(np.std(NOISE) * math.sqrt(30 / 27))


def test_a_cut_that_its_neighbours_alone_do_not_show_is_no_step() -> None:
    """Before the large step lies a small one: two sessions and two, too few to tell."""
    found = steps_in((-0.01, -0.01, 0.02, 0.02, 0.10, 0.11, 0.08, 0.08))
    assert [step.at for step in found.steps] == [4]


def test_no_order_of_noise_alone_is_a_step_and_the_scatter_is_told() -> None:
    found = steps_in(NOISE)
    assert found.steps == ()
    assert found.scatter == pytest.approx(np.std(NOISE, ddof=1))


def test_the_smallest_step_is_just_found_as_two_sessions_more() -> None:
    """Both lie off the mean of all by that, so that their t is just at the level."""
    smallest = steps_in(NOISE).smallest
    assert smallest is not None
    middle = float(np.mean(NOISE))
    assert steps_in([*NOISE, *[middle + 0.99 * smallest] * 2]).steps == ()
    assert [s.at for s in steps_in([*NOISE, *[middle + 1.01 * smallest] * 2]).steps] == [10]


@pytest.mark.parametrize("values", [(), (1.0,), (1.0, 9.0), (1.0, 9.0, 9.1)])
def test_fewer_than_four_sessions_have_no_step(values: tuple[float, ...]) -> None:
    found = steps_in(values)
    assert (found.steps, found.scatter, found.smallest) == ((), None, None)


def test_equal_sessions_have_no_step_for_their_last_digits() -> None:
    assert steps_in([1.0, 1.0 + 1e-15, 1.0, 1.0 - 1e-15, 1.0]).steps == ()


def correlated(random: np.random.Generator, count: int) -> np.ndarray:
    """Each value by 0.5 with the one before."""
    values = random.standard_normal(count)
    for at in range(1, count):
        values[at] = 0.5 * values[at - 1] + math.sqrt(0.75) * values[at]
    return values


NIGHTS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda random, count: random.standard_normal(count),
    "correlated": correlated,
    "skewed": lambda random, count: random.exponential(1.0, count),
    "slow nights": lambda random, count: (
        random.standard_normal(count) + 10 * (random.random(count) < 0.03)
    ),
}


@pytest.mark.parametrize("kind", NIGHTS)
@pytest.mark.parametrize("count", [6, 20])
def test_noise_makes_a_step_in_no_more_than_one_history_of_twenty(kind: str, count: int) -> None:
    random = np.random.default_rng(20261122)
    found = sum(bool(steps_in(NIGHTS[kind](random, count).tolist()).steps) for _ in range(150))
    # 7.5 expected at most; three standard deviations of 150 trials more.
    assert found <= 7.5 + 3 * math.sqrt(150 * 0.05 * 0.95)


def test_the_interval_of_a_step_that_was_found_in_five_sessions_holds_it() -> None:
    random = np.random.default_rng(20261123)
    held = []
    for _ in range(200):
        values = random.standard_normal(5)
        values[2:] += 7
        held += [step.low <= 7 <= step.high for step in steps_in(values.tolist()).steps]
    assert len(held) >= 50
    assert np.mean(held) >= 0.9


def test_a_night_that_is_far_off_hides_no_step_among_many() -> None:
    """By itself it would make the scatter so large that nothing stands out."""
    noise = np.random.default_rng(7).normal(0, 0.01, 24)
    plain = [float(100 * np.exp(one + (0.1 if at >= 12 else 0.0))) for at, one in enumerate(noise)]
    for slow in (5, 17):
        series = [*plain]
        series[slow] *= 30
        assert [step.at for step in steps_in(series).steps] == [12]


def test_a_step_that_is_said_to_be_seen_is_found_as_often_as_said() -> None:
    """85 % of 200 steps at a scatter of 1 and 2 %."""
    random = np.random.default_rng(21)
    shift = step_seen(0.02, 20, 0.0125)
    assert shift == pytest.approx(0.0753, abs=1e-3)
    nights = random.normal(0, 0.02, (100, 20)) + shift * (np.arange(20) >= 10)
    assert np.mean([bool(steps_in(own.tolist(), 0.0125).steps) for own in nights]) >= 0.7
