"""Precision over sessions is a matter of sessions: few that agree by luck do not settle."""

import numpy as np
import pytest

from weft.analysis.stats.precision import settled_over_sessions

TRIALS = 2000


@pytest.mark.parametrize("count", [2, 3, 4])
def test_fewer_than_five_sessions_never_settle(count: int) -> None:
    assert not settled_over_sessions([1000.0] * count, 0.5)


@pytest.mark.parametrize("count", [5, 10, 25, 30])
def test_of_records_that_say_settled_hardly_any_is_further_off(count: int) -> None:
    """Sessions differ by 2 %: of those that said +-1 %, 31 to 54 % were further off."""
    random = np.random.default_rng(count)
    days = np.exp(0.02 * random.standard_normal((TRIALS, count)))
    said = [own for own in days if settled_over_sessions(own.tolist(), 0.01)]
    off = sum(abs(float(np.median(own)) - 1) > 0.01 for own in said)
    assert off <= 0.05 * len(said) + 3 * np.sqrt(0.05 * len(said))
    assert bool(said) is (count >= 25)


def test_a_wider_precision_is_reached_with_fewer_sessions() -> None:
    random = np.random.default_rng(1)
    days = np.exp(0.02 * random.standard_normal((TRIALS, 12)))
    assert sum(settled_over_sessions(own.tolist(), 0.04) for own in days) > TRIALS / 4
