"""From a run to one row a planned case: figures, intervals, status, and what to know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weft.analysis.path_mtu import mtu_suspected
from weft.analysis.peak_share import share_of_peak
from weft.analysis.stats.intervals import (
    in_sessions,
    median_of_case,
    middle_of_case,
    over_sessions,
)
from weft.analysis.stats.launches import next_session_of
from weft.analysis.stats.percentiles import percentiles, tails
from weft.analysis.stats.precision import settled, settled_over_sessions
from weft.analysis.stats.shape import (
    drift,
    drift_in_words,
    launches_apart,
    launches_in_words,
    modes_in_words,
    not_looked_for,
    spread_percent,
    two_modes,
)
from weft.estimate import Estimate
from weft.fabric.detect import detected_link
from weft.plan.command import alone
from weft.plan.plan import MOST_WHOLE_VALUES
from weft.quantiles import median
from weft.record.host_pairs import HostPairs, host_pairs_of
from weft.record.launches import launch_medians, samples_by_launch
from weft.record.model import Status
from weft.record.rank_times import on_threads_of_a_core
from weft.record.run import failure_of
from weft.stages import counted_off
from weft.units import format_bandwidth
from weft.wording import ENOUGH_FOR_HALF, counted, over, over_the_peak, with_ends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.fabric.peaks import Link
    from weft.plan.case import Case
    from weft.plan.command import NextSession
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run

NO_TIME_IN_MODEL = "in this model it takes no time at all"
NO_TIME = (
    "the clock did not move during half of a launch's samples; take more operations a sample or"
    " another clock"
)
SCATTER_UNKNOWN = "the scatter of its samples is not known"
OPERATIONS_UNKNOWN = ", nor of how many operations it is"
NOT_KEPT = (
    f"its ranks have more than {MOST_WHOLE_VALUES:,} values together: the record keeps of each rank"
    " quantiles, and of each sample the mean and the slowest rank; --keep-all keeps every value"
)
SHARE_A_CORE = (
    "ranks share a core: {} ranks on hardware threads of one core of {}, so they slow each other"
    " down; start fewer ranks per host, or use hosts with more cores"
)
ONE_IS_SLOWER = "directions differ: {} from rank 1 to rank 0 is {} than {} from rank 0 to rank 1"
SHARE_A_HOST = "pairs of ranks between hosts: {}; the other pairs share a host"
_ENDED = {
    None: "the run ended",
    "precise": "the run ended",
    "budget": "the budget ended",
    "interrupted": "the run was interrupted",
    "failed": "the run failed",
}


CaseStatus = Status | Literal["not_tried"]


class CaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one planned case.

    `samples` counts without warm-up, over all launches. `between_launch_percent` is half the
    interquartile range of the launch medians over their median, `within_launch_percent` the median
    over launches of the same for the samples of a launch. Minimum and percentiles are over all
    samples: of single operations, or `of_means` where a sample spans `ops_per_sample` of them: its
    tail is not theirs. `tails_latency_ns` are high percentiles of single operations with an
    interval over launches. `relative_half_width` is of the time's interval, None over one launch;
    `settled` says that it is inside the asked precision after the asked launches of one session, or
    over five sessions or more, which other days are in.
    `percent_of_peak` is of the median bandwidth, where the link is known. `queue_held` is how many
    of Q messages of a stream were in flight once all were posted (weft.topics.queue_depth); `place`
    says what its point is: "2 peers". `pairs` has the pairs of ranks between hosts, if the ranks
    were on several.
    A case whose status is `failed` keeps the figures of the launches that went well; `not_tried` is
    one that no launch came to.
    docs/numbers/ defines each figure.
    """

    case: str
    test: str
    transport: str
    bytes: int
    ranks: int
    queue_depth: int
    single: bool
    wait: str
    point: int | None
    variant: str
    status: CaseStatus
    reason: str
    samples: int
    launches: int
    verified_bytes: int
    ops_per_sample: tuple[int, ...] = ()
    latency_ns: Estimate | None = None
    bandwidth_bytes_per_s: Estimate | None = None
    minimum_latency_ns: float | None = None
    percentiles_latency_ns: dict[str, float] = {}
    minimum_of_means_latency_ns: float | None = None
    percentiles_of_means_latency_ns: dict[str, float] = {}
    tails_latency_ns: dict[str, Estimate] = {}
    between_launch_percent: float | None = None
    within_launch_percent: float | None = None
    relative_half_width: float | None = None
    settled: bool = False
    link: str = ""
    peak_bytes_per_s: float | None = None
    percent_of_peak: float | None = None
    queue_held: float | None = None
    place: str | None = None
    pairs: HostPairs | None = None
    flags: tuple[str, ...] = ()

    @property
    def measured_over(self) -> str:
        """What a table's column is called: the transport, and what differs from the usual."""
        return over(self.transport, self.variant, self.place or "")


