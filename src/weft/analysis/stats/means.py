"""The mean time of an operation, which adds up: n operations take n times the mean.

A median does not: the median of the sum of eight skewed times is not eight times the median of one.
So what LogGP takes apart (a burst into gaps, a round trip into overheads and latency) are means.
A few samples in which the scheduler gave the core to another process move a mean; they lie far
outside the others' scatter and are omitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.quantiles import quantiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A sample further above the median than so many interquartile ranges was interrupted. Of an
# exponential distribution, whose tail is long, fewer than one in a thousand million lie there.
RANGES = 20
# Where the clock's steps hide the scatter: so many times the median.
LEAST = 2.0


def uninterrupted_mean(times_ns: NDArray[np.float64]) -> float:
    """The mean of the samples without those that were interrupted, in their own unit.

    Omitted is what lies above the median by 20 interquartile ranges and by the median itself.
    """
    first, middle, third = quantiles(times_ns, (0.25, 0.5, 0.75))
    most = max(middle + RANGES * (third - first), LEAST * middle)
    return float(times_ns[times_ns <= most].mean())
