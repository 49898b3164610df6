"""A whole `weft run`: which transports can be measured here, the record, the report."""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import weft
from weft.analysis.compare.conditions import conditions_of, differences
from weft.errors import WeftError
from weft.host.checks import diagnose
from weft.host.every import of_hosts
from weft.host.load import Watch
from weft.host.unlike import check_versions, unlike_hosts
from weft.launch.all import LAUNCHERS, choose_launcher, launchers_of
from weft.launch.devices import chosen_devices
from weft.launch.gauge import on_gauge_file
from weft.launch.programs import (
    SIMULATOR,
    Program,
    check_options,
    choose_mpi,
    known_patterns,
    programs,
)
from weft.measure.interrupts import ends_like_an_interrupt
from weft.measure.lines import utc_now
from weft.measure.rounds import Measurement
from weft.measure.state import restore
from weft.names import choose
from weft.plan.allocation import Allocation
from weft.plan.cases import SIMULATED, Part, cases_of, crowding
from weft.plan.memory import check_memory, within_memory
from weft.plan.plan import Plan, make_plan
from weft.plan.simulated import SimulatedPlatform
from weft.plan.study import is_study, parts_of_study, transports_of_study
from weft.plan.suites import placed, suite_called
from weft.progress import ProgressLine
from weft.record.model import SCHEMA_VERSION, Footer, Header
from weft.record.run import Run, load
from weft.record.writer import RecordWriter, compress, unpack
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.host.load import Load
    from weft.launch.launcher import Launcher
    from weft.measure.state import SoFar
    from weft.plan.case import Case
    from weft.plan.pattern import Pattern

MOST_WARNINGS = 5
# The part of the budget that is kept for drawing the report.
REPORT_S = 5.0
REPORT_SHARE = 0.3


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command line, checked for form but not yet against this machine.

    With a `suite` the parts are its own; `ranks` is 0 where the suite chooses their number. With a
    `platform` nothing is measured here: it is simulated.
    """

    parts: tuple[Part, ...] = ()
    suite: str = ""
    transports: tuple[str, ...]
    ranks: int
    precision: float
    budget_s: float
    launches: int
    seed: int
    output: Path | None
    mpi: str
    options: dict[str, str]
    command: tuple[str, ...]
    case_deadline_s: float
    launcher: str = ""
    interface: str = ""
    device: str = ""
    allocation: Allocation = Allocation()
    samples: int = 0
    fits_memory: bool = False
    begun_s: float
    report: bool
    platform: SimulatedPlatform | None = None
    is_quiet: bool = False


def simulation(
    platform: SimulatedPlatform, parts: tuple[Part, ...], output: Path, **asked: Any
) -> Request:
    """A request to simulate these parts, without a report; `asked` are other fields of it."""
    usual: dict[str, Any] = {
        "transports": (), "ranks": max(part.ranks for part in parts), "precision": 0.01, "seed": 1,
        "mpi": "", "options": {}, "begun_s": time.monotonic(), "report": False, **SIMULATED,
    }  # fmt: skip
    return Request(platform=platform, parts=parts, output=output, **{**usual, **asked})


def start(
    request: Request, say: Callable[[str], None], launchers: Sequence[Launcher] = LAUNCHERS
) -> tuple[Path, Footer]:
    """Measure a new run; gives the record's path and its footer. Raises WeftError."""
    watch = Watch()
    platform = request.platform
    launchers = launchers_of(platform, launchers)
    launcher = choose_launcher(request.launcher, request.allocation, launchers)
    mpi = SIMULATOR if platform else choose_mpi(request.mpi, launcher.starts)
    found = programs(mpi)
    known = known_patterns(found)
    parts = [_with_tests(part, tuple(known)) for part in request.parts]
    usual = transports_of_study(parts, known, [one.transport for one in found if not one.reason])
    request = msgspec.structs.replace(request, transports=request.transports or usual)
    usable = _usable(request, found, say)
    gauge, parts = on_gauge_file(parts, next(iter(usable.values())))
    options = {**chosen_devices(usable, request.interface, request.device), **request.options}
    check_versions(hosts := launcher.manifests(request.allocation))
    request.allocation.check_sockets(_sockets(hosts))
    parts = _on_usual_ranks(request, parts, known, hosts, say)
    parts = parts or _parts_of_suite(request, platform.nodes if platform else _cores(hosts), say)
    tests = tuple(dict.fromkeys(test for part in parts for test in part.tests))
    patterns = _patterns(usable, tests)
    by_name = {pattern.name: pattern for pattern in patterns}
    cases = cases_of(parts, tuple(request.transports or usable), by_name)
    available_bytes = _available_bytes(hosts)
    cases = _fitting(request, cases, available_bytes, by_name, say)
    if platform is None or platform.checks_messages:  # else only the heads of messages are there
        check_memory(cases, available_bytes, by_name, request.samples)
    plan = make_plan(
        cases,
        precision=request.precision,
        budget_s=request.budget_s,
        launches=request.launches,
        seed=request.seed,
        mpi=mpi,
        options=options,
        case_deadline_s=request.case_deadline_s,
        samples=request.samples,
        suite=request.suite,
        launcher=launcher.name,
        allocation=request.allocation,
        simulated=platform,
        gauge=gauge,
    )
    if platform:
        say(f"simulated: {platform.in_words}")
        notes: tuple[str, ...] = (f"simulated, not measured, on {platform.in_words}",)
    else:
        notes = _warnings(hosts, watch.load(), max(part.ranks for part in parts), say)
    path = request.output or _default_path()
    plain = path.with_suffix("") if path.suffix == ".zst" else path
    with RecordWriter.create(plain) as writer:
        # A simulated run says nothing of this machine, and nothing of it matters there.
        writer.write(_header(request, plan, patterns, {} if platform else hosts, notes))
        end_s = _end_s(request.begun_s, plan.budget_s, report=request.report)
        by = (launcher, request.allocation)
        footer = _measure(plan, usable, writer, None, by, end_s, is_quiet=request.is_quiet)
    packed = request.output is None or path != plain
    return (compress(plain) if packed and footer.outcome != "interrupted" else plain), footer


