"""`weft calibrate`: a simulated platform from published tables or from records."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option
from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.simulated import SimulatedPlatform
    from weft.reference.library import Platform
    from weft.sim.platforms import Calibrated
    from weft.sim.protocols import Protocols
    from weft.tables import Table

_EXAMPLES = """Examples:

weft calibrate escher

weft calibrate red-squall --kind table -o red-squall.xml

weft calibrate osu-vapi --nodes 8 -o vapi.xml

weft calibrate sizes.jsonl.zst patterns.jsonl.zst -o mine.xml

weft calibrate escher --rate 800MFlop/s -o escher.xml"""

_Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", callback=output_option, help="Write the platform to this file."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("calibrate", epilog=_EXAMPLES)(calibrate)


def calibrate(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Calibrate from this published platform, or from this record: further ones have"
            " the patterns to be predicted."
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(help="Make a model of few parameters, or a table that is right at each size."),
    ] = "model",
    nodes: Annotated[int, typer.Option(help="Give it so many nodes, at one crossbar.")] = 128,
    rate: Annotated[
        str,
        typer.Option(
            help="Let a rank compute so much, where milc charges its work: 4GFlop/s. Default: as"
            " milc on one rank of the records, else 1GFlop/s."
        ),
    ] = "",
    transport: Annotated[
        str, typer.Option(help="Take this transport of a record. Default: the only one.")
    ] = "",
    output: _Output = None,
) -> None:
    """Make a simulated platform, and print its parameters and its errors.

    Of a record every other size makes a model first that predicts those between them, and the
    platform predicts the record's streams, hot spots and halos. The file is for weft run
    --platform FILE, and for SimGrid.
    """
    from weft.outputs import write_output
    from weft.reference.library import platform_or_none
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.sim.crossbar import at_crossbar
    from weft.sim.fidelity import parameters_table
    from weft.sim.platforms import check_kind, check_nodes
    from weft.units import parse_flops

    chosen = check_kind(kind)
    check_nodes(nodes)
    typed = parse_flops(rate) if rate else None
    published = platform_or_none(sources[0])
    if published is not None:
        named, protocols, tables, computes = _from_tables(published, sources, chosen, nodes)
    else:
        paths = [Path(one) for one in sources]
        named, protocols, tables, computes = _from_records(paths, transport, chosen, nodes)
    speed, words = (typed, f"a rank computes {rate} (--rate)") if typed else computes
    title = f"{nodes} nodes at one crossbar"
    made = at_crossbar(named, protocols, title, flops_per_s=speed, is_coarse=True)
    for table in [parameters_table(made.name, protocols), *tables]:
        console().print(*render_table(table), sep="\n")
    typer.echo(f"from: {made.origin}\n{words}")
    if output is not None:
        write_output(output, made.xml)
        typer.echo(f"platform: {output}; type weft run --platform {output}", err=True)


# A platform without its file, its numbers, the tables of its errors, and what a rank computes with
# words for it.
_Made = tuple["SimulatedPlatform", "Protocols", "list[Table]", tuple[float, str]]


def _from_tables(
    published: "Platform", sources: "Sequence[str]", kind: "Calibrated", nodes: int
) -> _Made:
    from weft.sim.fidelity import errors_of, errors_table, predicted_ns
    from weft.sim.platforms import named_of, protocols_of
    from weft.topics.scaling.rate import usual_rate

    if len(sources) > 1:
        raise WeftError(
            f"{published.title} is calibrated from what was published alone",
            f"type weft calibrate {published.name}",
        )
    protocols = protocols_of(published, kind)
    errors = errors_of(published, predicted_ns(protocols))
    tables = [errors_table(published.name, errors)] if errors else []
    return named_of(published, kind, nodes), protocols, tables, usual_rate()


def _from_records(paths: "Sequence[Path]", transport: str, kind: "Calibrated", nodes: int) -> _Made:
    from weft.sim.measured import calibrated_from
    from weft.studies.held_out import held_out_table, patterns_held_out
    from weft.topics.scaling.rate import rate_of

    found = calibrated_from(paths[0], transport, kind, nodes, paths[1:])
    lack = ""
    try:
        patterns = patterns_held_out(found)
    except WeftError as error:
        patterns, lack = (), f"no pattern was predicted: {error.what}; {error.fix}"
    table = held_out_table(found, patterns, lack)
    return found.platform, found.protocols, [table], rate_of(found.runs)
