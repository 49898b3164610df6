"""A simulated platform from a record: what was measured on a few nodes, and how well it predicts.

Every other size makes a model that predicts those between them, and `ping_pong` alone predicts
`sendrecv`. Then all sizes make the platform, which predicts whole patterns
(`weft.studies.held_out`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.stats.error_bound import bound_of_further
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.record.launches import rails_of
from weft.record.reader import stem_of
from weft.record.run import Run
from weft.sim.algorithms import exchanges_all
from weft.sim.answers import Certainty
from weft.sim.calibrate import Times, lines_of, table_of
from weft.sim.host_times import (
    STREAM,
    WINDOWS,
    eager_bytes,
    exchanges_ns,
    gaps_ns,
    smallest_host_times,
)
from weft.sim.protocols import Protocols

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.sim.platforms import Calibrated

# So many sizes leave enough for two lines when every other one is held out.
_FEWEST_TO_HOLD_OUT = 8
# From so many bytes on of an allreduce what is added counts.
_LEAST_ADDED = 1024
_FEWEST_OF_A_LINE = 2
# What a platform is made of.
MADE_OF = ("ping_pong", "sendrecv", STREAM, WINDOWS)


class HeldOut(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that was measured and did not take part in what predicts it.

    Both are ns, or bytes/s with `is_rate`. Ranks that shared cores waited for each other's.
    """

    what: str
    by: str
    bytes: int
    measured: float
    predicted: float
    is_rate: bool = False
    shares_cores: bool = False

    @property
    def error_percent(self) -> float:
        """Above 0 the predicted one is larger."""
        return 100 * (self.predicted / self.measured - 1)


def certainty_of_held_out(every: Sequence[HeldOut], protocols: Protocols) -> Certainty | None:
    """How far a record's platform is from what the record held out; None where it held out nothing.

    Of ranks that had cores of their own. Errors of times: of a bandwidth it is that of the time.
    The interval is of what a further one is within, so one that is far off does not make it wide.
    """
    ratios: dict[bool, list[float]] = {True: [], False: []}
    sizes = []
    time_of, fixed_of = protocols.ping_pong_ns, protocols.without_bytes().ping_pong_ns
    for one in every:
        if one.shares_cores:
            continue
        ratio = one.measured / one.predicted if one.is_rate else one.predicted / one.measured
        is_of_bytes = 2 * fixed_of(one.bytes) < time_of(one.bytes)
        ratios[is_of_bytes].append(ratio)
        sizes.append(one.bytes)
    if not sizes:
        return None
    every_ratio = [*ratios[True], *ratios[False]]
    errors = [abs(ratio - 1) for ratio in every_ratio]
    return Certainty(
        mean=sum(errors) / len(errors),
        worst=max(errors),
        fixed=_further(ratios[False]),
        byte=_further(ratios[True]),
        further=_further(every_ratio),
        points=len(errors),
        largest_bytes=max(sizes),
        of="held-out",
    )


