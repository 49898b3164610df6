"""What an iteration takes, and its parts, from the samples of all ranks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weft.analysis.stats.means import uninterrupted_mean
from weft.record.launches import by_launch, launch_median
from weft.topics.series import of_case, part_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run

# Of an iteration: less than this beside its parts is none of it.
_ROUNDING = 1e-3
_RANK = re.compile(r"rank(\d+)")


def _ranks_of(batch: Batch) -> list[str]:
    """The names of the samples of every rank, rank 0's first."""
    return ["", *(part for part in batch.parts if _RANK.fullmatch(part))]


def medians_ns(run: Run, batches: Sequence[Batch]) -> list[float]:
    """The median time of an iteration on each rank of a launch."""
    import numpy as np

    return [
        launch_median(np.concatenate([part_ns(run, batch, rank) for batch in batches]))
        for rank in _ranks_of(batches[0])
    ]


def parts_ns(run: Run, pattern: Pattern, batches: Sequence[Batch]) -> dict[str, Estimate]:
    """By the test's parts in its order: the median of the mean over ranks.

    What an iteration takes beside them, if it is more than rounding, is the last one: of a solver
    the steps of its fields.
    """
    import numpy as np

    launches = by_launch(batches)

    def means(part: str) -> list[float]:
        return [_mean_part_ns(run, own, part) for own in launches.values()]

    spent = {part: means(part) for part in pattern.parts}
    whole = np.array(means(""))
    rest = whole - np.sum(list(spent.values()), axis=0)
    if spent and np.median(rest) > _ROUNDING * np.median(whole):
        spent[pattern.application.rest] = rest.tolist()
    return {
        part: of_case(run, dict(zip(launches, own, strict=True))) for part, own in spent.items()
    }


def _mean_part_ns(run: Run, batches: Sequence[Batch], part: str) -> float:
    """The mean over the ranks of a part; of whole iterations where none is named."""
    means = [
        float(_kept(run, batch, rank, f"{rank}.{part}".strip(".")).mean())
        for batch in batches
        for rank in _ranks_of(batch)
    ]
    return sum(means) / len(means)


def _kept(run: Run, batch: Batch, rank: str, part: str) -> NDArray[np.float64]:
    """A part of the samples that were not interrupted, the same for each part: so they add up."""
    whole = part_ns(run, batch, rank)
    usual = uninterrupted_mean(whole)
    kept = whole <= max(usual * 2, float(whole.min()))
    values: NDArray[np.float64] = part_ns(run, batch, part)[kept]
    return values
