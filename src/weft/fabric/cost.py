"""What a fabric costs by a price list: at once, per port, and over years with its energy."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric.network import PartCount
    from weft.fabric.price_list import PriceList

HOURS_PER_YEAR = 8760
# How much a part's price is moved to see what it does to the total.
MOVED = 0.1


class CostLine(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a fabric: its count, list price and price after discount, and what that makes.

    `share` is of the price of all parts. `moves_total` is how much more all of it costs, as a
    fraction, where this part alone costs a tenth more. `power_w` is that of all of them, None where
    the list has none. `bought` is how often the part is bought within the years of the list.
    """

    part: str
    role: str
    count: int
    list_price: float
    price: float
    total: float
    share: float
    moves_total: float
    bought: int = 1
    power_w: float | None = None


class FabricCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a fabric costs, in the currency of the list.

    `replaced` is what parts cost that live shorter than the years of the list. `over_years` is all
    of it with the energy; None where the list has no price of energy. `without_power` are parts
    whose power the list does not have: energy is that of the others.
    """

    name: str
    currency: str
    date: str
    ports: int
    lines: tuple[CostLine, ...]
    list_total: float
    total: float
    per_port: float
    years: float
    replaced: float
    power_w: float
    energy_kwh: float
    energy: float | None
    over_years: float | None
    without_power: tuple[str, ...]


def cost_of(parts: Sequence[PartCount], ports: int, prices: PriceList) -> FabricCost:
    """A parts list at these prices, and per port of a node. Raises WeftError without a price."""
    total = sum(part.count * prices.of(part.part).price for part in parts)
    lines = tuple(_line(part, prices, total) for part in parts)
    replaced = sum(line.total * (line.bought - 1) for line in lines)
    power_w = sum(line.power_w or 0.0 for line in lines)
    energy_kwh = power_w / 1000 * HOURS_PER_YEAR * prices.years
    price = prices.energy_price_per_kwh
    energy = None if price is None else energy_kwh * price
    return FabricCost(
        name=prices.name,
        currency=prices.currency,
        date=prices.date,
        ports=ports,
        lines=lines,
        list_total=sum(line.count * line.list_price for line in lines),
        total=total,
        per_port=total / ports,
        years=prices.years,
        replaced=replaced,
        power_w=power_w,
        energy_kwh=energy_kwh,
        energy=energy,
        over_years=None if energy is None else total + replaced + energy,
        without_power=tuple(
            line.part for line in lines if line.power_w is None and "cable" not in line.part
        ),
    )


def _line(part: PartCount, prices: PriceList, whole: float) -> CostLine:
    priced = prices.of(part.part)
    total = part.count * priced.price
    share = total / whole if whole else 0.0
    return CostLine(
        part=part.part,
        role=part.role,
        count=part.count,
        list_price=priced.list_price,
        price=priced.price,
        total=total,
        share=share,
        moves_total=MOVED * share,
        bought=ceil(prices.years / priced.lifetime_years) if priced.lifetime_years else 1,
        power_w=None if priced.power_w is None else part.count * priced.power_w,
    )
