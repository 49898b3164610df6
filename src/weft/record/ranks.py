"""Series of single ranks, and what a sample took where each rank has its own time. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.pattern import FigureKind

# A rank's own times; those of the first are the samples themselves.
OF_RANK = re.compile(r"rank\d+")
FIRST_RANK = "rank0"


def ticks_of_samples(
    figure: FigureKind, ticks: Sequence[int], parts: Mapping[str, Sequence[int]]
) -> Any:
    """Ticks of each sample: rank 0's, or of an operation of all ranks the mean over them.

    As the OSU Micro-Benchmarks report collective operations (osu_allreduce, "Avg Latency").
    """
    import numpy as np

    ranks = [own for name, own in parts.items() if OF_RANK.fullmatch(name)]
    return np.mean([ticks, *ranks], axis=0) if figure == "collective" and ranks else ticks
