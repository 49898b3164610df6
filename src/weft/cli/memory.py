"""`weft memory`: what buffers, registration, connections and the host bus cost."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import print_json
from weft.cli.options import Json, LinkName
from weft.cli.printed import say

_MEASURES_SOME = "weft run registration copy"
_EXAMPLES = """Examples:

weft run ping_pong --sizes 4KiB --buffers turn:1..1024,reuse:256:0..100:25%

weft run registration copy --sizes 4KiB..256MiB -o run.jsonl.zst

weft memory run.jsonl.zst --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("memory", epilog=_EXAMPLES)(memory)


def memory(
    record: Annotated[Path, typer.Argument(help="Read this record.")],
    link: LinkName = "",
    json: Json = False,
) -> None:
    """Show the costs of buffer reuse, registration, connections and the host bus."""
    from weft.report.table import console
    from weft.report.terminal import render_shown
    from weft.studies.shown import memory_shown

    found = memory_shown(record, link)
    if json:
        print_json("memory", found.plain)
    elif not (found.tables or found.findings):
        say(f"{record} has no figure of memory; measure some: {_MEASURES_SOME}")
    else:
        console().print(render_shown(found.tables, found.findings))
