"""`weft calibrate`: a simulated platform from published tables or from a record."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.errors import WeftError

if TYPE_CHECKING:
    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.platforms import Calibrated
    from weft.sim.protocols import Protocols
    from weft.tables import Table

MOST_GFLOPS = 1_000_000
_EXAMPLES = """Examples:

weft calibrate escher

weft calibrate red-squall --kind table -o red-squall.xml

weft calibrate osu-vapi --nodes 8 -o vapi.xml

weft calibrate run.jsonl.zst -o mine.xml"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("calibrate", epilog=_EXAMPLES)(calibrate)


def calibrate(
    source: Annotated[
        str, typer.Argument(help="Calibrate from this published platform or this record.")
    ],
    kind: Annotated[
        str,
        typer.Option(help="Make a model of few parameters, or a table that is right at each size."),
    ] = "model",
    nodes: Annotated[int, typer.Option(help="Give it so many nodes, at one crossbar.")] = 128,
    gflops: Annotated[
        float,
        typer.Option(help="Let a rank compute so many GFlop/s, where milc charges its work."),
    ] = 1.0,
    transport: Annotated[
        str, typer.Option(help="Take this transport of a record. Default: the only one.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the platform to this file.")
    ] = None,
) -> None:
    """Make a simulated platform, and print its parameters and its errors.

    Of a record every other size makes a model first that predicts those between them. The file is
    for weft run --platform FILE, and for SimGrid.
    """
    from weft.report.html import write_page
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.sim.crossbar import at_crossbar
    from weft.sim.fidelity import parameters_table
    from weft.sim.platforms import check_kind

    chosen = check_kind(kind)
    _check_counts(nodes, gflops)
    protocols, made, tables = _calibrated(source, transport, chosen, nodes)
    title = f"{nodes} nodes at one crossbar"
    made = at_crossbar(made, protocols, title, flops_per_s=1e9 * gflops, is_coarse=True)
    for table in [parameters_table(made.name, protocols), *tables]:
        console().print(*render_table(table), sep="\n")
    if output is not None:
        write_page(made.xml, output)
        typer.echo(f"platform: {output}; type weft run --platform {output}", err=True)


def _calibrated(
    source: str, transport: str, kind: "Calibrated", nodes: int
) -> "tuple[Protocols, SimulatedPlatform, list[Table]]":
    from weft.reference.library import platform_or_none
    from weft.sim.fidelity import errors_of, errors_table, predicted_ns
    from weft.sim.measured import calibrated_from, held_out_table
    from weft.sim.platforms import calibrated, protocols_of

    published = platform_or_none(source)
    if published is None:
        found = calibrated_from(Path(source), transport, kind, nodes)
        return found.protocols, found.platform, [held_out_table(found)]
    protocols = protocols_of(published, kind)
    made = calibrated(published, kind, nodes)
    errors = errors_of(published, predicted_ns(protocols))
    return protocols, made, [errors_table(made.name, errors)] if errors else []


def _check_counts(nodes: int, gflops: float) -> None:
    from weft.sim.platforms import MOST_NODES

    if not 0 < gflops <= MOST_GFLOPS:
        raise WeftError(f"--gflops {gflops:g} is out of range", f"type 0.001 to {MOST_GFLOPS}")
    if not 2 <= nodes <= MOST_NODES:
        raise WeftError(f"--nodes {nodes} is out of range", f"type 2 to {MOST_NODES}")
