"""From what is asked and what a site has to the plan of a run. Pure: it asks no machine."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import msgspec

from weft.applications.effects import OTHER_VALUES
from weft.errors import WeftError
from weft.names import choose
from weft.plan.allocation import first_two_apart, layout_of, place_of
from weft.plan.budget import measuring_s
from weft.plan.case import Case
from weft.plan.cases import Experiment, cases_of
from weft.plan.devices import chosen_devices, device_nowhere
from weft.plan.effects import Reached, refuse_without_effect
from weft.plan.fewer_sizes import whole_sizes
from weft.plan.memory import check_memory, check_ranks, too_large, within_memory
from weft.plan.other_suites import choose_tests
from weft.plan.pattern import Pattern
from weft.plan.plan import FEW_RANKS, Plan, make_plan
from weft.plan.study import experiments_of_study, is_study, transports_of_study
from weft.plan.suites import placed, suite_called
from weft.plan.thread_level import check_threads
from weft.units import format_bytes
from weft.wording import counted, few_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.plan.request import Request
    from weft.plan.site import Site, Transport

# Tests in which a simulated rank's additions take time.
SUMMING = ("allreduce",)
# So many of the interfaces and devices of hosts are named in a refusal.
_MOST_NAMED = 6
# What makes a case large. Of the usual cases, where none of these is typed, those are skipped for
# which a host has no memory.
_MAKE_LARGE = frozenset(("sizes", "points", "buffers", "queue_depth", "samples", *OTHER_VALUES))


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a run, the transports that it uses and what their engine says of its tests."""

    plan: Plan
    transports: tuple[str, ...]
    patterns: tuple[Pattern, ...]

    @property
    def most_ranks(self) -> int:
        """Of the largest case."""
        return max(case.ranks for case in self.plan.cases)


class _Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The tests and transports of a request, under the engine's names, and all of their cases."""

    experiments: tuple[Experiment, ...]
    transports: tuple[str, ...]
    patterns: dict[str, Pattern]
    cases: tuple[Case, ...]


def planned(request: Request, site: Site, say: Callable[[str], None]) -> Planned:
    """The plan of what is asked, at this site; `say` takes a line about what is chosen and skipped.

    Raises WeftError for what the site does not have, for what does not fit its memory, and for a
    typed option that changes nothing.
    """
    request.allocation.check_sockets(site.sockets)
    said: list[str] = []
    chosen = _chosen(request, site, said.append)
    options = _options(request, chosen.transports)
    supported = [
        one.name
        for one in site.patterns.values()
        if any(one in each.patterns for each in site.transports if each.name in chosen.transports)
    ]
    refuse_without_effect(
        request,
        _reached(request, chosen, site),
        lambda other: _reached(other, _chosen(other, site, lambda _: None), site),
        supported,
        [one.name for one in site.transports if one.usual and not one.reason],
    )
    check_threads(chosen.cases, options, request.variations)
    for line in said:
        say(line)
    cases = _within(request, chosen.cases, site, chosen.patterns, say)
    if _has_usual_sizes(request, chosen):
        left_s = measuring_s(request.budget_s, report=request.report)
        cases = whole_sizes(cases, chosen.patterns, request.launches, left_s, say)
    plan = make_plan(
        cases,
        precision=request.precision,
        budget_s=request.budget_s,
        launches=request.launches,
        fixed_launches=request.fixed_launches,
        seed=request.seed,
        mpi=site.mpi,
        options=options,
        case_deadline_s=request.case_deadline_s,
        samples=request.samples,
        keep_all=request.keep_all,
        suite=request.suite,
        launcher=site.launcher,
        allocation=request.allocation,
        simulated=request.platform,
        application_file=site.application_file,
        variations=request.variations,
    )
    return Planned(
        plan=plan, transports=chosen.transports, patterns=tuple(chosen.patterns.values())
    )


def _has_usual_sizes(request: Request, chosen: _Chosen) -> bool:
    """Whether nobody chose the sizes of the messages, and measuring them takes time."""
    return not (
        request.cases
        or request.platform
        or request.samples
        or any(one.sizes for one in chosen.experiments)
        or any(case.application for case in chosen.cases)
    )


def _chosen(request: Request, site: Site, say: Callable[[str], None]) -> _Chosen:
    known = site.patterns
    experiments = [_with_tests(experiment, tuple(known)) for experiment in request.experiments]
    usable = _usable(request, experiments, site, say)
    names = tuple(one.name for one in usable)
    first = next(one for one in site.transports if one.name in names)
    if request.cases:
        tests = set(choose_tests([case.test for case in request.cases], tuple(known)))
    else:
        experiments = [_on_file(experiment, site) for experiment in experiments]
        on_ranks = _on_usual_ranks(request, experiments, site, say)
        experiments = on_ranks or _of_suite(request, site, say)
        tests = {test for experiment in experiments for test in experiment.tests}
    patterns = {one.name: one for one in first.patterns if one.name in tests}
    cases = request.cases or _both_ways(
        cases_of(experiments, names, patterns), patterns, request, site
    )
    _check_sizes(request, cases, patterns)
    return _Chosen(experiments=tuple(experiments), transports=names, patterns=patterns, cases=cases)


