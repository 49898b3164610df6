"""`weft import`: the outputs of other benchmarks as a record."""

from pathlib import Path
from typing import Annotated

import typer

from weft.cli.command import print_json
from weft.cli.options import Json
from weft.cli.printed import say

_EXAMPLES = """Examples:

weft import osu_latency.txt

weft import monday.txt tuesday.txt -o osu.jsonl.zst

weft import nights/ -o nights.jsonl.zst

weft import - -o osu.jsonl.zst < osu_latency.txt

weft import allreduce.txt --ranks 64

weft import sockperf.txt --bytes 64

weft import osu_latency.txt --strict"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("import", epilog=_EXAMPLES)(import_)


def import_(
    outputs: Annotated[
        list[Path],
        typer.Argument(
            help="Read these outputs of one program, or those in a folder, or - for what is piped"
            " in; each file is a launch. A,B is the same as A B."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Write the record to this .jsonl or .jsonl.zst. Default: by the first output.",
        ),
    ] = None,
    transport: Annotated[
        str, typer.Option(help="Say what the messages went over. Default: what the program uses.")
    ] = "",
    ranks: Annotated[
        str, typer.Option(help="Say on how many ranks it ran, where the output does not.")
    ] = "",
    size: Annotated[
        str, typer.Option("--bytes", help="Say the message size, where the output does not.")
    ] = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Reject an output if one line is not understood.")
    ] = False,
    json: Json = False,
) -> None:
    """Read what OMB, IMB and other benchmarks printed, and write it as a record.

    A value is kept as it was printed: a mean stays a mean, without an interval. Lines that are not
    part of a table are skipped and counted.
    """
    from weft.errors import WeftError
    from weft.file_values import MOST_NAME_CHARS
    from weft.report.plain import json_rows
    from weft.report.table import console
    from weft.report.terminal import render_brief
    from weft.studies.imports import imported
    from weft.units import parse_bytes

    if ranks and not (ranks.isdecimal() and 1 <= int(ranks) <= 10**7):
        raise WeftError(f"--ranks {ranks} is not a number of ranks", "use --ranks 2")
    if "/" in transport or len(transport) > MOST_NAME_CHARS:
        raise WeftError("--transport has a slash or is too long", "use a name like verbs")
    path, results = imported(
        outputs,
        output,
        transport=transport,
        ranks=int(ranks or 0),
        bytes_=parse_bytes(size) if size else None,
        strict=strict,
    )
    if json:
        print_json("import", json_rows(results))
    else:
        screen = console()
        screen.print(render_brief(results, screen))
    # What was skipped, or taken for granted.
    for note in results.run.header.notes:
        say(f"note: {note}", err=True)
    say(f"record: {path}", err=True)
