"""`weft compare`: records and published platforms beside each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import print_json, this_command
from weft.cli.options import PageFile, Topologies, topology_typed
from weft.cli.printed import say
from weft.cli.typed import refuse_typed

if TYPE_CHECKING:
    from weft.studies.maps import ComparedMaps

_EXAMPLES = """Examples:

weft compare before.jsonl after.jsonl -o both.html

weft compare monday.jsonl,tuesday.jsonl friday.jsonl,saturday.jsonl

weft compare map-monday.jsonl map-friday.jsonl --topology topology.conf

weft compare escher red-squall

weft compare run.jsonl@mpi run.jsonl@tcp --test ping_pong --json"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("compare", epilog=_EXAMPLES)(compare)


def compare(
    context: typer.Context,
    sides: Annotated[
        list[str],
        typer.Argument(
            help="Compare these with the first: records or platforms. Records with commas between"
            " them are sessions of one side; NAME@TRANSPORT takes one transport."
        ),
    ],
    test: Annotated[str, typer.Option(help="Compare only these tests, with commas.")] = "",
    same: Annotated[
        str, typer.Option(help="Call speeds within this the same, % of the reference.")
    ] = "2%",
    topology: Topologies = None,
    output: PageFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Compare records and platforms: ratios with intervals, verdicts, crossovers."""
    from weft.report.comparison import comparison_tables, write_comparison
    from weft.report.table import console
    from weft.studies.comparisons import compared, in_plain_data
    from weft.studies.maps import compared_maps
    from weft.units import parse_percent

    known = topology_typed(topology)
    if (maps := compared_maps(sides, known.on if known else None)) is not None:
        refuse_typed(context, "test", "same", why="a map has one test, and its own answer")
        _show_maps(maps, output, as_json=json)
        return
    refuse_typed(context, "topology", why="it is for maps, and these are none")
    found = compared(sides, test, parse_percent(same))
    if output is not None:
        write_comparison(found, output, this_command())
        say(f"report: {output}", err=True)
    if json:
        print_json("compare", in_plain_data(found))
    else:
        console().print(comparison_tables(found))


def _show_maps(found: "ComparedMaps", output: Path | None, *, as_json: bool) -> None:
    """Who got slower from the first map to the second, and a page with the difference."""
    from weft.report.curve_cards import cards_of_curves
    from weft.report.picture import write_picture
    from weft.report.table import console

    if output is not None:
        answer = found.lines[0] if found.lines else ""
        cards = cards_of_curves(found.large, [one.transport for one in found.large])
        write_picture(
            output, found.charts, found.table, command=this_command(), answer=answer, cards=cards
        )
        say(f"report: {output}", err=True)
    if as_json:
        print_json("compare", found.plain)
    else:
        console().print(*found.lines, sep="\n")
