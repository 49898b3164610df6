"""`weft memory`: what buffers, registration, connections and the host bus cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import print_json
from weft.cli.link import check_link
from weft.cli.options import Json, LinkName

if TYPE_CHECKING:
    from weft.fabric.peaks import Link
    from weft.topics.base import Results

_EXAMPLES = """Examples:

weft run ping_pong --sizes 4KiB --buffers turn:1..1024,reuse:256:0..100:25%

weft run registration copy --sizes 4KiB..256MiB

weft memory weft-20261121-101500.jsonl.zst --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("memory", epilog=_EXAMPLES)(memory)


def memory(
    record: Annotated[Path, typer.Argument(help="Read this record.")],
    link: LinkName = "",
    json: Json = False,
) -> None:
    """Show the costs of buffer reuse, registration, connections and the host bus."""

    from weft.analysis.summary import summarise
    from weft.record.run import load
    from weft.report.table import render_table
    from weft.report.terminal import console
    from weft.topics import TOPICS, results_of

    run = load(record)
    own = [topic for topic in TOPICS if topic.group == "memory"]

    def plain(results: "Results") -> dict[str, object]:
        return {topic.name: topic.plain(results.of(topic)) for topic in own}

    def figures(known: "Link | None") -> "Results":
        return results_of(run, summarise(run, known), known)

    results = figures(check_link(link, lambda one: plain(figures(one))))
    if json:
        print_json(plain(results))
        return
    for topic in own:
        for table in results.labelled(topic.tables(results.of(topic))):
            console().print(*render_table(table), sep="\n")
    for topic in own:
        for line in topic.findings(results.of(topic)):
            console().print(line)
