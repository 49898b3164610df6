"""`weft price`: what a fabric consists of, what it costs, and what the money buys."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.command import output_option, print_json, this_command
from weft.cli.fabric_options import BESIDE_NODES, check_fabric, takes_fabric
from weft.cli.options import Json, Picture
from weft.cli.printed import say
from weft.cli.typed import refuse_typed, typed_of
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked
from weft.names import as_typed

if TYPE_CHECKING:
    from weft.fabric.topologies import Built
    from weft.studies.pricing import Priced

_EXAMPLES = """Examples:

weft price --nodes 1152 --switch 24,288 --blocking 2:1 --prices prices.toml

weft price --compare half.toml full.toml -o front.html

weft price --nodes 512 --switch 24 --topology torus --cables cabling.csv

weft price --nodes 4096 --switch 64 --draw fabric.svg

weft price --paper -o figure-5.pdf"""
_Lists = Annotated[
    list[Path] | None,
    typer.Argument(help="Compare the fabrics of these price lists. A,B is the same as A B."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("price", epilog=_EXAMPLES)(takes_fabric(price))


def price(
    context: typer.Context,
    asked: FabricAsked | None,
    lists: _Lists = None,
    prices: Annotated[Path | None, typer.Option(help="Take the prices of this TOML file.")] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare fabrics with the first.")
    ] = False,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Show tables 9 to 11 of Doerfler (2005) and their parts."),
    ] = False,
    cables: Annotated[
        Path | None,
        typer.Option(
            callback=output_option, help="Write every cable with its ports to this CSV file."
        ),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(
            callback=output_option,
            help="Draw the fabric into this SVG file: its switches, bundles of cables with their"
            " numbers, and ports left over.",
        ),
    ] = None,
    simgrid: Annotated[
        Path | None,
        typer.Option(
            callback=output_option, help="Write the platform for SimGrid to this XML file."
        ),
    ] = None,
    output: Picture = None,
    json: Json = False,
) -> None:
    """Build a fabric: its parts, what they cost, and what the money buys.

    Counts adapters, switches and cables of a fat tree, torus or dragonfly, the ports left over,
    bisection and hops. With a price list: price, energy, and how far each part moves the total.
    """
    from weft.studies.pricing import priced

    _check_options(context, asked)
    found = priced(
        asked,
        prices,
        lists or [],
        compares=compare,
        is_of_paper=paper,
        files=(cables, draw, simgrid),
    )
    if output is not None:
        _draw(output, found)
    _show(found, as_json=json)
    if found.built is not None:
        _write_files(found.built, cables, simgrid)
        if draw is not None:
            _write_drawing(found.built, draw)


def _check_options(context: typer.Context, asked: FabricAsked | None) -> None:
    """Raises WeftError for a typed option that this question has no use for."""
    params = context.params
    if params["paper"]:
        others = typed_of(context) - {"paper", "output", "json"}
        refuse_typed(context, *sorted(others), why="--paper shows published prices and parts alone")
    if params["compare"]:
        refuse_typed(context, "prices", why="--compare takes the price lists that follow it")
        refuse_typed(context, "cables", "draw", "simgrid", why="--compare builds several fabrics")
    if asked is None:
        refuse_typed(
            context, *BESIDE_NODES, why="the fabric has no nodes",
            fix="use --nodes, like --nodes 1152, or omit {}",
        )  # fmt: skip
        return
    check_fabric(context, asked.topology)
    if asked.bisection:
        refuse_typed(context, "blocking", "spread", why="--bisection says how many cables run up")
    if not (params["compare"] or params["prices"]):
        fix = "omit {}, or add --prices FILE"
        refuse_typed(context, "application", why="nothing is priced", fix=fix)
        is_rate = asked.bisection and not asked.bisection.endswith("%")
        if not (params["simgrid"] or is_rate):
            refuse_typed(context, "measured", why="parts are counted without bandwidths", fix=fix)


def _show(found: "Priced", *, as_json: bool) -> None:

    from weft.report.table import console, render_table

    if as_json:
        print_json("price", found.plain)
        return
    for table in found.tables:
        console().print(*render_table(table), sep="\n")


def _draw(output: Path, found: "Priced") -> None:
    from weft.report.fabric_svg import fabric_pictures
    from weft.report.picture import write_picture
    from weft.studies.pricing import cards_of, charts_of

    is_page = output.suffix.lower() == ".html"
    pictures = fabric_pictures([(*one, {}) for one in found.fabrics]) if is_page else ()
    drawn = charts_of(found, with_fabrics=is_page)
    cards = cards_of(found)
    write_picture(output, *drawn, pictures=pictures, command=this_command(), cards=cards)
    say(f"picture: {output}", err=True)


def _write_files(built: "Built", cables: Path | None, simgrid: Path | None) -> None:
    """The cabling as CSV and the platform as XML, where they were asked for."""
    from weft.outputs import write_output
    from weft.studies.pricing import cables_csv, simgrid_xml

    if cables is not None:
        write_output(cables, cables_csv(built))
        say(f"cables of one rail: {cables}", err=True)
    if simgrid is not None:
        write_output(simgrid, simgrid_xml(built))
        say(f"platform: {simgrid}", err=True)


def _write_drawing(built: "Built", path: Path) -> None:
    """The fabric as SVG. Raises WeftError for a name with another ending."""
    from weft.fabric.picture import picture_of
    from weft.outputs import write_output
    from weft.report.fabric_svg import fabric_svg

    if path.suffix != ".svg":
        raise WeftError(
            f"{path} is not an SVG file", f"use --draw {as_typed(path.with_suffix('.svg'))}"
        )
    write_output(path, fabric_svg(picture_of(built.fabric)))
    say(f"drawing: {path}", err=True)
