"""A map held against limits: every way by itself, and what a link gets of matchings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.analysis.compare.acceptance import Checked, Outcome
from weft.analysis.compare.kept_limits import not_planned, on_interval
from weft.analysis.diagnosis.bisection import answer_of, bisection_of
from weft.analysis.stats.intervals import interval_of_median
from weft.errors import WeftError
from weft.studies.map_changes import maps_together, silent_hosts_of
from weft.units import format_bandwidth, format_time
from weft.wording import counted, verb_of, with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.compare.bounds import Limit
    from weft.analysis.diagnosis.measured import MeasuredMap
    from weft.record.run import Run

_MOST_NAMED = 4


def checks_of_limits(runs: Sequence[Run], limits: Sequence[Limit]) -> tuple[Checked, ...]:
    """Every limit on every size that it is for. Raises WeftError where none is for any.

    A latency is that of each way there; a bandwidth, or its share of a link's peak, the effective
    bisection bandwidth. A host that died fails them all.
    """
    maps = [*maps_together(runs).values()]
    silent = silent_hosts_of(runs)
    checks: list[Checked] = []
    taken = [[one for one in maps if limit.takes(one.case.but_for("ranks"))] for limit in limits]
    if not any(taken):
        raise WeftError(
            "no limit applies to the map", f'write limits for test = "{maps[0].case.test}"'
        )
    for limit, own in zip(limits, taken, strict=True):
        checks += [_checked(one, limit, answer_of(one, maps), silent) for one in own]
        there = {one.case.bytes for one in own}
        checks += [not_planned(limit, size) for size in limit.wanted if size not in there]
        if not own and not limit.wanted:
            checks.append(not_planned(limit, None))
    return tuple(checks)


def _checked(one: MeasuredMap, limit: Limit, answer_ns: float, silent: Sequence[str]) -> Checked:
    bound = limit.bound_for(1)
    if limit.kind == "latency_at_most":
        outcome, why = _of_ways(one, bound, answer_ns)
    else:
        outcome, why = _of_bisection(one, bound, answer_ns)
    if silent:
        dead = f"{', '.join(silent)} did not answer: dead, not slow"
        outcome, why = "fail", "; ".join(filter(None, (dead, why)))
    return Checked(
        case=one.case.key,
        test=one.case.test,
        transport=one.case.transport,
        bytes=one.case.bytes,
        asked=limit.text,
        quantity="latency" if limit.kind == "latency_at_most" else "bandwidth",
        outcome=outcome,
        why=why,
        launches=one.launches,
        bound=bound,
    )


def _of_ways(one: MeasuredMap, bound_ns: float, answer_ns: float) -> tuple[Outcome, str]:
    """Of each way the median of its visits with its interval; one visit has none."""
    beyond: list[tuple[float, str]] = []
    open_ways = 0
    ways = _visits_by_way(one, answer_ns)
    for name, visits in ways.items():
        low, high = visits[0], visits[0]
        if len(visits) > 1:
            low, high, _ = interval_of_median(visits)
        if low > bound_ns and len(visits) > 1:
            beyond.append((float(np.median(visits)), name))
        elif high > bound_ns or len(visits) == 1:
            open_ways += 1
    beyond.sort(reverse=True)
    if beyond:
        named = ", ".join(f"{name} {format_time(time)}" for time, name in beyond[:_MOST_NAMED])
        more = f" and {len(beyond) - _MOST_NAMED} more" if len(beyond) > _MOST_NAMED else ""
        return "fail", f"{named}{more}, of {counted(len(ways), 'way')}"
    if open_ways or not ways:
        many = counted(len(ways), "way")
        verb = verb_of(open_ways, "are", len(ways))
        return "cannot tell", f"{open_ways} of {many} {verb} not known well enough"
    slowest = max(float(np.median(visits)) for visits in ways.values())
    return "pass", f"the slowest of {counted(len(ways), 'way')} takes {format_time(slowest)}"


def _visits_by_way(one: MeasuredMap, answer_ns: float) -> dict[str, list[float]]:
    names, times = one.times.names, one.times
    used = times.at(np.isfinite(times.time_ns))
    found: dict[str, list[float]] = {}
    rows = zip(used.source.tolist(), used.target.tolist(), used.time_ns.tolist(), strict=True)
    for source, target, time_ns in rows:
        own = found.setdefault(f"{names[source]} to {names[target]}", [])
        own.append(max(time_ns - answer_ns, time_ns / 2))
    return found


def _of_bisection(one: MeasuredMap, bound: float, answer_ns: float) -> tuple[Outcome, str]:
    found = bisection_of(one.times, one.case.bytes, answer_ns, None)
    if found is None:
        return (
            "cannot tell",
            "messages of less than 64 KiB have no bisection bandwidth",
        )
    said = f"effective bisection bandwidth {with_ends(found.effective, format_bandwidth)}"
    return on_interval(found.effective, bound, "bandwidth"), said
