"""`weft show`: the figures of a record or of a published platform, as a table or as JSON."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import print_json
from weft.cli.options import Json, LinkName
from weft.cli.printed import say
from weft.cli.typed import refuse_typed

_EXAMPLES = """Examples:

weft show run.jsonl.zst --test ping_pong

weft show run.jsonl.zst --link "IB 4x FDR"

weft show run.jsonl.zst --table overhead --json

weft show run.jsonl.zst --like osu

weft show escher"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("show", epilog=_EXAMPLES)(show)


def show(
    context: typer.Context,
    record: Annotated[Path, typer.Argument(help="Show this record or published platform.")],
    test: Annotated[str, typer.Option(help="Show only these tests, with commas.")] = "",
    transport: Annotated[str, typer.Option(help="Show only these transports, with commas.")] = "",
    link: LinkName = "",
    table: Annotated[
        str, typer.Option(help="Show only this table: figures, overhead, overlap, completion, ...")
    ] = "",
    like: Annotated[
        str, typer.Option(help="Print as another program does: osu, imb or perftest.")
    ] = "",
    json: Json = False,
) -> None:
    """Show the figures of a record or of a published platform, with notes."""
    from weft.report.plain import json_rows
    from weft.report.table import console
    from weft.report.terminal import render_shown, render_tables
    from weft.studies.shown import platform_shown, results_shown, table_shown

    plain: object
    if platform := platform_shown(str(record), test, transport, link):
        from weft.report.published import platform_tables

        refuse_typed(
            context,
            "table",
            "like",
            why=f"{record} is a published platform, and tables are of records",
        )
        plain, shown = platform[1], platform_tables(platform[0])
    elif like:
        refuse_typed(
            context, "table", "link", "json", why="--like prints the tables of another program"
        )
        from weft.studies.peer_tables import as_printed_by

        run = results_shown(record, test, transport).run
        say("\n".join(as_printed_by(run, like)))
        return
    elif table:
        found = table_shown(record, table, test, transport, link)
        plain, shown = found.plain, render_shown(found.tables, found.findings)
        if not (json or found.tables or found.findings):
            say(f"{record} has no measured case for the table {table}")
    else:
        results = results_shown(record, test, transport, link)
        plain, shown = json_rows(results), render_tables(results)
    if json:
        print_json("show", plain)
    else:
        console().print(shown)
