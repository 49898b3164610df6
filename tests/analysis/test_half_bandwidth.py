"""n½ of curves that are known: a start-up time and a bandwidth."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from support.builders import make_cases, synthetic_record
from weft.analysis.half_bandwidth import HalfBandwidth, half_bandwidth, size_of_half
from weft.plan.case import Case

SIZES = tuple(1 << power for power in range(25))


@given(half=st.floats(2.0, 1e5), rate=st.floats(1e-3, 1e3))
def test_it_is_the_start_up_time_in_bytes(half: float, rate: float) -> None:
    found = size_of_half({size: rate * size / (size + half) for size in SIZES})
    # The largest size has all but a hundredth of the bandwidth; between sizes it is interpolated.
    assert found == pytest.approx(half, rel=0.07)


def test_a_curve_that_begins_above_half_has_none() -> None:
    assert size_of_half({8: 6.0, 64: 9.0, 512: 10.0}) is None
    assert size_of_half({8: 1.0, 64: 5.0, 512: 10.0}) == pytest.approx(64)


def test_of_a_curve_that_falls_in_the_end_it_is_half_of_the_best() -> None:
    """Half of the best 10 is reached at 512 B; half of the last 4 would be reached at 64 B."""
    rates = {8: 1.0, 64: 2.0, 512: 5.0, 4096: 10.0, 32768: 4.0}
    assert size_of_half(rates) == pytest.approx(512)
    # From 1 to 4 half of 4 is half of the way in logarithms, and half of 8 to 128 bytes is 32.
    assert size_of_half({8: 1.0, 128: 4.0, 1024: 2.0}) == pytest.approx(32)
    # Half of the best is there from the first size on.
    assert size_of_half({8: 5.0, 64: 10.0, 512: 4.0}) is None


def of_record(
    path: Path, starts_ns: tuple[float, ...], sizes: tuple[int, ...] = SIZES
) -> HalfBandwidth:
    def times_ns(case: Case, launch: int) -> list[float]:
        return [starts_ns[launch] + case.bytes / 10] * 9

    cases = make_cases(("stream",), ("tcp",), sizes)
    run = weft.load(synthetic_record(path, cases, launches=len(starts_ns), times_ns=times_ns))
    return half_bandwidth(run, list(run.cases.values()))


def test_its_interval_is_over_launches(tmp_path: Path) -> None:
    size = of_record(tmp_path / "r.jsonl", (100.0, 110.0, 90.0, 105.0, 95.0)).size_bytes
    assert size is not None
    assert size.value == pytest.approx(1000, rel=0.05)
    assert size.launches == 5
    assert size.low == pytest.approx(900, rel=0.06)
    assert size.high == pytest.approx(1100, rel=0.06)


def test_it_says_why_it_is_not_known(tmp_path: Path) -> None:
    assert "needs 3 sizes" in of_record(tmp_path / "a.jsonl", (100.0,), (8, 64)).why
    fast = of_record(tmp_path / "b.jsonl", (0.05,))
    assert fast.why == "below 1 B: half is there at the smallest size"
