"""`weft trend`: the sessions of a machine in the order of time."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import print_json, this_command
from weft.cli.options import Json, PageFile
from weft.cli.printed import say

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
    output: PageFile = None,
    json: Json = False,
) -> None:
    """Show records as a series over time: figures by case, and steps between sessions.

    A step is named with its session and its interval, or is not significant. A record that cannot
    be read is named, and the others are shown.
    """
    import msgspec

    from weft.report.history import history_tables, write_history
    from weft.report.table import console
    from weft.studies.trend import over_time

    found = over_time(records, against)
    if output is not None:
        write_history(found.history, output, found.notes, this_command())
        say(f"report: {output}", err=True)
    if json:
        print_json("trend", {**msgspec.to_builtins(found.history), "notes": found.notes})
    else:
        console().print(history_tables(found.history, found.notes))
