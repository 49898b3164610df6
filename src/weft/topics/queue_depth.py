"""Queue depth: how many messages in flight a bandwidth needs, and from which size a queue binds.

Figure 4 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), shows the bandwidth by queue size.
The sender posts Q messages, then waits for Q/2 of them before it posts Q/2 more (Liu et al.,
section 4.1). Where the library copies a message, or the link is faster than the sender, most of
them have ended when the last one is posted: the sender never waits, and a queue of another size
would give the same bandwidth. The engine looks at that in the warm-up (`Batch.queue_held`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.plan.case import USUAL_QUEUE_DEPTH, Case
from weft.topics.base import Topic, as_plain
from weft.topics.groups import cases_alike
from weft.topics.rows import TopicRow
from weft.units import format_bytes
from weft.wording import at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.topics.base import Results

# Figure 4: the queue that is needed for this share of the best bandwidth.
NEAR_PEAK = 0.95


class QueueBinding(TopicRow, frozen=True, kw_only=True):
    """A queue depth of a test, over the sizes that it was measured at in one variant.

    `case` is without its size. From `from_bytes` on the queue binds at every size that was looked
    at, up to `most_bytes`; None where it does not bind at that one.
    """

    case: Case
    from_bytes: int | None
    least_bytes: int
    most_bytes: int


class QueueNeeded(TopicRow, frozen=True, kw_only=True):
    """The smallest of several queue depths whose bandwidth is near the best one's.

    `place` says which test, size and options; `binding` what is known of which queues bind.
    """

    place: str
    queue_depth: int
    least_depth: int
    most_depth: int
    binding: str = ""


class QueueRows(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of queue depths."""

    needed: tuple[QueueNeeded, ...]
    bindings: tuple[QueueBinding, ...]


class QueueDepths(Topic[QueueRows]):
    """Which queue depth a bandwidth needs, and where a queue binds."""

    name = "queue_depth"
    title = "Queue depth"

    def rows(self, results: Results) -> QueueRows:
        """From the streams that were measured with several queue depths, or looked at."""
        if results.run.header.plan.simulated:  # its messages queue nowhere
            return QueueRows(needed=(), bindings=())
        good = [s for s in results.summaries if s.status == "ok"]
        cases = results.run.cases
        groups = cases_alike(results.summaries, cases, "queue_depth")
        found = (queue_needed(points) for points in groups)
        return QueueRows(
            needed=tuple(one for one in found if one is not None),
            bindings=bindings_of(cases, good),
        )

    def findings(self, rows: QueueRows) -> list[str]:
        """A sentence a group of queue depths, and a queue that does not bind at all its sizes."""
        needed = [
            f"queue depth: {one.place}: Q = {one.queue_depth} gives {NEAR_PEAK:.0%} of the best"
            f" bandwidth of Q = {one.least_depth} to {one.most_depth}{one.binding}"
            for one in rows.needed
        ]
        return needed + bindings_in_words(rows.bindings)

    def plain(self, rows: QueueRows) -> list[dict[str, Any]]:
        """What is needed, then where queues bind."""
        return as_plain((*rows.needed, *rows.bindings))


def queue_needed(points: Sequence[tuple[Case, CaseSummary]]) -> QueueNeeded | None:
    """The smallest queue depth whose bandwidth is at least 95 % of the best one's."""
    rates = sorted(
        (case.queue_depth, summary.bandwidth_bytes_per_s.value)
        for case, summary in points
        if summary.bandwidth_bytes_per_s is not None
    )
    if len(rates) < 2:
        return None
    best = max(rate for _, rate in rates)
    case = points[0][0]
    return QueueNeeded(
        place=at(case.transport, case.test, case.bytes, case.but_for("queue_depth").variant),
        queue_depth=next(depth for depth, rate in rates if rate >= NEAR_PEAK * best),
        least_depth=rates[0][0],
        most_depth=rates[-1][0],
        binding=at_one_size((case.queue_depth, summary.queue_held) for case, summary in points),
    )


def binds(queue_depth: int, held: float) -> bool:
    """Whether the sender has to wait: more than Q - Q/2 are in flight when the queue is full."""
    return held > queue_depth - max(1, queue_depth // 2)


def bindings_of(
    cases: Mapping[str, Case], summaries: Sequence[CaseSummary]
) -> tuple[QueueBinding, ...]:
    """One for each test, queue depth and variant of which a case was looked at."""
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
        f"queue depth: {_place(one.case)}: {from_which_size(one)}"
        for one in bindings
        if one.from_bytes != one.least_bytes
    ]


def from_which_size(binding: QueueBinding) -> str:
    """From which size on a queue binds, and what that means below it."""
    queue = f"Q = {binding.case.queue_depth}"
    why = "sends end as fast as they are posted (copied, or the link is faster than the sender)"
    if binding.from_bytes is None:
        return (
            f"{queue} does not bind up to {format_bytes(binding.most_bytes)}; {why},"
            " and another queue depth changes nothing"
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
    variant = msgspec.structs.replace(case, queue_depth=USUAL_QUEUE_DEPTH).variant
    return f"{case.transport}, {case.test}" + (f" {variant}" if variant else "")