def _further(ratios: Sequence[float]) -> float:
    """The factor within which a further ratio is, either way, less one."""
    return bound_of_further([max(ratio, 1 / ratio) - 1 for ratio in ratios])


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A platform from a record, without its file, its protocols, and what they predicted.

    `runs` are the records, of which it is what `transport` did. A rank adds `sum_bytes_per_s` to
    another's numbers in a sum; 0 where that was not measured. Its bandwidth is that of `rails`.
    """

    runs: tuple[Run, ...]
    transport: str
    platform: SimulatedPlatform
    protocols: Protocols
    held_out: tuple[HeldOut, ...]
    sum_bytes_per_s: float = 0.0
    rails: int = 1


def calibrated_from(
    runs: tuple[Run, ...], transport: str, kind: Calibrated, nodes: int
) -> Measured:
    """A platform of so many nodes at one crossbar. Raises WeftError for a record without sizes.

    The sizes are those of the first record; others have the patterns to be predicted, and the
    hosts' overheads.
    """
    run = runs[0]
    path = run.path
    summaries = [one for one in summarise(run) if one.status == "ok"]
    over = tuple(dict.fromkeys(one.transport for one in summaries if one.test == "ping_pong"))
    if not over or (transport and transport not in over):
        what = f" over {transport}" if transport else ""
        raise WeftError(
            f"{path} has no ping_pong{what}", "measure it: weft run ping_pong sendrecv stream"
        )
    if len(over) > 1 and not transport:
        raise WeftError(
            f"{path} has ping_pong over {', '.join(over)}", f"use --transport {over[0]}"
        )
    chosen = transport or over[0]
    own = [one for one in summaries if one.transport == chosen]
    ping_pong = _times(own, "ping_pong")
    alone = smallest_host_times(runs, chosen, ping_pong)
    exchanges, by_hosts = _times(own, "sendrecv"), exchanges_ns(runs, chosen, ping_pong)
    times = Times(
        ping_pong=ping_pong,
        sendrecv=exchanges or by_hosts,
        posting_ns=alone.posting_ns,
        receiving_ns=alone.receiving_ns,
        gaps=gaps_ns(runs, chosen, ping_pong),
        eager_bytes=eager_bytes(runs, chosen, ping_pong),
    )
    protocols = lines_of(times) if kind == "model" else table_of(times)
    measured_on = run.header.plan.simulated.label if run.header.plan.simulated else "measured"
    named = SimulatedPlatform(
        name=stem_of(path),
        kind=kind,
        nodes=nodes,
        origin=f"{path.name} over {chosen}, {measured_on}",
    )
    return Measured(
        runs=runs,
        transport=chosen,
        platform=named,
        protocols=protocols,
        held_out=(
            *_other_sizes(msgspec.structs.replace(times, sendrecv=exchanges)),
            *_other_tests(ping_pong, by_hosts, exchanges),
        ),
        sum_bytes_per_s=sum_rate(runs, chosen, exchanges),
        rails=rails_of(run.lines.launches, chosen),
    )


def shows_additions(case: Case) -> bool:
    """Whether it is an allreduce by which `sum_rate` is found."""
    is_of_two = case.test == "allreduce" and case.ranks == 2
    return is_of_two and case.bytes >= _LEAST_ADDED and exchanges_all(case.bytes)


def sum_rate(runs: Sequence[Run], transport: str, exchanges: Mapping[int, float]) -> float:
    """What a rank adds to another's numbers, bytes/s, by the allreduces of the records; 0 where
    that was not measured. `exchanges` are those of two ranks by size, ns.
    """
    every = [one for run in runs for one in summarise(run) if one.transport == transport]
    return rate_of_additions(_times(every, "allreduce"), exchanges)


def rate_of_additions(sums: Mapping[int, float], exchanges: Mapping[int, float]) -> float:
    """What a rank adds to another's numbers, bytes/s; 0 where that is not seen.

    By how much more an allreduce of two ranks grows with its size than an exchange of as many
    bytes, both by size, ns: what it takes longer of few numbers is the call's. A straight line
    through all sizes at which two ranks exchange all their numbers once, of which the largest is a
    kibibyte at least; where it does not rise, additions are lost in the scatter. (At 4 KiB Open MPI
    4.1 sends in two turns, of which the second seemed to be additions.)
    """
    longer = {
        size: time - exchanges[size]
        for size, time in sums.items()
        if exchanges_all(size) and size in exchanges
    }
    if len(longer) < _FEWEST_OF_A_LINE or max(longer) < _LEAST_ADDED:
        return 0.0
    ns_per_byte, _ = np.polyfit(list(longer), list(longer.values()), 1)
    return 1e9 / float(ns_per_byte) if ns_per_byte > 0 else 0.0


def _times(summaries: Sequence[CaseSummary], test: str) -> dict[int, float]:
    """The latencies of two ranks by size, ns; of several variants of a size the first."""
    found: dict[int, float] = {}
    for one in summaries:
        if one.test == test and one.latency_ns is not None and one.ranks == 2:
            found.setdefault(one.bytes, one.latency_ns.value)
    return found


def _other_sizes(times: Times) -> list[HeldOut]:
    """Every other size, by a model of those that are left; the smallest and largest stay in it.

    Of streams too: their gaps make part of the platform.
    """
    sizes = sorted(times.ping_pong)
    if len(sizes) < _FEWEST_TO_HOLD_OUT:
        return []
    out = set(sizes[1:-1:2])
    gaps_out = set(sorted(times.gaps)[1:-1:2])
    try:
        model = lines_of(
            msgspec.structs.replace(
                times,
                ping_pong=_without(times.ping_pong, out),
                sendrecv=_without(times.sendrecv, out),
                gaps=_without(times.gaps, gaps_out),
            )
        )
    except WeftError:
        return []
    tests = (
        ("ping_pong", times.ping_pong, model.ping_pong_ns, out),
        ("sendrecv", times.sendrecv, model.sendrecv_ns, out),
        (STREAM, times.gaps, model.gap_ns, gaps_out),
    )
    return [
        HeldOut(
            what=test, by="other sizes", bytes=size, measured=own[size], predicted=predict(size)
        )
        for test, own, predict, held in tests
        for size in sorted(held & set(own))
    ]


def _other_tests(
    ping_pong: Mapping[int, float], by_hosts: Mapping[int, float], exchanges: Mapping[int, float]
) -> list[HeldOut]:
    """Exchanges by a model of one way alone, and of what the hosts do where that was measured."""
    model = lines_of(Times(ping_pong=ping_pong, sendrecv=by_hosts))
    return [
        HeldOut(
            what="sendrecv",
            by="hosts" if by_hosts else "ping_pong",
            bytes=size,
            measured=time,
            predicted=model.sendrecv_ns(size),
        )
        for size, time in sorted(exchanges.items())
    ]


def _without(times: Mapping[int, float], out: set[int]) -> dict[int, float]:
    return {size: time for size, time in times.items() if size not in out}
