"""A map held against limits: every way by itself, and what a link gets of matchings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.analysis.compare.acceptance import Checked, Outcome
from weft.analysis.compare.kept_limits import not_planned, on_interval
from weft.analysis.diagnosis.bisection import (
    answer_of,
    bisection_of_map,
    times_of_one_way,
    why_no_bisection,
)
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.needed import Needed, in_order, to_be_beside
from weft.errors import WeftError
from weft.studies.map_changes import maps_together, silent_hosts_of
from weft.units import format_bandwidth, format_time
from weft.wording import counted, few_of, verb_of, with_ends

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
        case = maps[0].case.but_for("ranks")
        of_variant = f', variant = "{case.variant}"' if case.variant else ""
        raise WeftError(
            "no limit applies to the map", f'write limits for test = "{case.test}"{of_variant}'
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
    needed = None
    if limit.kind == "latency_at_most":
        outcome, why, needed = _of_ways(one, bound, answer_ns)
    else:
        outcome, why = _of_bisection(one, bound, answer_ns)
    if silent:
        dead = f"{', '.join(silent)} did not answer: dead, not slow"
        outcome, why, needed = "fail", "; ".join(filter(None, (dead, why))), None
    return Checked(
        case=one.case.key,
        test=one.case.test,
        transport=one.case.transport,
        variant=one.case.variant,
        bytes=one.case.bytes,
        asked=limit.text,
        quantity="latency" if limit.kind == "latency_at_most" else "bandwidth",
        outcome=outcome,
        why=why,
        launches=one.launches,
        bound=bound,
        needed=needed,
    )


def _of_ways(
    one: MeasuredMap, bound_ns: float, answer_ns: float
) -> tuple[Outcome, str, Needed | None]:
    """Of each way the median of its visits, one per launch, and what would tell where that is open.

    One visit has no interval.
    """
    ways = {
        name: median_of_launches(visits) for name, visits in _visits_by_way(one, answer_ns).items()
    }
    beyond = {name: way for name, way in ways.items() if way.is_bounded and way.low > bound_ns}
    if beyond:
        slow_first = sorted(beyond, key=lambda name: -beyond[name].value)
        named = [f"{name} {format_time(beyond[name].value)}" for name in slow_first]
        return "fail", f"{few_of(named, _MOST_NAMED)}, of {counted(len(ways), 'way')}", None
    still_open = [way for way in ways.values() if not way.is_bounded or way.high > bound_ns]
    if still_open or not ways:
        many = counted(len(ways), "way")
        verb = verb_of(len(still_open), "are", len(ways))
        every = in_order(to_be_beside(way, bound_ns) for way in still_open)
        possible = [needed for needed in every if needed.is_possible] or every
        words = f"{len(still_open)} of {many} {verb} not known well enough"
        return "cannot tell", words, possible[-1] if possible else None
    slowest = max(way.value for way in ways.values())
    words = f"the slowest of {counted(len(ways), 'way')} takes {format_time(slowest)}"
    return "pass", words, None


def _visits_by_way(one: MeasuredMap, answer_ns: float) -> dict[str, list[float]]:
    names, times = one.times.names, one.times
    used = times.at(np.isfinite(times.time_ns))
    found: dict[str, list[float]] = {}
    own_ns = times_of_one_way(used.time_ns, answer_ns)
    rows = zip(used.source.tolist(), used.target.tolist(), own_ns.tolist(), strict=True)
    for source, target, time_ns in rows:
        found.setdefault(f"{names[source]} to {names[target]}", []).append(time_ns)
    return found


def _of_bisection(one: MeasuredMap, bound: float, answer_ns: float) -> tuple[Outcome, str]:
    found = bisection_of_map(one, answer_ns, None)
    if found is None:
        return "cannot tell", why_no_bisection(one)
    said = f"effective bisection bandwidth {with_ends(found.effective, format_bandwidth)}"
    return on_interval(found.effective, bound, "bandwidth"), said
