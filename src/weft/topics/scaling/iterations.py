"""What an iteration takes, and its parts, from the samples of all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.means import uninterrupted_mean
from weft.record.launches import by_launch
from weft.record.ranks import name_of, parts_of_ranks
from weft.topics.series import of_case, part_ns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch
    from weft.record.run import Run

# Of an iteration: less than this beside its parts is none of it.
_ROUNDING = 1e-3


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
    """The mean over the ranks of a part; of whole iterations where none is named.

    Where each rank's own values were not kept, of the means over the ranks of each sample.
    """
    means = [
        float(_kept(whole, own).mean())
        for batch in batches
        for whole, own in _whole_and_part(run, batch, part)
    ]
    return sum(means) / len(means)


def _whole_and_part(
    run: Run, batch: Batch, part: str
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Whole iterations and a part of them, of each rank; of their means where only these are."""
    if batch.over_ranks is not None:
        mean = batch.over_ranks.mean
        yield run.of_operation_ns(batch, mean[""]), run.of_operation_ns(batch, mean[part])
        return
    for rank, name in parts_of_ranks(batch).items():
        whole = run.time_ns(batch, name)
        yield whole, part_ns(run, batch, name_of(rank, part)) if part else whole


def _kept(whole: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """A part of the samples that were not interrupted, the same for each part: so they add up."""
    usual = uninterrupted_mean(whole)
    return part[whole <= max(usual * 2, float(whole.min()))]
