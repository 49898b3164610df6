"""Commands that weft advises: every `weft run` with figures or names of its own is made here. Pure.

A test of style refuses one that is written by hand, and a test types what is made.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

from weft.applications import words_of as words_of_application
from weft.plan.allocation import place_of
from weft.plan.budget import REPORT_S, RESERVE
from weft.plan.cases import (
    BUDGET,
    BUFFERS,
    CASE_DEADLINE,
    LAUNCHES,
    PRECISION,
    QUEUE_DEPTH,
    SEED,
    SIMULATED,
    Experiment,
)
from weft.units import format_duration, parse_percent, parse_seconds
from weft.wording import options_given

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.applications.files import ApplicationFile
    from weft.plan.allocation import Allocation
    from weft.plan.case import Case, Schedule
    from weft.plan.pattern import Pattern
    from weft.plan.plan import Plan


# The output of a further run of a program that weft did not start.
FURTHER = "another-run.txt"
# What a command takes to start and find its programs.
START_S = 3.0


def weft_run(*words: object) -> str:
    """The command with these words, quoted for a shell."""
    return shlex.join(("weft", "run", *map(str, words)))


def resume(record: Path) -> str:
    """The command that goes on with a record, within its own budget."""
    return weft_run("--resume", record)


class NextSession(msgspec.Struct, frozen=True, kw_only=True):
    """How to measure once more what a record did, and what that takes.

    `launches` were asked for, and of each case there are `made` or more. `launch_s` is what one
    launch of all of its cases took, with its share of all that was between launches. `budget_s` was
    the last command's budget, `planned_s` is that of one that names none, and `lacking_s` what a
    run plans for the launches before which the budget ended. Of a record that was imported the
    outputs are in `imported`: weft cannot measure it, and the command is to import those of further
    runs, with them where launches are wanted.
    """

    record: str
    launches: int
    made: int
    launch_s: float
    budget_s: float
    planned_s: float = 0.0
    lacking_s: float = 0.0
    imported: tuple[str, ...] = ()

    def seconds(self, launches: int) -> float:
        """The budget for so many launches, rounded as a command has it."""
        return _budget_for(launches * self.launch_s)

    @property
    def finished(self) -> str:
        """The command that makes what the record lacks, with a budget where its own is too short.

        It has that of the last command again, or what is lacking takes.
        """
        needed_s = max(self.budget_s, _with_the_rest(self.lacking_s) if self.lacking_s else 0.0)
        many = ("--budget", format_duration(needed_s)) if needed_s > self.planned_s else ()
        return weft_run("--resume", self.record, *many)

    @property
    def to_finish(self) -> str:
        """How a reason ends where the record can go on: the command that does."""
        return f"; finish it with: {self.finished}"

    def command(self, launches: int = 0) -> str:
        """The command for so many launches, with the budget for them; 0: as the record."""
        if self.imported:
            # What was piped in is no file that can be named again.
            files = [one for one in self.imported if one != "-"] if launches else []
            return shlex.join(("weft", "import", *files, FURTHER))
        if launches == 0:
            return weft_run("--again", self.record)
        many = ("--launches", launches, "--budget", format_duration(self.seconds(launches)))
        return weft_run("--again", self.record, *many)

    @property
    def resumed(self) -> str:
        """The command for another session in the record itself, settled or not."""
        if self.imported:
            return self.command()
        return weft_run("--resume", self.record, "--launches", self.made + self.launches)

    def longer(self, times: float) -> str:
        """The command with launches that are so many times as long."""
        if self.imported:
            return self.command(self.launches)
        budget_s = max(times * self.budget_s, self.budget_s)
        return weft_run("--again", self.record, "--budget", format_duration(budget_s))


def _budget_for(measuring_s: float) -> float:
    """The budget of a command that measures so long, rounded as a command has it."""
    return _with_the_rest(measuring_s / RESERVE)


def _with_the_rest(measuring_s: float) -> float:
    return parse_seconds(format_duration(measuring_s + START_S + REPORT_S))


def alone(case: Case, pattern: Pattern, plan: Plan, hosts: int = 1) -> str:
    """The command that measures this case of a plan alone; empty where nothing typed would.

    `hosts` are as many as measured it.
    """
    words = words_of(case, pattern, plan, hosts)
    return weft_run(*words) if words else ""


def words_of(case: Case, pattern: Pattern, plan: Plan, hosts: int = 1) -> tuple[str, ...]:
    """What to type after `weft run` for this case of a plan, and no other, as the plan measured it.

    None where nothing typed would run it: on a platform that only `weft predict` makes, or of a
    file whose name the plan does not know.
    """
    simulated = plan.simulated
    if simulated and simulated.kind not in ("model", "table"):
        return ()
    one = Experiment.of(case)
    effort, usual_ranks = _of_effort(plan), plan.allocation.usual_ranks
    if simulated:
        # A platform has no transports, no options and no hosts.
        named = ("--platform", f"{simulated.name}:{simulated.kind}")
        return (*_of_experiment(one, pattern, usual_ranks), *named, *effort)
    words = _of_experiment(one, pattern, usual_ranks, plan.application_file)
    return (*words, *_of_way(case, plan, hosts), *effort)


def map_of_hosts(case: Case, plan: Plan, hosts: Sequence[str], topology: Sequence[str] = ()) -> str:
    """The command for the map of a case's size on these hosts."""
    allocation = msgspec.structs.replace(plan.allocation, hosts=tuple(hosts), nodes=0)
    return map_in_rounds(
        msgspec.structs.replace(case, ranks=allocation.usual_ranks),
        msgspec.structs.replace(plan, allocation=allocation),
        len(hosts),
        0,
        topology,
    )


