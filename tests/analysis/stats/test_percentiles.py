"""Percentiles as far as the samples carry them."""

import numpy as np
import pytest

from weft.analysis.stats.percentiles import PERCENTILES, percentiles, tails


def test_known_values() -> None:
    found = percentiles(np.arange(10_001, dtype=np.float64))
    assert found == pytest.approx({f"{p:g}": p * 100 for p in PERCENTILES})


def test_between_two_samples_it_lies_between_them() -> None:
    found = percentiles(np.arange(1000, dtype=np.float64))
    assert found["99"] == pytest.approx(0.99 * 999)
    assert found["75"] == pytest.approx(0.75 * 999)
    assert found["1"] == pytest.approx(0.01 * 999)


@pytest.mark.parametrize(
    ("count", "highest", "lowest"),
    [
        (39, None, None),
        (40, "75", "25"),
        (99, "75", "25"),
        (100, "90", "25"),
        (199, "90", "25"),
        (200, "95", "5"),
        (999, "95", "5"),
        (1000, "99", "1"),
        (9999, "99", "1"),
        (10_000, "99.9", "1"),
    ],
)
def test_one_is_told_only_with_ten_samples_beyond_it(
    count: int, highest: str | None, lowest: str | None
) -> None:
    names = sorted(percentiles(np.arange(count, dtype=np.float64)), key=float)
    assert (names[-1] if names else None, names[0] if names else None) == (highest, lowest)


def test_no_samples_have_no_percentiles() -> None:
    assert percentiles(np.array([], dtype=np.float64)) == {}


def test_a_tail_is_the_median_of_the_launches_own() -> None:
    launches = [np.arange(1, 10_001, dtype=np.float64) * factor for factor in (1.0, 5.0, 1.1)]
    found = tails(launches)
    assert set(found) == {"99", "99.9"}
    for name, one in found.items():
        own = [percentiles(values)[name] for values in launches]
        assert one.value == pytest.approx(own[2])
        assert one.launches == 3
        assert one.low <= min(own) < max(own) <= one.high
