"""`weft report`: one HTML page from one record or several."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report", epilog="Example:  weft report run.jsonl.zst -o run.html")(report)


def report(
    records: Annotated[list[Path], typer.Argument(help="Records; several are laid over.")],
    link: Annotated[str, typer.Option(help="What it went over: IB 4x FDR. Per cent of peak.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The page.")] = None,
) -> None:
    """Write a self-contained HTML report with curves, table, host and warnings."""
    from weft.analysis.summary import summarise
    from weft.fabric.peaks import parse_link
    from weft.record.run import load
    from weft.report.page import report_path, write_report
    from weft.sources import models_of

    known = parse_link(link) if link else None
    runs = [(run, summarise(run, known)) for run in map(load, records)]
    page = output or report_path(records[0])
    write_report(runs, page, models_of([run for run, _ in runs]))
    typer.echo(f"report: {page}")