def _header(
    request: Request,
    plan: Plan,
    patterns: tuple[Pattern, ...],
    hosts: dict[str, dict[str, Any]],
    notes: tuple[str, ...],
) -> Header:
    return Header(
        schema_version=SCHEMA_VERSION,
        weft_version=weft.__version__,
        created_utc=utc_now(),
        command=request.command,
        plan=plan,
        patterns=patterns,
        hosts=hosts,
        notes=notes,
    )


def _with_tests(part: Part, known: Sequence[str]) -> Part:
    """The part with the engine's names of its tests. Raises WeftError for an unknown one."""
    return msgspec.structs.replace(part, tests=choose("test", part.tests, known))


def _parts_of_suite(request: Request, cores: int, say: Callable[[str], None]) -> list[Part]:
    parts, skipped = placed(suite_called(request.suite), request.ranks, cores)
    if skipped:
        say(skipped)
    return list(parts)


def _fitting(
    request: Request,
    cases: tuple[Case, ...],
    available_bytes: int,
    patterns: Mapping[str, Pattern],
    say: Callable[[str], None],
) -> tuple[Case, ...]:
    """Where what fits is wanted: the cases that do, and a line about the others; all, if none."""
    fitting = within_memory(cases, available_bytes, patterns, request.samples)
    if not (request.fits_memory and fitting) or len(fitting) == len(cases):
        return cases
    largest = format_bytes(max(case.bytes for case in fitting))
    say(f"skipped: {len(cases) - len(fitting)} cases over {largest} (not enough memory)")
    return fitting


def _end_s(begun_s: float, budget_s: float, *, report: bool) -> float:
    """When measuring ends (time.monotonic), so that the budget holds for the whole command."""
    return begun_s + budget_s - (min(REPORT_S, REPORT_SHARE * budget_s) if report else 0.0)


def _cores(hosts: Mapping[str, dict[str, Any]]) -> int:
    """The cores of all hosts that this process may use."""
    return sum(len(manifest["cpu"]["allowed_cpus"]) for manifest in hosts.values())


def _on_usual_ranks(
    request: Request,
    parts: list[Part],
    known: Mapping[str, Pattern],
    hosts: Mapping[str, dict[str, Any]],
    say: Callable[[str], None],
) -> list[Part]:
    """A study whose ranks nobody says is on as many as have room, and on fewer."""
    if request.ranks or not is_study(parts, known):
        return parts
    study = parts_of_study(parts, known, _places(request, hosts))
    counts = ", ".join(dict.fromkeys(str(part.ranks) for part in study))
    say(f"on {counts} ranks; --ranks and --transport choose others")
    return study


def _places(request: Request, hosts: Mapping[str, dict[str, Any]]) -> int:
    """For how many ranks there is room: one on each node of several, else one on each core."""
    if request.platform:
        return request.platform.nodes
    if request.allocation.hosts or request.allocation.nodes:
        return request.allocation.usual_ranks
    return len(hosts) if len(hosts) > 1 else _cores(hosts)


