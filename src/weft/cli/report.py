"""`weft report`: one HTML page from one record or several."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import only_output_option
from weft.cli.options import LinkName, Topologies, topology_typed
from weft.cli.printed import say

_EXAMPLES = """Examples:

weft report run.jsonl.zst -o run.html

weft report run.jsonl.zst --price prices.toml

weft report map-monday.jsonl map-friday.jsonl --topology topology.conf"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("report", epilog=_EXAMPLES)(report)


def report(
    records: Annotated[
        list[Path], typer.Argument(help="Read these records; several share the charts.")
    ],
    link: LinkName = "",
    topology: Topologies = None,
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
            help="Write the page to this file. Default: beside the first record, by the names of"
            " all.",
        ),
    ] = None,
) -> None:
    """Write a self-contained HTML report: charts, tables, host and warnings."""
    from weft.outputs import STANDARD_OUTPUT
    from weft.studies.pages import page_of_records

    known = topology_typed(topology)
    page = page_of_records(records, output, link, price, known.on if known else None)
    say(f"report: {page}", err=page == STANDARD_OUTPUT)
