"""What the parts of a fabric cost: list prices and discounts, power and lifetimes."""

from __future__ import annotations

import msgspec

from weft.errors import WeftError
from weft.fabric.part_prices import PricedPart
from weft.fabric.topologies import FabricAsked

# A part of this name stands for every kind of cable that has no price of its own.
ANY_CABLE = "cable"
USUAL_YEARS = 5.0


class PriceList(msgspec.Struct, frozen=True, kw_only=True):
    """Parts with their prices, and the fabrics that the file describes."""

    name: str
    currency: str
    date: str
    parts: tuple[PricedPart, ...]
    fabrics: tuple[FabricAsked, ...] = ()
    energy_price_per_kwh: float | None = None
    years: float = USUAL_YEARS

    def of(self, part: str) -> PricedPart:
        """The price of a part. Raises WeftError where the list has none."""
        known = {one.part: one for one in self.parts}
        if part in known:
            return known[part]
        if part.endswith(" cable") and ANY_CABLE in known:
            return known[ANY_CABLE]
        raise WeftError(
            f"{self.name} has no price for {part}",
            f'add [[part]], part = "{part}", list_price = ...',
        )

    def has(self, part: str) -> bool:
        """Whether the list has a price for this part."""
        return any(one.part == part for one in self.parts)

    def card_of(self, radix: int) -> PricedPart | None:
        """The line card of the switch with so many ports; None of one that is not modular."""
        name = f"line card {radix}"
        return next((one for one in self.parts if one.part == name), None)
