"""Steps between sessions: known answers, and how often chance makes one."""

import math

import numpy as np
import pytest
from scipy import stats

from weft.analysis.stats.steps import steps_in

# Standard normal values of ten nights, drawn once and rounded.
NOISE = (0.3, -1.1, 0.6, 0.2, -0.7, 1.2, -0.4, 0.9, -0.8, -0.2)


def shifted(first: int, last: int, shift: float) -> list[float]:
    return [value + (shift if first <= at < last else 0) for at, value in enumerate(NOISE)]


def test_a_step_is_the_difference_of_the_means_with_students_interval() -> None:
    values = shifted(6, 10, 5.0)
    [step] = steps_in(values).steps
    known = stats.ttest_ind(values[6:], values[:6])
    interval = known.confidence_interval(0.95)
    assert step.at == 6
    assert step.shift == pytest.approx(np.mean(values[6:]) - np.mean(values[:6]))
    assert [step.low, step.high] == pytest.approx([interval.low, interval.high])
    assert step.chance == pytest.approx(known.pvalue * 9)


def test_a_single_slow_session_is_a_step_and_its_return() -> None:
    found = steps_in(shifted(4, 5, 8.0)).steps
    assert [(step.at, math.copysign(1, step.shift)) for step in found] == [(4, 1.0), (5, -1.0)]


def test_a_slow_last_session_is_a_step() -> None:
    assert [step.at for step in steps_in(shifted(9, 10, 8.0)).steps] == [9]


def test_steps_of_unequal_height_are_all_found() -> None:
    values = [*NOISE, *(value + 6 for value in NOISE), *(value + 9 for value in NOISE)]
    found = steps_in(values)
    assert [step.at for step in found.steps] == [10, 20]
    assert found.steps[1].shift == pytest.approx(3.0)
    assert found.scatter == pytest.approx(np.std(NOISE) * math.sqrt(30 / 27))


def test_no_order_of_noise_alone_is_a_step_and_the_scatter_is_told() -> None:
    found = steps_in(NOISE)
    assert found.steps == ()
    assert found.scatter == pytest.approx(np.std(NOISE, ddof=1))


def test_the_smallest_step_is_just_found_as_one_session_more() -> None:
    """The one more lies off the mean of all by that, so that its t is just at the level."""
    smallest = steps_in(NOISE).smallest
    assert smallest is not None
    middle = float(np.mean(NOISE))
    assert steps_in([*NOISE, middle + 0.99 * smallest]).steps == ()
    assert [s.at for s in steps_in([*NOISE, middle + 1.01 * smallest]).steps] == [10]


@pytest.mark.parametrize("values", [(), (1.0,), (1.0, 9.0)])
def test_fewer_than_three_sessions_have_no_step(values: tuple[float, ...]) -> None:
    found = steps_in(values)
    assert (found.steps, found.scatter, found.smallest) == ((), None, None)


def test_equal_sessions_have_no_step_for_their_last_digits() -> None:
    assert steps_in([1.0, 1.0 + 1e-15, 1.0, 1.0 - 1e-15, 1.0]).steps == ()


@pytest.mark.parametrize("count", [3, 5, 10, 30])
def test_noise_makes_a_step_in_no_more_than_one_history_of_twenty(count: int) -> None:
    random = np.random.default_rng(20261122)
    found = sum(bool(steps_in(random.standard_normal(count).tolist()).steps) for _ in range(1000))
    # 50 expected at most; three standard deviations of 1,000 trials more.
    assert found <= 50 + 3 * math.sqrt(1000 * 0.05 * 0.95)
