"""Completion modes: what each adds to a latency, and what it leaves of the processor.

Figures 9 and 10 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003): a target that polls its memory (`put_ping_pong`), that is notified
(`put_notify_ping_pong`), and, for these and for messages (`ping_pong`), that spins or sleeps.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.layers import Step, Verdict, step_between
from weft.analysis.stats.needed import Needed
from weft.estimate import Estimate
from weft.plan.case import Case
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import SizeRow, TransportRow
from weft.topics.series import median_over
from weft.units import format_bytes, format_time
from weft.wording import NO_INTERVAL, NOT_SIGNIFICANT, between, share_or_unknown
from weft.wording import at as placed_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.summary import CaseSummary
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

# Tests that do the same, but for how the target learns of it.
FAMILIES = {"put_ping_pong": "put", "put_notify_ping_pong": "put"}
_MEMORY = "put_ping_pong"
_NOTIFIED = "put_notify_ping_pong"


class Completion(SizeRow, frozen=True, kw_only=True):
    """A completion mode at one size: its latency, what it adds to the cheapest, its CPU time.

    `added_ns` is the difference of medians, with the interval that holds the true one whenever both
    intervals hold theirs; None for the cheapest itself. `cpu_percent` is a figure a rank: the time
    that its process ran over the time of the batch, 100 for one that spins. `needed` is what would
    tell a difference that is not significant.
    """

    test: str
    kind: str
    mode: str
    is_cheapest: bool
    latency_ns: Estimate
    added_ns: Estimate | None
    verdict: Verdict
    needed: Needed | None
    cpu_percent: tuple[Estimate, ...]


class Increase(TransportRow, frozen=True, kw_only=True):
    """How much longer a message takes when its completion is learnt in another mode, by size.

    Each step is the difference of two medians, as `added_ns` of Completion.
    """

    test: str
    steps: tuple[Step, ...]


class CompletionModes(Topic[tuple[Completion, ...]]):
    """How a rank learns that a message has come: polling, notices, sleep."""

    name = "completion"
    title = "Completion modes"

    def rows(self, results: Results) -> tuple[Completion, ...]:
        """The modes of each transport, kind and size that has more than one."""
        return completions_of(results.run, results.summaries)

    def tables(self, rows: tuple[Completion, ...]) -> list[Table]:
        """A row a mode."""
        return [_table(rows)] if rows else []

    def findings(self, rows: tuple[Completion, ...]) -> list[str]:
        """What each mode adds to the cheapest one."""
        return list(completions_in_words(rows))

    def needed(self, rows: tuple[Completion, ...]) -> list[Needed]:
        """Of each mode whose difference is not significant."""
        return [row.needed for row in rows if row.needed]


def notified_over_polled(run: Run, summaries: Sequence[CaseSummary]) -> tuple[Increase, ...]:
    """Figure 9: a put whose target is notified over one whose target polls its memory."""
    return _increases(run, summaries, _usual(_MEMORY), _usual(_NOTIFIED))


def blocked_over_polled(
    run: Run, summaries: Sequence[CaseSummary]
) -> tuple[tuple[Increase, ...], tuple[Increase, ...]]:
    """Figure 10: waiting asleep (`block`) over the usual wait, of messages and of puts."""
    messages, puts = (
        _increases(run, summaries, _usual(test), _usual(test, "block"))
        for test in ("ping_pong", _NOTIFIED)
    )
    return messages, puts


def _usual(test: str, wait: str = "") -> Case:
    """A test with its usual options, or with a wait of its own, over any transport at any size."""
    return Case(test=test, transport="", bytes=0, wait=wait)


def _increases(
    run: Run, summaries: Sequence[CaseSummary], below: Case, above: Case
) -> tuple[Increase, ...]:
    """What a test and wait adds to another, by transport."""
    times: dict[str, dict[Case, dict[int, Estimate]]] = {}
    for summary in summaries:
        case = run.cases[summary.case]
        kind = case.but_for("transport", "bytes")
        latency = summary.latency_ns if summary.status == "ok" else None
        if kind in (below, above) and latency is not None:
            by_kind = times.setdefault(case.transport, {below: {}, above: {}})
            by_kind[kind][case.bytes] = latency
    found = []
    for transport, by_kind in times.items():
        sizes = sorted(by_kind[below].keys() & by_kind[above].keys())
        steps = tuple(step_between(n, by_kind[below][n], by_kind[above][n]) for n in sizes)
        if steps:
            found.append(Increase(**Increase.of(above, transport=transport), steps=steps))
    return tuple(found)


def completions_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[Completion, ...]:
    """The modes of each transport, kind and size that has more than one, the cheapest first.

    Of a group with a case that failed or was not reached there is none.
    """
    groups: dict[Case, list[tuple[Case, CaseSummary]]] = {}
    for summary in summaries:
        case = run.cases[summary.case]
        has_latency = run.patterns[case.test].latency_divisor > 0
        if summary.status != "unsupported" and has_latency:
            groups.setdefault(_place(case), []).append((case, summary))
    rows: list[Completion] = []
    for group in groups.values():
        # A target that polls its memory does so whatever the wait of the case is called.
        ways = {_MEMORY if case.test == _MEMORY else mode_of(case) for case, _ in group}
        if len(ways) > 1 and all(summary.status == "ok" for _, summary in group):
            rows += _rows_of(run, group)
    return tuple(rows)


def _place(case: Case) -> Case:
    """What the modes of a group have in common."""
    kind = FAMILIES.get(case.test, case.test)
    return msgspec.structs.replace(case.but_for("wait"), test=kind)


def _rows_of(run: Run, group: Sequence[tuple[Case, CaseSummary]]) -> list[Completion]:
    found = [(case, summary.latency_ns) for case, summary in group]
    timed = [(case, latency) for case, latency in found if latency is not None]
    timed.sort(key=lambda pair: pair[1].value)
    rows = []
    for at, (case, latency) in enumerate(timed):
        step = step_between(case.bytes, timed[0][1], latency)
        rows.append(
            Completion(
                **Completion.of(case, "wait"),
                kind=FAMILIES.get(case.test, case.test),
                mode=mode_of(case),
                is_cheapest=at == 0,
                latency_ns=latency,
                added_ns=step.added_ns if at else None,
                verdict=step.verdict,
                needed=step.needed(run.header.plan.precision) if at else None,
                cpu_percent=_cpu_percent(run, run.measured_by_case[case.key]),
            )
        )
    return rows


def mode_of(case: Case) -> str:
    """How a case learns of a completion, in words."""
    if case.test == _MEMORY:
        return f"memory polled, {case.wait}" if case.wait else "memory polled"
    wait = case.wait or "usual wait"
    return f"notified, {wait}" if case.test in FAMILIES else wait


def completions_in_words(rows: Sequence[Completion]) -> tuple[str, ...]:
    """One sentence per transport, kind and size: what each mode adds to the cheapest one."""
    sentences: list[str] = []
    for row in rows:
        place = placed_at(row.transport, row.kind, row.bytes, row.variant)
        if row.added_ns is None:
            sentences.append(f"completion: {place}: {row.mode} is cheapest")
        elif row.verdict == "adds":
            words = format_time(row.added_ns.value)
            sentences[-1] += f"; {row.mode} adds {_with_interval(words, row.added_ns)}"
        elif row.added_ns.is_bounded:
            sentences[-1] += f"; {row.mode}: difference {NOT_SIGNIFICANT}"
        else:
            sentences[-1] += f"; {row.mode}: its difference has {NO_INTERVAL}"
    return tuple(sentences)


def _cpu_percent(run: Run, batches: Sequence[Batch]) -> tuple[Estimate, ...]:
    """The share of the processor's time a rank, over launches; empty where it is not recorded."""
    import numpy as np

    known = [batch for batch in batches if batch.cpu_ns and batch.timed_ns]
    ranks = min((len(batch.cpu_ns) for batch in known), default=0)

    def share(rank: int, batch: Batch) -> NDArray[np.float64]:
        return np.array([100 * batch.cpu_ns[rank] / batch.timed_ns])

    return tuple(median_over(run, known, partial(share, rank)) for rank in range(ranks))


def _table(rows: Sequence[Completion]) -> Table:
    ranks = max(len(row.cpu_percent) for row in rows)
    return Table(
        name="completion",
        caption="What each completion mode adds to the cheapest, and the CPU time it takes, with"
        " half of each 95 % interval.",
        head=("", "mode", "latency", "adds", *(f"CPU rank {rank}" for rank in range(ranks))),
        rows=tuple(
            (
                f"{row.over} {row.kind} {format_bytes(row.bytes)}",
                row.mode,
                format_time(row.latency_ns.value),
                _added(row),
                *(share_or_unknown(share, may_exceed=True) for share in row.cpu_percent),
                *("-" for _ in range(ranks - len(row.cpu_percent))),
            )
            for row in rows
        ),
    )


def _added(row: Completion) -> str:
    if row.added_ns is None:
        return "cheapest"
    if not row.added_ns.is_bounded:
        return NO_INTERVAL
    words = format_time(row.added_ns.value) if row.verdict == "adds" else NOT_SIGNIFICANT
    return _with_interval(words, row.added_ns)


def _with_interval(words: str, added_ns: Estimate) -> str:
    """What is added with its interval, whose ends may be on both sides of zero."""
    return between(words, added_ns.low, added_ns.high, format_time)
