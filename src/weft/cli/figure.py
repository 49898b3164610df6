"""`weft figure`: one figure for a paper."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import output_option
from weft.cli.options import Columns, Topologies, topology_typed
from weft.cli.printed import say
from weft.cli.series_options import check_series_options
from weft.cli.typed import refuse_typed
from weft.errors import WeftError

_EXAMPLES = """Examples:

weft figure run.jsonl.zst -o latency.pdf --show ping_pong --layout ieee

weft figure escher red-squall -o signature.pdf --show signature --wide

weft figure times.csv -o fit.svg --show fit --layout acm --font "DejaVu Sans" --points 7"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("figure", epilog=_EXAMPLES)(figure)


def figure(
    context: typer.Context,
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
        float,
        typer.Option(show_default=False, help="Set the height, inches. Default: from the width."),
    ] = 0.0,
    points: Annotated[
        float,
        typer.Option(show_default=False, help="Set the font size, points. Default: the layout's."),
    ] = 0.0,
    font: Annotated[str, typer.Option(help="Set the font family. Default: serif.")] = "",
    test: Annotated[
        str,
        typer.Option(help="Draw only these tests, with commas. A fit's default: ping_pong."),
    ] = "",
    transport: Annotated[str, typer.Option(help="Draw only these transports, with commas.")] = "",
    columns: Columns = "",
    topology: Topologies = None,
) -> None:
    """Draw one figure for a two-column paper, in the column's width with embedded fonts."""
    from weft.outputs import write_output
    from weft.report.drawing import draw
    from weft.report.paper import paper_of
    from weft.studies.figures import OF_MODELS, chart_called

    kind = output.suffix.lower()[1:]
    if kind not in ("pdf", "svg"):
        raise WeftError(f"{output} is neither a .pdf nor a .svg", "use -o NAME.pdf or -o NAME.svg")
    paper = paper_of(layout, wide=wide, height_inches=height, points=points, family=font)
    if show in OF_MODELS:
        check_series_options(context, sources)
        refuse_typed(context, "topology", why="it is for maps")
    else:
        refuse_typed(
            context, "columns", why="a CSV is drawn as a fit or as a signature alone",
            fix="omit {}, or use --show fit",
        )  # fmt: skip
    known = topology_typed(topology)
    chart = chart_called(sources, show, test, transport, columns, known.on if known else None)
    write_output(output, draw(chart, (kind,), paper)[0])
    size = f"{paper.width_inches:g} x {paper.height_inches:.3g} in"
    say(f"{output}: {chart.title}, {size}, {paper.points:g} pt {paper.family}")
