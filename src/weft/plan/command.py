"""The words after `weft run` that measure a case alone: what advice is made of. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.cases import BUFFERS, QUEUE_DEPTH, RANKS, Experiment

if TYPE_CHECKING:
    from weft.applications.files import ApplicationFile
    from weft.plan.case import Case, Schedule
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
    family = case.transport.partition(":")[0]
    options = [
        word
        for name, value in plan.options.items()
        if name.startswith(f"{family}.")
        for word in ("--option", f"{name}={value}")
    ]
    words = (*_of_experiment(one, pattern, plan.application_file), "--transport", case.transport)
    return (*words, *options, *_of_hosts(plan))


def _of_experiment(
    one: Experiment, pattern: Pattern, file: ApplicationFile | None = None
) -> tuple[str, ...]:
    of = one.variants
    [depth], [schedule], [wait], [pages] = of.queue_depths, of.schedules, of.waits, of.pages
    named = {
        "--sizes": one.sizes if pattern.has_size else "",
        # Of an application the usual numbers of ranks are several.
        "--ranks": str(one.ranks) if one.ranks != RANKS or pattern.application.is_there else "",
        "--queue-depth": str(depth) if str(depth) != QUEUE_DEPTH else "",
        "--buffers": _buffers(schedule) if _buffers(schedule) != BUFFERS else "",
        "--wait": wait,
        "--pages": pages,
        "--points": ",".join(map(str, of.points)),
    }
    words = [word for name, value in named.items() if value for word in (name, value)]
    single = ("--single",) if of.single else ()
    return (*one.tests, *words, *single, *of.application.words(pattern.application, file))


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
