"""Errors and other events that the hosts counted while cases were measured. Pure.

A counter sees all traffic of its interface, port or host, not only the traffic of the ranks.

TCP on a busy machine also sends segments again that were only late. The receiver reports each of
them as a duplicate (RFC 2883, An Extension to the Selective Acknowledgement Option for TCP, 2000;
RFC 3708 uses these reports to find spurious retransmissions). So a retransmission counts only if
no report of a duplicate follows it in its launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weft.record.launches import by_launch
from weft.record.model import CounterKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weft.plan.case import Case
    from weft.record.model import Batch, Launch
    from weft.record.run import Run

PROTOCOLS = frozenset({"tcp", "udp", "ip"})
# A sample is slow if it takes this many times the median of its case.
SLOW = 2.0

CountedKind = Literal[
    "errors", "drops", "retransmissions", "ecn_marks", "link_flaps", "pauses", "waits"
]
# Events that go together with a fault of the network, in the order in which they are reported.
COUNTED_KINDS: tuple[CountedKind, ...] = CountedKind.__args__  # type: ignore[attr-defined]


class CountedEvents(msgspec.Struct, frozen=True, kw_only=True):
    """Events of one kind that a device of a host counted while a case was measured.

    `counters` are the kernel's names, `launches` the launches in which it counted any. Any device
    counted events of this kind in `batches_there` of the `batches` that were measured of the case,
    and these have `slow_samples_there` of its `slow_samples`.
    """

    host: str
    device: str
    kind: CountedKind
    case: str
    events: int
    counters: tuple[str, ...]
    launches: tuple[int, ...]
    batches: int
    batches_there: int
    slow_samples: int
    slow_samples_there: int


class _Place(msgspec.Struct, frozen=True):
    host: str
    device: str
    kind: CounterKind


def counted_events(run: Run) -> tuple[CountedEvents, ...]:
    """A row for each kind of event, device and case, in this order."""
    batches = {batch.order: batch for batch in run.lines.batches}
    found: dict[tuple[_Place, str], dict[int, int]] = {}
    for number, own in by_launch(batches.values()).items():
        if number not in run.launches:
            continue
        for place, events in _events_of(run.launches[number], own).items():
            for order, count in events.items():
                found.setdefault((place, batches[order].case), {})[order] = count
    there: dict[tuple[CounterKind, str], set[int]] = {}
    for (place, case), events in found.items():
        there.setdefault((place.kind, case), set()).update(events)
    slow = _SlowSamples(run)
    cases = {key: at for at, key in enumerate(run.cases)}
    rows = [
        CountedEvents(
            host=place.host,
            device=place.device,
            kind=kind,
            case=case,
            events=sum(events.values()),
            counters=tuple(sorted(_names(place, [batches[order] for order in events]))),
            launches=tuple(sorted({batches[order].launch for order in events})),
            batches=len(slow.of(case)),
            batches_there=len(slow.of(case).keys() & there[kind, case]),
            slow_samples=sum(slow.of(case).values()),
            slow_samples_there=sum(slow.of(case).get(one, 0) for one in there[kind, case]),
        )
        for kind in COUNTED_KINDS
        for (place, case), events in found.items()
        if place.kind == kind and case in cases
    ]
    order_of_kind = COUNTED_KINDS.index
    rows.sort(key=lambda row: (order_of_kind(row.kind), row.host, row.device, cases[row.case]))
    return tuple(rows)


def uncounted_hosts(run: Run, kind: CountedKind, cases: Iterable[Case]) -> tuple[str, ...]:
    """The hosts of the launches of these cases that do not count such events at all."""
    wanted = {case.key for case in cases}
    launches = {batch.launch for batch in run.measured if batch.case in wanted}
    return tuple(
        sorted(
            {
                rank.host
                for number in launches
                for rank in run.launches[number].ranks
                if not _counts(run.launches[number], rank.host, kind)
            }
        )
    )


def _counts(launch: Launch, host: str, kind: CountedKind) -> bool:
    return any(kind in kinds for kinds in launch.counters.get(host, {}).values())


def _events_of(launch: Launch, batches: Iterable[Batch]) -> dict[_Place, dict[int, int]]:
    """The events of a launch: by place, and by the order of the batch."""
    found: dict[_Place, dict[int, int]] = {}
    for batch in batches:
        for one in batch.counters:
            if _is_of_messages(launch, one.device):
                events = found.setdefault(_Place(one.host, one.device, one.kind), {})
                events[batch.order] = events.get(batch.order, 0) + one.rise
    for place, events in found.items():
        if place.kind == "retransmissions":
            spurious = found.get(_Place(place.host, place.device, "duplicates"), {})
            found[place] = _without(events, spurious)
    return found


def _without(events: Mapping[int, int], duplicates: Mapping[int, int]) -> dict[int, int]:
    """The retransmissions without those that reports of duplicates follow, the nearest first."""
    kept = {}
    reports = 0
    for order in sorted({*events, *duplicates}, reverse=True):
        reports += duplicates.get(order, 0)
        spurious = min(reports, events.get(order, 0))
        reports -= spurious
        if left := events.get(order, 0) - spurious:
            kept[order] = left
    return kept


def _names(place: _Place, batches: Iterable[Batch]) -> set[str]:
    return {
        one.name
        for batch in batches
        for one in batch.counters
        if (one.host, one.device, one.kind) == (place.host, place.device, place.kind)
    }


def _is_of_messages(launch: Launch, device: str) -> bool:
    """Whether messages of the launch may pass a device.

    Between ranks of one host they pass no interface, and protocols of the host only over tcp.
    """
    if len({rank.host for rank in launch.ranks}) > 1 or "/" in device:
        return True
    return device in PROTOCOLS and launch.transport == "tcp"


class _SlowSamples:
    """Counts samples that take far longer than the median of their case."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._by_case: dict[str, dict[int, int]] = {}

    def of(self, case: str) -> dict[int, int]:
        """By the order of each batch of the case that was measured."""
        if case not in self._by_case:
            self._by_case[case] = self._count(case)
        return self._by_case[case]

    def _count(self, case: str) -> dict[int, int]:
        import numpy as np

        times = {
            batch.order: self._run.time_ns(batch)
            for batch in self._run.measured_by_case.get(case, [])
        }
        samples = np.concatenate([*times.values(), np.empty(0)])
        if not len(samples):
            return {}
        limit = SLOW * float(np.median(samples))
        return {order: int(np.count_nonzero(own > limit)) for order, own in times.items()}
