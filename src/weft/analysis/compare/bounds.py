"""A limit of an acceptance test or a CI: the cases that it is for, and their bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weft.fabric.peaks import parse_link

if TYPE_CHECKING:
    from weft.plan.case import Case

Kind = Literal["latency_at_most", "bandwidth_at_least", "percent_of_peak_at_least"]


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One limit: for which cases, and the bound in ns, bytes/s or per cent of the link's peak.

    An empty transport or list of sizes means all. `wanted` are single sizes that must be there,
    `ranges` take what there is between their ends.
    """

    text: str
    test: str
    transport: str
    wanted: tuple[int, ...]
    ranges: tuple[tuple[int, int], ...]
    variant: str
    kind: Kind
    bound: float
    link: str = ""

    def takes(self, case: Case) -> bool:
        """Whether a case is one that this limit is for."""
        size = case.bytes
        fits = not (self.wanted or self.ranges) or size in self.wanted
        fits = fits or any(low <= size <= high for low, high in self.ranges)
        named = case.test == self.test and self.transport in ("", case.transport)
        # A limit that names no number of ranks is for any.
        return named and fits and self.variant in (case.variant, case.but_for("ranks").variant)

    def bound_for(self, directions: int) -> float:
        """The bound in ns or bytes/s, of a test that loads a link in so many directions."""
        if self.kind != "percent_of_peak_at_least":
            return self.bound
        return parse_link(self.link).peak_bytes_per_s(directions) * self.bound / 100