def _sockets(hosts: Mapping[str, dict[str, Any]]) -> dict[str, int | None]:
    """How many each host has, as its kernel says; where hwloc is given another machine, no one."""
    if {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"} & os.environ.keys():
        return {}
    return {name: manifest["cpu"].get("sockets") for name, manifest in hosts.items()}


def _available_bytes(hosts: Mapping[str, dict[str, Any]]) -> int:
    """The free memory of all hosts, as if each had as little as the one with least."""
    known = [manifest["memory"]["available_bytes"] or 2**62 for manifest in hosts.values()]
    return len(known) * int(min(known))


def resume(
    path: Path,
    changes: Mapping[str, Any],
    *,
    begun_s: float,
    report: bool,
    launchers: Sequence[Launcher] = LAUNCHERS,
) -> tuple[Path, Footer | None]:
    """Measure the launches and the precision that a record lacks; None if it lacks nothing.

    `changes` are fields of the plan that do not change what is measured: budget_s and
    case_deadline_s. A compressed record is decompressed, and compressed again once the run ended by
    itself. Raises WeftError.
    """
    run = load(path)
    plan = msgspec.structs.replace(run.header.plan, **changes)
    allocation = plan.allocation
    launchers = launchers_of(plan.simulated, launchers)
    launcher = choose_launcher(plan.launcher, allocation, launchers)
    hosts = launcher.manifests(allocation)
    check_versions(hosts)
    _check_like_before(run, {} if plan.simulated else hosts)
    mpi = SIMULATOR if plan.simulated else choose_mpi(plan.mpi, launcher.starts)
    usable = {p.transport: p for p in programs(mpi) if not p.reason}
    for name in {case.transport for case in plan.cases}:
        if name not in usable:
            raise WeftError(
                f"the transport {name} of {path} is not usable here now",
                f"type weft list transports to see why, or make build if {name} is missing",
            )
    so_far = restore(plan, usable, run)
    if not any(state.is_unfinished(plan) for state in so_far.states):
        return path, None
    packed = path.suffix == ".zst"
    plain = unpack(path) if packed else path
    with RecordWriter.resume(plain) as writer:
        end_s = _end_s(begun_s, plan.budget_s, report=report)
        footer = _measure(plan, usable, writer, so_far, (launcher, allocation), end_s)
    return (compress(plain) if packed and footer.outcome != "interrupted" else plain), footer


def _check_like_before(run: Run, hosts: dict[str, dict[str, Any]]) -> None:
    """Raises WeftError where the hosts are not what they were when the record was begun."""
    now = msgspec.structs.replace(run.header, hosts=hosts, weft_version=weft.__version__)
    launches = run.lines.launches
    unlike = differences(conditions_of(run.header, launches), conditions_of(now, launches))
    if unlike:
        raise WeftError(
            f"{run.path} was measured under other conditions ({'; '.join(unlike)})",
            "set them as they were, or start a new run: launches under other conditions are never"
            " pooled",
        )


def _measure(
    plan: Plan,
    usable: Mapping[str, Program],
    writer: RecordWriter,
    so_far: SoFar | None,
    started_by: tuple[Launcher, Allocation],
    end_s: float,
    *,
    is_quiet: bool = False,
) -> Footer:
    launcher, allocation = started_by
    with ProgressLine(is_quiet=is_quiet) as watcher, ends_like_an_interrupt():
        return Measurement(
            plan,
            usable,
            writer,
            watcher,
            so_far,
            launcher=launcher,
            allocation=allocation,
            end_s=end_s,
        ).measure()


def _usable(
    request: Request, found: Sequence[Program], say: Callable[[str], None]
) -> dict[str, Program]:
    """The transports to measure; says in a line which, and in one per reason which are skipped."""
    known = tuple(program.transport for program in found)
    usual = tuple(program.transport for program in found if program.usual)
    selected = choose("transport", request.transports, known) or usual
    check_options(request.options, found)
    skipped: dict[str, list[str]] = {}
    for program in found:
        if program.reason and program.transport in selected and request.transports:
            raise WeftError(
                f"{program.transport} is not usable here: {program.reason}",
                "type weft list transports to see which are",
            )
        if program.usual and (program.reason or program.transport not in selected):
            skipped.setdefault(program.reason or "not selected", []).append(program.transport)
    usable = {p.transport: p for p in found if not p.reason and p.transport in selected}
    if usable:
        say(f"measuring over {', '.join(usable)}")
    for reason, names in skipped.items():
        say(f"skipped: {', '.join(names)} ({reason})")
    if not usable:
        raise WeftError(
            "no transport is usable here", "type make build to build the engine's programs"
        )
    return usable


def _patterns(usable: Mapping[str, Program], tests: Sequence[str]) -> tuple[Pattern, ...]:
    first = next(iter(usable.values()))
    return tuple(p for p in first.patterns if p.name in tests)


def _warnings(
    hosts: Mapping[str, dict[str, Any]], load: Load, ranks: int, say: Callable[[str], None]
) -> tuple[str, ...]:
    """The doctor's warnings in brief: printed now, and kept in the record."""
    each = -(-ranks // len(hosts))
    by_host = {name: diagnose(manifest, load, each) for name, manifest in hosts.items()}
    findings = [f for f in of_hosts(by_host) if f.level == "warning"]
    lines = [f"warning: hosts differ: {line}" for line in unlike_hosts(hosts)]
    lines += [f"warning: {f.what}: {f.effect}. Fix: {f.fix}" for f in findings]
    crowd = crowding(ranks, _cores(hosts))
    if crowd and not any(f.check == "cores" for f in findings):
        lines.insert(0, f"warning: {crowd}")
    for line in lines[:MOST_WARNINGS]:
        say(line)
    if len(lines) > MOST_WARNINGS:
        say(f"and {len(lines) - MOST_WARNINGS} more warnings; weft doctor shows all")
    return tuple(lines)


def _default_path() -> Path:
    now = datetime.datetime.now(datetime.UTC)
    return Path(f"weft-{now:%Y%m%d-%H%M%S}.jsonl.zst")
