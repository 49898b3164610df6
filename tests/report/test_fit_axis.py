"""The axis of a fit's times: its unit, and that a time in it is what it was."""

from itertools import pairwise

import pytest

from weft.charts import ZERO_BYTES_AT
from weft.report.fits import LINE_POINTS, line_sizes, time_unit

NS_OF = {"µs": 1e3, "ms": 1e6, "s": 1e9}


@pytest.mark.parametrize(
    ("longest_ns", "unit"),
    [(1.0, "µs"), (999_999.0, "µs"), (1e6, "ms"), (999_999_999.0, "ms"), (1e9, "s"), (5e11, "s")],
)
def test_a_time_has_the_unit_of_the_longest(longest_ns: float, unit: str) -> None:
    found, factor = time_unit(longest_ns, is_log=False)
    assert found == unit
    assert factor * NS_OF[unit] == pytest.approx(1)


@pytest.mark.parametrize("longest_ns", [1.0, 1e6, 1e9, 5e11])
def test_over_sizes_of_all_magnitudes_it_is_always_one(longest_ns: float) -> None:
    assert time_unit(longest_ns, is_log=True) == ("µs", 1e-3)


@pytest.mark.parametrize(("smallest", "largest"), [(8, 65536), (0, 4096), (1, 2), (0, 1)])
def test_a_line_is_drawn_from_its_first_size_to_its_last(smallest: int, largest: int) -> None:
    assert line_sizes(smallest, largest, is_log=False) == [0.0, float(largest)]
    sizes = line_sizes(smallest, largest, is_log=True)
    assert len(sizes) == LINE_POINTS
    assert sizes[0] == smallest
    assert sizes[-1] == pytest.approx(largest)
    # Evenly: from place to place by one factor, none to the next of 0.
    ratios = [right / left for left, right in pairwise(sizes[1:])]
    first = smallest or ZERO_BYTES_AT
    assert ratios == pytest.approx([(largest / first) ** (1 / (LINE_POINTS - 1))] * len(ratios))
