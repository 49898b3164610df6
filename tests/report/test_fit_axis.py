"""The axis of a fit's times: its unit, and that a time in it is what it was."""

import pytest

from weft.report.fits import time_unit

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
