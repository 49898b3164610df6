"""Fabrics beside each other: what each costs and what its money buys, as a table, charts, words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.charts import Chart, ChartAxis, ChartPoint, chart_of, track_of
from weft.tables import Table
from weft.topics.fabric_cost import money
from weft.units import format_bandwidth, format_number, format_time
from weft.wording import between, counted, never_left_its_host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.fabric_value import FabricValue
    from weft.units import Shape


def value_table(values: Sequence[FabricValue]) -> Table:
    """One row per option, the baseline first."""
    currency = values[0].currency
    return Table(
        name="value",
        caption=f"What the money buys, in {currency}; * is on the Pareto front.",
        head=(
            *("", "nodes", "ports", "price", "per node", "bisection", f"{currency} per GB/s"),
            *("latency", f"{currency} per µs saved"),
        ),
        rows=tuple(_row(value) for value in values),
        notes=(*_titles(values), *_findings(values), *_advice(values)),
    )


def _row(value: FabricValue) -> tuple[str, ...]:
    saved = value.price_per_us_saved
    per_gb = value.price_per_gb_per_s_low, value.price_per_gb_per_s_high
    per_us = value.price_per_us_saved_low, value.price_per_us_saved_high
    return (
        f"{value.name}{' *' if value.is_on_front else ''}",
        f"{value.nodes:,}",
        f"{value.ports:,}",
        money(value.total),
        money(value.per_node),
        _or_none(value.bisection_bytes_per_s, format_bandwidth),
        _or_none(value.price_per_gb_per_s, money, *per_gb),
        _or_none(value.latency_ns, format_time),
        value.saves if saved is None else _or_none(saved, money, *per_us),
    )


def _or_none(
    figure: float | None, shape: Shape, low: float | None = None, high: float | None = None
) -> str:
    """The figure with its interval, if it has one; "-" where there is none."""
    if figure is None:
        return "-"
    if low is None or high is None:
        return shape(figure)
    return between(shape(figure), low, high, shape)


def _titles(values: Sequence[FabricValue]) -> list[str]:
    """What each option is, and where its figures are from."""
    return [
        f"{value.name}: {value.title}"
        + (f"; figures: {value.rests_on}" if value.rests_on else "; no link is named")
        for value in values
    ]


# What a price of performance is that was measured within a host.
_OF_NO_FABRIC = "its performance on this fabric is not known"


def _per_mflop(value: FabricValue) -> str:
    """The fabric's share of the price of an application's performance."""
    ends = value.price_per_mflop_per_s_low, value.price_per_mflop_per_s_high
    price = _or_none(value.price_per_mflop_per_s, format_number, *ends)
    words = (
        f"{value.currency} {price} of fabric per MFlop/s on"
        f" {counted(value.nodes, 'node')} ({value.application})"
    )
    if not value.application_is_within_a_host:
        return words
    return f"{words}; {never_left_its_host(value.application, _OF_NO_FABRIC)}"


def _advice(values: Sequence[FabricValue]) -> tuple[str, ...]:
    """What several options say is said once."""
    return tuple(dict.fromkeys(line for value in values for line in value.advice))


def value_notes(value: FabricValue) -> tuple[str, ...]:
    """What the money of one fabric buys, where something is known of it."""
    application = () if value.price_per_mflop_per_s is None else (_per_mflop(value),)
    return (*_notes_of_links(value), *application, *value.advice)


def _notes_of_links(value: FabricValue) -> tuple[str, ...]:
    if value.price_per_gb_per_s is None:
        return (f"price per node: {value.currency} {money(value.per_node)}",)
    ends = value.price_per_gb_per_s_low, value.price_per_gb_per_s_high
    price = f"{value.currency} {_or_none(value.price_per_gb_per_s, money, *ends)}"
    lines = [
        f"per bandwidth: {price} per GB/s of bisection ({value.rests_on})",
        f"price per node: {_per_node(value)}",
    ]
    if value.latency_ns is not None:
        lines.append(f"latency: {format_time(value.latency_ns)} between two nodes")
    return tuple(lines)


def _per_node(value: FabricValue) -> str:
    """What a node costs, and what is delivered to it while one half sends to the other."""
    words = f"{value.currency} {money(value.per_node)}"
    if value.delivered_bytes_per_s is None or value.price_per_node_gb_per_s is None:
        return words
    ends = value.price_per_node_gb_per_s_low, value.price_per_node_gb_per_s_high
    price = _or_none(value.price_per_node_gb_per_s, money, *ends)
    return (
        f"{words}, {value.currency} {price} per delivered GB/s and node; each"
        f" has {format_bandwidth(value.delivered_bytes_per_s)} while one half"
        " sends to the other"
    )


def _findings(values: Sequence[FabricValue]) -> list[str]:
    """What the rows say, in sentences."""
    lines = []
    priced = [value for value in values if value.price_per_gb_per_s is not None]
    if len(priced) > 1:
        least = min(value.price_per_gb_per_s or 0.0 for value in priced)
        names = [value.name for value in priced if value.price_per_gb_per_s == least]
        lines.append(
            f"least price per bandwidth of the bisection: {' and '.join(names)}"
            f"{', equal' if len(names) > 1 else ''}, {priced[0].currency} {money(least)} per GB/s"
        )
    lines.extend(f"{value.name}, a node: {_per_node(value)}" for value in priced)
    front = [value.name for value in values if value.is_on_front]
    if 0 < len(front) < len(values):
        lines.append(f"no other option is better than {', '.join(front)} (Pareto front)")
    running = [value for value in values if value.price_per_mflop_per_s is not None]
    lines.extend(f"{value.name}: {_per_mflop(value)}" for value in running)
    if any(value.latency_ns is not None for value in values):
        lines.append(
            "latencies are those between two nodes: what more switches on the way add is"
            " not in them"
        )
    return lines


def value_charts(values: Sequence[FabricValue]) -> list[Chart]:
    """Price per node against bisection per node, and against latency, each with its front."""
    charts = []
    per_node = [(value, value.bisection_per_node) for value in values]
    if all(rate is not None for _, rate in per_node):
        charts.append(
            _front_chart(
                "bisection",
                "bisection per node in MB/s",
                [(value, -(rate or 0.0) / 1e6) for value, rate in per_node],
            )
        )
    if all(value.latency_ns is not None for value in values):
        charts.append(
            _front_chart(
                "latency",
                "latency in µs",
                [(value, (value.latency_ns or 0.0) / 1e3) for value in values],
            )
        )
    return charts


def _front_chart(name: str, axis: str, points: Sequence[tuple[FabricValue, float]]) -> Chart:
    """A point an option, and a line along those that no other one beats in these two.

    Less is better in both; what is better where it is more comes with its sign turned.
    """
    front = sorted(
        (value.per_node, merit)
        for value, merit in points
        if not any(
            other.per_node <= value.per_node
            and less <= merit
            and (other.per_node < value.per_node or less < merit)
            for other, less in points
        )
    )
    tracks = [
        track_of(value.name, [_at_price(value, merit)], group)
        for group, (value, merit) in enumerate(points)
    ]
    joined = (ChartPoint(price, abs(merit)) for price, merit in front)
    line = track_of("Pareto front", joined, len(points), style="line")
    currency = points[0][0].currency
    return chart_of(
        f"pareto-{name}",
        f"Price per node and {name}",
        ChartAxis(f"price per node in {currency}", is_log=False),
        ChartAxis(axis, is_log=False),
        (line, *tracks),
        note="The line joins options that no other one beats in both.",
    )


def _at_price(value: FabricValue, merit: float) -> ChartPoint:
    text = f"{value.name}: {money(value.per_node)} per node"
    return ChartPoint(value.per_node, abs(merit), text=text)
