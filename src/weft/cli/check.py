"""`weft check`: acceptance and CI, with an exit status for each answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option, print_json
from weft.cli.typed import refuse_typed

if TYPE_CHECKING:
    from weft.studies.checks import CheckedMachine

_EXAMPLES = """Exit status: 0 pass, 1 fail, 3 cannot tell, 2 bad usage.

Examples:

weft check run.jsonl --against limits.toml --junit check.xml

weft check today.jsonl --against monday.jsonl --against tuesday.jsonl --tolerance 5%"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("check", epilog=_EXAMPLES)(check)


def check(
    context: typer.Context,
    records: Annotated[
        list[Path], typer.Argument(help="Check these records: all of the machine under test.")
    ],
    against: Annotated[
        list[Path],
        typer.Option(help="Compare with this record (repeat for several) or a .toml of limits."),
    ],
    tolerance: Annotated[str, typer.Option(help="Pass up to this much slower, %.")] = "5%",
    junit: Annotated[
        Path | None,
        typer.Option(callback=output_option, help="Write JUnit XML to this file."),
    ] = None,
    openmetrics: Annotated[
        Path | None,
        typer.Option(callback=output_option, help="Write OpenMetrics text to this file."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check a machine against limits or an earlier record: pass, fail or cannot tell.

    All launches of all records count: give every record of the machine, retries too.
    """

    from weft.report.checked import checks_table
    from weft.report.terminal import console
    from weft.studies.checks import checked
    from weft.units import parse_percent

    if any(path.suffix == ".toml" for path in against):
        refuse_typed(context, "tolerance", why="limits are kept or not, and have no tolerance")
    found = checked(records, against, parse_percent(tolerance))
    names = [" ".join(map(str, paths)) for paths in (records, against)]
    _write_files(found, " against ".join(names), junit, openmetrics)
    if json:
        print_json(found)
    else:
        console().print(checks_table(found.checks, found.outcome, found.unlike, found.notes))
    raise typer.Exit(found.exit_status)


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
