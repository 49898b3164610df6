"""`weft report`: one HTML page from one record or several."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import only_output_option
from weft.cli.link import check_link
from weft.cli.options import LinkName

if TYPE_CHECKING:
    from weft.fabric.peaks import Link
    from weft.report.page import Section
    from weft.topics.base import Results

_EXAMPLES = """Examples:

weft report run.jsonl.zst -o run.html

weft report run.jsonl.zst --price prices.toml"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report", epilog=_EXAMPLES)(report)


def report(
    records: Annotated[
        list[Path], typer.Argument(help="Read these records; several share the charts.")
    ],
    link: LinkName = "",
    price: Annotated[
        Path | None,
        typer.Option(help="Price the fabrics of this file, with what the first record delivers."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            callback=only_output_option,
            help="Write the page to this file. Default: beside the record.",
        ),
    ] = None,
) -> None:
    """Write a self-contained HTML report: charts, tables, host and warnings."""
    from weft.analysis.summary import summarise
    from weft.outputs import STANDARD_OUTPUT
    from weft.record.run import load
    from weft.report.page import report_path, write_report
    from weft.sources.series import models_of
    from weft.topics import TOPICS, results_of

    runs = [load(record) for record in records]
    page = output or report_path(records[0])

    def figures(known: "Link | None") -> "list[Results]":
        return [results_of(run, summarise(run, known), known) for run in runs]

    def plain(known: "Link") -> object:
        return [[topic.plain(one.of(topic)) for topic in TOPICS] for one in figures(known)]

    found = figures(check_link(link, plain))
    more = [_priced(price, records[0])] if price else []
    write_report(found, page, models_of(runs), more)
    typer.echo(f"report: {page}", err=page == STANDARD_OUTPUT)


def _priced(path: Path, record: Path) -> "Section":
    """What the fabrics of a price list cost, and what the money buys with the record's figures."""
    from weft.analysis.fabric_value import values_of
    from weft.report.page import Section
    from weft.sources.fabrics import delivered_or_why, options_of
    from weft.topics.fabric_cost import cost_table
    from weft.topics.fabric_value import value_charts, value_table

    usual, why = delivered_or_why(record)
    options = options_of([path], None, usual)
    values = values_of(options)
    return Section(
        name="price",
        title="What it costs",
        charts=tuple(value_charts(values)) if len(values) > 1 else (),
        tables=(value_table(values), *(cost_table(one.built, one.cost) for one in options)),
        findings=(why,) if why else (),
    )
