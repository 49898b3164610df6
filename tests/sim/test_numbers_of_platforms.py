"""The numbers of a platform, computed by hand: pieces, gaps, settings, forecasts and coarseness."""

import math

import msgspec
import pytest

from weft.report.markup import to_latex
from weft.sim.calibrate import (
    Times,
    _chords,
    _never_less,
    _paid_by_blocking,
    lines_of,
    model_of,
    table_of,
    with_gaps,
)
from weft.sim.crossbar import coarseness_of
from weft.sim.effort import Pilot, forecast, is_enough, pilot_sizes
from weft.sim.fidelity import parameters_table
from weft.sim.protocols import NOTHING, Piece, Protocols, piece_at

# No two numbers are alike, and each list has its own pieces.
OWN = Protocols(
    transfer=(Piece(0, 2000.0, 1.0), Piece(2048, 9000.0, 0.8), Piece(8192, 9500.0, 0.5)),
    blocking_send=(Piece(0, 700.0, 0.3), Piece(512, 800.0, 0.2)),
    send=(Piece(0, 900.0, 0.4), Piece(4096, 100.0, 0.9)),
    receive=(Piece(0, 500.0, 0.1),),
    further_send=(Piece(0, 300.0, 0.6), Piece(1024, 350.0, 0.7)),
    further_receive=(Piece(0, 200.0, 1.2),),
    eager_below_bytes=2048,
    bus_factor=1.25,
)


def test_a_size_is_in_the_piece_that_begins_there() -> None:
    found = [piece_at(OWN.transfer, size).ns for size in (0, 2047, 2048, 8191, 8192, 1 << 30)]
    assert found == [2000.0, 2000.0, 9000.0, 9000.0, 9500.0, 9500.0]


@pytest.mark.parametrize(
    ("size", "ping_pong", "sendrecv", "gap"),
    [
        # Both hosts of a ping-pong, and of an exchange MPI_Isend's; the envelope on the bus.
        (100, 730 + 510 + 2100, 940 + 510 + 2100 + 0.25 * 116, 360.0),
        (1000, 1000 + 600 + 3000, 1300 + 600 + 3000 + 0.25 * 1016, 1400.0),
        (2047, 1209.4 + 704.7 + 4047, 1718.8 + 704.7 + 4047 + 0.25 * 2063, 2656.4),
        (2048, 9000 + 0.8 * 2048, 1719.2 + 9000 + 0.8 * 2048 + 0.2 * 2064, 1783.6),
        (8192, 9500 + 4096, 7472.8 + 9500 + 4096 + 0.125 * 8208, 6084.4),
    ],
)
def test_each_part_of_a_message_is_of_its_own_list(
    size: int, ping_pong: float, sendrecv: float, gap: float
) -> None:
    assert OWN.ping_pong_ns(size) == pytest.approx(ping_pong)
    assert OWN.sendrecv_ns(size) == pytest.approx(sendrecv)
    assert OWN.gap_ns(size) == pytest.approx(gap)


def test_a_gap_without_further_messages_is_one_alone_or_the_wire() -> None:
    bare = msgspec.structs.replace(OWN, further_send=(), further_receive=())
    assert bare.gap_ns(8) == pytest.approx(903.2)
    free = msgspec.structs.replace(bare, send=(Piece(0, 1.0),), receive=(Piece(0, 2.0),))
    assert free.gap_ns(8) == pytest.approx(24.0)
    assert free.gap_ns(8192) == pytest.approx(0.5 * 8208)
    slow = msgspec.structs.replace(bare, receive=(Piece(0, 950.0),))
    assert slow.gap_ns(8) == 950.0


def test_the_numbers_of_the_link_and_the_bus() -> None:
    assert OWN.bandwidth_bytes_per_s == pytest.approx(2e9)
    assert OWN.latency_ns == 2000.0
    assert OWN.bus_bytes_per_s == pytest.approx(2 * 2e9 / 1.25)
    # 6 of transfer, 4 + 4 + 2 of hosts, 4 + 2 of further ones, the switch and the bus.
    assert OWN.parameters == 24
    assert msgspec.structs.replace(OWN, bus_factor=1.0, eager_below_bytes=0).parameters == 22
    low = msgspec.structs.replace(OWN, transfer=(Piece(0, 0.25, 1.0),))
    assert low.latency_ns == 1.0
    # Its envelope alone takes longer than that: no factor is below zero.
    assert low.settings()["smpi/lat-factor"] == "0:0"


