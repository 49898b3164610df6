"""`weft show`: a record's figures as a table or as JSON."""

from pathlib import Path
from typing import Annotated

import typer

_EXAMPLES = """Examples:

weft show run.jsonl.zst --test ping_pong

weft show run.jsonl.zst --link "IB 4x FDR\""""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("show", epilog=_EXAMPLES)(show)


def show(
    record: Annotated[Path, typer.Argument(help="The record of a run.")],
    test: Annotated[str, typer.Option(help="Only these tests, with commas.")] = "",
    transport: Annotated[str, typer.Option(help="Only these transports, with commas.")] = "",
    link: Annotated[str, typer.Option(help="What it went over: IB 4x FDR. Per cent of peak.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Show a record's figures with their intervals, and what to know of them."""
    import msgspec  # noqa: PLC0415 - start-up

    from weft.analysis.summary import summarise, to_json_rows  # noqa: PLC0415
    from weft.fabric.peaks import parse_link  # noqa: PLC0415
    from weft.plan import choose  # noqa: PLC0415
    from weft.record.run import load  # noqa: PLC0415
    from weft.report.terminal import console, render_tables  # noqa: PLC0415

    run = load(record)
    summaries = summarise(run, parse_link(link) if link else None)
    tests = tuple(dict.fromkeys(s.test for s in summaries))
    transports = tuple(dict.fromkeys(s.transport for s in summaries))
    wanted_tests = choose("test", [name for name in test.split(",") if name], tests) or tests
    wanted = choose("transport", [name for name in transport.split(",") if name], transports)
    chosen = tuple(
        s for s in summaries if s.test in wanted_tests and s.transport in (wanted or transports)
    )
    if json:
        text = msgspec.json.format(msgspec.json.encode(to_json_rows(chosen)), indent=2)
        typer.echo(text.decode())
    else:
        console().print(render_tables(run, chosen))