def map_in_rounds(
    case: Case,
    plan: Plan,
    hosts: int,
    rounds: int,
    topology: Sequence[str] = (),
    round_s: float = 0.0,
) -> str:
    """The command for a map of a case's size in so many rounds; empty of a simulated platform.

    Its budget is that of the plan, and `round_s` for each round that the plan has not; 0 rounds: as
    many as is usual. `topology` is what is typed as such.
    """
    if plan.simulated:
        return ""
    points = len({one.point for one in plan.cases})
    named = {
        "--sizes": str(case.bytes),
        "--ranks": str(case.ranks),
        "--rounds": str(rounds or ""),
        "--at-once": str(case.at_once or ""),
        "--wait": case.wait,
        "--launches": str(plan.launches),
        "--budget": format_duration(plan.budget_s + max(0, rounds - points) * round_s),
        "--seed": "" if plan.seed == SEED else str(plan.seed),
    }
    fabric = [word for one in topology for word in ("--topology", one)]
    words = (*options_given(named), *_of_way(case, plan, hosts), *fabric)
    return shlex.join(("weft", "map", *words))


def _of_way(case: Case, plan: Plan, hosts: int) -> tuple[str, ...]:
    """Over which transport, with which options of it, on which hosts."""
    varied = plan.variations.get(case.transport)
    named = varied.typed if varied else ("--transport", case.transport)
    if varied and varied.mpi:
        plan = msgspec.structs.replace(plan, mpi="")
    family = case.transport.partition(":")[0]
    options = [
        word
        for name, value in plan.options.items()
        if name.startswith(f"{family}.") and not (varied and name in varied.options)
        for word in ("--option", f"{name}={value}")
    ]
    return (*named, *options, *_of_hosts(plan, case.ranks, hosts))


def _of_experiment(
    one: Experiment, pattern: Pattern, usual_ranks: int, file: ApplicationFile | None = None
) -> tuple[str, ...]:
    of = one.variants
    [depth], [schedule], [wait], [pages] = of.queue_depths, of.schedules, of.waits, of.pages
    named = {
        "--sizes": one.sizes if pattern.has_size else "",
        # Of an application the usual numbers of ranks are several.
        "--ranks": str(one.ranks)
        if one.ranks != usual_ranks or pattern.application.is_there
        else "",
        "--queue-depth": str(depth) if str(depth) != QUEUE_DEPTH else "",
        "--buffers": _buffers(schedule) if _buffers(schedule) != BUFFERS else "",
        "--wait": wait,
        "--pages": pages,
        "--points": ",".join(map(str, of.points)),
    }
    words = options_given(named)
    single = ("--single",) if of.single else ()
    return (
        *one.tests,
        *words,
        *single,
        *words_of_application(of.application, pattern.application, file),
    )


def _of_hosts(plan: Plan, ranks: int, hosts: int) -> tuple[str, ...]:
    of = plan.allocation
    named = {
        "--hosts": ",".join(of.hosts),
        "--nodes": str(of.nodes or ""),
        "--ranks-per-node": str(of.ranks_per_node or ""),
        "--placement": of.placement if _is_placed(of, ranks, hosts) else "",
        # Named, for another machine or another day may have others first.
        "--launcher": "" if of.command else plan.launcher,
        "--launcher-command": of.command,
        "--mpi": plan.mpi,
    }
    return options_given(named)


def _is_placed(of: Allocation, ranks: int, hosts: int) -> bool:
    """Whether so many ranks are elsewhere than without the placement: a run refuses it if not."""
    usual = msgspec.structs.replace(of, placement=type(of)().placement)
    if of == usual or of.words:
        return of != usual
    return place_of(ranks, hosts, of) != place_of(ranks, hosts, usual)


def _of_effort(plan: Plan) -> tuple[str, ...]:
    """How much is measured, where that is not what is usual."""
    usual = SIMULATED if plan.simulated else {"launches": LAUNCHES, "samples": 0}
    named = {
        "--precision": ""
        if plan.precision == parse_percent(PRECISION)
        else f"{100 * plan.precision:.12g}%",
        "--budget": "" if plan.budget_s == parse_seconds(BUDGET) else f"{plan.budget_s:.12g}s",
        "--launches": ""
        if plan.launches == usual["launches"] and not plan.fixed_launches
        else str(plan.launches),
        "--samples": "" if plan.samples == usual["samples"] else str(plan.samples),
        "--seed": "" if plan.seed == SEED else str(plan.seed),
        "--deadline": ""
        if plan.case_deadline_s == parse_seconds(CASE_DEADLINE)
        else f"{plan.case_deadline_s:.12g}s",
    }
    return (*options_given(named), *(("--keep-all",) if plan.keep_all else ()))


def _buffers(schedule: Schedule) -> str:
    """As --buffers takes it."""
    if schedule.kind == "reuse":
        return f"reuse:{schedule.count}:{schedule.reuse_percent}%"
    return f"turn:{schedule.count}" if schedule.kind == "turn" else schedule.kind
