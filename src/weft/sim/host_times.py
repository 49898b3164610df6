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
_POST = "post_send"
# Of a latency the two hosts have no more than this: the rest is the fabric's.
_MOST_OF_LATENCY = 0.9
# What is there already is received in less than this share of its latency.
LATE_SHARE = 0.8


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
    posted = [
        launch_median(run.time_ns(batch, _POST))
        for batch in run.measured
        if _POST in batch.parts
        and run.cases[batch.case].bytes == size_bytes
        and run.cases[batch.case].transport == transport
    ]
    received = [
        max(one.latency_ns.value, 0.0)
        for one in summarise(run)
        if one.test == RECEIVING
        and one.bytes == size_bytes
        and one.transport == transport
        and one.latency_ns
    ]
    return HostTimes(
        posting_ns=float(np.median(posted) if posted else 0.0),
        receiving_ns=next(iter(received), 0.0),
    )


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

    A stream that is shorter than its latencies has none.
    """
    sizes = sorted(ping_pong)
    times = [ping_pong[size] for size in sizes]
    found: dict[int, list[float]] = {}
    seen: dict[int, int] = {}
    for at, run in enumerate(runs):
        for batch in run.measured:
            case = run.cases[batch.case]
            is_one = case.test == STREAM and case.transport == transport and case.ranks == 2
            if not is_one or batch.ops_per_sample < 2 or seen.setdefault(case.bytes, at) != at:
                continue
            one_way, report = np.interp([case.bytes, sizes[0]], sizes, times)
            whole = launch_median(run.time_ns(batch)) * batch.ops_per_sample
            gap = (whole - one_way - report) / (batch.ops_per_sample - 1)
            if gap > 0:
                found.setdefault(case.bytes, []).append(gap)
    return {size: float(np.median(own)) for size, own in sorted(found.items())}
