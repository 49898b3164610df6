"""What one part costs, and what a search for the cheapest fabric asks of a price list."""

from __future__ import annotations

from typing import Protocol

import msgspec


class PricedPart(msgspec.Struct, frozen=True, kw_only=True):
    """What one part costs, in the list's currency; the discount is a fraction.

    Without a power or a lifetime that is known both are None. `ports` are those of a line card.
    """

    part: str
    list_price: float
    discount: float = 0.0
    power_w: float | None = None
    lifetime_years: float | None = None
    ports: int = 0

    @property
    def price(self) -> float:
        """What is paid for one."""
        return self.list_price * (1 - self.discount)


class PricesByPart(Protocol):
    """The prices of parts by their names."""

    def of(self, part: str) -> PricedPart:
        """The price of a part. Raises WeftError where there is none."""

    def has(self, part: str) -> bool:
        """Whether the list has a price for this part."""

    def card_of(self, radix: int) -> PricedPart | None:
        """The line card of the switch with so many ports; None of one that is not modular."""
