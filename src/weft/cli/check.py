"""`weft check`: acceptance and CI, with an exit status for each answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.analysis.acceptance import Checked

_EXAMPLES = """Exit status: 0 pass, 1 fail, 3 cannot tell, 2 bad usage.

Examples:

weft check run.jsonl --against limits.toml --junit check.xml

weft check today-1.jsonl today-2.jsonl --against reference.jsonl --tolerance 5%"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("check", epilog=_EXAMPLES)(check)


def check(
    records: Annotated[list[Path], typer.Argument(help="All records of the machine under test.")],
    against: Annotated[Path, typer.Option(help="A record, or a .toml file of limits.")],
    tolerance: Annotated[str, typer.Option(help="How much slower than a record passes.")] = "5%",
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
    openmetrics: Annotated[Path | None, typer.Option(help="Write OpenMetrics text.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check a machine against limits or an earlier record: pass, fail or cannot tell.

    All launches of all records count, so a retry cannot buy a pass: give every record you made.
    """
    import msgspec  # noqa: PLC0415 - start-up

    from weft.analysis.acceptance import (  # noqa: PLC0415
        EXIT_STATUS,
        against_limits,
        against_record,
        overall,
    )
    from weft.analysis.conditions import differences_of_runs  # noqa: PLC0415
    from weft.analysis.limits import read_limits  # noqa: PLC0415
    from weft.analysis.pool import is_same_run, pool  # noqa: PLC0415
    from weft.record.run import load  # noqa: PLC0415
    from weft.report.checked import checks_table  # noqa: PLC0415
    from weft.report.terminal import console  # noqa: PLC0415
    from weft.units import parse_percent  # noqa: PLC0415

    slack = parse_percent(tolerance)
    runs = [load(record) for record in records]
    unlike: tuple[str, ...] = ()
    if against.suffix == ".toml":
        checks = against_limits(pool(runs), read_limits(against))
    else:
        reference = load(against)
        if any(is_same_run(run, reference) for run in runs):
            raise WeftError(f"{against} is the record under test itself", "name another reference")
        checks = against_record(pool(runs), pool([reference]), slack)
        unlike = differences_of_runs(reference, runs[0])
    outcome = overall(checks)
    _write_files(checks, f"{' '.join(map(str, records))} against {against}", junit, openmetrics)
    if json:
        plain = {"outcome": outcome, "unlike": unlike, "checks": checks}
        typer.echo(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode())
    else:
        console().print(checks_table(checks, outcome, unlike))
    raise typer.Exit(EXIT_STATUS[outcome])


def _write_files(
    checks: "tuple[Checked, ...]", name: str, junit: Path | None, openmetrics: Path | None
) -> None:
    from weft.report.junit import junit_xml  # noqa: PLC0415 - start-up
    from weft.report.openmetrics import openmetrics_text  # noqa: PLC0415

    for path, text in (
        (junit, junit_xml(checks, name)),
        (openmetrics, openmetrics_text(checks)),
    ):
        if path is None:
            continue
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise WeftError(
                f"cannot write {path}: {error.strerror}", "choose another place"
            ) from None
