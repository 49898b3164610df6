"""What messages take of their hosts, and what a calibration holds out: records of known times."""

from collections.abc import Mapping, Sequence

import msgspec
import pytest

import weft
from support.builders import make_cases, synthetic_record
from support.simulations import KNOWN
from weft.plan.case import Case
from weft.sim.host_times import HostTimes, host_times, smallest_host_times
from weft.sim.measured import calibrated_from

TESTS = ("ping_pong", "sendrecv", "host_overhead", "late_receive")
SIZES = tuple(8 << n for n in range(14))
POST_NS, LATE_NS = 300.0, 410.0


def times_ns(case: Case, _: int) -> Sequence[float]:
    """Of an operation: twice the latency where it is there and back."""
    own = {
        "ping_pong": 2 * KNOWN.ping_pong_ns(case.bytes),
        "sendrecv": KNOWN.sendrecv_ns(case.bytes),
        "host_overhead": 2 * KNOWN.ping_pong_ns(case.bytes),
        "late_receive": LATE_NS + case.bytes / 100,
    }[case.test]
    return [own * (0.99 + 0.0005 * (sample % 40)) for sample in range(41)]


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
