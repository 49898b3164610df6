"""`weft trend`: the sessions of a machine in the order of time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option, print_json
from weft.cli.options import Json
from weft.errors import WeftError
from weft.wording import counted

if TYPE_CHECKING:
    from weft.record.run import Run

_EXAMPLES = """Examples:

weft trend records/*.jsonl.zst -o trend.html

weft trend monday.jsonl tuesday.jsonl wednesday.jsonl --against limits.toml"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("trend", epilog=_EXAMPLES)(trend)


def trend(
    records: Annotated[
        list[Path], typer.Argument(help="Read these records: each is a session, in any order.")
    ],
    against: Annotated[
        Path | None, typer.Option(help="Show the limits of this .toml, and each session's answer.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", callback=output_option, help="Write an HTML page to this file."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show records as a series over time: figures by case, and steps between sessions.

    A step is named with its session and its interval, or is not significant. A record that cannot
    be read is named, and the others are shown.
    """
    import msgspec

    from weft.analysis.compare.history import history
    from weft.report.history import history_tables, write_history
    from weft.report.terminal import console
    from weft.sources.limits import read_limits

    limits = read_limits(against) if against else ()
    runs, notes = _readable(records)
    found = history(runs, limits)
    if output is not None:
        write_history(found, output, notes)
        typer.echo(f"report: {output}", err=True)
    if json:
        plain = {**msgspec.to_builtins(found), "notes": notes}
        print_json(plain)
    else:
        console().print(history_tables(found, notes))


def _readable(records: list[Path]) -> "tuple[list[Run], list[str]]":
    """The records that can be read, and a line for each that cannot. Raises WeftError for none."""
    from weft.record.run import load

    runs, notes = [], []
    for record in records:
        try:
            runs.append(load(record))
        except WeftError as error:
            if len(records) == 1:
                raise
            notes.append(f"skipped: {error.what}")
    if not runs:
        raise WeftError(
            f"none of {counted(len(records), 'record')} can be read, first: {notes[0]}",
            "type the paths of records that weft run wrote",
        )
    return runs, notes