def test_settings_are_simgrids_in_seconds_and_begin_above_a_size() -> None:
    assert OWN.settings() == {
        "network/crosstraffic": "0",
        "network/TCP-gamma": "1e30",
        "smpi/async-small-thresh": "2048",
        "smpi/send-is-detached-thresh": "2048",
        "smpi/bw-factor": "0:0.5;2063:0.625;8207:1",
        # 16 bytes of envelope are in a bandwidth and not in a latency.
        "smpi/lat-factor": "0:0.992;2063:4.4936;8207:4.746",
        "smpi/os": "0:7e-07:3e-10;511:8e-07:2e-10",
        "smpi/ois": "0:9e-07:4e-10;4095:1e-07:9e-10",
        "smpi/or": "0:5e-07:1e-10",
    }
    assert OWN.further() == {
        "further-send": "0:3e-07:6e-10;1023:3.5e-07:7e-10",
        "further-receive": "0:2e-07:1.2e-09",
    }
    assert msgspec.structs.replace(OWN, further_send=()).further().keys() == {"further-receive"}


def test_without_bytes_every_list_keeps_its_own_fixed_times() -> None:
    fixed = OWN.without_bytes()
    for name in ("transfer", "blocking_send", "send", "receive", "further_send", "further_receive"):
        own = [(one.from_bytes, one.ns, 0.0) for one in getattr(OWN, name)]
        assert [msgspec.structs.astuple(one) for one in getattr(fixed, name)] == own
    assert (fixed.eager_below_bytes, fixed.bus_factor) == (2048, 1.25)


@pytest.mark.parametrize(
    ("nodes", "latency_ns", "precision"),
    [(64, 1000.0, ""), (65, 1000.0, "1e-9"), (65, 999.0, "1e-10"), (4096, 4340.0, "1e-9"),
     (65, 10_000.0, "1e-8")],
)  # fmt: skip
def test_moments_are_as_near_as_a_thousandth_of_a_latency(
    nodes: int, latency_ns: float, precision: str
) -> None:
    assert coarseness_of(nodes, latency_ns) == precision


def pilots(*seconds: float, nodes: tuple[int, ...] = (4, 64, 128)) -> list[Pilot]:
    pairs = zip(nodes, seconds, strict=False)
    return [Pilot(nodes=n, seconds=s, peak_bytes=50_000_000) for n, s in pairs]


@pytest.mark.parametrize(
    ("seconds", "power", "expected"),
    [
        # 0.9 of the least is the start; what is left of the last two doubles, or more.
        ((1.0, 2.9, 4.9), 1.0, 0.9 + 4.0 * 8),
        ((1.0, 1.9, 4.9), 2.0, 0.9 + 4.0 * 64),
        # No less than by the nodes, no more than by their fourth power.
        ((1.0, 3.9, 4.9), 1.0, 0.9 + 4.0 * 8),
        ((1.0, 1.0, 4.9), 4.0, 0.9 + 4.0 * 4096),
        ((2.0, 1.0, 4.9), 4.0, 0.9 + 4.0 * 4096),
    ],
)
def test_a_forecast_is_a_start_and_a_power(
    seconds: tuple[float, ...], power: float, expected: float
) -> None:
    found = forecast(pilots(*seconds), 1024)
    assert found is not None
    assert found.power == pytest.approx(power)
    assert found.seconds == pytest.approx(expected)
    assert (found.nodes, found.peak_bytes) == (1024, 50_000_000)
    assert found.pilots == tuple(pilots(*seconds))


