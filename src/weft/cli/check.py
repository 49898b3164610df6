"""`weft check`: acceptance and CI, with an exit status for each answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option, print_json, this_command
from weft.cli.options import Topologies, topology_typed
from weft.cli.printed import say
from weft.cli.typed import is_typed, refuse_typed
from weft.errors import WeftError
from weft.names import as_typed

if TYPE_CHECKING:
    from weft.studies.checks import CheckedMachine

_EXAMPLES = """Exit status: 0 pass, 1 fail, 3 cannot tell, 2 bad usage.

Examples:

weft check run.jsonl --against limits.toml --junit check.xml

weft check today.jsonl --against monday.jsonl,tuesday.jsonl --tolerance 5% -o check.html

weft check map-today.jsonl --against map-monday.jsonl --topology topology.conf

weft check run.jsonl --against limits.toml --require-none errors,retransmissions

weft check --make-limits good.jsonl -o limits.toml"""

_AGAINST = "use --against with a record or a limits file, or --make-limits -o limits.toml"

_MadeLimits = Annotated[
    bool,
    typer.Option(
        "--make-limits",
        help="Write limits that a machine like this one keeps, as far as its scatter can tell, to"
        " the .toml of -o.",
    ),
]
_Scatter = Annotated[
    str,
    typer.Option(
        help="Assume this standard deviation between launches, %, for an imported table that shows"
        " none."
    ),
]
_RequireNone = Annotated[
    str,
    typer.Option(
        help="Fail if a host counted one of these while cases were measured:"
        " errors,retransmissions."
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        callback=output_option,
        help="Write an HTML page to this file, or the limits that are made.",
    ),
]
_Junit = Annotated[
    Path | None, typer.Option(callback=output_option, help="Write JUnit XML to this file.")
]
_OpenMetrics = Annotated[
    Path | None, typer.Option(callback=output_option, help="Write OpenMetrics text to this file.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("check", epilog=_EXAMPLES)(check)


def check(
    context: typer.Context,
    records: Annotated[
        list[Path],
        typer.Argument(
            help="Check these records: all of the machine under test. A,B is the same as A B;"
            " NAME@TRANSPORT takes one transport."
        ),
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Compare with these records (A,B or repeated) or a .toml of limits."),
    ] = None,
    make_limits: _MadeLimits = False,
    topology: Topologies = None,
    tolerance: Annotated[str, typer.Option(help="Pass up to this much slower, %.")] = "5%",
    scatter: _Scatter = "5%",
    require_none: _RequireNone = "",
    junit: _Junit = None,
    openmetrics: _OpenMetrics = None,
    output: _Output = None,
    json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check a machine against limits or an earlier record: pass, fail or cannot tell.

    All launches of all records count: give every record of the machine, retries too.
    """

    from weft.report.checked import checks_table
    from weft.report.table import console
    from weft.studies.checks import are_limits, checked, event_kinds
    from weft.units import parse_percent

    if make_limits:
        refuse_typed(
            context, "against", "topology", "tolerance", "scatter", "require_none", "junit",
            "openmetrics",
            why="with --make-limits nothing is judged",
        )  # fmt: skip
        _make_limits(records, output, as_json=json)
        return
    kinds = event_kinds(require_none)
    if not against and not kinds:
        raise WeftError("nothing says what the machine is held against", _AGAINST)
    if not against:
        refuse_typed(context, "tolerance", "topology", why="nothing is compared")
    elif are_limits(against):
        refuse_typed(context, "tolerance", why="limits are kept or not, and have no tolerance")
        refuse_typed(context, "topology", why="limits hold each way by itself")
    known = topology_typed(topology)
    assumed = parse_percent(scatter) if is_typed(context, "scatter") else None
    fabric_of = known.on if known else None
    found = checked(records, against or [], parse_percent(tolerance), fabric_of, assumed, kinds)
    names = [" ".join(map(str, paths)) for paths in (records, against or [])]
    _write_files(found, " against ".join(filter(None, names)), junit, openmetrics)
    if output is not None:
        _write_page(found, (_files(records), _files(against) if against else "no events"), output)
    if json:
        print_json("check", found)
    else:
        console().print(checks_table(found.checks, found.outcome, found.unlike, found.notes))
    raise typer.Exit(found.exit_status)


def _make_limits(records: list[Path], path: Path | None, *, as_json: bool) -> None:
    from weft.report.table import console
    from weft.studies.made_limits import write_limits
    from weft.wording import DETERMINED, counted, counted_cases, who_says

    if path is None or path.suffix != ".toml":
        what = f"{path} is no .toml" if path else "nothing says which file the limits go to"
        raise WeftError(
            what, f"use -o {as_typed(path.with_suffix('.toml')) if path else 'limits.toml'}"
        )
    made = write_limits(records, path)
    if as_json:
        print_json("check", made)
        return
    without = who_says(one.partition(": ")[::2] for one in made.without)
    ends = (made.least_tolerance, made.greatest_tolerance)
    # Many times the figure are no per cent of it.
    is_wide = made.greatest_tolerance > DETERMINED - 1
    percents = dict.fromkeys(f"{100 * end:.0f}" for end in ends)
    tolerances = (
        f"{1 + ends[0]:.2f} to {1 + ends[1]:,.0f} times their figures"
        if is_wide
        else f"tolerance{'s' * (len(percents) - 1)} {' to '.join(percents)} %"
    )
    lines = (
        f"{path}: {counted(made.limits, 'limit')}, {tolerances}",
        f"check with: weft check RECORD --against {as_typed(path)}",
        made.wide,
        made.few,
        *(f"no limit for {counted_cases(cases)}: {why}" for why, cases in without.items()),
    )
    for line in filter(None, lines):
        console().print(line)


def _files(paths: list[Path]) -> str:
    """The records of one side by their files' names, for a heading."""
    from weft.sources.records import each_record
    from weft.wording import few_or_ends

    return few_or_ends([Path(one).name for one in each_record(paths)], "record")


def _write_page(found: "CheckedMachine", names: tuple[str, str], path: Path) -> None:
    from weft.report.checked_page import write_checks

    write_checks(
        found.checks,
        found.outcome,
        path,
        names=names,
        required=found.required,
        unlike=found.unlike,
        notes=found.notes,
        measured=found.measured,
        command=this_command(),
    )
    say(f"report: {path}", err=True)


def _write_files(
    found: "CheckedMachine", name: str, junit: Path | None, openmetrics: Path | None
) -> None:
    from weft.outputs import write_output
    from weft.report.junit import junit_xml
    from weft.report.openmetrics import openmetrics_text

    for path, text in (
        (junit, junit_xml(found.checks, name)),
        (openmetrics, openmetrics_text(found.checks)),
    ):
        if path is not None:
            write_output(path, text)
