"""A large figure is its value alone, or its range, and what is known of it stands below."""

import math

import pytest

from weft.analysis.stats.ratios import Ratio, estimate_of, ratio_in_words
from weft.large import parted
from weft.units import format_ratio
from weft.wording import with_ends


@pytest.mark.parametrize(
    ("low", "high", "basis", "value", "below"),
    [
        (0.96, 1.09, "launches", "1.023", "[0.960, 1.090]"),
        # Of one launch the comma of a line stood behind the large figure.
        (-math.inf, math.inf, "one launch", "1.023", "1 launch"),
        # Of a ratio whose order of magnitude is not known the low end stood there alone.
        (0.2, 7.5, "launches", "0.200 to 7.50", ""),
    ],
)
def test_a_ratio_is_parted_where_its_value_ends(
    low: float, high: float, basis: str, value: str, below: str
) -> None:
    found = Ratio(speed=1.023, low=low, high=high, basis=basis)
    assert parted(estimate_of(found), format_ratio, with_ends) == (value, below)
    line = ratio_in_words(found)
    assert line.startswith(value)
    assert line.endswith(below)
