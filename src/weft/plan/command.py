"""The words after `weft run` that measure a case alone: what advice is made of. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.cases import BUFFERS, QUEUE_DEPTH, RANKS, Experiment
from weft.plan.lattice import LONG_LINK_REALS, MASS, U0

if TYPE_CHECKING:
    from weft.plan.case import Case, Schedule
    from weft.plan.lattice import Lattices
    from weft.plan.pattern import Pattern
    from weft.plan.plan import Plan


def words_of(case: Case, pattern: Pattern, plan: Plan) -> tuple[str, ...]:
    """What to type after `weft run` for this case of a plan, and no other.

    None where nothing typed would run it: on a platform that only `weft predict` makes, or of a
    file whose name the plan does not know.
    """
    simulated = plan.simulated
    if simulated and simulated.kind not in ("model", "table"):
        return ()
    one = Experiment.of(case)
    if simulated:
        # A platform has no transports, no options and no hosts.
        return (*_of_experiment(one, pattern), "--platform", f"{simulated.name}:{simulated.kind}")
    gauge = ("--gauge", plan.gauge.path) if plan.gauge and case.lattice else ()
    family = case.transport.partition(":")[0]
    options = [
        word
        for name, value in plan.options.items()
        if name.startswith(f"{family}.")
        for word in ("--option", f"{name}={value}")
    ]
    words = (*_of_experiment(one, pattern, gauge), "--transport", case.transport)
    return (*words, *options, *_of_hosts(plan))


def _of_experiment(
    one: Experiment, pattern: Pattern, gauge: tuple[str, ...] = ()
) -> tuple[str, ...]:
    of = one.variants
    [depth], [schedule], [wait], [pages] = of.queue_depths, of.schedules, of.waits, of.pages
    named = {
        "--sizes": one.sizes if pattern.has_size else "",
        # Of an application the usual numbers of ranks are several.
        "--ranks": str(one.ranks) if one.ranks != RANKS or pattern.lattice.dimensions else "",
        "--queue-depth": str(depth) if str(depth) != QUEUE_DEPTH else "",
        "--buffers": _buffers(schedule) if _buffers(schedule) != BUFFERS else "",
        "--wait": wait,
        "--pages": pages,
        "--points": ",".join(map(str, of.points)),
    }
    words = [word for name, value in named.items() if value for word in (name, value)]
    single = ("--single",) if of.single else ()
    lattice = _of_lattices(of.lattices, pattern, gauge) if pattern.lattice.dimensions else ()
    return (*one.tests, *words, *single, *lattice)


def _of_lattices(of: Lattices, pattern: Pattern, gauge: tuple[str, ...]) -> tuple[str, ...]:
    named = {
        "--extents": "" if gauge else of.extents,
        "--lattice": "" if gauge else of.whole,
        "--depth": str(of.depth) if of.depth != 1 else "",
        "--compute": f"{of.compute_ps_per_site / 1000:.3f}ns" if of.compute_ps_per_site else "",
        "--sums": "" if of.sums in (None, pattern.lattice.sums) else str(of.sums),
        "--long-links": str(of.long_link_reals) if of.long_link_reals != LONG_LINK_REALS else "",
        "--threads": str(of.threads) if of.threads != 1 else "",
        "--mass": repr(of.mass) if of.mass != MASS else "",
        "--u0": repr(of.u0) if of.u0 != U0 else "",
    }
    words = [word for name, value in named.items() if value for word in (name, value)]
    return (*words, *(() if of.overlaps else ("--no-overlap",)), *gauge)


def _of_hosts(plan: Plan) -> tuple[str, ...]:
    of = plan.allocation
    named = {
        "--hosts": ",".join(of.hosts),
        "--nodes": str(of.nodes or ""),
        "--ranks-per-node": str(of.ranks_per_node or ""),
        "--placement": of.placement if of.placement != type(of)().placement else "",
    }
    return tuple(word for name, value in named.items() if value for word in (name, value))


def _buffers(schedule: Schedule) -> str:
    """As --buffers takes it."""
    if schedule.kind == "reuse":
        return f"reuse:{schedule.count}:{schedule.reuse_percent}%"
    return f"turn:{schedule.count}" if schedule.kind == "turn" else schedule.kind
