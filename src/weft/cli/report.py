"""`weft report`: one HTML page from one record or several."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.options import LinkName


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report", epilog="Example:  weft report run.jsonl.zst -o run.html")(report)


def report(
    records: Annotated[
        list[Path], typer.Argument(help="Read these records; several share the charts.")
    ],
    link: LinkName = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write the page to this file. Default: beside the record."
        ),
    ] = None,
) -> None:
    """Write a self-contained HTML report: charts, tables, host and warnings."""
    from weft.analysis.summary import summarise
    from weft.fabric.peaks import parse_link
    from weft.record.run import load
    from weft.report.page import report_path, write_report
    from weft.sources import models_of
    from weft.topics import results_of

    known = parse_link(link) if link else None
    runs = [load(record) for record in records]
    page = output or report_path(records[0])
    found = [results_of(run, summarise(run, known), known) for run in runs]
    write_report(found, page, models_of(runs))
    typer.echo(f"report: {page}")
