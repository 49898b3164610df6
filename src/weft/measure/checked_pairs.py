"""Which pairs of ranks had every message looked at in a launch: once of each size is enough.

A round of pairs is a case of its own, so few ranks, who meet in several tournaments, would be
looked at anew in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.rounds import partners_in

if TYPE_CHECKING:
    from weft.measure.state import CaseState
    from weft.plan.case import Case


class CheckedPairs:
    """What was looked at in the launch that is up."""

    def __init__(self) -> None:
        self._launch = -1
        self._seen: dict[Case, set[tuple[int, int]]] = {}

    def has_all(self, state: CaseState, launch: int) -> bool:
        """Whether every pair of this round was looked at in this launch; of other cases, no."""
        if state.pattern.figure != "pairs" or launch != self._launch:
            return False
        return _pairs(state.case) <= self._seen.get(state.case.but_for("point"), set())

    def add(self, state: CaseState, launch: int) -> None:
        """All messages of this case were right."""
        if state.pattern.figure != "pairs":
            return
        if launch != self._launch:
            self._launch, self._seen = launch, {}
        self._seen.setdefault(state.case.but_for("point"), set()).update(_pairs(state.case))


def _pairs(case: Case) -> set[tuple[int, int]]:
    partners = partners_in(case.point or 0, case.ranks)
    return {(rank, other) for rank, other in enumerate(partners) if rank < other < case.ranks}
