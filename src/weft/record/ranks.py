"""Series of single ranks, and what a sample took where each rank has its own time. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.pattern import FigureKind
    from weft.record.model import Sampled

# `rankN` for the samples of rank N, `rankN.name` for its other series, `name` for the first one's.
_PLACE = re.compile(r"(?:rank(\d+)(?:\.|$))?(.*)")
# The first one's own times are the samples themselves, where these are of no other ranks too.
FIRST_RANK = "rank0"
# Where they are, its own are this series.
OWN = "own"


def rank_and_part(name: str) -> tuple[int, str]:
    """Whose series a batch keeps under a name, and what it is of; "" for that rank's own times."""
    found = _PLACE.fullmatch(name)
    return (int(found[1] or 0), found[2]) if found else (0, name)


def name_of(rank: int, part: str = "") -> str:
    """What a batch calls the series of a part of a rank; its own times where none is named."""
    return f"rank{rank}.{part}".rstrip(".") if rank else part


def of_streams(seen: Sampled) -> list[str]:
    """The series of each rank that has a stream of its own, where samples are of all streams."""
    placed = {name: rank_and_part(name) for name in seen.parts}
    return [name for name, (rank, part) in placed.items() if name == OWN or (rank and not part)]


def has_ranks(seen: Sampled) -> bool:
    """Whether the times of other ranks than the first are known."""
    return seen.over_ranks is not None or len(parts_of_ranks(seen)) > 1


def ticks_of_samples(figure: FigureKind, seen: Sampled) -> Any:
    """Ticks of each sample: those of rank 0, or of all ranks together.

    An exchange or an iteration is done when the last rank is done, so the slowest rank counts. A
    collective operation has the mean over the ranks, as the OSU Micro-Benchmarks report it
    (osu_allreduce, "Avg Latency"). Pairs have the median over the ranks: rank 0 may stand by, and
    its samples are then no times.
    """
    if not has_ranks(seen):
        return seen.ticks
    if figure == "exchange":
        return slowest_ticks(seen)
    if figure == "iteration":
        return _ticks_of_slowest_rank(seen)
    if figure == "collective":
        return mean_ticks(seen)
    return _median_ticks(seen) if figure == "pairs" else seen.ticks


def mean_ticks(seen: Sampled) -> Any:
    """The mean over the ranks of each sample, the warm-up's too."""
    import numpy as np

    if seen.over_ranks is not None:
        return seen.over_ranks.mean[""]
    return np.mean(list(_ticks_by_rank(seen).values()), axis=0)


def slowest_ticks(seen: Sampled) -> Any:
    """The time of the slowest rank of each sample, the warm-up's too: as many ranks as wait for
    each other take turns at being last.
    """
    import numpy as np

    if seen.over_ranks is not None:
        return seen.over_ranks.slowest[""]
    return np.max(list(_ticks_by_rank(seen).values()), axis=0)


def _median_ticks(seen: Sampled) -> Any:
    import numpy as np

    if seen.over_ranks is not None:
        return seen.over_ranks.mean[""]
    return np.median(list(_ticks_by_rank(seen).values()), axis=0)


def _ticks_of_slowest_rank(seen: Sampled) -> Any:
    """The samples of the rank whose median is the greatest, the first of several.

    If no rank's own samples were kept, the slowest of each sample, scaled to that rank's median.
    """
    import numpy as np

    if seen.over_ranks is not None:
        slowest = np.asarray(slowest_ticks(seen), dtype=np.float64)
        middle = float(np.median(slowest[seen.warmup :]))
        greatest = max(seen.over_ranks.medians.values())
        return slowest * (greatest / middle) if middle > 0 else slowest
    ranks = np.array(list(_ticks_by_rank(seen).values()))
    return ranks[np.argmax(np.median(ranks[:, seen.warmup :], axis=1))]


def slowest_of_samples(seen: Sampled) -> tuple[int, ...]:
    """The rank that took longest in each sample behind the warm-up, the first of several."""
    import numpy as np

    if seen.over_ranks is not None:
        return seen.over_ranks.slowest_rank[seen.warmup :]
    ranks = _ticks_by_rank(seen)
    numbers = np.array(list(ranks))
    last = np.argmax(np.array(list(ranks.values()))[:, seen.warmup :], axis=0)
    return tuple(numbers[last].tolist())


def ticks_of_slowest_pair(seen: Sampled, partners: Sequence[int], own_ticks: float) -> float:
    """Ticks of the pass of the pair that took longest, whose two ranks take turns.

    A rank sends its message right behind its answer, so what both ranks timed overlaps by the
    answers, by half at most. How much shows in rank 0's pair, whose pass took `own_ticks`; 0: not
    known. `partners` has each rank's in this round; who stands by has one that is no rank.
    """
    totals = {rank: sum(own) for rank, own in _ticks_by_rank(seen).items()}
    pairs = [totals.get(rank, 0) + totals.get(other, 0) for rank, other in enumerate(partners)]
    overlap = max(0.0, pairs[0] - own_ticks) if own_ticks > 0 else 0.0
    slowest = max(pairs)
    return max(slowest - overlap, slowest / 2)


def _ticks_by_rank(seen: Sampled) -> dict[int, Sequence[int]]:
    """The samples of each rank whose times are kept, the first one's first."""
    names = parts_of_ranks(seen)
    return {rank: seen.parts[name] if rank else seen.ticks for rank, name in names.items()}


def parts_of_ranks(seen: Sampled) -> dict[int, str]:
    """What the series of each rank is called whose times are kept, the first one's first."""
    placed = {name: rank_and_part(name) for name in seen.parts}
    others = {rank: name for name, (rank, part) in placed.items() if rank and not part}
    return {0: FIRST_RANK, **others}
