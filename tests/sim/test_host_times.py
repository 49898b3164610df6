"""What messages take of their hosts, and what a calibration holds out: records of known times."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, OPS_PER_SAMPLE, make_cases, synthetic_record
from support.simulations import KNOWN
from support.typed_tables import GAP_NS, WIRE_BYTES_PER_NS, bandwidths
from weft.plan.case import Case
from weft.sim.host_times import (
    HostTimes,
    exchanges_ns,
    gaps_ns,
    host_times,
    smallest_host_times,
)
from weft.sim.measured import calibrated_from

TESTS = ("ping_pong", "sendrecv", "host_overhead", "late_receive")
SIZES = tuple(8 << n for n in range(14))
POST_NS, LATE_NS = 300.0, 410.0


def times_ns(case: Case, round_: int) -> Sequence[float]:
    """Of an operation: twice the latency where it is there and back."""
    own = {
        "ping_pong": 2 * KNOWN.ping_pong_ns(case.bytes),
        "sendrecv": KNOWN.sendrecv_ns(case.bytes),
        "host_overhead": 2 * KNOWN.ping_pong_ns(case.bytes),
        "late_receive": LATE_NS + case.bytes / 100,
    }[case.test]
    effect = LAUNCH_EFFECTS[round_]
    return [own * effect * (0.99 + 0.0005 * (sample % 40)) for sample in range(41)]


def parts_ns(case: Case, _: int) -> Mapping[str, Sequence[float]]:
    """Posting is dearer for longer messages; no part is as another."""
    if case.test != "host_overhead":
        return {}
    names = ("post_send", "complete_send", "post_receive", "complete_receive")
    return {
        name: [(place + 1) * POST_NS + case.bytes / 50] * 41 for place, name in enumerate(names)
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> weft.Run:
    cases = make_cases(TESTS, ("tcp", "mpi"), SIZES)
    path = tmp_path_factory.mktemp("hosts") / "r.jsonl"
    return weft.load(synthetic_record(path, cases, times_ns=times_ns, parts_ns=parts_ns))


def test_posting_and_receiving_are_those_of_the_size_and_the_transport(run: weft.Run) -> None:
    for size in (8, 1024):
        found = host_times(run, "tcp", size)
        assert found.posting_ns == pytest.approx(POST_NS + size / 50, rel=0.01)
        assert found.receiving_ns == pytest.approx(LATE_NS + size / 100, rel=0.02)
        assert found.both_ns == found.posting_ns + found.receiving_ns
    assert host_times(run, "ucx", 8) == HostTimes()
    assert host_times(run, "tcp", 9) == HostTimes()


def test_hosts_have_no_more_than_nine_tenths_of_the_least_latency(run: weft.Run) -> None:
    own = host_times(run, "mpi", 8)
    whole = smallest_host_times([run], "mpi", {8: 2000.0, 1024: 9000.0})
    assert whole == own
    less = smallest_host_times([run], "mpi", {8: 9000.0, 1024: 400.0})
    assert less.both_ns == pytest.approx(0.9 * 400.0)
    assert less.posting_ns / less.receiving_ns == pytest.approx(own.posting_ns / own.receiving_ns)
    assert smallest_host_times([run], "ucx", {8: 2000.0}) == HostTimes()


def test_sizes_that_are_held_out_have_the_time_that_was_measured(run: weft.Run) -> None:
    found = calibrated_from((run,), "tcp", "model", 8)
    out = [one for one in found.held_out if one.by == "other sizes"]
    assert {one.what for one in out} == {"ping_pong", "sendrecv"}
    for one in out:
        assert one.bytes in SIZES[1:-1:2]
        of = KNOWN.ping_pong_ns if one.what == "ping_pong" else KNOWN.sendrecv_ns
        assert one.measured == pytest.approx(of(one.bytes), rel=0.01)
        assert one.predicted == pytest.approx(one.measured, rel=0.1)


def test_a_bus_is_there_where_both_ways_take_longer_than_one() -> None:
    for factor, rate in ((1.0, 0.0), (0.5, 0.0), (1.25, 2.0e9), (2.0, 1.25e9)):
        own = msgspec.structs.replace(KNOWN, bus_factor=factor)
        assert own.bus_bytes_per_s == pytest.approx(rate)
        assert own.parameters == KNOWN.parameters - (factor <= 1)


# Calls of a message that is sent, and taking one in: longer than one way from 16 KiB on, or, where
# the latter takes TAKING_LONG_NS, always.
SENDING_NS, TAKING_NS, TAKING_LONG_NS = (900.0, 0.5), (800.0, 0.75), (9000.0, 0.75)
Line = tuple[float, float]


def at(line: Line, size: int) -> float:
    return line[0] + line[1] * size


def busy_run(path: Path, tests: Sequence[str], taking_ns: Line = TAKING_NS) -> weft.Run:
    """Hosts that take long for a message; their times are known at two sizes."""

    def busy_times_ns(case: Case, round_: int) -> Sequence[float]:
        is_late = case.test == "late_receive"
        return [at(taking_ns, case.bytes)] * 41 if is_late else times_ns(case, round_)

    def busy_parts_ns(case: Case, _: int) -> Mapping[str, Sequence[float]]:
        if case.test != "host_overhead":
            return {}
        post_ns = 0.6 * SENDING_NS[0]
        took = {
            "post_send": post_ns,
            "complete_send": at(SENDING_NS, case.bytes) - post_ns,
            "post_receive": 70.0,
            "complete_receive": 500.0,
        }
        return {name: [ns] * 41 for name, ns in took.items()}

    cases = (
        *make_cases(tests, ("tcp",), SIZES),
        *make_cases(("host_overhead", "late_receive"), ("tcp",), (8, 4096)),
    )
    return weft.load(synthetic_record(path, cases, times_ns=busy_times_ns, parts_ns=busy_parts_ns))


def exchange_ns(size: int, taking_ns: Line = TAKING_NS) -> float:
    return max(KNOWN.ping_pong_ns(size), at(SENDING_NS, size) + at(taking_ns, size))


def test_an_exchange_takes_as_long_as_a_host_sends_and_takes_in(tmp_path: Path) -> None:
    run = busy_run(tmp_path / "r.jsonl", ("ping_pong",))
    one_way = {size: KNOWN.ping_pong_ns(size) for size in SIZES}
    found = exchanges_ns([run], "tcp", one_way)
    # Beyond 4 KiB, where nothing was measured, too.
    assert found == pytest.approx({size: exchange_ns(size) for size in SIZES}, rel=1e-3)
    assert [size for size in SIZES if found[size] > one_way[size]] == [16384, 32768, 65536]
    assert exchanges_ns([run], "mpi", one_way) == {}
    # Hosts that are done sooner than the message is there tell nothing.
    assert exchanges_ns([run], "tcp", dict.fromkeys(SIZES, 1e9)) == {}


def test_beyond_the_largest_size_hosts_take_longer_as_between_the_last_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent, received = {8: 900.0, 512: 1000.0, 4096: 7168.0}, {8: 100.0, 512: 150.0, 4096: 1150.0}
    monkeypatch.setattr("weft.sim.host_times._sending_ns", lambda *_: sent)
    monkeypatch.setattr("weft.sim.host_times._receiving_ns", lambda *_: received)
    # Of both together 2 ns a byte there, and 0.3 before.
    found = exchanges_ns([], "tcp", {8: 10.0, 2304: 10.0, 4096: 10.0, 12288: 10.0})
    assert found == pytest.approx({8: 1000, 2304: 4734, 4096: 8318, 12288: 8318 + 2 * 8192})
    # Where the last took less than the one before, none beyond takes less than the last.
    sent[4096], received[4096] = 100.0, 50.0
    found = exchanges_ns([], "tcp", {4096: 10.0, 12288: 10.0})
    assert found == pytest.approx({4096: 150, 12288: 150})


def test_hosts_at_one_size_tell_nothing_of_exchanges(run: weft.Run, tmp_path: Path) -> None:
    cases = make_cases(("host_overhead", "late_receive"), ("tcp",), (8,))
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times_ns, parts_ns=parts_ns)
    assert exchanges_ns([weft.load(path)], "tcp", {8: 10.0, 64: 10.0}) == {}
    assert exchanges_ns([run], "tcp", {8: 10.0, 64: 10.0}) != {}


def test_exchanges_are_held_out_by_one_way_and_by_what_the_hosts_do(
    run: weft.Run, tmp_path: Path
) -> None:
    own = busy_run(tmp_path / "r.jsonl", ("ping_pong", "sendrecv"), TAKING_LONG_NS)
    busy = calibrated_from((own,), "tcp", "model", 8)
    out = [one for one in busy.held_out if one.by == "hosts"]
    assert [one.bytes for one in out] == list(SIZES)
    for one in out:
        assert one.measured == pytest.approx(KNOWN.sendrecv_ns(one.bytes), rel=0.01)
        assert one.predicted == pytest.approx(exchange_ns(one.bytes, TAKING_LONG_NS), rel=0.02)
    # Hosts that take no longer than the message does are in no model.
    plain = calibrated_from((run,), "tcp", "model", 8)
    others = [one for one in plain.held_out if one.by == "ping_pong"]
    assert [one.bytes for one in others] == list(SIZES)
    for one in others:
        assert one.predicted == pytest.approx(KNOWN.ping_pong_ns(one.bytes), rel=0.02)


def test_a_platform_without_exchanges_has_those_of_its_hosts(tmp_path: Path) -> None:
    own = busy_run(tmp_path / "r.jsonl", ("ping_pong",), TAKING_LONG_NS)
    found = calibrated_from((own,), "tcp", "model", 8)
    for size in SIZES:
        wanted = exchange_ns(size, TAKING_LONG_NS)
        assert found.protocols.sendrecv_ns(size) == pytest.approx(wanted, rel=0.02)
    # No exchange was measured that could be held out of it.
    assert not [one for one in found.held_out if one.what == "sendrecv"]


ONE_WAY_NS = {8: 2000.0, 1024: 3016.0}
GAPS_NS = {8: 150.0, 512: 400.0, 1024: -40.0}


def streamed(path: Path, factor: float, sizes: Sequence[int] = tuple(GAPS_NS)) -> weft.Run:
    """Streams of messages so far apart, whose last one is reported by one of 8 B; over tcp."""

    def times(case: Case, round_: int) -> Sequence[float]:
        gap = factor * GAPS_NS[case.bytes] * LAUNCH_EFFECTS[round_]
        # One way grows by a nanosecond a byte; over another transport all takes twice as long.
        whole = 2000 + (case.bytes - 8) + 2000 + (OPS_PER_SAMPLE - 1) * gap
        return [whole / OPS_PER_SAMPLE * (2 if case.transport == "mpi" else 1)] * 9

    cases = make_cases(("stream",), ("tcp", "mpi"), sizes)
    return weft.load(synthetic_record(path, cases, times_ns=times))


def test_windows_of_another_program_give_its_messages_a_gap(tmp_path: Path) -> None:
    """As osu_bw prints them. A stream's own gap goes first."""
    windows = weft.load(bandwidths(tmp_path))
    found = gaps_ns((windows,), "mpi", ONE_WAY_NS)
    assert found[8] == pytest.approx(GAP_NS, rel=1e-3)
    assert found[1 << 20] == pytest.approx((1 << 20) / WIRE_BYTES_PER_NS, rel=1e-3)
    stream = streamed(tmp_path / "stream.jsonl", 1.0, (8,))
    own = gaps_ns((windows, stream), "mpi", ONE_WAY_NS)
    assert [*own] == [8]
    assert own[8] > 2 * GAPS_NS[8]


