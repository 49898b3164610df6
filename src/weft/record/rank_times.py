"""What the ranks of a launch did, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.record.launches import launch_median
from weft.record.ranks import parts_of_ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.record.model import Batch
    from weft.record.run import Run


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
    return {
        rank: launch_median(np.concatenate([run.time_ns(batch, part=part) for batch in batches]))
        for rank, part in parts_of_ranks(batches[0]).items()
    }


def delays_of_ranks(run: Run, batch: Batch) -> dict[int, float]:
    """By rank, how many times as long as its median an operation of a batch takes on average.

    Empty where no more than quantiles were kept.
    """
    import numpy as np

    if batch.over_ranks:
        return {}
    found = {}
    for rank, part in parts_of_ranks(batch).items():
        times_ns = run.time_ns(batch, part=part)
        middle_ns = launch_median(times_ns)
        if middle_ns > 0:
            found[rank] = float(np.mean(times_ns)) / middle_ns
    return found


def on_threads_of_a_core(run: Run, batches: Iterable[Batch]) -> tuple[int, str] | None:
    """The most ranks that ran on hardware threads of one core, and its host; None if none did."""
    threads: dict[tuple[int, str, int], set[int]] = {}
    for batch in batches:
        for one in run.launches[batch.launch].ranks:
            if one.core >= 0:
                threads.setdefault((batch.launch, one.host, one.core), set()).add(one.cpu)
    most, host = max(((len(cpus), host) for (_, host, _), cpus in threads.items()), default=(0, ""))
    return (most, host) if most > 1 else None


def shares_cores(run: Run, batches: Iterable[Batch]) -> bool:
    """Whether two ranks of a launch were bound to one CPU."""
    placed = (run.launches[batch.launch].ranks for batch in batches)
    return any(len({(one.host, one.cpu) for one in ranks}) < len(ranks) for ranks in placed)
