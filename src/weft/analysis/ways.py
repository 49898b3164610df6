"""What a record that holds a test in several ways says: queue, buffers, waits, pages, rails. Pure.

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
from weft.analysis.layers import step_between
from weft.analysis.pages import huge_pages_in_words
from weft.analysis.queue import at_one_size, bindings_in_words, bindings_of
from weft.analysis.rails import rail_sentences
from weft.analysis.registration import added_in_words, cost_as_it_goes, time_of
from weft.analysis.reuse import reuse_in_words, reuse_of
from weft.analysis.stats.trend import not_looked_for, trends_in_words
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case, CaseAxis
    from weft.record.run import Run

# Figure 4: the queue that is needed for this share of the best bandwidth.
NEAR_PEAK = 0.95
# The tests that have a compute loop.
COMPUTING = (BUSY, *OVERLAPS)


def findings_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[str, ...]:
    """A sentence for each queue size, working set, wait, page size and set of rails in a record.

    A group of cases of which one failed or was not reached tells nothing.
    """
    good = [s for s in summaries if s.status != "unsupported"]
    cases = run.cases
    return (
        *_grouped(good, cases, "queue_depth", queue_needed),
        *bindings_in_words(bindings_of(cases, [s for s in good if s.status == "ok"])),
        *map(reuse_in_words, reuse_of(run, summaries)),
        *cost_as_it_goes(run, summaries),
        *_grouped([s for s in good if cases[s.case].pages], cases, "pages", gain_of_pages),
        *huge_pages_in_words(run),
        *completions_in_words(completions_of(run, summaries)),
        *drops_in_words(availabilities_of(run)),
        *drifts_of(run, COMPUTING),
        *rail_sentences(run, summaries),
        *trends_in_words(run),
        *([few] if (few := not_looked_for(run)) else []),
    )


def _grouped(
    summaries: Sequence[CaseSummary],
    cases: dict[str, Case],
    axis: CaseAxis,
    say: Callable[[Sequence[tuple[Case, CaseSummary]]], str],
) -> list[str]:
    """What `say` has to tell of each group of cases that differ in one axis only."""
    groups: dict[Case, list[tuple[Case, CaseSummary]]] = {}
    for summary in summaries:
        case = cases[summary.case]
        groups.setdefault(case.but_for(axis), []).append((case, summary))
    told = [
        say(points)
        for points in groups.values()
        if len(points) > 1 and all(summary.status == "ok" for _, summary in points)
    ]
    return [sentence for sentence in told if sentence]


def _place(case: Case, axis: CaseAxis) -> str:
    place = f"{case.transport}, {case.test}, {format_bytes(case.bytes)}"
    return f"{place} {case.but_for(axis).variant}".rstrip()


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
    place = _place(points[0][0], "queue_depth")
    return (
        f"queue size: {place}: Q = {needed} gives {NEAR_PEAK:.0%} of the best"
        f" bandwidth of Q = {rates[0][0]} to {rates[-1][0]}"
        + at_one_size((case.queue_depth, summary.queue_held) for case, summary in points)
    )


def gain_of_pages(points: Sequence[tuple[Case, CaseSummary]]) -> str:
    """What a message takes less, or longer, in memory of huge pages than of small ones."""
    times = {case.pages: time_of(summary) for case, summary in points}
    small, huge = times.get("small"), times.get("huge")
    if small is None or huge is None:
        return ""
    place = _place(points[0][0], "pages")
    step = step_between(points[0][0].bytes, small, huge)
    if step.verdict == "cannot tell" or any(summary.launches < 2 for _, summary in points):
        return f"pages: {place}: huge and small pages cannot be told apart"
    took = "less" if step.verdict == "saves" else "longer"
    return f"pages: {place}: {added_in_words(step)} {took} with huge pages"
