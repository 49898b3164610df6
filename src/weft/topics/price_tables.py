"""Tables 9 to 11 of Doerfler (2005) with what explains their prices, and figure 5 drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.price_tables import PORT
from weft.reference.library import find_platform
from weft.tables import Table
from weft.topics.fabric_cost import money, sizes_chart
from weft.wording import counted

if TYPE_CHECKING:
    from weft.analysis.price_tables import ExplainedRow, PartPrices, PortPrice
    from weft.charts import Chart

_HEAD = ("ports", "published", "per port", "switches", "explained", "difference", "published is")


def paper_tables(found: PartPrices, elan: PortPrice) -> list[Table]:
    """A table of the prices found, then each published row beside what explains it."""
    exact = sum(row.difference == 0 for row in found.rows)
    port, cable = found.prices[PORT], found.prices["uplink cable"]
    built = f"{exact} of {len(found.rows)} rows are, to the dollar, half-bandwidth fabrics that"
    strict = "if every row has to be a fabric that can be built, least squares misses one by"
    tried = f"of {found.tried:,} ways to count the parts of all rows, {found.exact} gives every row"
    alike = "if a node's cable costs as much as an uplink's, an adapter is"
    sum_only = "every port has one adapter and one cable, so only their sum is known"
    prices = Table(
        name="parts",
        caption="Prices of the parts behind tables 9 and 10, in USD",
        head=("part", "price"),
        rows=tuple((part, money(price)) for part, price in found.prices.items()),
        notes=(
            f"{built} can be built; the others are, to the dollar, with other counts (last column)",
            f"{tried}; {strict} {money(found.least_squares_difference)}",
            f"{sum_only}: {money(port)}; {alike} {money(port - cable)}",
        ),
    )
    return [
        prices,
        *(_rows_table(found.rows, name) for name in dict.fromkeys(r.table for r in found.rows)),
        msgspec.structs.replace(_rows_table(elan.rows, "Table 11"), notes=_elan_notes(elan)),
    ]


def _rows_table(rows: tuple[ExplainedRow, ...], name: str) -> Table:
    own = [row for row in rows if row.table == name]
    return Table(
        name=name.lower().replace(" ", "-"),
        caption=f"{name}, list price in USD",
        head=_HEAD,
        rows=tuple(
            (
                f"{row.ports}",
                f"{row.price:,.0f}",
                money(row.price / row.ports),
                row.switches,
                "-" if row.explained is None else money(row.explained),
                "not checked" if row.difference is None else _signed(row.difference),
                row.differs_by or (row.spread and f"not evenly: {row.spread}"),
            )
            for row in own
        ),
        left=(3, 6),
    )


def _signed(amount: float) -> str:
    if not amount:
        return "exact"
    return f"+{money(amount)}" if amount > 0 else f"-{money(-amount)}"


def _elan_notes(elan: PortPrice) -> tuple[str, ...]:
    sizes = f"{elan.exact_ports[0]} to {counted(elan.exact_ports[-1], 'port')}"
    return (
        f"{sizes} are one price per port to the dollar, {elan.per_port:,.3f}",
        "the prices of single parts do not follow: adapters, cables and switches grow together",
        "a switch of its own stands in no other row, so nothing checks it",
    )


def paper_summary(tables: list[Table]) -> Table:
    """The rows of all published tables in one, for a page with figure 5."""
    return Table(
        name="paper",
        caption="weft: what the prices of Doerfler (2005) are made of",
        head=("table", *_HEAD),
        rows=tuple(
            (table.caption.partition(",")[0], *row) for table in tables[1:] for row in table.rows
        ),
        notes=tuple(note for table in tables for note in table.notes),
    )


def figure_5() -> Chart:
    """List price per port against port count, from the published tables."""
    tables = (*find_platform("escher").prices, *find_platform("red-squall").prices)
    curves = [
        (table.title, sorted((row.ports, row.price / row.ports) for row in table.rows))
        for table in tables
    ]
    chart = sizes_chart("USD", curves)
    note = "Tables 9 to 11 of Doerfler, A Quick Look at InfiniBand (2005)."
    return msgspec.structs.replace(
        chart, name="figure-5", title="Figure 5: list price per port", note=note
    )


def paper_json(found: PartPrices, elan: PortPrice) -> dict[str, Any]:
    """All of it as plain data."""
    return {"infiniband": msgspec.to_builtins(found), "elan4": msgspec.to_builtins(elan)}
