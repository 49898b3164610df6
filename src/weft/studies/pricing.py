"""What `weft price` answers: a fabric's parts, what they cost, and what the money buys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.fabric_value import values_of
from weft.analysis.price_tables import elan_prices, infiniband_prices
from weft.charts import Chart
from weft.errors import WeftError
from weft.fabric.cost import cost_of
from weft.fabric.network import Fabric, cables_of, parts_of
from weft.fabric.peaks import parse_link
from weft.fabric.simgrid import platform_xml, zone_of
from weft.fabric.sizes import others_like
from weft.fabric.topologies import Built, build, build_fabric, with_optics
from weft.sources.fabrics import NO_FABRIC, delivered_of, options_of, rate_of_link
from weft.sources.named import files_named
from weft.sources.price_lists import read_prices
from weft.stages import counted_off
from weft.tables import Table
from weft.topics.fabric_cost import cost_table, parts_table, sizes_chart, to_json
from weft.topics.fabric_value import value_charts, value_notes, value_table
from weft.topics.price_tables import figure_5, paper_json, paper_summary, paper_tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.fabric_value import FabricOption
    from weft.fabric.price_list import PriceList
    from weft.fabric.topologies import FabricAsked
    from weft.report.html import Card


class Priced(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as tables and as JSON; its charts with the table under them, where it has any.

    `draw` makes the charts, for which fabrics of other sizes may be built: only what is written.
    `built` is the fabric that was asked for, None where there are several; `fabrics` are all of
    them with what each is called; `no_charts` is an error for who asks for a chart.
    """

    tables: tuple[Table, ...]
    plain: Any
    draw: Callable[[], tuple[Chart, ...]] = tuple
    under_charts: Table | None = None
    built: Built | None = None
    fabrics: tuple[tuple[str, Fabric], ...] = ()
    no_charts: tuple[str, str] = (
        "a chart needs prices",
        "use --prices FILE, a name that ends in .html, or --draw FILE.svg for the fabric",
    )


def priced(
    asked: FabricAsked | None,
    prices: Path | None = None,
    lists: Sequence[Path] = (),
    *,
    compares: bool = False,
    is_of_paper: bool = False,
    files: Sequence[Path | None] = (),
) -> Priced:
    """The answer to one question: the paper's fabrics, several lists', a list's, or a fabric's.

    `files` are what is written of one fabric. Raises WeftError where it is not clear what is asked.
    """
    if is_of_paper:
        found = of_paper()
    elif compares:
        found = compared(files_named(lists), asked)
    elif lists:
        raise WeftError(f"nothing says how to use {lists[0]}", "use --compare, or --prices FILE")
    else:
        found = of_list(prices, asked) if prices else of_parts(asked)
    if any(files) and found.built is None:
        raise WeftError(
            "--cables, --draw and --simgrid are for one fabric", "use --nodes and --switch"
        )
    return found


def charts_of(found: Priced, *, with_fabrics: bool = False) -> tuple[tuple[Chart, ...], Table]:
    """The charts of an answer and the table under them.

    Raises WeftError where it has none, and none of its fabrics is drawn beside them either.
    """
    charts = found.draw()
    if not charts and not (with_fabrics and found.fabrics):
        raise WeftError(*found.no_charts)
    return charts, found.under_charts or found.tables[0]


def cards_of(found: Priced) -> tuple[Card, ...]:
    """How many of each part one fabric takes, and what they make; of several fabrics none."""
    from weft.report.html import Card

    if found.built is None:
        return ()
    head, rows = found.tables[0].head, found.tables[0].rows
    makes = head.index("makes") if "makes" in head else None
    figures = tuple(
        (row[0], row[1] or row[makes or 1], row[makes] if makes and row[1] else "") for row in rows
    )
    return (Card(title=found.fabrics[0][0], group=0, figures=figures),)


