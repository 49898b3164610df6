"""Quantiles and the median of some hundred values: numpy's own take ten times as long to begin.

A record has thousands of launches, and of each these are asked for several times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def quantiles(values: Any, shares: Sequence[float]) -> list[float]:
    """The values below which these shares lie, 0 to 1, in the unit of the values, of one at least.

    Between two values it is interpolated, as numpy does without a word (Hyndman and Fan, Sample
    Quantiles in Statistical Packages, 1996, definition 7), to the last bit.
    """
    import numpy as np

    ordered = np.sort(values)
    last = len(ordered) - 1
    found = []
    for share in shares:
        place = last * share
        at = int(place)
        low, high = float(ordered[at]), float(ordered[min(at + 1, last)])
        part, between = place - at, high - low
        # From the nearer end, so that neither is missed by rounding.
        found.append(low + between * part if part < 0.5 else high - between * (1 - part))
    return found


def median(values: Any) -> float:
    """The middle value, in the unit of the values, of one at least; of an even number the mean of
    the two in the middle.
    """
    import numpy as np

    ordered = np.sort(values)
    half, is_odd = divmod(len(ordered), 2)
    if is_odd:
        return float(ordered[half])
    return (float(ordered[half - 1]) + float(ordered[half])) / 2