def summarise(
    run: Run, link: Link | None = None, *, with_shapes: bool = True
) -> tuple[CaseSummary, ...]:
    """A row for every planned case, in plan order; one that was not measured says why.

    `link` is what the traffic went over; without it, what the record's manifests tell. Without
    shapes no flag says what a median hides: looking for them takes most of the time.
    """
    transports = {case.transport for case in run.cases.values()}
    links = {name: link or detected_link(run, name) for name in transports}
    again = next_session_of(run)
    found = {
        key: _with_peak(
            _case_summary(run, case, run.by_case[key], again, with_shapes=with_shapes),
            run.patterns[case.test],
            links[case.transport],
        )
        for key, case in counted_off(run.cases.items(), "summing up cases")
    }
    suspected = mtu_suspected(run)
    return tuple(
        _with_suspicion(_beside_its_way_there(run, one, found), suspected) for one in found.values()
    )


def _with_suspicion(one: CaseSummary, suspected: Mapping[str, str]) -> CaseSummary:
    if one.status != "timeout" or one.transport not in suspected:
        return one
    reason = f"{one.reason}; {suspected[one.transport]}"
    return msgspec.structs.replace(one, reason=reason)


def _beside_its_way_there(
    run: Run, back: CaseSummary, every: Mapping[str, CaseSummary]
) -> CaseSummary:
    """The summary; a way back gets a flag if it is slower or faster than the way there."""
    case = run.cases[back.case]
    there = every.get(case.but_for("direction").key) if case.direction else None
    mine = back.bandwidth_bytes_per_s
    theirs = there.bandwidth_bytes_per_s if there else None
    if mine is None or theirs is None or not (mine.is_bounded and theirs.is_bounded):
        return back
    # Intervals of fewer launches are apart too often by chance.
    if min(mine.launches, theirs.launches) < ENOUGH_FOR_HALF:
        return back
    if mine.high >= theirs.low and theirs.high >= mine.low:
        return back
    flag = ONE_IS_SLOWER.format(
        with_ends(mine, format_bandwidth),
        "slower" if mine.high < theirs.low else "faster",
        with_ends(theirs, format_bandwidth),
    )
    return msgspec.structs.replace(back, flags=(*back.flags, flag))


def to_json_rows(summaries: Sequence[CaseSummary]) -> list[dict[str, Any]]:
    """The rows of `weft show --json`: plain data, nulls omitted where a figure does not apply."""
    rows = []
    for summary in summaries:
        row: dict[str, Any] = msgspec.to_builtins(summary)
        rows.append({key: value for key, value in row.items() if value is not None})
    return rows


def _case_summary(
    run: Run, case: Case, batches: list[Batch], again: NextSession, *, with_shapes: bool
) -> CaseSummary:
    measured = [b for b in batches if b.role == "measure" and b.status == "ok"]
    status, reason, flags = _status(run, case, batches, measured, again)
    if status == "ok" and (crowd := on_threads_of_a_core(run, measured)):
        flags.append(SHARE_A_CORE.format(*crowd))
    pairs = host_pairs_of(run, case.key) if status == "ok" else None
    if pairs and not pairs.all_cross:
        flags.append(SHARE_A_HOST.format(pairs.in_words))
    summary = CaseSummary(
        case=case.key,
        test=case.test,
        transport=case.transport,
        bytes=case.bytes,
        ranks=case.ranks,
        queue_depth=case.queue_depth,
        single=case.single,
        wait=case.wait,
        point=case.point,
        variant=case.variant,
        status=status,
        reason=reason,
        samples=sum(len(b.ticks) - b.warmup for b in measured),
        launches=len({b.launch for b in measured}),
        verified_bytes=sum(b.verified_bytes for b in batches if b.status == "ok"),
        place=run.patterns[case.test].axis.at(case.point) or None,
        pairs=pairs,
        flags=tuple(flags),
    )
    if not measured:
        return summary
    return _with_figures(run, case, summary, measured, again if with_shapes else None)


def _status(
    run: Run, case: Case, batches: list[Batch], measured: list[Batch], again: NextSession
) -> tuple[CaseStatus, str, list[str]]:
    """Wrong bytes are never hidden behind launches that went well; a lost launch is reported."""
    failure = failure_of(batches)
    if failure:
        return failure.status, failure.reason, []
    if measured:
        bad = [b for b in batches if b.status != "ok"]
        flags = [f"a launch gave nothing: launch {b.launch}: {b.reason}" for b in bad]
        flags += [NOT_KEPT] if any(b.over_ranks for b in measured) else []
        return "ok", "", flags
    return "not_tried", _why_not_tried(run, case, again), []


