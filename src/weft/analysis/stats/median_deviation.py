"""The scatter of values of which a few may be far off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Half of all normal values are within 1 / 1.4826 standard deviations of their mean.
_OF_NORMAL = 1.4826


def deviation_by_distances(distances: NDArray[Any]) -> float:
    """The standard deviation of normal values, from their signed distances from the middle.

    The median absolute deviation (Rousseeuw and Croux, Alternatives to the median absolute
    deviation, JASA 88, 1993): fewer than half of the values do not move it, however far off.
    """
    import numpy as np

    return _OF_NORMAL * float(np.median(np.abs(distances)))


def spread(values: NDArray[Any]) -> float:
    """The standard deviation of normal values, by their distances from their median; 0 of none."""
    import numpy as np

    return deviation_by_distances(values - np.median(values)) if len(values) else 0.0
