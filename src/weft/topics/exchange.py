"""An exchange among neighbours: the least, the mean and the greatest time over the ranks. Pure.

As IMB reports its parallel transfers (Intel MPI Benchmarks, User Guide, Output): Tmin, Tavg and
Tmax over the processes, and a throughput based on Tmax. Of each rank the median of a launch's
samples counts, where IMB takes the mean of its repetitions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import Estimate, median_of_launches
from weft.analysis.summary import bandwidth_of, resolution_ns

if TYPE_CHECKING:
    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run

_RANK = re.compile(r"rank\d+")


class ExchangeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A case of an exchange: times of one iteration over the ranks, in ns.

    `bandwidth_bytes_per_s` counts both directions of a rank and is that of the greatest time.
    """

    case: str
    test: str
    transport: str
    way: str
    bytes: int
    ranks: int
    launches: int
    least_ns: Estimate
    mean_ns: Estimate
    greatest_ns: Estimate
    bandwidth_bytes_per_s: Estimate | None


def exchanges_of(run: Run) -> tuple[ExchangeRow, ...]:
    """A row a case whose record has every rank's own times, in the order of the plan."""
    batches: dict[str, list[Batch]] = {}
    for batch in run.measured:
        is_exchange = run.patterns[run.cases[batch.case].test].figure == "exchange"
        if is_exchange and any(_RANK.fullmatch(part) for part in batch.parts):
            batches.setdefault(batch.case, []).append(batch)
    rows = (_row(run, case, batches[key]) for key, case in run.cases.items() if key in batches)
    return tuple(row for row in rows if row is not None)


def _row(run: Run, case: Case, batches: list[Batch]) -> ExchangeRow | None:
    """None where a clock did not move."""
    launches = [_medians_ns(run, batch) for batch in batches]
    if min(map(min, launches)) <= 0:
        return None
    tick_ns = resolution_ns(run, batches)
    greatest = median_of_launches([max(times) for times in launches], tick_ns)
    return ExchangeRow(
        case=case.key,
        test=case.test,
        transport=case.transport,
        way=case.but_for("ranks").variant,
        bytes=case.bytes,
        ranks=len(launches[0]),
        launches=len({batch.launch for batch in batches}),
        least_ns=median_of_launches([min(times) for times in launches], tick_ns),
        mean_ns=median_of_launches([sum(times) / len(times) for times in launches], tick_ns),
        greatest_ns=greatest,
        bandwidth_bytes_per_s=bandwidth_of(run.patterns[case.test], case, greatest),
    )


def _medians_ns(run: Run, batch: Batch) -> list[float]:
    """Each rank's median time of an iteration in a batch, rank 0's first."""
    import numpy as np

    parts = ["", *(part for part in batch.parts if _RANK.fullmatch(part))]
    return [float(np.median(run.time_ns(batch, part=part))) for part in parts]