def _why_not_tried(run: Run, case: Case, again: NextSession) -> str:
    """What was given up, or how the run ended and which launches were lost before the case.

    A launch that never came up has no line but its end, so that its transport is not known.
    """
    go_on = _how_to_go_on(run, case.transport, again)
    for gone in run.footer.given_up if run.footer else ():
        if gone.takes(case):
            return f"{gone.in_words}, before this case was tried{go_on}"
    lost = [
        end.reason
        for end in run.lines.ends
        if end.status != "ok"
        and (end.launch not in run.launches or run.launches[end.launch].transport == case.transport)
    ]
    ended = _ENDED[run.footer.outcome if run.footer else None]
    lost_too = f" (a launch was lost: {lost[0]})" if lost else ""
    return f"{ended} before this case was measured{lost_too}{go_on}"


def _how_to_go_on(run: Run, transport: str, again: NextSession) -> str:
    """What finishes a case: a resumed run has the options with which no launch came up."""
    family = transport.partition(":")[0]
    kept = [
        f"{name}={value}"
        for name, value in run.header.plan.options.items()
        if name.partition(".")[0] == family
    ]
    if kept and all(one.transport != transport for one in run.launches.values()):
        return (
            f"; no launch came up with {' '.join(kept)}, which a resumed run keeps: start a new one"
        )
    return again.to_finish


def _with_figures(
    run: Run, case: Case, summary: CaseSummary, measured: list[Batch], again: NextSession | None
) -> CaseSummary:
    """The same with its figures; without `again`, how to measure more, no shape is looked for."""
    pattern = run.patterns[case.test]
    times = samples_by_launch(measured, run.time_ns)
    medians = list(run.launch_medians_ns[case.key].values())
    if min(medians) <= 0 and run.header.plan.simulated:
        return msgspec.structs.replace(summary, status="unsupported", reason=NO_TIME_IN_MODEL)
    if min(medians) <= 0:
        return msgspec.structs.replace(summary, status="failed", reason=NO_TIME)
    tick_ns = run.resolution_ns(measured)
    sessions = run.sessions_of(times)
    estimate = median_of_case(medians, sessions, tick_ns)
    latency = latency_of(pattern, estimate)
    plan = run.header.plan
    if run.header.imported:
        return _as_stated(summary, pattern, estimate, measured, run.header.imported.tool)
    return msgspec.structs.replace(
        summary,
        ops_per_sample=tuple(sorted({b.ops_per_sample for b in measured})),
        latency_ns=latency,
        bandwidth_bytes_per_s=bandwidth_of(pattern, case.bytes, estimate),
        between_launch_percent=spread_percent(medians) if len(medians) > 1 else None,
        within_launch_percent=median([spread_percent(v) for v in times.values()]),
        relative_half_width=estimate.relative_half_width if estimate.is_bounded else None,
        queue_held=_queue_held(run, measured),
        settled=settled(medians, plan.precision, plan.launches, tick_ns)
        if estimate.unit == "launch"
        else settled_over_sessions(
            over_sessions(in_sessions(medians, sessions))[0], plan.precision, tick_ns
        ),
        # Of a simulator's repeats, which are identical, no shape is looked for.
        flags=summary.flags
        + (_flags(run, case, list(times.values()), again) if again and not plan.simulated else ()),
        **(_distribution(run, pattern, times, measured) if latency else {}),
    )


def _as_stated(
    summary: CaseSummary, pattern: Pattern, time_ns: Estimate, batches: list[Batch], tool: str
) -> CaseSummary:
    """The figures that another program states: nothing of samples that nobody has.

    Percentiles, the shortest and the longest operation are kept of a case with one launch.
    """
    stated = [batch.stated for batch in batches if batch.stated]
    kinds = " or ".join(dict.fromkeys(one.figure for one in stated))
    counts = sorted({one.operations for one in stated if one.operations})
    of = f"; it is of {counts[0]:,} to {counts[-1]:,} operations" if counts else OPERATIONS_UNKNOWN
    if len(counts) == 1:
        of = f"; it is of {counted(counts[0], 'operation')}"
    what = f"{kinds} as {tool} states it"
    percentiles = dict(stated[0].latencies_ns) if len(stated) == 1 else {}
    figure = msgspec.structs.replace(time_ns, method=f"{what}; {time_ns.method}")
    return msgspec.structs.replace(
        summary,
        samples=0,
        latency_ns=latency_of(pattern, figure),
        bandwidth_bytes_per_s=bandwidth_of(pattern, summary.bytes, figure),
        minimum_latency_ns=percentiles.pop("0", None),
        percentiles_latency_ns=percentiles,
        relative_half_width=figure.relative_half_width if figure.is_bounded else None,
        flags=(*summary.flags, f"{what}: {SCATTER_UNKNOWN}{of}"),
    )


