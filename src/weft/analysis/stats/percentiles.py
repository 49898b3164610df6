"""Percentiles of samples, as far as their number carries them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.intervals import median_of_case
from weft.quantiles import median, quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate

PERCENTILES = (1.0, 5.0, 25.0, 75.0, 90.0, 95.0, 99.0, 99.9)
TAILS = ("99", "99.9")
SAMPLES_BEYOND = 10


def percentiles(
    values: NDArray[np.float64], wanted: Sequence[float] = PERCENTILES
) -> dict[str, float]:
    """The wanted percentiles that have at least 10 samples beyond them, by name ("99.9").

    Fewer samples beyond would make the figure the luck of a few; such a one is omitted. Between
    two samples a percentile is interpolated.
    """
    usable = [p for p in wanted if len(values) * min(p, 100.0 - p) / 100.0 >= SAMPLES_BEYOND - 1e-9]
    found = quantiles(values, [p / 100 for p in usable])
    return {f"{p:g}": value for p, value in zip(usable, found, strict=True)}


def medians(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The median of each part, in its unit; in one go where all have as many values."""
    import numpy as np

    if len({len(part) for part in parts}) == 1:
        return np.asarray(np.median(np.stack(parts), axis=1))
    return np.array([median(part) for part in parts])


def tails(
    launches: Sequence[NDArray[np.float64]], sessions: Sequence[int] = (), resolution: float = 0.0
) -> dict[str, Estimate]:
    """The percentiles of TAILS, each the median over launches of each launch's own, by name.

    Only those that every launch has enough samples for: a launch's tail is one value, as its
    median is, so that the interval covers the variation between launches. `sessions` and
    `resolution` as for `median_of_case`.
    """
    found = [percentiles(values) for values in launches]
    return {
        name: median_of_case([one[name] for one in found], sessions, resolution)
        for name in TAILS
        if all(one.get(name, 0.0) > 0 for one in found)
    }
