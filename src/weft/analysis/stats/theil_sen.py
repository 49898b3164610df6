"""The slope that half of all pairs of values lie above. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def theil_sen(values: Sequence[float] | NDArray[np.float64]) -> float:
    """The rise from one value to the next, of two or more in a row, in their unit.

    The median of the slopes of all pairs (Sen, Estimates of the regression coefficient based on
    Kendall's tau, Journal of the American Statistical Association 63, 1968). scipy.stats has it
    too, but takes most of a second to import.
    """
    import numpy as np

    heights = np.asarray(values, dtype=np.float64)
    earlier, later = np.triu_indices(len(heights), k=1)
    return float(np.median((heights[later] - heights[earlier]) / (later - earlier)))
