"""`weft show`: the figures of a record or of a published platform, as a table or as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import print_json
from weft.cli.link import check_link
from weft.cli.options import Json, LinkName
from weft.cli.typed import refuse_typed

if TYPE_CHECKING:
    from weft.fabric.peaks import Link
    from weft.reference.library import Platform
    from weft.topics.base import Results

_EXAMPLES = """Examples:

weft show run.jsonl.zst --test ping_pong

weft show run.jsonl.zst --link "IB 4x FDR"

weft show run.jsonl.zst --table overhead --json

weft show escher"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("show", epilog=_EXAMPLES)(show)


def show(
    context: typer.Context,
    record: Annotated[Path, typer.Argument(help="Show this record or published platform.")],
    test: Annotated[str, typer.Option(help="Show only these tests, with commas.")] = "",
    transport: Annotated[str, typer.Option(help="Show only these transports, with commas.")] = "",
    link: LinkName = "",
    table: Annotated[
        str, typer.Option(help="Show only this table: figures, overhead, overlap, completion, ...")
    ] = "",
    json: Json = False,
) -> None:
    """Show the figures of a record or of a published platform, with notes."""
    from weft.names import choose
    from weft.record.run import load
    from weft.reference.library import only, platform_or_none
    from weft.report.plain import json_rows
    from weft.report.terminal import console, render_tables
    from weft.topics import results_among

    def chosen(kind: str, asked: str, names: list[str]) -> tuple[str, ...]:
        there = tuple(dict.fromkeys(names))
        return choose(kind, [name for name in asked.split(",") if name], there) or there

    if platform := platform_or_none(str(record)):
        refuse_typed(
            context, "table", why=f"{record} is a published platform, and tables are of records"
        )
        tests = chosen("test", test, [s.test for s in platform.series])
        transports = chosen("transport", transport, [s.transport for s in platform.series])
        _show_platform(only(platform, tests, transports), link, as_json=json)
        return
    run = load(record)

    def figures(known: "Link | None") -> "Results":
        return results_among(run, test, transport, known)

    known = check_link(link, lambda one: _plain(figures(one), table))
    results = figures(known)
    if table:
        _show_table(results, table, as_json=json)
    elif json:
        print_json(json_rows(results))
    else:
        console().print(render_tables(results))


def _plain(results: "Results", table: str) -> object:
    """What is shown as plain data: one table, or all."""
    from weft.topics import TOPICS, topic_called

    shown = [topic_called(table)] if table else TOPICS
    return [topic.plain(results.of(topic)) for topic in shown]


def _show_table(results: "Results", name: str, *, as_json: bool) -> None:
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.topics import topic_called

    topic = topic_called(name)
    rows = results.of(topic)
    if as_json:
        print_json(topic.plain(rows))
        return
    tables, findings = results.labelled(topic.tables(rows)), topic.findings(rows)
    for part in tables:
        console().print(*render_table(part), sep="\n")
    for line in findings:
        console().print(line)
    if not tables and not findings:
        typer.echo(f"{results.run.path} has no measured case for the table {name}")


def _show_platform(platform: "Platform", link: str, *, as_json: bool) -> None:
    from weft.analysis.published import with_shares
    from weft.report.published import platform_tables
    from weft.report.terminal import console
    from weft.topics.published import published_rows

    known = check_link(link, lambda one: published_rows(with_shares(platform, one)))
    shares = with_shares(platform, known)
    if as_json:
        print_json(published_rows(shares))
    else:
        console().print(platform_tables(shares))