def _both_ways(
    cases: Sequence[Case], patterns: Mapping[str, Pattern], request: Request, site: Site
) -> tuple[Case, ...]:
    """The cases with the way back behind each case of two directions that crosses a link.

    Of cases that differ in options only, the first has a way back: it is about the link. Links of
    a simulated platform are as its file says, so it has none.
    """
    if request.platform is not None:
        return tuple(cases)
    found: list[Case] = []
    has_back: set[Case] = set()
    for case in cases:
        found.append(case)
        pattern = patterns.get(case.test)
        if pattern is None or not pattern.has_directions:
            continue
        plain = Case(test=case.test, transport=case.transport, bytes=case.bytes, ranks=case.ranks)
        if plain not in has_back and first_two_apart(case.ranks, site.hosts, request.allocation):
            has_back.add(plain)
            found.append(msgspec.structs.replace(case, direction="back"))
    return tuple(found)


def _check_sizes(request: Request, cases: Sequence[Case], patterns: Mapping[str, Pattern]) -> None:
    """Raises WeftError for a test that was asked for and has a message of none of the sizes."""
    planned_tests = {case.test for case in cases}
    for pattern in patterns.values():
        if pattern.name in planned_tests or (cases and "tests" not in request.typed):
            continue
        least = format_bytes(pattern.least_bytes)
        raise WeftError(
            f"{pattern.name} has no message of less than {least}",
            f"use --sizes of {least} or more{f', or omit {pattern.name}' if cases else ''}",
        )


def _options(request: Request, transports: Sequence[str]) -> dict[str, str]:
    """The settings of these transports; one that was typed goes before one that follows."""
    families = {name.partition(":")[0] for name in transports}
    typed = {
        name: value for name, value in request.options.items() if name.partition(".")[0] in families
    }
    return {**chosen_devices(transports, request.interface, request.device), **typed}


def _reached(request: Request, chosen: _Chosen, site: Site) -> Reached:
    """What of a request reaches the measurement of these cases."""
    known = chosen.patterns.values()
    files = (one.variants.application.file for one in chosen.experiments)
    return Reached(
        cases=chosen.cases,
        transports=chosen.transports,
        options=_options(request, chosen.transports),
        places=_places_of_ranks(request, chosen, site),
        file=next(files, "") if any(one.application.file_option for one in known) else "",
        platform=request.platform.xml
        if request.platform
        and any(one.application.computes or one.name in SUMMING for one in known)
        else "",
        keeps_all=request.keep_all and max(case.ranks for case in chosen.cases) > FEW_RANKS + 1,
    )


def _places_of_ranks(request: Request, chosen: _Chosen, site: Site) -> tuple[object, ...]:
    """Where ranks go, for each number of them; simulated ones have no hosts."""
    of = request.allocation
    counts = () if request.platform else sorted({case.ranks for case in chosen.cases})
    return (of.words, *(place_of(ranks, site.hosts, of) for ranks in counts))


def _with_tests(experiment: Experiment, known: Sequence[str]) -> Experiment:
    """The experiment with the engine's names of its tests. Raises WeftError for an unknown one."""
    return msgspec.structs.replace(experiment, tests=choose_tests(experiment.tests, known))


def _usable(
    request: Request, experiments: Sequence[Experiment], site: Site, say: Callable[[str], None]
) -> tuple[Transport, ...]:
    """The transports to measure; says in a line which, and in one per reason which are skipped."""
    there = {one.name: one for one in site.transports}
    working = [one.name for one in site.transports if not one.reason]
    asked = request.transports or transports_of_study(experiments, site.patterns, working)
    named = choose("transport", asked, tuple(there))
    usual = tuple(one.name for one in site.transports if one.usual)
    selected = named or usual
    _check_options("--option", request.options, site)
    for each in request.variations.values():
        _check_options("--vary", each.options, site)
    _check_devices(request, site)
    for one in (there[name] for name in named):
        if one.reason:
            raise WeftError(
                f"{one.name} is not usable here: {one.reason}",
                "run weft list transports to see which are",
            )
    skipped: dict[str, list[str]] = {}
    varied = {one.of for one in request.variations.values()}
    for one in (there[name] for name in usual if name not in varied):
        if one.reason or one.name not in selected:
            skipped.setdefault(one.reason or "not selected", []).append(one.name)
    usable = tuple(there[name] for name in selected if not there[name].reason)
    if usable:
        say(f"measuring over {', '.join(one.name for one in usable)}")
    for reason, names in skipped.items():
        say(f"skipped: {', '.join(names)} ({reason})")
    if not usable:
        raise WeftError(
            "no transport is usable here", "run make build to build the engine's programs"
        )
    return usable


