"""What the engine has against the cases of a plan, asked before any rank is there.

No reason of a benchmark against a case is repeated in Python: the engine's own code says it, for a
run, for a job that is to be submitted, and for a prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.programs import refusals
from weft.measure.lines import case_line
from weft.measure.stopping import Amount
from weft.plan.memory import most_checked_of
from weft.plan.pattern import Footprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.launch.programs import Program
    from weft.launch.protocol import Answer
    from weft.plan.case import Case
    from weft.plan.plan import Plan


def refused(plan: Plan, program: Program) -> tuple[tuple[Case, Answer], ...]:
    """The cases of a program's transport, and what speaks against each; else its answer is ok.

    Raises WeftError where the program does not answer.
    """
    heads = plan.simulated is not None and not plan.simulated.checks_messages
    amount = Amount(samples=max(plan.samples, 1), warmup=0, ops_per_sample=1)
    footprints = {one.name: one.footprint for one in program.patterns}
    found: list[tuple[Case, Answer]] = []
    cases = [case for case in plan.cases if case.transport == program.transport]
    for ranks in dict.fromkeys(case.ranks for case in cases):
        own = [case for case in cases if case.ranks == ranks]
        lines = [
            case_line(
                case,
                at,
                amount,
                plan.seed,
                verify=True,
                most_checked=most_checked_of(case, footprints.get(case.test, Footprint())),
            )
            for at, case in enumerate(own)
        ]
        found += zip(own, refusals(program, lines, ranks, heads=heads), strict=True)
    return tuple(found)


def refuse_in_vain(plan: Plan, programs: Mapping[str, Program]) -> None:
    """Raises WeftError where no case of a plan can be measured over any of its transports.

    A program that does not answer says more of itself once it is started.
    """
    asked: list[tuple[Case, Answer]] = []
    for transport in dict.fromkeys(case.transport for case in plan.cases):
        try:
            asked += refused(plan, programs[transport])
        except WeftError:
            return
        if any(said.status == "ok" for _, said in asked):
            return
    what, fix = why_none(asked)
    raise WeftError(what, fix or _elsewhere(asked[0][0].test, programs))


def _elsewhere(test: str, programs: Mapping[str, Program]) -> str:
    """What to type for a test that the chosen transports cannot measure."""
    able = [
        name
        for name, program in programs.items()
        if any(one.name == test and one.supported for one in program.patterns)
    ]
    return f"use --transport {able[0]}" if able else "use another test"


def why_none(asked: Sequence[tuple[Case, Answer]]) -> tuple[str, str]:
    """Why none of these refused cases is measured, by test, and what is to be done.

    That is empty where a reason names nothing.
    """
    reasons = dict.fromkeys((case.test, said.reason.rstrip(".")) for case, said in asked)
    fixes = [reason.partition("; ")[2] for _, reason in reasons]
    what = "; ".join(f"{test}: {reason.partition('; ')[0]}" for test, reason in reasons)
    return what, fixes[0] if all(fixes) else ""
