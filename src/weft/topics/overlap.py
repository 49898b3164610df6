"""Overlap: how much of a transfer work of the same length hides.

By post, work and wait (Lawry and others, COMB, 2002; its descendant SMB): the transfer alone, the
work alone and both are measured within one sample.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from weft.estimate import Estimate
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import SizeRow
from weft.topics.series import alone_ns, by_case, less_read, median_over
from weft.units import format_bytes, format_time
from weft.wording import share_or_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

# What a message is to the rank that is timed.
Operation = Literal["send", "receive", "put", "get"]
OVERLAPS: dict[str, Operation] = {
    "send_overlap": "send",
    "receive_overlap": "receive",
    "put_overlap": "put",
    "get_overlap": "get",
}
# Work as long as the transfer alone: what can be hidden in the best case is all of it.
AS_LONG = 100


class Overlap(SizeRow, frozen=True, kw_only=True):
    """How much of a transfer work of the same length hides, in per cent of the transfer's time.

    (alone + work - both) / alone: 100 if the work costs no further time, 0 if both follow each
    other, below 0 if they are in each other's way. Nothing is cut off at 0 or at 100.
    """

    side: Operation
    alone_ns: Estimate
    work_ns: Estimate
    both_ns: Estimate
    hidden_percent: Estimate


class OverlapOfWork(Topic[tuple[Overlap, ...]]):
    """How much of a transfer is hidden by work."""

    name = "overlap"
    title = "Overlap of work and transfer"

    def rows(self, results: Results) -> tuple[Overlap, ...]:
        """One row per transport, variant, size and kind of transfer."""
        return overlaps_of(results.run)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """What work beside a transfer takes is no curve over sizes."""
        del run
        return pattern.figure == "overlap"

    def tables(self, rows: tuple[Overlap, ...]) -> list[Table]:
        """One row per transport, variant, size and kind of transfer."""
        return [_table(rows)] if rows else []


def overlaps_of(run: Run) -> tuple[Overlap, ...]:
    """One row per transport, variant, size and transfer whose work was as long as itself."""
    rows = []
    for key, batches in by_case(run, tuple(OVERLAPS)).items():
        case = run.cases[key]
        if case.point != AS_LONG:
            continue
        rows.append(
            Overlap(
                **Overlap.of(case, "point"),
                side=OVERLAPS[case.test],
                alone_ns=median_over(run, batches, partial(less_read, run, part="alone")),
                work_ns=median_over(run, batches, partial(less_read, run, part="work")),
                both_ns=median_over(run, batches, partial(less_read, run)),
                hidden_percent=median_over(run, batches, partial(_hidden_percent, run)),
            )
        )
    return tuple(rows)


def _hidden_percent(run: Run, batch: Batch) -> NDArray[np.float64]:
    alone = alone_ns(run, batch)
    hidden = alone + less_read(run, batch, "work") - less_read(run, batch)
    return 100 * hidden / alone


def _table(rows: Sequence[Overlap]) -> Table:
    return Table(
        name="overlap",
        caption="How much of a transfer is hidden by work of the same length, in per cent of the"
        " transfer alone, with half of each 95 % interval; none: both together take longer than one"
        " after the other.",
        head=("", "transfer alone", "work alone", "both", "hidden"),
        rows=tuple(
            (
                f"{row.over} {row.side} {format_bytes(row.bytes)}",
                format_time(row.alone_ns.value),
                format_time(row.work_ns.value),
                format_time(row.both_ns.value),
                share_or_unknown(row.hidden_percent),
            )
            for row in rows
        ),
    )
