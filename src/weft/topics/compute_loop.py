"""The compute loop: whether its rate held while it ran beside transfers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.shape import drift
from weft.topics.base import Topic
from weft.topics.rows import TransportRow
from weft.topics.series import WORK, by_case, part_ns
from weft.wording import counted

if TYPE_CHECKING:
    from weft.plan.case import Case
    from weft.record.run import Run
    from weft.topics.base import Results


class LoopDrift(TransportRow, frozen=True, kw_only=True):
    """In how many of a test's batches the loop's rate drifted, and by what share at most."""

    test: str
    most: float
    drifted: int
    batches: int


class ComputeLoop(Topic[tuple[LoopDrift, ...]]):
    """Whether work was as long as it was asked to be."""

    name = "compute_loop"
    title = "The compute loop"

    def rows(self, results: Results) -> tuple[LoopDrift, ...]:
        """One row per test and transport whose loop drifted."""
        return drifts_of(results.run)

    def findings(self, rows: tuple[LoopDrift, ...]) -> list[str]:
        """One sentence per test and transport."""
        return [
            f"{row.transport}, {row.test}: the compute loop's rate drifted by up to"
            f" {row.most:.0%} in {row.drifted} of {counted(row.batches, 'batch')}:"
            " the processor's clock was not steady, or something else ran; the work is"
            " measured in every sample, so shares hold, but their points are not those asked for"
            for row in rows
        ]


def drifts_of(run: Run) -> tuple[LoopDrift, ...]:
    """Where the compute loop's rate moved within a batch, one row per test and transport."""
    tests = {run.cases[batch.case].test for batch in run.measured if WORK in batch.parts}
    moved: dict[tuple[str, str], list[tuple[Case, float | None]]] = {}
    for key, batches in by_case(run, tests).items():
        case = run.cases[key]
        changes = moved.setdefault((case.transport, case.test), [])
        changes += [(case, drift(part_ns(run, b, WORK)) if case.point else None) for b in batches]
    return tuple(
        LoopDrift(
            **LoopDrift.of(changes[0][0]),
            most=max(map(abs, known)),
            drifted=len(known),
            batches=len(changes),
        )
        for changes in moved.values()
        if (known := [change for _, change in changes if change is not None])
    )
