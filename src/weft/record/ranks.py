"""Series of single ranks, and what a sample took where each rank has its own time. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weft.record.launches import launch_median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.pattern import FigureKind
    from weft.record.model import Batch, Sampled
    from weft.record.run import Run

# A rank's own times; those of the first are the samples themselves.
OF_RANK = re.compile(r"rank\d+")
FIRST_RANK = "rank0"


def has_ranks(seen: Sampled) -> bool:
    """Whether the times of other ranks than the first are known."""
    return seen.over_ranks is not None or any(OF_RANK.fullmatch(part) for part in seen.parts)


def ticks_of_samples(figure: FigureKind, seen: Sampled) -> Any:
    """Ticks of each sample: rank 0's, or of an operation of all ranks the mean over them.

    As the OSU Micro-Benchmarks report collective operations (osu_allreduce, "Avg Latency").
    """
    import numpy as np

    if figure != "collective" or not has_ranks(seen):
        return seen.ticks
    if seen.over_ranks is not None:
        return seen.over_ranks.mean[""]
    ranks = [own for name, own in seen.parts.items() if OF_RANK.fullmatch(name)]
    return np.mean([seen.ticks, *ranks], axis=0)


def medians_of_ranks(run: Run, batches: Sequence[Batch]) -> dict[int, float]:
    """The median time of an operation on each rank in the batches of a launch, ns, by rank.

    Of several batches, one of which kept no more than quantiles, it is the median of their medians.
    """
    import numpy as np

    if len(batches) > 1 and any(batch.over_ranks for batch in batches):
        each = [medians_of_ranks(run, [batch]) for batch in batches]
        return {rank: launch_median([one[rank] for one in each]) for rank in each[0]}
    if kept := batches[0].over_ranks:
        scale_ns = run.tick_of_operation_ns(batches[0])
        return {rank: ticks * scale_ns for rank, ticks in kept.medians.items()}
    others = [part for part in batches[0].parts if OF_RANK.fullmatch(part)]
    return {
        int(part.removeprefix("rank")): launch_median(
            np.concatenate([run.time_ns(batch, part=part) for batch in batches])
        )
        for part in (FIRST_RANK, *others)
    }
