"""Jain's index of fairness. Pure.

Jain, Chiu and Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation
in Shared Computer Systems, DEC Research Report TR-301, 1984.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import median_of_case
from weft.record.launches import launch_median

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.estimate import Estimate


def jain(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The index of each row of shares: (sum x)^2 / (n * sum x^2), from 1 / n to 1.

    1: all have the same. k / n: k of them share all of it alike and the others have nothing.
    Raises ValueError where a row has nothing at all.
    """
    squares = (shares**2).sum(axis=-1)
    if not squares.all():
        raise ValueError("jain wants shares that are not all zero")
    index: NDArray[np.float64] = shares.sum(axis=-1) ** 2 / (shares.shape[-1] * squares)
    return index


def fairness_of_launches(
    launches: Sequence[NDArray[np.float64]], sessions: Sequence[int] = ()
) -> Estimate:
    """The index with its interval, from that of every sample (`jain`) by launch.

    Each sample has an index of its own, for shares that change hands from sample to sample even
    out in their medians; a launch has the median of its samples', and the interval is that of
    `median_of_case`. It does not reach over 1.
    """
    estimate = median_of_case([launch_median(values) for values in launches], sessions)
    if not estimate.is_bounded:
        return estimate
    return msgspec.structs.replace(estimate, high=min(estimate.high, 1.0))
