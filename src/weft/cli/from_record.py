"""A run that takes its plan from a record: it goes on with it, or measures it once more."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.command import whole_record_option
from weft.cli.printed import say
from weft.cli.typed import is_typed, typed_of, word_of
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.plan.request import Request
    from weft.record.model import Footer, Header

Resume = Annotated[
    Path | None,
    typer.Option(
        callback=whole_record_option,
        help="Continue this record: missing launches first (more with --launches).",
    ),
]
Again = Annotated[
    Path | None,
    typer.Option(
        callback=whole_record_option,
        help="Measure what this record did once more, into a new record: a further session.",
    ),
]
AllowEnv = Annotated[
    list[str] | None,
    typer.Option(
        help="Take this variable from the record too, though it can run code (repeatable)."
    ),
]
_OF_A_JOB = (
    "submit", "partition", "account", "constraint", "time", "nodelist", "exclude"
)  # fmt: skip
# The only options allowed with --resume: any other would change what is measured.
_WITH_RESUME = (
    "resume", "budget", "deadline", "launches", "json", "report", "verbose", "quiet", "allow_env",
    "launcher_command", *_OF_A_JOB,
)  # fmt: skip
# With --again a new record is made, and how much is measured may change as well.
_WITH_AGAIN = (
    "again", "budget", "deadline", "launches", "precision", "samples", "seed", "output", "json",
    "report", "verbose", "quiet", "allow_env",
    "launcher_command", *_OF_A_JOB,
)  # fmt: skip


def resumed(
    context: typer.Context,
    record: Path,
    *,
    report: bool,
    for_a_job: bool,
) -> "tuple[Path, Footer | None] | None":
    """Go on with a record, or where a job is to do it only look whether it can: None."""
    from weft import session
    from weft.record.reader import header_of
    from weft.record.run import load

    changes = _changes(context, "resume", _WITH_RESUME)
    # Mostly the first line is enough; session.resume reads the rest.
    header = header_of(record) or load(record).header
    if header.imported is None:
        _take_variables(context, header)
        _check_command(context, header.plan.allocation.command, record)
    if not for_a_job:
        return session.resume(record, changes, begun_s=begun_s(), report=report)
    session.check_measured(load(record))
    return None


def again(context: typer.Context, record: Path, *, report: bool) -> "Request":
    """The request for the plan of a record once more. Raises WeftError."""
    import msgspec

    from weft.plan.request import request_again
    from weft.record.again import options_again
    from weft.record.run import load
    from weft.session import check_measured

    run = load(record)
    check_measured(run)
    _take_variables(context, run.header)
    plan = run.header.plan
    _check_command(context, plan.allocation.command, record)
    return request_again(
        msgspec.structs.replace(plan, options=options_again(plan, run.lines.launches)),
        **_changes(context, "again", _WITH_AGAIN),
        **{**of_command(context, report=report), "typed": frozenset()},
        output=context.params["output"],
        again=record,
    )


def _take_variables(context: typer.Context, header: "Header") -> None:
    """Print the variables that a record sets. Raises WeftError for one that can run code."""
    from weft.host.taken import taken_variables

    variations = header.plan.variations
    for setting in taken_variables(variations, context.params["allow_env"] or ()):
        if not context.params["quiet"]:
            say(f"the record sets {setting}", err=True)


def _check_command(context: typer.Context, recorded: str, record: Path) -> None:
    """Raises WeftError unless the user typed the command that a record starts its ranks with.

    A record may be somebody else's, and a command can do anything.
    """
    from shlex import quote

    typed = context.params.get("launcher_command", "")
    if typed == recorded:
        return
    if not recorded:
        raise WeftError(
            f"{record} was measured without --launcher-command", "omit it, or start a new run"
        )
    raise WeftError(
        f"{record} was measured with a command of its own, which weft runs only if you type it",
        f"add --launcher-command {quote(recorded)}",
    )


def of_command(context: typer.Context, *, report: bool) -> dict[str, Any]:
    """What a request says of the command itself."""
    return {
        "command": ("weft", *sys.argv[1:]),
        "begun_s": begun_s(),
        "report": report,
        "is_quiet": bool(context.params.get("quiet")),
        "typed": typed_of(context),
    }


def _changes(context: typer.Context, option: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """The options typed beside it, as fields of the plan. Raises WeftError for a fixed one."""
    from weft.units import parse_percent, parse_seconds

    typed = {name: value for name, value in context.params.items() if is_typed(context, name)}
    fixed = [name for name in typed if name not in allowed]
    if fixed:
        name = word_of(context, fixed[0])
        does = "resumed" if option == "resume" else "measured again"
        raise WeftError(
            f"{name} cannot change when a run is {does}",
            f"use --{option} without {name}, or start a new run",
        )
    as_typed = ("launches", "samples", "seed")
    changes: dict[str, Any] = {name: typed[name] for name in as_typed if name in typed}
    if "launches" in typed:
        changes["fixed_launches"] = True
    if "precision" in typed:
        changes["precision"] = parse_percent(typed["precision"])
    for name, field in (("budget", "budget_s"), ("deadline", "case_deadline_s")):
        if name in typed:
            changes[field] = parse_seconds(typed[name])
    return changes


def begun_s() -> float:
    """When this process began, as time.monotonic counts: a user's budget holds from then on."""
    import psutil

    return time.monotonic() - (time.time() - psutil.Process().create_time())