def _distribution(
    run: Run, pattern: Pattern, times: dict[int, NDArray[np.float64]], measured: list[Batch]
) -> dict[str, Any]:
    """Minimum and percentiles of all samples, by what they are of, and tails over launches."""
    import numpy as np

    divisor = max(pattern.latency_divisor, 1)
    launches = [values / divisor for values in times.values()]
    pooled = np.concatenate(launches)
    least, found = float(pooled.min()), percentiles(pooled)
    if any(batch.ops_per_sample > 1 for batch in measured):
        return {
            "minimum_of_means_latency_ns": least,
            "percentiles_of_means_latency_ns": found,
        }
    return {
        "minimum_latency_ns": least,
        "percentiles_latency_ns": found,
        "tails_latency_ns": tails(
            launches, run.sessions_of(times), run.resolution_ns(measured) / divisor
        ),
    }


def _with_peak(summary: CaseSummary, pattern: Pattern, link: Link | None) -> CaseSummary:
    """The summary with its link, the peak for its directions, and its share of that peak."""
    share = share_of_peak(summary.bandwidth_bytes_per_s, summary.ranks, pattern, link)
    if share is None:
        return summary
    return msgspec.structs.replace(
        summary,
        link=share.link,
        peak_bytes_per_s=share.peak_bytes_per_s,
        percent_of_peak=share.percent,
        flags=summary.flags + ((over_the_peak(share.link),) if share.is_over else ()),
    )


def _queue_held(run: Run, batches: list[Batch]) -> float | None:
    """Of Q messages posted at once, how many were in flight then: the median over the launches.

    None where nobody looked: no stream, or a record of before there was a look.
    """
    looked = [batch for batch in batches if batch.queue_held is not None]
    if not looked:
        return None
    held = launch_medians(samples_by_launch(looked, lambda batch: [batch.queue_held]))
    return middle_of_case(list(held.values()), run.sessions_of(held))


def latency_of(pattern: Pattern, time_ns: Estimate) -> Estimate | None:
    """Latency from the time of one operation in ns; None where a test has none."""
    divisor = pattern.latency_divisor
    return time_ns.mapped(lambda t: t / divisor) if divisor else None


def bandwidth_of(pattern: Pattern, size: int, time_ns: Estimate) -> Estimate | None:
    """Bandwidth in bytes/s from the time of one operation; None where a test has none."""
    moved = pattern.bandwidth_factor * size * 1e9
    return time_ns.mapped(lambda t: moved / t) if moved else None


def _one_by_one(run: Run, case: Case) -> str:
    """The command that measures a case by single operations; empty where its samples are such."""
    pattern = run.patterns[case.test]
    if case.single or pattern.every_operation:
        return ""
    single = msgspec.structs.replace(case, single=True)
    return alone(single, pattern, run.header.plan, len(run.header.hosts))


def _flags(
    run: Run, case: Case, launches: list[NDArray[np.float64]], again: NextSession
) -> tuple[str, ...]:
    """Shapes are looked for in each launch, and reported when most launches have them."""

    flags = []
    count = len(launches)
    pattern = run.patterns[case.test]
    resolution_ns = run.resolution_ns(run.measured_by_case[case.key])
    divisor = max(pattern.latency_divisor, 1)
    scaled = [values / divisor for values in launches]
    splits = [two_modes(values, resolution_ns / divisor) for values in scaled]
    modes = [split for split in splits if split is not None]
    if 2 * len(modes) > count:
        middle = sorted(modes)[len(modes) // 2]
        seen = f"{len(modes)} of {counted(count, 'launch')}"
        flags.append(modes_in_words(*middle, seen, _one_by_one(run, case)))
    drifts = [change for values in scaled if (change := drift(values)) is not None]
    for same_way in ([d for d in drifts if d > 0], [d for d in drifts if d < 0]):
        if 2 * len(same_way) > count:
            seen = f"{len(same_way)} of {counted(count, 'launch')}"
            flags.append(drift_in_words(median(same_way), seen))
    if count > 1 and (apart := launches_apart(scaled)) is not None:
        flags.append(launches_in_words(*apart))
    flags += not_looked_for(scaled, again)
    return tuple(flags)
