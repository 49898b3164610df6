"""The picture of two maps' difference: its values, and a scale that holds the faster ones too."""

import numpy as np
import pytest

from weft.analysis.diagnosis.matrix import PairMatrix
from weft.topics.map_charts import difference_chart

NAMES = ("a", "b", "c")


def map_of(names: tuple[str, ...], times_us: list[list[float]]) -> PairMatrix:
    """The times there; what is 0 was not measured."""
    times = np.array([[time or np.nan for time in row] for row in times_us]) * 1e3
    return PairMatrix(
        names=names, time_ns=times, slower=times / 1e4 - 1, visits=np.ones(times.shape, dtype=int)
    )


FIRST = map_of(NAMES, [[0, 10, 20], [30, 0, 40], [50, 60, 0]])


@pytest.mark.parametrize(
    ("share", "reach"), [(0.5, 50.0), (1.5, 50.0), (3.0, 200.0), (0.98, 10.0), (1.02, 10.0)]
)
def test_the_scale_reaches_as_far_on_either_side_as_the_largest_change(
    share: float, reach: float
) -> None:
    second = map_of(NAMES, (share * FIRST.time_ns / 1e3).tolist())
    chart = difference_chart(FIRST, second, "tcp 8 B", 2, names=("old", "new"))
    assert chart is not None
    assert (chart.name, chart.title) == ("map-difference-2", "new against old, tcp 8 B")
    grid = chart.matrix
    assert grid is not None
    assert grid.is_signed
    assert grid.ends == pytest.approx((-reach, reach))
    known = grid.values[np.isfinite(grid.values)]
    assert known == pytest.approx(np.full(6, 100 * (share - 1)))


def test_the_largest_change_of_a_few_pairs_is_on_the_scale_though_others_changed_little() -> None:
    """Of six changes of 0, 2, 4, 6, 20 and 50 % the last half percent is beyond the scale."""
    shares = np.array([[1, 1.0, 1.02], [0.96, 1, 1.06], [1.2, 0.5, 1]])
    second = map_of(NAMES, (shares * FIRST.time_ns / 1e3).tolist())
    chart = difference_chart(FIRST, second, "tcp 8 B", 0, names=("old", "new"))
    assert chart is not None
    assert chart.matrix is not None
    reach = 50 - 6 * 30 * 5 * 0.005 / 6
    assert chart.matrix.ends == pytest.approx((-reach, reach))


def test_pairs_of_both_maps_are_compared_by_their_names() -> None:
    """From a to c it took 20 and takes 30 us, from c to a 50 and 25; b and d are in one alone."""
    second = map_of(("d", "c", "a"), [[0, 1, 1], [1, 0, 25], [1, 30, 0]])
    chart = difference_chart(FIRST, second, "tcp 8 B", 0, names=("old", "new"))
    assert chart is not None
    grid = chart.matrix
    assert grid is not None
    assert grid.names == ("a", "c")
    assert (grid.values[0, 1], grid.values[1, 0]) == pytest.approx((50.0, -50.0))


def test_maps_that_share_no_pair_have_no_picture() -> None:
    second = map_of(("c", "d"), [[0, 1], [1, 0]])
    assert difference_chart(FIRST, second, "tcp 8 B", 0, names=("old", "new")) is None
