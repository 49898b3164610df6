"""`weft price`: what a fabric consists of, what it costs, and what the money buys."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.command import output_option
from weft.cli.fabric_options import takes_fabric
from weft.cli.options import Json, Picture
from weft.errors import WeftError
from weft.fabric.topologies import FabricAsked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart
    from weft.fabric.topologies import Built
    from weft.tables import Table

_EXAMPLES = """Examples:

weft price --nodes 1152 --switch 24,288 --blocking 2:1 --prices prices.toml

weft price --compare half.toml full.toml -o front.html

weft price --nodes 512 --switch 24 --topology torus --cables cabling.csv

weft price --paper -o figure-5.pdf"""


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("price", epilog=_EXAMPLES)(takes_fabric(price))


def price(
    asked: FabricAsked | None,
    lists: Annotated[
        list[Path] | None, typer.Argument(help="Compare the fabrics of these price lists.")
    ] = None,
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
    bisection and hops. With a price list: price per port, energy, years, and how far each part
    moves the total.
    """
    from weft.fabric.topologies import build
    from weft.sources.fabrics import NO_FABRIC

    if paper:
        _show_paper(output, as_json=json)
        return
    if compare or lists:
        _compare(asked, lists or [], output, as_json=json, is_asked=compare)
        return
    if prices is not None:
        built = _show_priced(prices, asked, output, as_json=json)
    elif asked is None:
        raise WeftError("no fabric is named", NO_FABRIC)
    elif output is not None:
        raise WeftError("a picture needs prices", "type --prices FILE")
    else:
        built = build(asked)
        _show_parts(built, as_json=json)
    if (cables or simgrid) and built is None:
        raise WeftError("--cables and --simgrid are for one fabric", "type --nodes and --switch")
    if built is not None:
        _write_files(built, cables, simgrid)


def _show_parts(built: "Built", *, as_json: bool) -> None:
    from weft.topics.fabric_cost import parts_table, to_json

    _show([parts_table(built)], to_json(built, None), as_json=as_json)


def _show_priced(
    path: Path, asked: FabricAsked | None, output: Path | None, *, as_json: bool
) -> "Built | None":
    """One fabric with its prices; several of a file are compared, and None is returned."""
    from weft.analysis.fabric_value import values_of
    from weft.fabric.prices import read_prices
    from weft.sources.fabrics import curve_of, options_of
    from weft.topics.fabric_cost import cost_table, sizes_chart, to_json
    from weft.topics.fabric_value import value_notes

    options = options_of([path], asked)
    if len(options) > 1:
        _compare(asked, [path], output, as_json=as_json, is_asked=True)
        return None
    [option] = options
    values = values_of(options)
    table = cost_table(option.built, option.cost, value_notes(values[0]))
    if output is not None:
        curve = curve_of(option, read_prices(path))
        chart = sizes_chart(option.cost.currency, [curve], option.built.ports)
        _draw(output, [chart], table)
    plain = to_json(option.built, option.cost)
    _show([table], {**plain, "value": values[0]}, as_json=as_json)
    return option.built


def _compare(
    asked: FabricAsked | None,
    paths: "Sequence[Path]",
    output: Path | None,
    *,
    as_json: bool,
    is_asked: bool,
) -> None:
    from weft.analysis.fabric_value import values_of
    from weft.sources.fabrics import options_of
    from weft.topics.fabric_value import value_charts, value_table

    if not is_asked:
        raise WeftError(f"what is to be done with {paths[0]}?", "type --compare, or --prices FILE")
    options = options_of(paths, asked)
    if len(options) < 2:
        raise WeftError("there is nothing to compare", "type two price lists after --compare")
    values = values_of(options)
    table = value_table(values)
    if output is not None:
        charts = value_charts(values)
        if not charts:
            raise WeftError(
                "a Pareto front needs the bisection of every fabric",
                "type --link, or write link or measured in each [[fabric]]",
            )
        _draw(output, charts, table)
    _show([table], values, as_json=as_json)


def _show_paper(output: Path | None, *, as_json: bool) -> None:
    from weft.analysis.price_tables import elan_prices, infiniband_prices
    from weft.topics.price_tables import figure_5, paper_json, paper_summary, paper_tables

    found, elan = infiniband_prices(), elan_prices()
    tables = paper_tables(found, elan)
    if output is not None:
        _draw(output, [figure_5()], paper_summary(tables))
    _show(tables, paper_json(found, elan), as_json=as_json)


def _show(tables: "Sequence[Table]", plain: Any, *, as_json: bool) -> None:
    import msgspec

    from weft.report.table import render_table
    from weft.report.terminal import console

    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode())
        return
    for table in tables:
        console().print(*render_table(table), sep="\n")


def _draw(output: Path, charts: "Sequence[Chart]", table: "Table") -> None:
    from weft.report.picture import write_picture

    write_picture(output, charts, table)
    typer.echo(f"picture: {output}", err=True)


def _write_files(built: "Built", cables: Path | None, simgrid: Path | None) -> None:
    """The cabling as CSV and the platform as XML, where they were asked for."""
    from weft.fabric.network import cables_of
    from weft.fabric.peaks import parse_link
    from weft.fabric.simgrid import platform_xml, zone_of
    from weft.outputs import write_output
    from weft.sources.fabrics import delivered_of

    if cables is not None:
        rows = ["kind,end,port,other_end,other_port"]
        rows += [
            f"{one.kind},{one.end},{one.port},{one.other_end},{one.other_port}"
            for one in cables_of(built.fabric)
        ]
        write_output(cables, "\n".join(rows) + "\n")
        typer.echo(f"cables of one rail: {cables}", err=True)
    if simgrid is None:
        return
    asked = built.asked
    if asked.measured:
        delivered = delivered_of(asked.measured)
        rate, latency = delivered.bandwidth_bytes_per_s.value, delivered.latency_ns.value
    elif asked.link:
        rate, latency = parse_link(asked.link).one_way_bytes_per_s, 0.0
    else:
        raise WeftError("SimGrid needs a bandwidth", 'type --measured FILE or --link "IB 4x SDR"')
    write_output(simgrid, platform_xml(zone_of(built.fabric), rate, latency))
    typer.echo(f"platform: {simgrid}", err=True)
