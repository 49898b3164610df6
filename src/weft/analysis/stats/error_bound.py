"""What a further error is within, of errors that were seen. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Of further errors so many are within: of 19 and more that were seen, the largest does not count.
SHARE = 0.9


def bound_of_further(errors: Sequence[float], share: float = SHARE) -> float:
    """The error within which a further one is at least so often, whatever they are drawn from.

    Of n errors without their sign the ceil(share (n + 1))-th smallest (split conformal prediction:
    Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, JASA 113, 2018, section 2.2). Of too few for
    that, below 9 for nine of ten, the largest, which says less. 0 of none.
    """
    if not errors:
        return 0.0
    ordered = sorted(errors)
    return ordered[min(math.ceil(share * (len(ordered) + 1) - 1e-9), len(ordered)) - 1]


def bounds_further(count: int, share: float = SHARE) -> bool:
    """Whether so many errors bound a further one that often."""
    return math.ceil(share * (count + 1) - 1e-9) <= count
