"""Whether an MPI provides the thread level that a plan requests, tried before anything is measured.

One rank starts at the highest level of the plan. Level single needs no trial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.launcher import Job
from weft.launch.protocol import LaunchError
from weft.plan.costs import group_of
from weft.plan.thread_level import LEVELS, OPTION, SINGLE, measures_mpi, with_level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.launch.launcher import Launcher
    from weft.launch.programs import Program
    from weft.plan.allocation import Allocation
    from weft.plan.plan import Plan

# How the engine begins its reason (engine/bootstrap/mpi.cpp).
_LOWER = "this MPI provides thread level"


def check_provided_level(
    plan: Plan, programs: Mapping[str, Program], launcher: Launcher, allocation: Allocation
) -> None:
    """Raises WeftError where an MPI of the plan provides a lower level than the highest requested.

    Any other failure is left to the launches of the run, which report it.
    """
    highest: dict[str, tuple[int, Job]] = {}
    for group in dict.fromkeys(group_of(case) for case in plan.cases):
        if not measures_mpi(group.transport):
            continue
        program = programs[group.transport]
        options = with_level(plan.options, threaded=group.threaded)
        words = program.arguments(options)
        level = LEVELS.index({**options, **program.options}.get(OPTION, SINGLE))
        job = Job(
            program=program.path,
            mpi=program.mpi,
            ranks=1,
            arguments=words,
            environment=program.environment,
            allocation=allocation,
        )
        if level > highest.get(program.mpi, (0, job))[0]:
            highest[program.mpi] = (level, job)
    for _, job in highest.values():
        _try(job, launcher)


def _try(job: Job, launcher: Launcher) -> None:
    try:
        with launcher.start(job) as rank:
            rank.hello()
            rank.finish()
    except LaunchError as error:
        _, begin, rest = error.reason.partition(_LOWER)
        if begin:
            what, _, fix = f"{begin}{rest}".partition("; ")
            raise WeftError(what, fix) from None
