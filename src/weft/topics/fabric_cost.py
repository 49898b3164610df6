"""What one fabric costs: its parts and their prices as a table, sentences, a chart and JSON.

`weft price` and the page of `weft report --price` ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.charts import Chart, ChartAxis, ChartPoint, Mark, axis_over_counts, chart_of, track_of
from weft.fabric.cost import MOVED
from weft.tables import Table
from weft.units import format_bandwidth, format_percent
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.cost import CostLine, FabricCost
    from weft.fabric.network import PartCount
    from weft.fabric.topologies import Built

# Labels of an axis that fit beside each other, and the height of a chart with a legend on top.
MOST_TICKS = 7
ROOM = 1.35
# From here on cents say nothing.
WHOLE_FROM = 1000


def money(amount: float, _: float | None = None, /) -> str:
    """An amount: whole from 1,000 on or where it has no cents."""
    is_whole = abs(amount) >= WHOLE_FROM or amount == int(amount)
    return f"{amount:,.0f}" if is_whole else f"{amount:,.2f}"


def parts_table(built: Built) -> Table:
    """The parts list of a fabric without prices."""
    return Table(
        name="parts",
        caption=_caption(built),
        head=("part", "count", "ports left over"),
        rows=tuple((_part(one), f"{one.count:,}", _left(one)) for one in built.parts),
        notes=fabric_notes(built),
    )


def cost_table(built: Built, cost: FabricCost, more: tuple[str, ...] = ()) -> Table:
    """The parts with their prices, and how far each one moves the total; `more` notes come last."""
    rows = [_row(part, line) for part, line in zip(built.parts, cost.lines, strict=True)]
    rows.append(("total", "", "", money(cost.total), "100.0 %", "", ""))
    return Table(
        name="cost",
        caption=f"{_caption(built)}: {cost.currency} {money(cost.total)},"
        f" {money(cost.per_port)} per port",
        head=(
            *("part", "count", "price", "makes", "share"),
            *(f"+{MOVED:.0%} adds", "ports left over"),
        ),
        rows=tuple(rows),
        notes=(*cost_notes(cost), *fabric_notes(built), *more),
    )


def _row(part: PartCount, line: CostLine) -> tuple[str, ...]:
    return (
        _part(part),
        f"{line.count:,}",
        money(line.price),
        money(line.total),
        format_percent(100 * line.share),
        f"+{format_percent(100 * line.moves_total)}",
        _left(part),
    )


def _caption(built: Built) -> str:
    rails = f", {counted(built.asked.rails, 'rail')}" if built.asked.rails > 1 else ""
    name = f"{built.asked.name}: " if built.asked.name else ""
    return f"{name}{counted(built.asked.nodes, 'node')}, {built.fabric.title}{rails}"


def _part(part: PartCount) -> str:
    if not part.part.startswith("switch "):
        return part.role
    return f"{part.role} switch, {part.part.removeprefix('switch ')} ports"


def _left(part: PartCount) -> str:
    return f"{part.ports_left_over:,}" if part.part.startswith("switch ") else ""


def fabric_notes(built: Built) -> tuple[str, ...]:
    """What the fabric can do, in sentences."""
    carries = ""
    if built.bisection_bytes_per_s is not None:
        carries = f", one way {format_bandwidth(built.bisection_bytes_per_s)} at the peak of"
        carries += f" {built.link}"
    half = f"of the {built.ports // 2:,} that half of the nodes have"
    hops = f"{built.mean_hops:.2f} in the mean, at most {built.diameter_hops} (diameter)"
    lines = [
        f"bisection: {counted(built.bisection_cables, 'cable')} {half}{carries}",
        f"hops: switches between two nodes: {hops}",
    ]
    if built.fabric.spread:
        lines.append(f"cabling: {built.fabric.spread}")
    return tuple(lines)


def cost_notes(cost: FabricCost) -> tuple[str, ...]:
    """Where the prices are from, what the discount takes, and what the years add."""
    lines = [f"prices: {cost.name}, {cost.date}, in {cost.currency}"]
    if cost.total < cost.list_total:
        off = 100 * (1 - cost.total / cost.list_total)
        lines[0] += f"; list price {money(cost.list_total)}, {format_percent(off)} off"
    if cost.replaced:
        lines.append(
            f"replacing parts that live shorter than {cost.years:g} years: {money(cost.replaced)}"
        )
    if cost.power_w:
        energy = "" if cost.energy is None else f", which costs {money(cost.energy)}"
        lines.append(
            f"energy: {cost.power_w / 1e3:,.1f} kW, {cost.energy_kwh:,.0f} kWh in"
            f" {cost.years:g} years{energy}"
        )
    if cost.power_w and cost.without_power:
        lines.append(f"without the power of {', '.join(cost.without_power)}, which is not known")
    if cost.over_years is not None:
        per_port = money(cost.over_years / cost.ports)
        lines.append(f"{cost.years:g} years cost {money(cost.over_years)}, {per_port} per port")
    return tuple(lines)


def sizes_chart(
    currency: str, curves: Sequence[tuple[str, Sequence[tuple[int, float]]]], nodes: int = 0
) -> Chart:
    """Price per port against network size, a curve a fabric: pairs of ports and price.

    As figure 5 of Doerfler, A Quick Look at InfiniBand (2005).
    """
    sizes = [ports for _, points in curves for ports, _ in points]
    powers = [1 << n for n in range(max(sizes).bit_length() + 1)]
    ticks = [n for n in powers if min(sizes) <= n <= max(sizes)]
    step = 1 if len(ticks) <= MOST_TICKS else 2
    highest = max(price for _, points in curves for _, price in points)
    return chart_of(
        "price-per-port",
        "Price per port",
        axis_over_counts("ports", ticks[::step]),
        ChartAxis(f"price per port in {currency}", is_log=False, ends=(0.0, ROOM * highest)),
        (
            track_of(name, map(_at_ports, points), group)
            for group, (name, points) in enumerate(curves)
        ),
        marks=(Mark(axis="x", at=float(nodes), text=f"{nodes:,}"),) if nodes else (),
        note="",
    )


def _at_ports(point: tuple[int, float]) -> ChartPoint:
    ports, price = point
    return ChartPoint(ports, price, text=f"{counted(ports, 'port')}: {money(price)}")


def to_json(built: Built, cost: FabricCost | None) -> dict[str, Any]:
    """The fabric and its price as plain data."""
    plain: dict[str, Any] = {
        "fabric": msgspec.to_builtins(built.asked),
        "title": built.fabric.title,
        "ports": built.ports,
        "parts": [msgspec.to_builtins(part) for part in built.parts],
        "ports_left_over": sum(part.ports_left_over for part in built.parts),
        "bisection_cables": built.bisection_cables,
        "bisection_bytes_per_s": built.bisection_bytes_per_s,
        "link": built.link,
        "diameter_hops": built.diameter_hops,
        "mean_hops": built.mean_hops,
        "cabling": built.fabric.spread,
    }
    plain["cost"] = None if cost is None else msgspec.to_builtins(cost)
    return plain
