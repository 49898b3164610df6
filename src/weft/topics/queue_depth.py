"""Whether a stream's queue is what holds its sender up, and from which size on. Pure.

The sender posts Q messages, then waits for Q/2 of them before it posts Q/2 more (Liu et al.,
section 4.1). Where the library copies a message, or the link is faster than the sender, most of
them have ended when the last one is posted: the sender never waits, and a queue of another size
would give the same bandwidth. The engine looks at that in the warm-up (`Batch.queue_held`).
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import msgspec

from weft.plan.case import USUAL_QUEUE_DEPTH, Case
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Batch


class QueueBinding(msgspec.Struct, frozen=True, kw_only=True):
    """A queue depth of a test, over the sizes that it was measured at in one way.

    `case` is without its size. From `from_bytes` on the queue binds at every size that was looked
    at, up to `most_bytes`; None where it does not bind at that one.
    """

    case: Case
    from_bytes: int | None
    least_bytes: int
    most_bytes: int


def held_of(batches: Iterable[Batch]) -> float | None:
    """Of Q messages posted at once, how many were in flight then: the median over the batches.

    None where nobody looked: no stream, or a record of before there was a look.
    """
    looked = [batch.queue_held for batch in batches if batch.queue_held is not None]
    return statistics.median(looked) if looked else None


def binds(queue_depth: int, held: float) -> bool:
    """Whether the sender has to wait: more than Q - Q/2 are in flight when the queue is full."""
    return held > queue_depth - max(1, queue_depth // 2)


def bindings_of(
    cases: Mapping[str, Case], summaries: Sequence[CaseSummary]
) -> tuple[QueueBinding, ...]:
    """One for each test, queue depth and way of which a case was looked at."""
    groups: dict[Case, dict[int, bool]] = {}
    for summary in summaries:
        if summary.queue_held is None:
            continue
        case = cases[summary.case]
        sizes = groups.setdefault(msgspec.structs.replace(case, bytes=0), {})
        sizes[case.bytes] = binds(case.queue_depth, summary.queue_held)
    return tuple(_binding(case, sizes) for case, sizes in groups.items())


def _binding(case: Case, sizes: dict[int, bool]) -> QueueBinding:
    from_bytes = None
    for size in sorted(sizes, reverse=True):
        if not sizes[size]:
            break
        from_bytes = size
    return QueueBinding(
        case=case, from_bytes=from_bytes, least_bytes=min(sizes), most_bytes=max(sizes)
    )


def bindings_in_words(bindings: Iterable[QueueBinding]) -> list[str]:
    """A sentence for each queue that does not bind at all its sizes."""
    return [
        f"queue size: {_place(one.case)}: {from_which_size(one)}"
        for one in bindings
        if one.from_bytes != one.least_bytes
    ]


def from_which_size(binding: QueueBinding) -> str:
    """From which size on a queue binds, and what that means below it."""
    queue = f"Q = {binding.case.queue_depth}"
    why = "sends end as fast as they are posted (copied, or the link is faster than the sender)"
    if binding.from_bytes is None:
        return (
            f"{queue} does not bind up to {format_bytes(binding.most_bytes)}: {why},"
            " and another queue size changes nothing"
        )
    return f"{queue} binds from {format_bytes(binding.from_bytes)} on; below it {why}"


def at_one_size(points: Iterable[tuple[int, float | None]]) -> str:
    """Of one size, the queue depths that were looked at: which of them bind; empty if all do."""
    looked = {depth: binds(depth, held) for depth, held in points if held is not None}
    if not looked or all(looked.values()):
        return ""
    binding = [depth for depth, is_binding in looked.items() if is_binding]
    if not binding:
        return "; at this size Q does not bind, so what differs has another cause"
    return (
        f"; Q binds up to {max(binding)} only: from there on sends end as fast as they are posted"
    )


def _place(case: Case) -> str:
    way = msgspec.structs.replace(case, queue_depth=USUAL_QUEUE_DEPTH).variant
    return f"{case.transport}, {case.test}" + (f" {way}" if way else "")
