"""`weft fit`: latency and bandwidth from a record or a plain table of sizes and times."""

from typing import Annotated

import typer

from weft.cli.command import print_json, this_command
from weft.cli.options import Columns, Json, Picture
from weft.cli.printed import say
from weft.cli.series_options import check_series_options

_EXAMPLES = """Examples:

weft fit run.jsonl.zst

weft fit times.csv -o trend.pdf

weft fit escher

weft fit other.csv --columns "Size [KiB],t_us" --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("fit", epilog=_EXAMPLES)(fit)


def fit(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Fit these records, CSVs of sizes and times, or platforms. A,B is the same as A B;"
            " NAME@TRANSPORT takes one transport."
        ),
    ],
    test: Annotated[
        str, typer.Option(help="Fit these tests, with commas. Default: ping_pong.")
    ] = "",
    transport: Annotated[
        str, typer.Option(help="Fit these transports, with commas. Default: all.")
    ] = "",
    columns: Columns = "",
    output: Picture = None,
    json: Json = False,
) -> None:
    """Fit models of latency and bandwidth, with 95 % intervals.

    A least-squares line, as publications have it, and a median line, which is robust where errors
    grow with the size and have a tail. From six sizes on a piecewise model: one line per protocol
    and the sizes where they switch. LogGP and PLogP where a stream was measured too. Then the error
    of each model.
    """

    from weft.report.fits import render_models
    from weft.report.picture import write_picture
    from weft.report.table import console
    from weft.sources.records import each_record
    from weft.studies.fits import fits_of, picture_of

    names = each_record(sources)
    check_series_options(context, names)
    found, refused = fits_of(names, test, transport, columns, is_drawn=output is not None)
    models = [one for _, one in found]
    if json:
        print_json("fit", models)
    else:
        for one in models:
            console().print(render_models(one))
    for line in refused:
        console(stderr=json).print(line)
    if output is not None:
        drawn = picture_of(found[0])
        table, *more = drawn.tables
        write_picture(
            output, [drawn.chart], table, more, command=this_command(), answer=drawn.answer
        )
        say(f"picture: {output}", err=True)
