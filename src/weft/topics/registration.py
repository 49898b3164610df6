"""What it costs to register memory, and to connect: tables of a record's own benchmark. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.layers import Step, step_between
from weft.analysis.stats.intervals import Estimate, median_of_launches
from weft.analysis.summary import resolution_ns
from weft.units import format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Launch
    from weft.record.run import Run

TEST = "registration"
PART = "deregister"
# A message registered as it goes, and the same test with memory registered in advance.
AS_IT_GOES = {"register_ping_pong": "ping_pong", "register_stream": "stream"}


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """Registering memory of a size whose pages are there, and deregistering it; times in ns."""

    transport: str
    way: str
    bytes: int
    launches: int
    register_ns: Estimate
    deregister_ns: Estimate


class Connecting(msgspec.Struct, frozen=True, kw_only=True):
    """The time that a transport takes to connect a rank with all others, over their number."""

    transport: str
    peers: int
    launches: int
    time_per_peer_ns: Estimate


def registrations_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[Registration, ...]:
    """A row a transport, way and size of the test `registration`, sizes ascending."""
    import numpy as np

    rows = []
    for summary in summaries:
        if summary.test != TEST or summary.latency_ns is None or summary.status != "ok":
            continue
        times: dict[int, list[float]] = {}
        own = [b for b in run.measured if b.case == summary.case and PART in b.parts]
        for batch in own:
            times.setdefault(batch.launch, []).extend(run.time_ns(batch, PART))
        medians = [float(np.median(values)) for values in times.values()]
        if not medians or min(medians) <= 0:
            continue
        rows.append(
            Registration(
                transport=summary.transport,
                way=summary.variant,
                bytes=summary.bytes,
                launches=summary.launches,
                register_ns=summary.latency_ns,
                deregister_ns=median_of_launches(medians, resolution_ns(run, own)),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.transport, row.way, row.bytes)))


def connecting_of(run: Run) -> tuple[Connecting, ...]:
    """A row a transport and number of peers: the median over launches with its interval."""
    groups: dict[tuple[str, int], list[float]] = {}
    for launch in run.lines.launches:
        time_ns = _connect_ns(launch)
        if time_ns is not None:
            peers = len(launch.ranks) - 1
            groups.setdefault((launch.transport, peers), []).append(time_ns / peers)
    return tuple(
        Connecting(
            transport=transport,
            peers=peers,
            launches=len(times),
            time_per_peer_ns=median_of_launches(times),
        )
        for (transport, peers), times in groups.items()
    )


def _connect_ns(launch: Launch) -> float | None:
    """What the engine told; None in records of an older one, or with nobody to connect to."""
    told = launch.details.get("connect_ns", "")
    return float(told) if told.isdigit() and int(told) > 0 and len(launch.ranks) > 1 else None


def cost_as_it_goes(run: Run, summaries: Sequence[CaseSummary]) -> tuple[str, ...]:
    """What registering each message as it goes adds to the time of one, a sentence a case."""
    good = {run.cases[s.case]: s for s in summaries if s.status == "ok"}
    told = []
    for case, summary in good.items():
        ahead = msgspec.structs.replace(case, test=AS_IT_GOES.get(case.test, ""))
        other = good.get(ahead)
        if other is None:
            continue
        before, after = time_of(other), time_of(summary)
        if before is not None and after is not None:
            step = step_between(summary.bytes, before, after)
            # One launch knows nothing of the variation between launches.
            known = step.verdict != "cannot tell" and min(summary.launches, other.launches) > 1
            told.append(_in_words(summary, other.test, step if known else None))
    return tuple(told)


def time_of(summary: CaseSummary) -> Estimate | None:
    """The latency in ns, or for a stream the time of one message: its bytes over the bandwidth."""
    rate = summary.bandwidth_bytes_per_s
    if summary.latency_ns is not None or rate is None:
        return summary.latency_ns
    return rate.mapped(lambda bytes_per_s: summary.bytes * 1e9 / bytes_per_s)


def _in_words(summary: CaseSummary, test: str, step: Step | None) -> str:
    way = f" {summary.variant}" if summary.variant else ""
    place = f"{summary.transport}{way}, {test}, {format_bytes(summary.bytes)}"
    if step is None:
        return f"registration: {place}: what registering as it goes adds cannot be told"
    verb = step.verdict
    return f"registration: {place}: registering as it goes {verb} {added_in_words(step)} a message"


def added_in_words(step: Step) -> str:
    """How much is added, or saved, with its interval: "1.50 µs (1.20 µs to 1.80 µs)"."""
    low, high = sorted((abs(step.low_ns), abs(step.high_ns)))
    return f"{format_time(abs(step.added_ns))} ({format_time(low)} to {format_time(high)})"


def to_json(rows: Sequence[Registration] | Sequence[Connecting]) -> list[dict[str, Any]]:
    """The rows as plain data."""
    plain: list[dict[str, Any]] = msgspec.to_builtins(list(rows))
    return plain
