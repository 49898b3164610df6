"""The launches of a case: its batches grouped by launch, and the one median of each.

The only place for both: what stops a run, sums it up, pools records or draws a chart asks here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from weft.record.model import Batch


def by_launch(batches: Iterable[Batch]) -> dict[int, list[Batch]]:
    """Batches of one case by the number of their launch, both in the order in which they came."""
    launches: dict[int, list[Batch]] = {}
    for batch in batches:
        launches.setdefault(batch.launch, []).append(batch)
    return launches


def samples_by_launch(batches: Iterable[Batch], figure: Callable[[Batch], Any]) -> dict[int, Any]:
    """A figure of every sample by launch: numpy arrays, those of a launch's batches joined.

    `figure` gives an array with an entry a sample of the batch, such as `Run.time_ns`.
    """
    import numpy as np

    return {
        launch: np.concatenate([figure(batch) for batch in own])
        for launch, own in by_launch(batches).items()
    }


def launch_median(samples: Any) -> float:
    """The median of a launch, in the unit of its samples; of an even number the middle of two."""
    import numpy as np

    return float(np.median(samples))


def launch_medians(launches: Mapping[int, Any]) -> dict[int, float]:
    """The median of each launch."""
    return {launch: launch_median(samples) for launch, samples in launches.items()}
