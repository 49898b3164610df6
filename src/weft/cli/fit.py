"""`weft fit`: latency and bandwidth from a record or a plain table of sizes and times."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import print_json
from weft.cli.options import Columns, Json, Picture
from weft.cli.series_options import check_series_options
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.analysis.fits.models import Models
    from weft.analysis.fits.sweeps import Series

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
    source: Annotated[
        str, typer.Argument(help="Fit this record, CSV of sizes and times, or platform.")
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

    from weft.analysis.fits.models import fit_models
    from weft.report.fits import render_models
    from weft.report.terminal import console
    from weft.sources.series import series_of

    check_series_options(context, [source])
    every = series_of(source, test, transport, columns)
    if output is not None and len(every) > 1:
        raise WeftError(
            f"a picture shows one series, and there are {len(every)}",
            "choose one with --test and --transport",
        )
    fits = [fit_models(series, stream) for series, stream in every]
    if json:
        print_json(fits)
    else:
        for one in fits:
            console().print(render_models(one))
    if output is not None:
        _draw(output, every[0][0], fits[0])
        typer.echo(f"picture: {output}", err=True)


def _draw(output: Path, series: "Series", models: "Models") -> None:
    from weft.report import fits
    from weft.report.picture import write_picture
    from weft.tables import Table

    rows: list[tuple[str, ...]] = list(fits.line_rows(models.line))
    notes = models.line.notes
    if models.piecewise is not None:
        rows += fits.segment_rows(models.piecewise)
        notes += tuple(f"{name}: {words}" for name, words in fits.whole_rows(models.piecewise))
        notes += models.piecewise.notes
    table = Table(
        name="fit",
        caption=f"weft fit: {series.name}",
        head=("", "least squares, as published", "median line"),
        rows=tuple(rows),
        notes=notes,
    )
    write_picture(output, [fits.line_chart(series, models.line, models.piecewise)], table)