def test_memory_by_chance_tells_no_power() -> None:
    def peak(*bytes_: float) -> float:
        made = [
            Pilot(nodes=n, seconds=1.0, peak_bytes=int(own))
            for n, own in zip((4, 64, 128), bytes_, strict=True)
        ]
        found = forecast(made, 256)
        assert found is not None
        return found.peak_bytes

    # 11 MB and 22 MB beyond the least double again; 10 and 20 are a line.
    assert peak(50e6, 61e6, 72e6) == pytest.approx(94e6)
    assert peak(50e6, 60e6, 70e6) == pytest.approx(70e6 + 128 * 20e6 / 124)
    # No less at more nodes: the steepest line from any is flat at least.
    assert peak(70e6, 65e6, 60e6) == pytest.approx(60e6)
    assert peak(50e6, 75e6, 74e6) == pytest.approx(74e6 + 128 * 24e6 / 124)


def test_small_runs_are_of_nodes_enough() -> None:
    assert pilot_sizes(127) == ()
    assert pilot_sizes(128) == (4, 8, 16, 32, 64)
    long = Pilot(nodes=256, seconds=30.0, peak_bytes=1)
    assert is_enough([long], 1024)
    assert not is_enough([msgspec.structs.replace(long, nodes=255)], 1024)


TIMES = {8: 100.0, 64: 90.0, 512: 300.0}


def test_chords_pass_through_their_sizes_and_begin_a_byte_above() -> None:
    found = _chords(TIMES)
    assert [one.from_bytes for one in found] == [0, 65, 513]
    for size, time in TIMES.items():
        assert piece_at(found, size).at(size) == pytest.approx(time)
    assert found[2] == Piece(513, found[1].ns, found[1].ns_per_byte)
    assert _chords({8: 5.0}) == (Piece(0, 5.0),)


def test_times_that_never_fall_are_the_nearest() -> None:
    assert _never_less(TIMES) == {8: 95.0, 64: 95.0, 512: 300.0}
    assert _never_less({64: 2.0, 8: 1.0}) == {8: 1.0, 64: 2.0}


GAPS = {8: 400.0, 1024: 500.0, 4096: 4000.0}


@pytest.mark.parametrize(
    ("posting_ns", "receiving_ns", "sends", "receives"),
    [
        # It is the receiver's where one alone takes as long, or nothing is known of it.
        (300.0, 400.0, False, True),
        (300.0, 0.0, False, True),
        (0.0, 500.0, True, True),
        (400.0, 500.0, True, True),
        # And else the sender's.
        (300.0, 0.5, True, False),
        (300.0, 399.0, True, False),
        (0.0, 399.0, True, False),
    ],
)
def test_a_gap_is_that_of_whoever_may_make_it(
    posting_ns: float, receiving_ns: float, *, sends: bool, receives: bool
) -> None:
    times = Times(ping_pong={}, gaps=GAPS, posting_ns=posting_ns, receiving_ns=receiving_ns)
    known = msgspec.structs.replace(OWN, further_send=(), further_receive=())
    found = with_gaps(known, times)
    # The gap of a rendezvous is none of an eager message.
    curve = _chords({8: 400.0, 1024: 500.0})
    behind = (Piece(2048, 900.0, 0.4), Piece(4096, 100.0, 0.9))
    posting = (Piece(0, posting_ns), *behind) if posting_ns else ()
    assert found.further_receive == (curve if receives else ())
    assert found.further_send == ((*curve, *behind) if sends else posting)


@pytest.mark.parametrize(
    ("gaps", "behind"),
    [
        # The link takes 1651 and 4104 ns of them, and a post alone 7473.
        ({2048: 2700.0, 8192: 11_300.0}, _chords({2048: 2700.0, 8192: 11_300.0})),
        ({2048: 2700.0, 8192: 11_100.0}, ()),
        ({2048: 2500.0, 8192: 11_300.0}, ()),
        ({8192: 50_000.0}, ()),
    ],
)
def test_a_stream_of_rendezvous_far_slower_than_the_link_is_its_senders(
    gaps: dict[int, float], behind: tuple[Piece, ...]
) -> None:
    known = msgspec.structs.replace(OWN, further_send=(), further_receive=())
    usual = (Piece(2048, 900.0, 0.4), Piece(4096, 100.0, 0.9))
    if behind:
        behind = (msgspec.structs.replace(behind[0], from_bytes=2048), *behind[1:])
    found = with_gaps(known, Times(ping_pong={}, gaps=gaps, posting_ns=70.0))
    assert found.further_send == (Piece(0, 70.0), *(behind or usual))
    assert found.gap_ns(8192) == pytest.approx(gaps[8192] if behind else 7472.8)


