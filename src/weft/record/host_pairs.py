"""How many pairs of ranks exchange their messages between two hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.record.run import Run


class HostPairs(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs of ranks that exchange measured messages, and those whose ranks are on two hosts.

    Pairs that are drawn differ from launch to launch: between `least` and `most` of them are
    between hosts.
    """

    pairs: int
    least: int
    most: int

    @property
    def all_cross(self) -> bool:
        """Whether no pair shares a host."""
        return self.least == self.pairs

    @property
    def in_words(self) -> str:
        """As in a table: "4 of 8", or "2 to 3 of 8" if they were drawn."""
        between = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        return f"{between} of {self.pairs}"


def host_pairs_of(run: Run, case: str) -> HostPairs | None:
    """The pairs of a case; None if all ranks shared a host or the record has no counts."""
    counted = [batch for batch in run.measured_by_case.get(case, ()) if batch.pairs]
    between = [batch.pairs_between_hosts for batch in counted]
    if not counted or (not any(between) and run.is_within_a_host(case)):
        return None
    return HostPairs(pairs=counted[0].pairs, least=min(between), most=max(between))
