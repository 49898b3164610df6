"""Jain's index: answers that are known, and an interval that keeps inside its bounds."""

import numpy as np
import pytest

from weft.analysis.stats.fairness import fairness_of_launches, jain


@pytest.mark.parametrize(
    ("shares", "index"),
    [
        ([3.0, 3.0, 3.0, 3.0], 1.0),
        ([5.0, 0.0, 0.0, 0.0], 0.25),
        ([1.0, 1.0, 0.0, 0.0], 0.5),
        # Table 1 of the report's kind: one of two has a fifth of the other's.
        ([1.0, 0.2], 1.2**2 / (2 * 1.04)),
    ],
)
def test_the_index_of_known_shares(shares: list[float], index: float) -> None:
    assert jain(np.array(shares)) == pytest.approx(index)
    assert jain(1000 * np.array(shares)) == pytest.approx(index)


def test_nothing_to_share_is_refused() -> None:
    with pytest.raises(ValueError, match="not all zero"):
        jain(np.zeros((2, 3)))


def test_shares_that_change_hands_are_unfair_in_each_sample() -> None:
    """Their medians are alike; the index is not fooled."""
    swapped = np.array([[1.0, 0.2], [0.2, 1.0]] * 50)
    found = fairness_of_launches([jain(swapped)] * 5)
    assert found.value == pytest.approx(1.2**2 / (2 * 1.04))
    assert jain(np.median(swapped, axis=0)) == pytest.approx(1.0)


def test_the_interval_ends_at_one() -> None:
    draw = np.random.default_rng(1)
    launches = [1 + spread * draw.random((50, 4)) for spread in (0.1, 0.3, 0.2)]
    found = fairness_of_launches([jain(shares) for shares in launches])
    assert found.low < found.value < found.high <= 1.0
