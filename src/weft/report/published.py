"""A published platform as tables in a terminal: every figure as it was published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.analysis.published import suites
from weft.units import format_bytes, format_percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.analysis.published import Shares
    from weft.reference.library import Fact, Prices, PublishedSeries


def platform_tables(shares: Shares) -> RenderableType:
    """Where it was published, under what conditions, then its tables, figures and prices."""
    platform = shares.platform
    cited = platform.citation
    parts: list[RenderableType] = [
        Text(f"{platform.title}: {platform.summary}", style="bold"),
        Text(f"{cited.authors}: {cited.title}. {cited.where}, {cited.date}"),
        Text(""),
        _pairs([(name.replace("_", " "), text) for name, text in platform.conditions.items()]),
        Text(""),
    ]
    for (test, transport, suite), series in suites(platform.series).items():
        parts.append(Text(f"{suite} ({test} over {transport})", style="bold"))
        parts += [_series_table(shares, series), Text("")]
    if platform.facts:
        parts += [Text("Single figures of the text", style="bold"), _facts(shares), Text("")]
    for prices in platform.prices:
        parts.append(Text(f"{prices.title} ({prices.table}, {prices.currency})", style="bold"))
        parts += [_prices_table(prices), Text(prices.conditions, style="dim"), Text("")]
    if shares.link:
        parts.append(Text(f"Per cents are of the peak of {shares.link.name}."))
    parts.append(Text("Published figures have no interval: how far chance moved them is unknown."))
    return Group(*parts)


def _pairs(pairs: list[tuple[str, str]]) -> Grid:
    table = Grid(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column()
    for name, text in pairs:
        table.add_row(name, Text(text))
    return table


def _series_table(shares: Shares, series: list[PublishedSeries]) -> Grid:
    table = Grid(box=None)
    table.add_column("size", justify="right")
    for one in series:
        table.add_column(f"{one.quantity}, {one.unit} ({one.table})", justify="right")
    for size in sorted({point.bytes for one in series for point in one.points}):
        cells = []
        for one in series:
            found = [point for point in one.points if point.bytes == size]
            share = shares.of_point(one, found[0]) if found else None
            mark = f" ({format_percent(share)})" if share is not None else ""
            cells.append(found[0].published + mark if found else "")
        table.add_row(format_bytes(size), *cells)
    return table


def _facts(shares: Shares) -> Grid:
    return _pairs(
        [
            (_figure(shares, fact), fact.what + (f" ({fact.note})" if fact.note else ""))
            for fact in shares.platform.facts
        ]
    )


def _figure(shares: Shares, fact: Fact) -> str:
    share = shares.of_fact(fact)
    mark = f" ({format_percent(share)})" if share is not None else ""
    return " ".join(part for part in (fact.about, fact.published, fact.unit) if part) + mark


def _prices_table(prices: Prices) -> Grid:
    table = Grid(box=None)
    for head in ("ports", "list price", "per port"):
        table.add_column(head, justify="right")
    for row in prices.rows:
        table.add_row(row.published_ports, row.published_price, row.published_price_a_port)
    return table
