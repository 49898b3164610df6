"""Exchanges and collective operations: the least, the mean and the greatest time over the ranks.

As IMB reports its parallel transfers and collectives (Intel MPI Benchmarks, User Guide, Output):
Tmin, Tavg and Tmax over the processes, and a throughput based on Tmax. Of each rank the median of a
launch's samples counts, where IMB takes the mean of its repetitions.
"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from weft.analysis.summary import bandwidth_of
from weft.estimate import Estimate
from weft.record.launches import by_launch
from weft.record.rank_times import medians_of_ranks
from weft.record.ranks import has_ranks, slowest_of_samples
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.groups import by_key
from weft.topics.rows import CaseRow
from weft.topics.series import positive_of_case
from weft.units import format_bandwidth, format_time
from weft.wording import half_or_none, size_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

_FIGURES = ("exchange", "collective")


class ExchangeRow(CaseRow, frozen=True, kw_only=True):
    """A case of an exchange or of a collective operation: times of one over the ranks, in ns.

    `bandwidth_bytes_per_s` counts both directions of a rank and is that of the greatest time; a
    collective operation has none. `slowest_rank` was the last in most samples of all launches, the
    first of several; `slowest_share` is its share of them: 1 / ranks where the ranks are alike.
    """

    ranks: int
    least_ns: Estimate
    mean_ns: Estimate
    greatest_ns: Estimate
    bandwidth_bytes_per_s: Estimate | None
    slowest_rank: int
    slowest_share: float


class Exchange(Topic[tuple[ExchangeRow, ...]]):
    """What an exchange among neighbours, or an operation of all ranks, takes over the ranks."""

    name = "exchange"
    title = "Exchanges and collective operations"

    def rows(self, results: Results) -> tuple[ExchangeRow, ...]:
        """One row per case that has every rank's own times."""
        return exchanges_of(results.run)

    def tables(self, rows: tuple[ExchangeRow, ...]) -> list[Table]:
        """One row per case."""
        return [_table(rows)] if rows else []

    def of_cases(self, rows: tuple[ExchangeRow, ...]) -> dict[str, dict[str, Any]]:
        """Beside a case's summary, its row."""
        return by_key("many", rows)


def exchanges_of(run: Run) -> tuple[ExchangeRow, ...]:
    """One row per case whose record has every rank's own times, in the order of the plan."""
    rows = []
    for key, batches in run.measured_by_case.items():
        case = run.cases[key]
        own = [batch for batch in batches if has_ranks(batch)]
        if own and run.patterns[case.test].figure in _FIGURES:
            rows.append(_row(run, case, own))
    return tuple(row for row in rows if row is not None)


def _row(run: Run, case: Case, batches: list[Batch]) -> ExchangeRow | None:
    """None where a clock did not move."""
    launches = {n: [*medians_of_ranks(run, own).values()] for n, own in by_launch(batches).items()}
    if min(map(min, launches.values())) <= 0:
        return None
    tick_ns = run.resolution_ns(batches)

    def median_of(figure: Callable[[list[float]], float]) -> Estimate:
        values = {number: figure(times) for number, times in launches.items()}
        return positive_of_case(run, values, tick_ns)

    greatest = median_of(max)
    slowest = Counter(rank for batch in batches for rank in slowest_of_samples(batch))
    most_often = min(slowest, key=lambda rank: (-slowest[rank], rank))
    return ExchangeRow(
        **ExchangeRow.of(case, "ranks", ranks=len(medians_of_ranks(run, batches[:1]))),
        launches=len(launches),
        least_ns=median_of(min),
        mean_ns=median_of(statistics.fmean),
        greatest_ns=greatest,
        bandwidth_bytes_per_s=bandwidth_of(run.patterns[case.test], case.bytes, greatest),
        slowest_rank=most_often,
        slowest_share=slowest[most_often] / slowest.total(),
    )


def _table(rows: Sequence[ExchangeRow]) -> Table:
    return Table(
        name="exchange",
        caption="Over the ranks: time of an iteration or operation, bandwidth of the slowest",
        head=(
            "test",
            "transport",
            "size",
            "ranks",
            "least",
            "mean",
            "greatest",
            "bandwidth",
            "slowest rank",
            "slowest share",
        ),
        rows=tuple(
            (
                row.test,
                row.over,
                size_in_words(row.test, row.bytes),
                str(row.ranks),
                half_or_none(row.least_ns, format_time),
                half_or_none(row.mean_ns, format_time),
                half_or_none(row.greatest_ns, format_time),
                half_or_none(row.bandwidth_bytes_per_s, format_bandwidth),
                str(row.slowest_rank),
                f"{row.slowest_share:.0%}",
            )
            for row in rows
        ),
        notes=(
            "As IMB reports; each rank's time is the median of its own samples.",
            "Slowest rank: the one that was last in most samples; its share of them beside it.",
        ),
        left=(0, 1),
    )
