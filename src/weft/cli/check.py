"""`weft check`: acceptance and CI, with an exit status for each answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.analysis.compare.acceptance import Checked

_EXAMPLES = """Exit status: 0 pass, 1 fail, 3 cannot tell, 2 bad usage.

Examples:

weft check run.jsonl --against limits.toml --junit check.xml

weft check today.jsonl --against monday.jsonl --against tuesday.jsonl --tolerance 5%"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("check", epilog=_EXAMPLES)(check)


def check(
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
    import msgspec

    from weft.analysis.compare.acceptance import EXIT_STATUS, overall
    from weft.report.checked import checks_table
    from weft.report.terminal import console

    checks, unlike, notes = _judged(records, against, tolerance)
    outcome = overall(checks)
    names = [" ".join(map(str, paths)) for paths in (records, against)]
    _write_files(checks, " against ".join(names), junit, openmetrics)
    if json:
        plain = {"outcome": outcome, "unlike": unlike, "notes": notes, "checks": checks}
        typer.echo(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode())
    else:
        console().print(checks_table(checks, outcome, unlike, notes))
    raise typer.Exit(EXIT_STATUS[outcome])


def _judged(
    records: list[Path], against: list[Path], tolerance: str
) -> "tuple[tuple[Checked, ...], tuple[str, ...], tuple[str, ...]]":
    """The checks, how the machine differs from the reference's, and the notes under the answers."""
    from weft.analysis.compare.acceptance import against_limits, against_record
    from weft.analysis.compare.conditions import differences_of_runs
    from weft.analysis.compare.pool import is_same_run, pool
    from weft.analysis.compare.sessions import (
        JUDGED_BY_THE_OTHER,
        in_time,
        launches_of,
        sessions_in_words,
    )
    from weft.record.run import load
    from weft.sources.limits import read_limits
    from weft.units import parse_percent

    slack = parse_percent(tolerance)
    runs = [load(record) for record in records]
    rests_on = {"the records under test": launches_of(runs)}
    if any(path.suffix == ".toml" for path in against):
        if len(against) > 1:
            raise WeftError(
                "--against takes one limits file or several records, not both",
                "type --against limits.toml once, or records only",
            )
        checks = against_limits(pool(runs), read_limits(against[0]))
        return checks, (), (*sessions_in_words(rests_on), *in_time(runs))
    references = [load(path) for path in against]
    for reference in references:
        if any(is_same_run(run, reference) for run in runs):
            raise WeftError(
                f"{reference.path} is the record under test itself",
                "type another record after --against",
            )
    checks = against_record(pool(runs), pool(references), slack)
    rests_on["the reference"] = launches_of(references)
    notes = sessions_in_words(rests_on, JUDGED_BY_THE_OTHER)
    unlike = differences_of_runs(references[0], runs[0])
    return checks, unlike, (*notes, *in_time([*runs, *references]))


def _write_files(
    checks: "tuple[Checked, ...]", name: str, junit: Path | None, openmetrics: Path | None
) -> None:
    from weft.outputs import write_output
    from weft.report.junit import junit_xml
    from weft.report.openmetrics import openmetrics_text

    for path, text in (
        (junit, junit_xml(checks, name)),
        (openmetrics, openmetrics_text(checks)),
    ):
        if path is not None:
            write_output(path, text)
