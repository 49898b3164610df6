"""A whole `weft run`: a site found, a plan made, a measurement into a record; and a run resumed."""

from __future__ import annotations

import datetime
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import weft
from weft.analysis.compare.conditions import conditions_of, differences
from weft.analysis.stats.launches import next_session_of
from weft.errors import WeftError
from weft.host.checks import diagnose
from weft.host.every import of_hosts
from weft.host.load import Watch
from weft.host.unlike import unlike_hosts
from weft.launch.all import LAUNCHERS
from weft.launch.job_time import usable_s
from weft.launch.site import FoundSite, find_site, site_of_job
from weft.measure.interrupts import ends_like_an_interrupt
from weft.measure.lines import utc_now
from weft.measure.provided_level import check_provided_level
from weft.measure.refused import refuse_in_vain
from weft.measure.rounds import Measurement
from weft.measure.state import restore
from weft.plan.allocation import layout_of
from weft.plan.budget import measuring_s
from weft.plan.cases import crowding
from weft.plan.planning import planned
from weft.progress import ProgressLine
from weft.record.again import options_again
from weft.record.model import SCHEMA_VERSION, Footer, Header
from weft.record.run import Run, load
from weft.record.writer import RecordWriter, check_new
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weft.host.load import Load
    from weft.launch.launcher import Launcher
    from weft.measure.state import SoFar
    from weft.plan.plan import Plan
    from weft.plan.planning import Planned
    from weft.plan.request import Request
    from weft.record.model import KeptTopology

MOST_WARNINGS = 5


def prepare(
    request: Request, say: Callable[[str], None], launchers: Sequence[Launcher] = LAUNCHERS
) -> tuple[FoundSite, Planned]:
    """The site of a run and its plan; nothing is measured and nothing written. Raises WeftError."""
    site = find_site(
        request.launcher,
        request.allocation,
        request.mpi,
        request.platform,
        launchers,
        request.variations,
    )
    return site, planned(request, site.facts(request.file_path), say)


def start(
    request: Request,
    say: Callable[[str], None],
    launchers: Sequence[Launcher] = LAUNCHERS,
    topology: Callable[[tuple[str, ...]], KeptTopology] | None = None,
) -> tuple[Path, Footer]:
    """Measure a new run; gives the record's path and its footer. Raises WeftError.

    `topology` gives the one of hosts with these names, and raises WeftError for wrong ones.
    """
    watch = Watch()
    platform = request.platform
    site, found = prepare(request, say, launchers)
    then = load(request.again) if request.again is not None else None
    kept = then.header.topology if then else None
    if topology:
        simulated = (f"n{rank}" for rank in range(request.ranks))
        kept = topology(tuple(simulated if platform else site.hosts))
    # A prediction types nothing: what no model answers is a line of it.
    if request.typed:
        refuse_in_vain(found.plan, site.usable)
    check_provided_level(found.plan, site.usable, site.launcher, site.allocation)
    if then:
        _say_what_changed(then, found.plan, site, say)
    if platform:
        say(f"simulated: {platform.in_words}")
        notes: tuple[str, ...] = (f"simulated, not measured, on {platform.in_words}",)
    else:
        notes = _warnings(site, watch.load(), found.most_ranks, say)
    path = request.output or _default_path()
    plain = path.with_suffix("") if path.suffix == ".zst" else path
    with RecordWriter.create(plain) as writer:
        writer.write(_header(request, found, site, notes, kept))
        end_s = _end_s(request.begun_s, found.plan.budget_s, report=request.report)
        footer = _measure(found.plan, site, writer, None, end_s, is_quiet=request.is_quiet)
        packed = path != plain and footer.outcome != "interrupted"
        return (writer.compress() if packed else plain), footer


def _say_what_changed(then: Run, plan: Plan, site: FoundSite, say: Callable[[str], None]) -> None:
    """A line where a record that is measured again was measured under other conditions."""
    hosts = {} if plan.simulated else site.hosts
    if unlike := _unlike(then, plan, hosts):
        say(
            f"warning: {then.path} was measured under other conditions ({'; '.join(unlike)}): its"
            " launches are never put together with those of this run"
        )


def check_job(request: Request, nodes: int, say: Callable[[str], None]) -> None:
    """Raises WeftError for what a run would refuse in a job of so many nodes, before there is one.

    Where the engine does not work here, on a login node, only its own options are looked at.
    """
    if request.output is not None:
        check_new(request.output)
    site, programs = site_of_job(request, nodes, say)
    if site is None:
        return
    found = planned(request, site, lambda _: None)
    refuse_in_vain(found.plan, programs)
    for ranks in sorted({case.ranks for case in found.plan.cases}):
        layout_of(ranks, nodes, request.allocation)


def resume(
    path: Path,
    changes: Mapping[str, Any],
    *,
    begun_s: float,
    report: bool,
    launchers: Sequence[Launcher] = LAUNCHERS,
) -> tuple[Path, Footer | None]:
    """Measure the launches and the precision that a record lacks; None if it lacks nothing.

    `changes` are fields of the plan that do not change what is measured: budget_s,
    case_deadline_s, and launches, of each case in all. A compressed record is decompressed, and
    compressed again once the run ended by itself. Raises WeftError.
    """
    with RecordWriter.resume(path) as held:
        return _resumed(held, changes, begun_s=begun_s, report=report, launchers=launchers)