def _check_options(typed: str, options: Mapping[str, str], site: Site) -> None:
    """Raises WeftError for an unknown option of a transport, or a value that it does not take."""
    takes = {
        f"{one.name}.{setting.name}": setting
        for one in site.transports
        if one.usual
        for setting in one.settings
    }
    for key, value in options.items():
        if key not in takes:
            near = difflib.get_close_matches(key, takes, n=1)
            fix = f"did you mean {near[0]}?" if near else "run weft list transports to see all"
            raise WeftError(f"there is no option {key}", fix)
        if taken := takes[key].refusal(value):
            raise WeftError(f"{key} does not take {value}", f"use {taken}: {typed} {key}=VALUE")


def _check_devices(request: Request, site: Site) -> None:
    """Raises WeftError for an interface or a device that no host has; ranks would all refuse it."""
    varied = [pair for each in request.variations.values() for pair in each.options.items()]
    asked = [
        ("--interface NAME", "tcp.interface", request.interface),
        ("--device NAME", "verbs.device", request.device),
        *((f"--option {key}=NAME", key, value) for key, value in request.options.items()),
        *((f"--vary {key}=NAME", key, value) for key, value in varied),
    ]
    for typed, key, value in asked if site.devices else ():
        if nowhere := device_nowhere(key, value, site.devices):
            raise WeftError(
                f"no host has an interface or a device {nowhere}",
                f"use one of {few_of(site.devices, _MOST_NAMED)}: {typed}",
            )


def _on_file(experiment: Experiment, site: Site) -> Experiment:
    """The experiment as the site's file of an application has it, if there is one."""
    if site.application_file is None:
        return experiment
    asked = experiment.variants.application.on(site.application_file)
    return msgspec.structs.replace(
        experiment, variants=msgspec.structs.replace(experiment.variants, application=asked)
    )


def _on_usual_ranks(
    request: Request, experiments: list[Experiment], site: Site, say: Callable[[str], None]
) -> list[Experiment]:
    """A study whose ranks nobody says is on as many as have room, and on fewer."""
    if request.ranks or not is_study(experiments, site.patterns):
        return experiments
    study = experiments_of_study(experiments, site.patterns, _places(request, site))
    counts = ", ".join(dict.fromkeys(str(experiment.ranks) for experiment in study))
    say(f"on {counts} ranks; --ranks and --transport choose others")
    return study


def _places(request: Request, site: Site) -> int:
    """For how many ranks there is room: one on each node of several, else one on each core."""
    if request.platform:
        return request.platform.nodes
    if request.allocation.hosts or request.allocation.nodes:
        return request.allocation.usual_ranks
    return site.hosts if site.hosts > 1 else site.cores


def _of_suite(request: Request, site: Site, say: Callable[[str], None]) -> list[Experiment]:
    cores = request.platform.nodes if request.platform else site.cores
    experiments, skipped = placed(suite_called(request.suite), request.ranks, cores)
    if skipped:
        say(skipped)
    return list(experiments)


def _within(
    request: Request,
    cases: tuple[Case, ...],
    site: Site,
    patterns: Mapping[str, Pattern],
    say: Callable[[str], None],
) -> tuple[Case, ...]:
    """The cases that fit the memory, and a line about the others.

    Raises WeftError for what is too large and was typed, or where nothing fits.
    """
    if site.available_bytes is None:
        return cases

    def ranks_here(ranks: int) -> int:
        """Of so many ranks the most on a host; those of a simulation are one process."""
        if request.platform is not None:
            return ranks
        return layout_of(ranks, site.hosts, request.allocation).each

    if request.platform is None:
        check_ranks(max(case.ranks for case in cases), site.available_bytes, ranks_here)
    room = (site.available_bytes, patterns, request.samples, ranks_here)
    fitting = within_memory(cases, *room)
    is_usual = not request.cases and not request.file and not request.typed & _MAKE_LARGE
    if (request.fits_memory or is_usual) and fitting and len(fitting) < len(cases):
        fits = {case.key for case in fitting}
        first = next(case for case in cases if case.key not in fits)
        skipped = counted(len(cases) - len(fitting), "case")
        say(f"skipped: {skipped} for which there is no memory ({too_large(first, *room)})")
        return fitting
    # Of a prediction only the heads of messages are there.
    if request.platform is None or request.platform.checks_messages:
        check_memory(cases, *room)
    return cases
