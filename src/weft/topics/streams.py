"""Many streams at once: what they move together, and each by itself. For hot spots and pairs.

After section 4.6 of Liu et al., "Micro-Benchmark Level Performance Comparison of High-Speed Cluster
Interconnects" (2003), figures 14 and 15. docs/numbers/many-ranks.md says what is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.fairness import fairness_of_launches, jain
from weft.analysis.stats.ratios import Ratio, ratio
from weft.charts import (
    BARS,
    MOST_CURVES,
    AxisUnit,
    Chart,
    ChartAxis,
    axis_over_counts,
    chart_of,
    track_of,
)
from weft.estimate import Estimate
from weft.record.host_pairs import HostPairs, host_pairs_of
from weft.record.launches import launch_medians, samples_by_launch
from weft.record.rank_times import medians_of_ranks
from weft.record.ranks import OWN, name_of, of_streams
from weft.topics.groups import by_variant, side
from weft.topics.rows import CaseRow
from weft.topics.series import positive_of_case
from weft.units import format_rate, format_ratio, format_time
from weft.wording import half_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.analysis.summary import CaseSummary
    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.tables import Table
    from weft.topics.base import Results
    from weft.units import Shape


HOT_SPOTS = ("hot_spot_send", "hot_spot_receive")
RATE = "message_rate"
REFERENCE = "random_pairs"
_RATE_UNIT = AxisUnit("million messages/s", 1e-6, format_rate)
_TIME_UNIT = AxisUnit("time of a message in µs", 1e-3, format_time)


class StreamsRow(CaseRow, frozen=True, kw_only=True):
    """Many streams at once: rank 0's peers of a hot spot, or pairs of ranks.

    `time_ns` is of one message of any stream, `rate_per_s` the messages of all of them in a second,
    `bandwidth_bytes_per_s` their bytes. `own_rates_per_s` has each stream's own rate by the name of
    the rank whose clock tells it (`own` is rank 0), the middle one is `own_rate_per_s`. `fairness`
    is Jain's index of the own rates; None for one stream. `launches` are those that measured it.
    `pairs` has the streams between hosts; None on one host and in older records.
    `of_reference` compares a hot spot's bandwidth with that of one pair among random pairs that all
    stream at once; None without such a case in the record.
    """

    streams: int
    time_ns: Estimate
    rate_per_s: Estimate
    bandwidth_bytes_per_s: Estimate
    own_rate_per_s: Estimate
    own_rates_per_s: dict[str, Estimate]
    fairness: Estimate | None = None
    pairs: HostPairs | None = None
    of_reference: Ratio | None = None


class StreamsRows(msgspec.Struct, frozen=True, kw_only=True):
    """Streams of some tests; `groups` differ in their number only, `titles` are their tests'."""

    streams: tuple[StreamsRow, ...]
    groups: tuple[tuple[StreamsRow, ...], ...]
    titles: dict[str, str]


def streams_among(results: Results, tests: Sequence[str]) -> StreamsRows:
    """The rows of these tests; all tests are computed once, for they are compared."""
    found = results.once(streams_of, lambda all_: streams_of(all_.run, all_.summaries))
    own = tuple(row for row in found if row.test in tests)
    return StreamsRows(
        streams=own,
        groups=by_variant(results.run, own),
        titles={test: results.run.patterns[test].title for test in {row.test for row in own}},
    )


def streams_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[StreamsRow, ...]:
    """A row for every measured case of hot spots or pairs, by test, variant, size and streams."""
    batches = run.measured_by_case
    wanted = [s for s in summaries if s.test in (*HOT_SPOTS, RATE, REFERENCE) and s.case in batches]
    rows = [
        _row(run, run.cases[s.case], batches[s.case])
        for s in wanted
        if s.bandwidth_bytes_per_s is not None
        and all(b.parts or b.over_ranks for b in batches[s.case])
    ]
    references = {run.cases[row.case]: row for row in rows if row.test == REFERENCE}
    compared = [_with_reference(run, row, references) for row in rows]
    return tuple(sorted(compared, key=lambda r: (r.test, r.transport, r.bytes, r.streams)))


def _row(run: Run, case: Case, batches: list[Batch]) -> StreamsRow:
    tick_ns = run.resolution_ns(batches)
    time_ns = _time_ns(run, batches, [run.time_ns(batch) for batch in batches], tick_ns)
    own = [own_times_ns(run, batch) for batch in batches]
    named = {name: [times[name] for times in own if name in times] for name in _names(own)}
    middle = [_middle(run, *one) for one in zip(batches, own, strict=True)]
    rates = {
        # Random pairs are others in each launch: their names mean nothing beyond it.
        name: _time_ns(run, batches, series, tick_ns * len(named)).mapped(_per_s)
        for name, series in named.items()
        if len(series) == len(batches)
    }
    return StreamsRow(
        **StreamsRow.of(case, "point"),
        streams=len(own[0]),
        launches=len({batch.launch for batch in batches}),
        time_ns=time_ns,
        rate_per_s=time_ns.mapped(_per_s),
        bandwidth_bytes_per_s=time_ns.mapped(lambda t: case.bytes * 1e9 / t),
        own_rate_per_s=_time_ns(run, batches, middle, tick_ns * len(named)).mapped(_per_s),
        own_rates_per_s=rates,
        fairness=_fairness(run, batches, own) if len(own[0]) > 1 else None,
        pairs=host_pairs_of(run, case.key),
    )


