"""What rows of topics share: whose figures they are, and how tables and legends call them.

A row is made of its case: `Load(**Load.of(case, "point"), ...)` names the figures alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.stats.needed import Needed
from weft.plan.case import Case
from weft.units import format_bytes
from weft.wording import over

if TYPE_CHECKING:
    from weft.plan.case import CaseAxis

# What a row may have of its case, beside the case's own fields.
_NAMES = {"case": "key", "variant": "variant"}


class TopicRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says in one place."""

    @classmethod
    def of(cls, case: Case, *varied: CaseAxis, **other: object) -> dict[str, Any]:
        """The fields of this row that say whose figures it has, as the case has them.

        The variant is without the axes `varied`, along which the rows lie; `other` are fields that
        the case has otherwise.
        """
        shown = {"variant": case.but_for(*varied).variant} if varied else {}
        fields = {
            name: getattr(case, _NAMES.get(name, name))
            for name in cls.__struct_fields__
            if name in _NAMES or name in Case.__struct_fields__
        }
        return {name: {**shown, **other}.get(name, value) for name, value in fields.items()}

    @classmethod
    def like(cls, row: TopicRow) -> dict[str, Any]:
        """All fields of this row that another kind of row has too, as that one has them."""
        shared = (name for name in cls.__struct_fields__ if name in row.__struct_fields__)
        return {name: getattr(row, name) for name in shared}


class FindingRow(TopicRow, frozen=True, kw_only=True):
    """A sentence about the record; where it leaves something open, what would tell."""

    sentence: str
    needed: Needed | None = None


class TransportRow(TopicRow, frozen=True, kw_only=True):
    """Figures over a transport."""

    transport: str


class VariantRow(TransportRow, frozen=True, kw_only=True):
    """Figures over a transport, in a variant of the test."""

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
