"""`weft calibrate`: a simulated platform from published tables or from records."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import output_option, print_json
from weft.cli.options import Json
from weft.cli.printed import say
from weft.cli.typed import refuse_typed
from weft.plan.command import weft_run

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
    context: typer.Context,
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
    json: Json = False,
) -> None:
    """Make a simulated platform, and print its parameters and its errors.

    Of a record every other size makes a model first that predicts those between them, and the
    platform predicts the record's streams, hot spots and halos. The file is for weft run
    --platform FILE, and for SimGrid.
    """
    from rich.text import Text

    from weft.outputs import write_output
    from weft.report.table import console, render_table
    from weft.sources.platforms import platform_named
    from weft.studies.calibration import calibrated_platform

    if platform_named(sources[0]) is not None:
        refuse_typed(
            context, "transport", why=f"{sources[0]} is a published platform, of one transport"
        )
    found = calibrated_platform(sources, kind, nodes, rate, transport)
    if json:
        print_json("calibrate", found.plain)
    else:
        for table in found.tables:
            console().print(*render_table(table), sep="\n")
        said = (f"from: {found.platform.origin}", found.computes)
        console().print(*map(Text, said), sep="\n")
    if output is not None:
        write_output(output, found.platform.xml)
        say(f"platform: {output}; run {weft_run('--platform', output)}", err=True)
