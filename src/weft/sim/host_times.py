"""What messages take of their hosts, one alone and several, from the tests of records.

One alone: `host_overhead` times the post, `late_receive` the receive of what is there already.
Several: a stream of n messages takes n - 1 gaps longer than one of them and the receiver's report
(Hoefler, Lichei and Rehm, Low-Overhead LogGP Parameter Assessment for Modern Interconnection
Networks, 2007, of bursts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.summary import summarise
from weft.record.launches import launch_median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.record.run import Run

POSTING, RECEIVING, STREAM = "host_overhead", "late_receive", "stream"
WINDOWS = "window_stream"
_POST = "post_send"
# The calls of a message that is sent.
_SENDING = (_POST, "complete_send")
# Of a latency the two hosts have no more than this: the rest is the fabric's.
_MOST_OF_LATENCY = 0.9
# What is there already is received in less than this share of its latency.
LATE_SHARE = 0.8
_FEWEST_OF_A_LINE = 2


class HostTimes(msgspec.Struct, frozen=True, kw_only=True):
    """What posting a message alone takes, ns, and receiving one; 0 for what was not measured."""

    posting_ns: float = 0.0
    receiving_ns: float = 0.0

    @property
    def both_ns(self) -> float:
        """Of both hosts."""
        return self.posting_ns + self.receiving_ns


def host_times(run: Run, transport: str, size_bytes: int) -> HostTimes:
    """Of messages of a size."""
    return HostTimes(
        posting_ns=_sending_ns([run], transport, (_POST,)).get(size_bytes, 0.0),
        receiving_ns=_receiving_ns([run], transport).get(size_bytes, 0.0),
    )


def _sending_ns(runs: Sequence[Run], transport: str, calls: Sequence[str]) -> dict[int, float]:
    """What these calls of a message take together by size, ns: medians."""
    found: dict[int, list[float]] = {}
    for run in runs:
        for batch in run.measured:
            case = run.cases[batch.case]
            if case.transport == transport and all(call in batch.parts for call in calls):
                took = [launch_median(run.time_ns(batch, call)) for call in calls]
                found.setdefault(case.bytes, []).append(sum(took))
    return {size: float(np.median(own)) for size, own in found.items()}


def _receiving_ns(runs: Sequence[Run], transport: str) -> dict[int, float]:
    """What receiving a message that is there takes by size, ns; of several variants the first."""
    found: dict[int, float] = {}
    for run in runs:
        for one in summarise(run):
            is_one = one.test == RECEIVING and one.transport == transport
            if is_one and one.latency_ns:
                found.setdefault(one.bytes, max(one.latency_ns.value, 0.0))
    return found


def exchanges_ns(
    runs: Sequence[Run], transport: str, ping_pong: Mapping[int, float]
) -> dict[int, float]:
    """What an exchange takes by size, ns, by one way and by what its hosts do; without tests of
    the hosts at two sizes, and where they tell no more than one way does, nothing.

    A host sends its message and takes in the other's one after the other, o_s + o_r of LogP
    (Culler and others, LogP: Towards a Realistic Model of Parallel Computation, 1993), while in
    one way the receiver may begin before the sender's call has ended, as over sockets. Beyond the
    largest of these sizes both grow as between the last two.
    """
    sent, received = _sending_ns(runs, transport, _SENDING), _receiving_ns(runs, transport)
    sizes = sorted(set(sent) & set(received))
    if len(sizes) < _FEWEST_OF_A_LINE:
        return {}
    both = [sent[size] + received[size] for size in sizes]
    slope = max((both[-1] - both[-2]) / (sizes[-1] - sizes[-2]), 0.0)
    found = {
        size: max(time, float(np.interp(size, sizes, both)) + slope * max(size - sizes[-1], 0))
        for size, time in ping_pong.items()
    }
    return found if found != dict(ping_pong) else {}


def smallest_host_times(
    runs: Sequence[Run], transport: str, ping_pong: Mapping[int, float]
) -> HostTimes:
    """Of the smallest message whose posting was timed.

    Together no more than the least of the latencies `ping_pong` leaves room for.
    """
    found = [
        (case.bytes, at)
        for at, run in enumerate(runs)
        for case in run.cases.values()
        if (case.test, case.transport) == (POSTING, transport)
    ]
    if not found:
        return HostTimes()
    smallest, at = min(found)
    own = host_times(runs[at], transport, smallest)
    share = _MOST_OF_LATENCY * min(ping_pong.values()) / own.both_ns if own.both_ns else 1.0
    if share >= 1:
        return own
    return HostTimes(posting_ns=share * own.posting_ns, receiving_ns=share * own.receiving_ns)


def eager_bytes(runs: Sequence[Run], transport: str, ping_pong: Mapping[int, float]) -> int:
    """The largest message that was seen to arrive without its receiver; 0 where none was.

    Receiving it late takes less than its whole latency does, of which a rendezvous has two of three
    crossings and all bytes still to come.
    """
    sizes = sorted(ping_pong)
    whole = [ping_pong[size] for size in sizes]
    return max(
        (
            one.bytes
            for run in runs
            for one in summarise(run)
            if (one.test, one.transport, one.status) == (RECEIVING, transport, "ok")
            and one.latency_ns
            and one.latency_ns.value < LATE_SHARE * float(np.interp(one.bytes, sizes, whole))
        ),
        default=0,
    )


def gaps_ns(
    runs: Sequence[Run], transport: str, ping_pong: Mapping[int, float]
) -> dict[int, float]:
    """The time between two messages of a stream by size, ns, of two ranks; of the first record.

    A stream that is shorter than its latencies has none. Without any stream the time per message of
    the windows of osu_bw counts, and so does the time per message that another program states: the
    wait for a window is then part of it, so it is no shorter than the gap.
    """
    return _gaps_of(STREAM, runs, transport, ping_pong) or _gaps_of(
        WINDOWS, runs, transport, ping_pong
    )


def _gaps_of(
    test: str, runs: Sequence[Run], transport: str, ping_pong: Mapping[int, float]
) -> dict[int, float]:
    sizes = sorted(ping_pong)
    if not sizes:
        return {}
    times = [ping_pong[size] for size in sizes]
    found: dict[int, list[float]] = {}
    seen: dict[int, int] = {}
    for at, run in enumerate(runs):
        for batch in run.measured:
            case = run.cases[batch.case]
            is_one = case.test == test and case.transport == transport and case.ranks == 2
            if not is_one or seen.setdefault(case.bytes, at) != at:
                continue
            each = launch_median(run.time_ns(batch))
            if test == WINDOWS or batch.stated is not None:
                found.setdefault(case.bytes, []).append(each)
            elif batch.ops_per_sample > 1:
                one_way, report = np.interp([case.bytes, sizes[0]], sizes, times)
                whole = each * batch.ops_per_sample - one_way - report
                found.setdefault(case.bytes, []).append(whole / (batch.ops_per_sample - 1))
    gaps = {size: float(np.median(own)) for size, own in sorted(found.items())}
    return {size: gap for size, gap in gaps.items() if gap > 0}