def check_measured(run: Run) -> None:
    """Raises WeftError where weft did not measure a record, and so cannot go on with it."""
    if run.header.imported:
        more = next_session_of(run).command(len(run.launches) + 1)
        raise WeftError(
            f"{run.path} is what {run.header.imported.tool} printed: weft cannot measure it again",
            f"add the output of a further run with {more}",
        )


def _resumed(
    writer: RecordWriter,
    changes: Mapping[str, Any],
    *,
    begun_s: float,
    report: bool,
    launchers: Sequence[Launcher],
) -> tuple[Path, Footer | None]:
    """The same of a record that no other process changes meanwhile."""
    path = writer.path
    run = load(path)
    check_measured(run)
    plan = msgspec.structs.replace(run.header.plan, **changes)
    site = find_site(
        plan.launcher, plan.allocation, plan.mpi, plan.simulated, launchers, plan.variations
    )
    _check_like_before(run, {} if plan.simulated else site.hosts)
    _check_transports(path, {case.transport for case in plan.cases}, site)
    plan = msgspec.structs.replace(plan, options=options_again(plan, run.lines.launches))
    so_far = restore(plan, site.usable, run)
    if not any(state.is_unfinished(plan) for state in so_far.states):
        return path, None
    end_s = _end_s(begun_s, plan.budget_s, report=report)
    footer = _measure(plan, site, writer, so_far, end_s)
    packed = path.suffix == ".zst" and footer.outcome != "interrupted"
    return (writer.compress() if packed else writer.path), footer


def _check_like_before(run: Run, hosts: dict[str, dict[str, Any]]) -> None:
    """Raises WeftError where the hosts are not what they were when the record was begun."""
    if unlike := _unlike(run, run.header.plan, hosts):
        raise WeftError(
            f"{run.path} was measured under other conditions ({'; '.join(unlike)})",
            "set them as they were, or start a new run: launches under other conditions are never"
            " pooled",
        )


def _unlike(run: Run, plan: Plan, hosts: dict[str, dict[str, Any]]) -> tuple[str, ...]:
    """What differs between a record and a run of this plan on these hosts, before it starts."""
    of_now = {"hosts": hosts, "weft_version": weft.__version__, "plan": plan}
    now = msgspec.structs.replace(run.header, **of_now)
    launches = run.lines.launches
    return differences(conditions_of(run.header, launches), conditions_of(now, launches))


def _check_transports(path: Path, names: Iterable[str], site: FoundSite) -> None:
    """Raises WeftError where a transport of the record at `path` does not work any more."""
    for name in names:
        if name not in site.usable:
            raise WeftError(
                f"the transport {name} of {path} is not usable here now",
                f"run weft list transports to see why, or make build if {name} is missing",
            )


def _header(
    request: Request,
    found: Planned,
    site: FoundSite,
    notes: tuple[str, ...],
    topology: KeptTopology | None,
) -> Header:
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version=weft.__version__,
        created_utc=utc_now("seconds"),
        command=request.command,
        plan=found.plan,
        patterns=found.patterns,
        # A simulated run says nothing of this machine, and nothing of it matters there.
        hosts={} if request.platform else site.hosts,
        notes=notes,
        topology=topology,
    )


def _end_s(begun_s: float, budget_s: float, *, report: bool) -> float:
    """When measuring ends (time.monotonic), so that the budget holds for the whole command."""
    return begun_s + measuring_s(budget_s, report=report)


def _measure(
    plan: Plan,
    site: FoundSite,
    writer: RecordWriter,
    so_far: SoFar | None,
    end_s: float,
    *,
    is_quiet: bool = False,
) -> Footer:
    with ProgressLine(is_quiet=is_quiet) as watcher, ends_like_an_interrupt():
        return Measurement(
            plan,
            site.usable,
            writer,
            watcher,
            so_far,
            launcher=site.launcher,
            allocation=site.allocation,
            boots={host: manifest.get("boot_id", "") for host, manifest in site.hosts.items()},
            silent=site.silent,
            end_s=end_s,
            # Simulated ranks are in no job's time.
            job_end_s=time.monotonic() + (math.inf if plan.simulated else usable_s()),
        ).measure()


def _warnings(
    site: FoundSite, load: Load, ranks: int, say: Callable[[str], None]
) -> tuple[str, ...]:
    """The doctor's warnings in brief: printed now, and kept in the record."""
    each = -(-ranks // len(site.hosts))
    by_host = {name: diagnose(manifest, load, each) for name, manifest in site.hosts.items()}
    findings = [f for f in of_hosts(by_host) if f.level == "warning"]
    lines = [f"warning: hosts differ: {line}" for line in unlike_hosts(site.hosts)]
    lines += [f"warning: {f.what}: {f.effect}. Fix: {f.fix}" for f in findings]
    crowd = crowding(ranks, site.cores)
    if crowd and not any(f.check == "cores" for f in findings):
        lines.insert(0, f"warning: {crowd}")
    for line in lines[:MOST_WARNINGS]:
        say(line)
    if len(lines) > MOST_WARNINGS:
        say(f"and {counted(len(lines) - MOST_WARNINGS, 'more warning')}; weft doctor shows all")
    return tuple(lines)


def _default_path() -> Path:
    now = datetime.datetime.now(datetime.UTC)
    return Path(f"weft-{now:%Y%m%d-%H%M%S}.jsonl.zst")
