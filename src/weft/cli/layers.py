"""`weft layers`: what each layer of the stack adds."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import print_json, this_command
from weft.cli.options import Json, Picture
from weft.cli.printed import say
from weft.errors import WeftError

_NAME_THEM = "use --order with transports over one medium, lowest first, like --order tcp,mpi"
# What helps where they are named already.
_SHARE_ONE = "measure them over one device with --wait spin, or name others after --order"
_EXAMPLES = """Examples:

weft run ping_pong --transport tcp,ofi,ucx -o run.jsonl.zst && weft layers run.jsonl.zst

weft run ping_pong --transport ucx,mpi --wait spin -o b.jsonl

weft layers b.jsonl --order ucx,mpi"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("layers", epilog=_EXAMPLES)(layers)


def layers(
    record: Annotated[Path, typer.Argument(help="Read this record, of two transports or more.")],
    order: Annotated[
        str,
        typer.Option(help="Stack these transports, lowest first, with commas, as one medium."),
    ] = "",
    output: Picture = None,
    json: Json = False,
) -> None:
    """Show what each layer (verbs, UCX, libfabric, MPI) adds to the one below, by size.

    Only layers over the same device and medium, measured by the same loop, are stacked. MPI does
    not report its medium: name it in --order.
    """
    from weft.report.picture import write_picture
    from weft.report.table import console, render_bare
    from weft.studies.layers import layers_shown

    found = layers_shown(record, order)
    if output is not None:
        if not found.charts:
            why = found.table.notes[0] if found.table.notes else "no two transports share a medium"
            raise WeftError(
                f"nothing is stacked, so no picture: {why}", _SHARE_ONE if order else _NAME_THEM
            )
        answer = found.table.notes[0]
        write_picture(
            output,
            found.charts,
            found.table,
            command=this_command(),
            answer=answer,
            facts=(found.measured,),
        )
        say(f"picture: {output}", err=True)
    if json:
        print_json("layers", found.plain)
    else:
        console().print(*render_bare(found.table), sep="\n")