def own_times_ns(run: Run, batch: Batch) -> dict[str, NDArray[np.float64]]:
    """By the name of the reporting rank: what a stream took for each of its own messages, ns.

    Where a batch's operations are the messages of all its streams, each has as many of them. No
    clock tells less than a tick. Where each value was not kept a stream has its median alone.
    """
    import numpy as np

    tick_ns = run.resolution_ns([batch])
    if batch.over_ranks is not None:
        medians_ns = medians_of_ranks(run, [batch])
        times = {name_of(rank) or OWN: [own] for rank, own in medians_ns.items()}
    else:
        times = {name: run.time_ns(batch, part=name) for name in of_streams(batch)}
    share = _share_of(run, batch, len(times))
    return {name: np.maximum(own, tick_ns) * share for name, own in times.items()}


def _share_of(run: Run, batch: Batch, streams: int) -> int:
    """How many of a batch's operations a stream has one of."""
    return streams if run.patterns[run.cases[batch.case].test].splits_operations else 1


def _per_s(time_ns: float) -> float:
    return 1e9 / time_ns


def _names(own: list[dict[str, NDArray[np.float64]]]) -> list[str]:
    return list(dict.fromkeys(name for times in own for name in times))


def _middle(run: Run, batch: Batch, times: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """In each sample, the median over the streams."""
    import numpy as np

    if batch.over_ranks is not None:
        own = run.of_operation_ns(batch, batch.over_ranks.middle)
        kept: NDArray[np.float64] = np.maximum(own, run.resolution_ns([batch]))
        return kept * _share_of(run, batch, len(times))
    middle: NDArray[np.float64] = np.median(np.stack(list(times.values())), axis=0)
    return middle


def _time_ns(
    run: Run, batches: list[Batch], times: list[NDArray[np.float64]], tick_ns: float
) -> Estimate:
    of_batch = {batch.order: values for batch, values in zip(batches, times, strict=True)}
    launches = samples_by_launch(batches, lambda batch: of_batch[batch.order])
    return positive_of_case(run, launch_medians(launches), tick_ns)


def _fairness(
    run: Run, batches: list[Batch], own: list[dict[str, NDArray[np.float64]]]
) -> Estimate:
    of_samples = [_fairness_of(batch, times) for batch, times in zip(batches, own, strict=True)]
    return fairness_of_launches(of_samples, run.sessions_of(batch.launch for batch in batches))


def _fairness_of(batch: Batch, own: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """In each sample, Jain's index of the streams' rates."""
    import numpy as np

    if batch.over_ranks is not None:
        return np.asarray(batch.over_ranks.fairness_ppm[batch.warmup :]) * 1e-6
    return jain(1 / np.stack(list(own.values()), axis=-1))


def _with_reference(run: Run, row: StreamsRow, references: dict[Case, StreamsRow]) -> StreamsRow:
    case = run.cases[row.case]
    pairs = msgspec.structs.replace(case.but_for("point"), test=REFERENCE)
    reference = references.get(pairs)
    if row.test not in HOT_SPOTS or reference is None:
        return row
    pair = reference.own_rate_per_s.mapped(lambda rate: rate * row.bytes)
    found = ratio(
        side(pair, reference.launches),
        side(row.bandwidth_bytes_per_s, row.launches),
        "bandwidth",
    )
    return msgspec.structs.replace(row, of_reference=found)


def each_in_words(row: StreamsRow, shape: Shape) -> str:
    """The slowest and the fastest stream by itself."""
    medians = [rate.value for rate in row.own_rates_per_s.values()]
    if len(medians) < 2:
        return half_or_none(row.own_rate_per_s, shape)
    return f"{shape(min(medians))} to {shape(max(medians))}"


def with_host_pairs(table: Table, rows: Sequence[StreamsRow], before: str) -> Table:
    """The table with a column of the streams between hosts, if there were several hosts."""
    if not any(row.pairs for row in rows):
        return table
    at = table.head.index(before)
    cells = [row.pairs.in_words if row.pairs else "-" for row in rows]
    return msgspec.structs.replace(
        table,
        head=(*table.head[:at], "between hosts", *table.head[at:]),
        rows=tuple(
            (*row[:at], cell, *row[at:]) for row, cell in zip(table.rows, cells, strict=True)
        ),
    )


def fairness_in_words(row: StreamsRow) -> str:
    """Jain's index with its interval."""
    return half_or_none(row.fairness, format_ratio)


def streams_chart(rows: StreamsRows, test: str, x: str) -> Chart | None:
    """The time of a message against the number of streams (x); of message rates, that of all."""
    groups = [own for own in rows.groups if own[0].test == test]
    shown = [row for own in groups for row in own]
    if len({row.streams for row in shown}) < 2:
        return None
    is_rate = test == RATE
    title = rows.titles[test]
    unit = _RATE_UNIT if is_rate else _TIME_UNIT
    tracks = []
    for group, own in enumerate(groups[:MOST_CURVES]):
        figures = ((row, row.rate_per_s if is_rate else row.time_ns) for row in own)
        points = (
            unit.point(row.streams, one, f"{row.streams} {x}: {half_or_none(one, unit.shape)}")
            for row, one in figures
        )
        tracks.append(track_of(own[0].place, points, group))
    left_out = len(groups) - len(tracks)
    return chart_of(
        f"many-{test}",
        title,
        axis_over_counts(x, (row.streams for row in shown), is_log=False),
        ChartAxis(unit.label),
        tracks,
        note=BARS + (f" {left_out} more are in the table." if left_out else ""),
    )
