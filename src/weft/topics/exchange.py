"""Exchanges and collective operations: the least, the mean and the greatest time over the ranks.

As IMB reports its parallel transfers and collectives (Intel MPI Benchmarks, User Guide, Output):
Tmin, Tavg and Tmax over the processes, and a throughput based on Tmax. Each sample has a mean over
the ranks and a slowest rank, and the median over the samples counts: ranks that wait for each other
take turns at being slow. The least is the smallest of the ranks' medians.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from weft.analysis.summary import bandwidth_of
from weft.estimate import Estimate
from weft.record.launches import by_launch, launch_medians, samples_by_launch
from weft.record.rank_times import medians_of_ranks
from weft.record.ranks import has_ranks, mean_ticks, slowest_of_samples, slowest_ticks
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
    from weft.record.model import Batch, Sampled
    from weft.record.run import Run
    from weft.topics.base import Results

_FIGURES = ("exchange", "collective")


class ExchangeRow(CaseRow, frozen=True, kw_only=True):
    """A case of an exchange or of a collective operation: times of one over the ranks, in ns.

    `mean_ns` and `greatest_ns` are of each sample, `least_ns` is the fastest rank's median.
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


class OverRanks(NamedTuple):
    """The mean over the ranks and the slowest rank, of each sample, in ns."""

    mean_ns: Estimate
    slowest_ns: Estimate


def over_ranks_of(run: Run, case: str) -> OverRanks | None:
    """None where a test has no times of all its ranks to wait for, or its record not all."""
    batches = [batch for batch in run.measured_by_case[case] if has_ranks(batch)]
    if not batches or run.patterns[run.cases[case].test].figure not in (*_FIGURES, "iteration"):
        return None
    return _over_ranks(run, batches)


def _over_ranks(run: Run, batches: Sequence[Batch]) -> OverRanks:
    tick_ns = run.resolution_ns(batches)

    def median_of(ticks: Callable[[Sampled], Any]) -> Estimate:
        samples = samples_by_launch(batches, lambda one: run.of_operation_ns(one, ticks(one)))
        return positive_of_case(run, launch_medians(samples), tick_ns)

    return OverRanks(median_of(mean_ticks), median_of(slowest_ticks))


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
    least = {number: min(times) for number, times in launches.items()}

    over = _over_ranks(run, batches)
    slowest = Counter(rank for batch in batches for rank in slowest_of_samples(batch))
    most_often = min(slowest, key=lambda rank: (-slowest[rank], rank))
    return ExchangeRow(
        **ExchangeRow.of(case, "ranks", ranks=len(medians_of_ranks(run, batches[:1]))),
        launches=len(launches),
        least_ns=positive_of_case(run, least, tick_ns),
        mean_ns=over.mean_ns,
        greatest_ns=over.slowest_ns,
        bandwidth_bytes_per_s=bandwidth_of(run.patterns[case.test], case.bytes, over.slowest_ns),
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
            "As IMB reports: mean and slowest rank of each sample, and the fastest rank's median.",
            "Slowest rank: the one that was last in most samples; its share of them beside it.",
        ),
        left=(0, 1),
    )
