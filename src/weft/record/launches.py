"""The launches of a case: its batches grouped by launch, and the one median of each.

The only place for both: what stops a run, sums it up, pools records or draws a chart asks here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from weft.quantiles import median

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from weft.record.model import Batch, Launch

Key = TypeVar("Key", bound="Hashable")


def grouped(batches: Iterable[Batch], key: Callable[[Batch], Key]) -> dict[Key, list[Batch]]:
    """Batches by what they have in common, both in the order in which they came."""
    groups: dict[Key, list[Batch]] = {}
    for batch in batches:
        groups.setdefault(key(batch), []).append(batch)
    return groups


def rails_of(launches: Iterable[Launch], transport: str) -> int:
    """The most rails over which a launch of a transport sent; 1 where none says so."""
    own = [launch for launch in launches if launch.transport == transport]
    return max((int(launch.details.get("rails", 1)) for launch in own), default=1)


def by_launch(batches: Iterable[Batch]) -> dict[int, list[Batch]]:
    """Batches by the number of their launch."""
    return grouped(batches, lambda batch: batch.launch)


def samples_by_launch(batches: Iterable[Batch], figure: Callable[[Batch], Any]) -> dict[int, Any]:
    """A figure of every sample by launch: numpy arrays, those of a launch's batches joined.

    `figure` gives an array with an entry a sample of the batch, such as `Run.time_ns`.
    """
    return samples_of_groups(by_launch(batches), figure)


def samples_of_groups(
    groups: Mapping[Key, Iterable[Batch]], figure: Callable[[Batch], Any]
) -> dict[Key, Any]:
    """The same of other groups than launches: the samples of a group's batches joined."""
    import numpy as np

    return {key: np.concatenate([figure(batch) for batch in own]) for key, own in groups.items()}


def launch_median(samples: Any) -> float:
    """The median of a launch, in the unit of its samples; of an even number the middle of two."""
    return median(samples)


def launch_medians(launches: Mapping[Key, Any]) -> dict[Key, float]:
    """The median of each launch."""
    return {launch: launch_median(samples) for launch, samples in launches.items()}
