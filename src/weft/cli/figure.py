"""`weft figure`: one figure for a paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option
from weft.cli.options import Columns
from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.charts import Chart

_EXAMPLES = """Examples:

weft figure run.jsonl.zst -o latency.pdf --show ping_pong --layout ieee

weft figure escher red-squall -o signature.pdf --show signature --wide

weft figure times.csv -o fit.svg --show fit --layout acm --font "DejaVu Sans" --points 7"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("figure", epilog=_EXAMPLES)(figure)


def figure(
    sources: Annotated[
        list[str],
        typer.Argument(help="Draw these records; for fit and signature also CSV and platforms."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", callback=output_option, help="Write the figure to this .pdf or .svg."
        ),
    ],
    show: Annotated[
        str, typer.Option(help="Draw this chart, fit or signature. Default: the first chart.")
    ] = "",
    layout: Annotated[str, typer.Option(help="Fit this layout: ieee, acm or elsevier.")] = "ieee",
    wide: Annotated[bool, typer.Option("--wide", help="Span both columns.")] = False,
    height: Annotated[
        float, typer.Option(help="Set the height, inches. Default: from the width.")
    ] = 0.0,
    points: Annotated[
        float, typer.Option(help="Set the font size, points. Default: the layout's.")
    ] = 0.0,
    font: Annotated[str, typer.Option(help="Set the font family. Default: serif.")] = "",
    test: Annotated[
        str,
        typer.Option(help="Draw only these tests, with commas. A fit's default: ping_pong."),
    ] = "",
    transport: Annotated[str, typer.Option(help="Draw only these transports, with commas.")] = "",
    columns: Columns = "",
) -> None:
    """Draw one figure for a two-column paper, in the column's width with embedded fonts."""
    from weft.outputs import write_output
    from weft.report.drawing import draw
    from weft.report.paper import paper_of

    kind = output.suffix.lower()[1:]
    if kind not in ("pdf", "svg"):
        raise WeftError(f"{output} is neither a .pdf nor a .svg", "type -o NAME.pdf or -o NAME.svg")
    paper = paper_of(layout, wide=wide, height_inches=height, points=points, family=font)
    if show in ("fit", "signature"):
        chart = _model(sources, show, test, transport, columns)
    else:
        chart = _curves(sources, show, test, transport)
    write_output(output, draw(chart, (kind,), paper)[0])
    size = f"{paper.width_inches:g} x {paper.height_inches:.3g} in"
    typer.echo(f"{output}: {chart.title}, {size}, {paper.points:g} pt {paper.family}")


def _curves(sources: list[str], show: str, test: str, transport: str) -> "Chart":
    """One chart of records by its name: a test's curves over sizes, or a topic's own."""
    from weft.names import choose
    from weft.record.run import load
    from weft.topics import charts_of, results_among

    found = charts_of([results_among(run, test, transport) for run in map(load, sources)])
    charts = {chart.name: chart for chart in found}
    if not charts:
        raise WeftError(
            f"{sources[0]} has no measured case", f"type weft show {sources[0]} to see why"
        )
    if show in charts:
        return charts[show]
    names = choose("chart", [show] if show else [], tuple(charts)) or tuple(charts)
    return charts[names[0]]


def _model(sources: list[str], show: str, test: str, transport: str, columns: str) -> "Chart":
    """The fit of one series, or the signatures of all."""
    from weft.analysis.fits.models import fit_models
    from weft.analysis.fits.signature import signature_of
    from weft.report.fits import line_chart
    from weft.report.signatures import signature_chart
    from weft.sources.series import series_of

    pairs = [pair for source in sources for pair in series_of(source, test, transport, columns)]
    if show == "signature":
        return signature_chart([signature_of(series) for series, _ in pairs])
    if len(pairs) > 1:
        raise WeftError(
            f"a figure of a fit shows one series, and there are {len(pairs)}",
            "choose one with --test and --transport",
        )
    series, stream = pairs[0]
    found = fit_models(series, stream)
    return line_chart(series, found.line, found.piecewise)
