"""The line of a protocol: through its points, and refused where one point tells none."""

from random import Random

import msgspec
import pytest

from weft.errors import WeftError
from weft.sim.calibrate import Times, _best_switch, _line, lines_of
from weft.sim.protocols import ENVELOPE_BYTES, LEAST_NS_PER_BYTE, Piece, Protocols


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


PROTOCOLS = Protocols(
    transfer=(Piece(0, 1000.0, 0.5), Piece(1024, 3000.0, 0.25)),
    blocking_send=(Piece(0, 100.0),),
    send=(Piece(0, 200.0), Piece(1024, 700.0)),
    receive=(Piece(0, 50.0),),
    further_send=(Piece(0, 400.0), Piece(1024, 9000.0)),
    eager_below_bytes=1024,
    bus_factor=1.25,
)


def test_a_bus_carries_both_ways_of_the_link_divided_by_its_factor() -> None:
    """The link carries 4 GB/s each way, and the bus 6.4 GB/s of both together."""
    assert PROTOCOLS.bandwidth_bytes_per_s == pytest.approx(4e9)
    assert PROTOCOLS.bus_bytes_per_s == pytest.approx(2 * 4e9 / 1.25)
    plain = msgspec.structs.replace(PROTOCOLS, bus_factor=1.0)
    assert plain.bus_bytes_per_s == 0
    only_one_way = msgspec.structs.replace(PROTOCOLS, bus_factor=2.0)
    assert only_one_way.bus_bytes_per_s == pytest.approx(4e9)


@pytest.mark.parametrize(
    ("size", "one_way", "both_ways", "gap"),
    [
        # Eager: 100 to send, 50 to receive; an exchange has the envelope of 16 bytes on the bus.
        (1000, 100 + 50 + 1000 + 500, 200 + 50 + 1000 + 500 + 0.25 * 0.5 * 1016, 508),
        (1023, 150 + 1000 + 511.5, 250 + 1000 + 511.5 + 0.25 * 0.5 * 1039, 519.5),
        # From 1,024 bytes on rendezvous: only what MPI_Isend takes is the host's.
        (1024, 3000 + 256, 700 + 3000 + 256 + 0.25 * 0.25 * 1040, 9000),
    ],
)
def test_a_message_costs_its_piece_and_what_its_protocol_takes_of_the_hosts(
    size: int, one_way: float, both_ways: float, gap: float
) -> None:
    assert PROTOCOLS.ping_pong_ns(size) == pytest.approx(one_way)
    assert PROTOCOLS.sendrecv_ns(size) == pytest.approx(both_ways)
    assert PROTOCOLS.gap_ns(size) == pytest.approx(gap)


def test_a_second_line_is_a_protocol_only_if_it_misses_less_than_half_as_much() -> None:
    """Times of one line, off by up to 2 %: two lines always fit them a little better."""
    sizes = [8 << step for step in range(14)]
    noise = [0.01, -0.02, 0.015, -0.005, 0.02, -0.015, 0.0]
    one_line = {n: (500.0 + 0.25 * n) * (1 + noise[at % 7]) for at, n in enumerate(sizes)}
    assert _best_switch(one_line) == 0
    two_lines = {n: time + (3000.0 if n >= 4096 else 0.0) for n, time in one_line.items()}
    assert _best_switch(two_lines) == 4096
