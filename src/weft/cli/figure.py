"""`weft figure`: one figure for a paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    sources: Annotated[list[str], typer.Argument(help="Records; for models also CSV, platforms.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The .pdf or .svg.")],
    show: Annotated[str, typer.Option(help="A chart of the records, fit or signature.")] = "",
    layout: Annotated[str, typer.Option(help="ieee, acm or elsevier.")] = "ieee",
    wide: Annotated[bool, typer.Option("--wide", help="Over both columns.")] = False,
    height: Annotated[float, typer.Option(help="Inches. Default: fits the width.")] = 0.0,
    points: Annotated[float, typer.Option(help="Size of letters. Default: the layout's.")] = 0.0,
    font: Annotated[str, typer.Option(help="Family. Default: serif like the text.")] = "",
    test: Annotated[str, typer.Option(help="Test of a model. Default: ping_pong.")] = "",
    transport: Annotated[str, typer.Option(help="Transports of a model, with commas.")] = "",
    columns: Annotated[str, typer.Option(help="SIZE,TIME columns of a CSV.")] = "",
) -> None:
    """Draw one figure for a two-column paper: its width, its letters, fonts embedded."""
    from weft.report.drawing import draw
    from weft.report.paper import paper_of
    from weft.report.picture import write_bytes

    kind = output.suffix.lower()[1:]
    if kind not in ("pdf", "svg"):
        raise WeftError(f"{output} is no drawing for paper", "end its name in .pdf or .svg")
    paper = paper_of(layout, wide=wide, height_inches=height, points=points, family=font)
    if show in ("fit", "signature"):
        chart = _model(sources, show, test, transport, columns)
    else:
        chart = _curves(sources, show)
    write_bytes(draw(chart, (kind,), paper)[0], output)
    size = f"{paper.width_inches:g} x {paper.height_inches:.3g} in"
    typer.echo(f"{output}: {chart.title}, {size}, {paper.points:g} pt {paper.family}")


def _curves(sources: list[str], show: str) -> "Chart":
    """One chart of records by its name: a test's curves over sizes, or a topic's own."""
    from weft.analysis.summary import summarise
    from weft.names import choose
    from weft.record.run import load
    from weft.topics import charts_of, results_of

    found = charts_of([results_of(run, summarise(run)) for run in map(load, sources)])
    charts = {chart.name: chart for chart in found}
    if not charts:
        raise WeftError(f"{sources[0]} has nothing that was measured", "see weft show")
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
    from weft.sources import series_of

    pairs = [pair for source in sources for pair in series_of(source, test, transport, columns)]
    if show == "signature":
        return signature_chart([signature_of(series) for series, _ in pairs])
    if len(pairs) > 1:
        raise WeftError("a fit shows one series", "choose it with --test and --transport")
    series, stream = pairs[0]
    found = fit_models(series, stream)
    return line_chart(series, found.line, found.piecewise)
