"""`weft signature`: the network signature graph."""

from typing import Annotated

import typer

from weft.cli.command import print_json, this_command
from weft.cli.options import Columns, Json, Picture
from weft.cli.printed import say
from weft.cli.series_options import check_series_options

_EXAMPLES = """Examples:

weft signature run.jsonl.zst -o signature.pdf

weft signature escher red-squall callisto -o platforms.html

weft run ping_pong --sizes netpipe:0..4MiB -o run.jsonl.zst && weft signature run.jsonl.zst"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("signature", epilog=_EXAMPLES)(signature)


def signature(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Draw these records, CSVs of sizes and times, or platforms. A,B is the same as"
            " A B; NAME@TRANSPORT takes one transport."
        ),
    ],
    test: Annotated[
        str, typer.Option(help="Draw this test, which has latencies. Default: ping_pong.")
    ] = "",
    transport: Annotated[str, typer.Option(help="Draw only these transports, with commas.")] = "",
    columns: Columns = "",
    output: Picture = None,
    json: Json = False,
) -> None:
    """Draw bandwidth against transfer time: the network signature graph.

    Marks the zero-length latency and the saturation point.
    """
    from weft.report.picture import write_picture
    from weft.report.signatures import (
        render_signatures,
        signature_chart,
        signature_table,
    )
    from weft.report.table import console
    from weft.sources.records import each_record
    from weft.studies.fits import signatures_of

    names = each_record(sources)
    check_series_options(context, names)
    found = signatures_of(names, test, transport, columns)
    if output is not None:
        write_picture(
            output, [signature_chart(found)], signature_table(found), command=this_command()
        )
        say(f"picture: {output}", err=True)
    if json:
        print_json("signature", found)
    else:
        console().print(render_signatures(found))
