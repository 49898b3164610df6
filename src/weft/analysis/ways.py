"""What a record that holds a test in several ways says: queue size, buffer reuse, waiting. Pure.

After section 4 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003): figure 4 (queue size), figure 8 (availability), figures 9 and 10
(completion), figures 11 to 13 (buffer reuse). All figures are medians over launches with 95 %
intervals; something is said to drop or to add only where the intervals do not overlap the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.availability import BUSY, availabilities_of, drifts_of, drops_in_words
from weft.analysis.completion import completions_in_words, completions_of
from weft.analysis.host_time import OVERLAPS
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Case
    from weft.record.run import Run

# Figure 4: the queue that is needed for this share of the best bandwidth.
NEAR_PEAK = 0.95
# Figures 11 to 13: performance drops when it is worse by this much.
DROP = 0.05
# The tests that have a compute loop.
COMPUTING = (BUSY, *OVERLAPS)


def findings_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[str, ...]:
    """A sentence for each queue size, working set and way of waiting that the record tells of.

    A group of cases of which one failed or was not reached tells nothing.
    """
    good = [s for s in summaries if s.status != "unsupported"]
    cases = run.cases
    return (
        *_grouped(good, cases, lambda c: c.queue_depth, _without_depth, queue_needed),
        *_grouped(good, cases, lambda c: c.schedule.count, _turns_only, working_set),
        *completions_in_words(completions_of(run, summaries)),
        *drops_in_words(availabilities_of(run)),
        *drifts_of(run, COMPUTING),
    )


def _without_depth(case: Case) -> tuple[object, ...] | None:
    return (case.transport, case.test, case.bytes, case.schedule, case.wait, case.single)


def _turns_only(case: Case) -> tuple[object, ...] | None:
    """Cases that use their buffers in turn; one buffer is a turn of one."""
    if case.schedule.kind == "reuse":
        return None
    return (case.transport, case.test, case.bytes, case.queue_depth, case.wait, case.single)


def _grouped(
    summaries: Sequence[CaseSummary],
    cases: dict[str, Case],
    varied: Callable[[Case], object],
    rest: Callable[[Case], tuple[object, ...] | None],
    say: Callable[[Sequence[tuple[Case, CaseSummary]]], str],
) -> list[str]:
    """What `say` has to tell of each group of cases that differ in one thing only."""
    groups: dict[tuple[object, ...], list[tuple[Case, CaseSummary]]] = {}
    for summary in summaries:
        case = cases[summary.case]
        key = rest(case)
        if key is not None:
            groups.setdefault(key, []).append((case, summary))
    told = [
        say(points)
        for points in groups.values()
        if len({varied(case) for case, _ in points}) > 1
        and all(summary.status == "ok" for _, summary in points)
    ]
    return [sentence for sentence in told if sentence]


def _place(case: Case) -> str:
    return f"{case.transport}, {case.test}, {format_bytes(case.bytes)}"


def queue_needed(points: Sequence[tuple[Case, CaseSummary]]) -> str:
    """The smallest queue size whose bandwidth is at least 95 % of the best one's."""
    rates = sorted(
        (case.queue_depth, summary.bandwidth_bytes_per_s.median)
        for case, summary in points
        if summary.bandwidth_bytes_per_s is not None
    )
    if len(rates) < 2:
        return ""
    best = max(rate for _, rate in rates)
    needed = next(depth for depth, rate in rates if rate >= NEAR_PEAK * best)
    return (
        f"queue size: {_place(points[0][0])}: Q = {needed} gives {NEAR_PEAK:.0%} of the best"
        f" bandwidth of Q = {rates[0][0]} to {rates[-1][0]}"
    )


def working_set(points: Sequence[tuple[Case, CaseSummary]]) -> str:
    """From which working set on (buffers in turn times their size) it is worse by 5 % for sure."""
    times = sorted(
        ((case.schedule.count, _time(summary)) for case, summary in points),
        key=lambda point: point[0],
    )
    (_, first), *others = times
    size = points[0][0].bytes
    for count, (low, _) in others:
        if low > first[1] * (1 + DROP):
            return (
                f"buffer reuse: {_place(points[0][0])}: worse by over {DROP:.0%} from a working set"
                f" of {format_bytes(count * size)} on ({count} buffers in turn)"
            )
    return (
        f"buffer reuse: {_place(points[0][0])}: no drop over {DROP:.0%} up to a working set of"
        f" {format_bytes(times[-1][0] * size)} can be told"
    )


def _time(summary: CaseSummary) -> tuple[float, float]:
    """The interval of something that grows with time: latency, or the inverse of bandwidth."""
    if summary.latency_ns is not None:
        return summary.latency_ns.low, summary.latency_ns.high
    rate = summary.bandwidth_bytes_per_s
    return (1 / rate.high, 1 / rate.low) if rate is not None else (0.0, 0.0)