def of_parts(asked: FabricAsked | None) -> Priced:
    """What a fabric consists of, without a price. Raises WeftError."""
    if asked is None:
        raise WeftError("no fabric given", NO_FABRIC)
    # What is named as measured has to be there, also where nothing is priced.
    delivered = delivered_of(asked.measured) if asked.measured else None
    built = build(asked, rate_bytes_per_s=rate_of_link(delivered))
    return Priced(
        tables=(parts_table(built),),
        plain=to_json(built, None),
        built=built,
        fabrics=(("the fabric", built.fabric),),
    )


def of_list(path: Path, asked: FabricAsked | None) -> Priced:
    """One fabric with its prices; several fabrics of a list are compared. Raises WeftError."""
    options = options_of([path], asked)
    if len(options) > 1:
        return compared([path], asked)
    [option] = options
    [value] = values_of(options)
    table = cost_table(option.built, option.cost, value_notes(value))

    def draw() -> tuple[Chart, ...]:
        curve = curve_of(option, read_prices(path))
        return (sizes_chart(option.cost.currency, [curve], option.built.ports),)

    return Priced(
        tables=(table,),
        plain={**to_json(option.built, option.cost), "value": value},
        draw=draw,
        under_charts=table,
        built=option.built,
        fabrics=(("the fabric", option.built.fabric),),
    )


def compared(paths: Sequence[Path], asked: FabricAsked | None) -> Priced:
    """Every fabric of every list beside the first. Raises WeftError where there is one."""
    options = options_of(paths, asked)
    if len(options) < 2:
        raise WeftError("there is nothing to compare", "use two price lists after --compare")
    values = values_of(options)
    table = value_table(values)
    return Priced(
        tables=(table,),
        plain=values,
        draw=lambda: tuple(value_charts(values)),
        under_charts=table,
        fabrics=tuple((one.name, one.built.fabric) for one in options),
        no_charts=(
            "a Pareto front needs the bisection of every fabric",
            "use --link, or write link or measured in each [[fabric]]",
        ),
    )


def of_paper() -> Priced:
    """Tables 9 to 11 of Doerfler (2005) from their parts, and figure 5."""
    found, elan = infiniband_prices(), elan_prices()
    tables = paper_tables(found, elan)
    return Priced(
        tables=tuple(tables),
        plain=paper_json(found, elan),
        draw=lambda: (figure_5(),),
        under_charts=paper_summary(tables),
    )


def cables_csv(built: Built) -> str:
    """Every cable of one rail with the ports at its ends, a line each."""
    rows = ["kind,end,port,other_end,other_port"]
    rows += [
        f"{one.kind},{one.end},{one.port},{one.other_end},{one.other_port}"
        for one in cables_of(built.fabric)
    ]
    return "\n".join(rows) + "\n"


def simgrid_xml(built: Built) -> str:
    """The fabric as a platform of SimGrid, with measured or peak bandwidths. Raises WeftError."""
    asked = built.asked
    if asked.measured:
        delivered = delivered_of(asked.measured)
        rate, latency = delivered.of_one_rail.value, delivered.latency_ns.value
    elif asked.link:
        rate, latency = parse_link(asked.link).one_way_bytes_per_s, 0.0
    else:
        raise WeftError("SimGrid needs a bandwidth", 'use --measured FILE or --link "IB 4x SDR"')
    return platform_xml(zone_of(built.fabric), rate, latency)


def curve_of(option: FabricOption, prices: PriceList) -> tuple[str, list[tuple[int, float]]]:
    """The price per port of the same kind of fabric at other sizes, of those that can be built."""
    points = []
    for asked in counted_off(others_like(option.built), "pricing other sizes"):
        try:
            fabric = build_fabric(asked, prices, rate_of_link(option.delivered))
            ports = asked.nodes * asked.rails
            parts = with_optics(parts_of(fabric), prices)
            points.append((ports, cost_of(parts, ports, prices).per_port))
        except WeftError:
            # Too large for these switches, or made of a part that this fabric does not need.
            continue
    return option.name, points
