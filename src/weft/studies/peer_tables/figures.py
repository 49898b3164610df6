"""A record's figures as other programs define them: means over all repetitions, ranks' means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.stats.percentiles import percentiles
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.record.ranks import parts_of_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.record.model import Batch
    from weft.record.run import Run

# The percentiles that are the extremes.
LEAST, GREATEST = "0", "100"
EXCHANGES = ("exchange", "collective")


class CaseFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One case: times of one operation in ns over all launches, as the engine's pattern has it.

    `mean_ns` is over all samples; `rank_means_ns` are the same of each rank, rank 0's first, where
    the record has the ranks' own times. `percentiles_ns` are those that enough samples carry. Where
    `is_of_means`, a sample is the mean of several operations. `stated_as` is what another program
    states in place of samples ("mean", "median", "minimum"); empty where there are samples. It may
    not say of how many `operations`: then they are 0. `stated` is what it states beside its figure,
    by its own heads and in its own units, where only one launch is behind that; its percentiles and
    extremes are then `percentiles_ns`, `least_ns` and `greatest_ns`.
    """

    case: Case
    operations: int
    mean_ns: float
    median_ns: float
    least_ns: float
    greatest_ns: float
    deviation_ns: float
    percentiles_ns: dict[str, float]
    rank_means_ns: tuple[float, ...] = ()
    is_of_means: bool = False
    stated_as: str = ""
    stated: dict[str, float] = {}


class CurveFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of one test over one transport, in one variant and with one number of ranks."""

    pattern: Pattern
    cases: tuple[CaseFigures, ...]

    @property
    def first(self) -> Case:
        """The case of the first size: but for the size, all are like it."""
        return self.cases[0].case


def curves_of(run: Run, tests: Collection[str]) -> list[CurveFigures]:
    """The measured cases of these tests, in the order of the plan, sizes that belong together."""
    found: dict[Case, list[CaseFigures]] = {}
    for key, batches in run.measured_by_case.items():
        case = run.cases[key]
        if case.test in tests:
            figures = _figures_of(run, case, batches)
            if figures.least_ns > 0:  # where the clock stood still there is no figure
                found.setdefault(case.but_for("bytes"), []).append(figures)
    return [
        CurveFigures(pattern=run.patterns[k.test], cases=tuple(own)) for k, own in found.items()
    ]


def _figures_of(run: Run, case: Case, batches: Sequence[Batch]) -> CaseFigures:
    import numpy as np

    times = _of_all(run, batches)
    kinds = [batch.stated.figure for batch in batches if batch.stated]
    stated = [batch.stated.operations for batch in batches if batch.stated]
    alone = batches[0].stated if len(batches) == 1 else None
    divisor = max(run.patterns[case.test].latency_divisor, 1)
    ends = {at: ns * divisor for at, ns in alone.latencies_ns.items()} if alone else {}
    return CaseFigures(
        case=case,
        operations=sum(stated)
        if stated
        else sum((len(b.ticks) - b.warmup) * b.ops_per_sample for b in batches),
        mean_ns=float(times.mean()),
        median_ns=float(np.median(times)),
        least_ns=ends.pop(LEAST, float(times.min())),
        greatest_ns=ends.pop(GREATEST, float(times.max())),
        deviation_ns=float(times.std(ddof=1)) if len(times) > 1 else 0.0,
        percentiles_ns=ends or percentiles(times, (50.0, 99.0, 99.9)),
        rank_means_ns=_rank_means_ns(run, case, batches),
        is_of_means=any(batch.ops_per_sample > 1 for batch in batches),
        stated_as=kinds[0] if kinds else "",
        stated=dict(alone.others) if alone else {},
    )


def _rank_means_ns(run: Run, case: Case, batches: Sequence[Batch]) -> tuple[float, ...]:
    if run.patterns[case.test].figure not in EXCHANGES:
        return ()
    ranks = parts_of_ranks(batches[0]).values()
    if len(ranks) == 1:
        return ()
    return tuple(float(_of_all(run, batches, part).mean()) for part in ranks)


def _of_all(run: Run, batches: Sequence[Batch], part: str = "") -> NDArray[np.float64]:
    import numpy as np

    arrays: list[Any] = [run.time_ns(batch, part=part) for batch in batches]
    return np.concatenate(arrays)
