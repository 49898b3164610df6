"""What rows of topics share: whose figures they are, and how tables and legends call them."""

from __future__ import annotations

import msgspec

from weft.units import format_bytes
from weft.wording import over


class VariantRow(msgspec.Struct, frozen=True, kw_only=True):
    """Figures over a transport, in a variant of the test."""

    transport: str
    variant: str

    @property
    def over(self) -> str:
        """The transport and its variant in words."""
        return over(self.transport, self.variant)


class SizeRow(VariantRow, frozen=True, kw_only=True):
    """Figures of messages of one size."""

    bytes: int

    @property
    def place(self) -> str:
        """The transport, its variant and the size in words."""
        return f"{self.over} {format_bytes(self.bytes)}"


class CaseRow(SizeRow, frozen=True, kw_only=True):
    """Figures of one case, by its key, over so many launches."""

    case: str
    test: str
    launches: int