def test_messages_are_as_far_apart_as_a_stream_is_longer_than_its_ways(tmp_path: Path) -> None:
    first = streamed(tmp_path / "first.jsonl", 1.0, (8, 1024))
    second = streamed(tmp_path / "second.jsonl", 3.0)
    usual = sorted(LAUNCH_EFFECTS)[len(LAUNCH_EFFECTS) // 2]
    found = gaps_ns((first, second), "tcp", ONE_WAY_NS)
    # Of the second only what the first has not, and nothing of what is shorter than its ways.
    assert found == {
        8: pytest.approx(GAPS_NS[8] * usual, rel=0.01),
        512: pytest.approx(3 * GAPS_NS[512] * usual, rel=0.01),
    }
    assert gaps_ns((second,), "tcp", ONE_WAY_NS)[8] == pytest.approx(450 * usual, rel=0.01)
    assert gaps_ns((first,), "ucx", ONE_WAY_NS) == {}


def test_the_smallest_message_is_that_of_its_own_test_and_transport(tmp_path: Path) -> None:
    """Others were measured with smaller ones, whose names come before and behind."""
    cases = (
        *make_cases(("host_overhead", "late_receive"), ("tcp",), (64, 512)),
        *make_cases(("ping_pong", "sendrecv"), ("tcp",), (8, 64)),
        *make_cases(("host_overhead", "late_receive"), ("mpi", "ucx"), (16, 64)),
    )
    path = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times_ns, parts_ns=parts_ns)
    one = weft.load(path)
    found = smallest_host_times([one], "tcp", {8: 20_000.0})
    assert found == host_times(one, "tcp", 64)
    assert found.posting_ns == pytest.approx(POST_NS + 64 / 50, rel=0.01)
