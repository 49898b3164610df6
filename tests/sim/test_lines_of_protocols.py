"""The line of a protocol: through its points, and refused where one point tells none."""

from random import Random

import pytest

from weft.errors import WeftError
from weft.sim.calibrate import Times, _line, lines_of
from weft.sim.protocols import ENVELOPE_BYTES, LEAST_NS_PER_BYTE


@pytest.mark.parametrize("sizes", [(8, 4096), (8, 64, 1024), (1, 2)])
def test_times_on_a_line_give_it_back(sizes: tuple[int, ...]) -> None:
    assert _line({n: 500.0 + 0.25 * n for n in sizes}) == pytest.approx((500.0, 0.25))


def test_most_times_count_and_not_the_one_that_is_off() -> None:
    times = {n: 500.0 + 0.25 * n for n in (8, 64, 512, 4096)}
    assert _line({**times, 64: 3 * times[64]}) == pytest.approx((500.0, 0.25))


def test_times_that_fall_have_the_least_slope_and_none_begins_below_its_envelope() -> None:
    _, slope = _line({8: 500.0, 4096: 400.0})
    assert slope == LEAST_NS_PER_BYTE
    start, slope = _line({1024: 100.0, 4096: 1600.0})
    assert start == pytest.approx(ENVELOPE_BYTES * slope)


def test_noise_alone_makes_one_line_as_often_as_its_criterion_says() -> None:
    """Three numbers a line: with one less in the criterion none of these has one line."""
    found = []
    for seed in range(40):
        draw = Random(seed)  # noqa: S311 - noise, no secret
        times = {
            8 << k: (500 + 0.25 * (8 << k)) * (1 + draw.choice((-1, 1)) * draw.expovariate(50))
            for k in range(12)
        }
        found.append(len(lines_of(Times(ping_pong=times)).transfer))
    assert found.count(1) == 21


@pytest.mark.parametrize("times", [{}, {8: 500.0}])
def test_one_size_is_no_line(times: dict[int, float]) -> None:
    with pytest.raises(WeftError, match="fewer than two sizes; measure more --sizes on both"):
        _line(times)


def test_only_what_is_eager_has_the_hosts_times_of_all_its_lines() -> None:
    """Above the switch a rendezvous takes them itself, in its second line as in its first."""
    lines = {64: (1000.0, 0.5), 4096: (9000.0, 0.375), 65536: (30000.0, 0.25)}
    times: dict[int, float] = {}
    for first, (start_ns, slope) in lines.items():
        times |= {first * n: start_ns + slope * first * n for n in (1, 2, 4, 8)}
    found = lines_of(Times(ping_pong=times, posting_ns=200.0, receiving_ns=70.0))
    assert found.eager_below_bytes == 4096
    assert [piece.from_bytes for piece in found.transfer] == [0, 4096, 65536]
    assert [piece.ns for piece in found.transfer] == pytest.approx([1000 - 270, 9000, 30000])
    assert [piece.ns_per_byte for piece in found.transfer] == pytest.approx([0.25] * 3)