def test_one_stream_is_no_curve() -> None:
    known = msgspec.structs.replace(OWN, further_send=(), further_receive=())
    found = with_gaps(known, Times(ping_pong={}, gaps={8: 400.0, 4096: 4000.0}, posting_ns=70.0))
    assert found.further_receive == ()
    assert found.further_send[0] == Piece(0, 70.0)
    assert with_gaps(known, Times(ping_pong={})) == known


SIZES = (8, 64, 256, 1024, 4096, 16_384, 65_536, 262_144)


def jump_at(size: int, by: float) -> dict[int, float]:
    """A line of 1 us and 0.5 ns a byte, later by a factor from a size on, and steeper."""
    return {
        n: (1000 + 0.5 * n) if n < size else by * (1000 + 0.5 * size) + 0.9 * (n - size)
        for n in SIZES
    }


@pytest.mark.parametrize(
    ("times", "eager_bytes", "switch"),
    [
        (jump_at(4096, 1.5), 0, 4096),
        (jump_at(4096, 1.5), 4095, 4096),
        # It arrived without its receiver, so the jump is of packets.
        (jump_at(4096, 1.5), 4096, 1 << 30),
        (jump_at(1 << 40, 1.0), 0, 1 << 30),
    ],
)
def test_a_rendezvous_begins_where_the_time_jumps(
    times: dict[int, float], eager_bytes: int, switch: int
) -> None:
    found = lines_of(Times(ping_pong=times, eager_bytes=eager_bytes))
    assert found.eager_below_bytes == switch
    for size, time in times.items():
        assert found.ping_pong_ns(size) == pytest.approx(time, rel=0.02)


@pytest.mark.parametrize("make", [model_of, table_of])
def test_a_switch_that_is_known_is_taken(make: object) -> None:
    times = Times(ping_pong=jump_at(4096, 1.5), switch_bytes=1024)
    assert make(times).eager_below_bytes == 1024  # type: ignore[operator]
    found = make(msgspec.structs.replace(times, switch_bytes=None))  # type: ignore[operator]
    assert found.eager_below_bytes == 4096


def test_a_rate_is_never_beyond_all_bounds() -> None:
    found = lines_of(Times(ping_pong=dict.fromkeys(SIZES, 700.0)))
    assert found.bandwidth_bytes_per_s == pytest.approx(1e13)
    assert math.isfinite(found.bus_bytes_per_s)


def test_a_piece_is_shown_by_the_time_where_it_begins() -> None:
    """A steep line meets no bytes below zero, and no message takes less than nothing."""
    steep = (Piece(0, 4000.0), Piece(1048577, -58_200.0, 0.5), Piece(1025, 100.0, 2.0))
    table = parameters_table("mine", msgspec.structs.replace(OWN, further_send=steep))
    shown = [row[1:] for row in table.rows if row[0] == "a post behind others"]
    assert shown == [
        ("0 B", "4.00 µs", "0 ns"),
        ("over 1 MiB", "466 µs", "0.5 ns"),
        ("over 1 KiB", "2.15 µs", "2 ns"),
    ]
    assert table.head == ("", "from", "takes there", "and a byte more")
    # In LaTeX a label is made of its name.
    assert r"\label{tab:weft-parameters-1}" in to_latex([table])


@pytest.mark.parametrize("less_ns", [-3.0, 0.0, 0.5, 200.0])
def test_what_an_exchange_takes_less_than_one_way_is_of_blocking_sends(less_ns: float) -> None:
    free = msgspec.structs.replace(OWN, send=NOTHING)
    exchanges = {8: free.sendrecv_ns(8) + 9.0, 64: free.sendrecv_ns(64) - less_ns}
    found = _paid_by_blocking(OWN, exchanges)
    more = max(less_ns, 0.0)
    assert found.transfer[0].ns == pytest.approx(OWN.transfer[0].ns - more)
    assert found.transfer[1:] == OWN.transfer[1:]
    for one, before in zip(found.blocking_send, OWN.blocking_send, strict=True):
        assert one.ns == pytest.approx(before.ns + more)
    assert _paid_by_blocking(OWN, {}) == OWN
