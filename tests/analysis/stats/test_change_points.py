"""Costs of segments: a line that would fall is none."""

import numpy as np
import pytest

from weft.analysis.stats.change_points import segment_costs


def test_times_that_fall_cost_what_a_level_line_leaves() -> None:
    sizes, times = np.array([1.0, 2.0, 3.0]), np.array([4.0, 3.0, 2.0])
    weights = 1 / times**2
    level = (weights * times).sum() / weights.sum()
    left = (((times - level) / times) ** 2).sum()
    assert segment_costs(sizes, times)[0, 3] == pytest.approx(left)


def test_times_on_a_rising_line_cost_nothing() -> None:
    sizes = np.array([1.0, 2.0, 3.0])
    assert segment_costs(sizes, 2 + 3 * sizes)[0, 3] == pytest.approx(0, abs=1e-12)
