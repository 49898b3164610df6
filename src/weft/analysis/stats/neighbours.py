"""Whether launches that follow each other are more alike than launches in any other order. Pure.

The way through the launches is the sum of squared differences of those that follow each other, each
case's by its own scatter; over one case it is von Neumann's ratio (Distribution of the ratio of the
mean square successive difference to the variance, Annals of Mathematical Statistics 12, 1941). If
launches are independent each order is as likely, so the chance is the share of orders whose way is
as short: whatever the noise, and however much the cases of a launch share.

No test of five values of one series sees a correlation of 0.9 in more than 26 % of runs at a level
of 5 % (the likelihood ratio itself, by simulation). Cases that each have their own state, and
transports that share the machine's, know more.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# Up to so many launches every order is counted, beyond so many are drawn.
_COUNTED = 7
_DRAWN = 2000
_SEED = 1941
# A scatter of less than this, in logarithms, is rounding.
_ROUNDING = 1e-12


def chance_of_neighbours(series: Sequence[Sequence[float]] | NDArray[np.float64]) -> float:
    """The p-value of launches as alike as they follow each other, of all cases together.

    `series`: for each case the logarithms of its launches in the order of time. A case whose
    launches are all alike says nothing; 1 where none says anything.
    """
    import numpy as np

    scaled = [own for own in map(_scaled, series) if own is not None]
    if not scaled:
        return 1.0
    values = np.array(scaled)
    apart = np.square(values[:, :, None] - values[:, None, :]).sum(axis=0)
    return _chance(apart, (0,) * values.shape[1])


def chance_of_groups(groups: Sequence[Sequence[tuple[int, float]]]) -> float | None:
    """The same of launches of several kinds that one machine made in turn, on one way in time.

    `groups`: for each kind the times (any order number) and logarithms of its launches. Orders are
    changed within a kind only. None where fewer than two kinds have a scatter.
    """
    import numpy as np

    known = []
    for at, group in enumerate(groups):
        scaled = _scaled([log for _, log in group])
        if scaled is not None:
            places = (place for place, _ in group)
            known += [(place, at, value) for place, value in zip(places, scaled, strict=True)]
    if len({at for _, at, _ in known}) < 2:
        return None
    known.sort()
    values = np.array([value for _, _, value in known])
    apart = np.square(values[:, None] - values[None, :])
    return _chance(apart, tuple(at for _, at, _ in known))


def _scaled(logs: Sequence[float]) -> NDArray[np.float64] | None:
    """About their mean, their squares add up to their number; None without any scatter."""
    import numpy as np

    values = np.asarray(logs, dtype=np.float64)
    values = values - values.mean()
    squares = float(values @ values)
    return None if squares <= _ROUNDING**2 else values * (len(values) / squares) ** 0.5


def _chance(apart: NDArray[np.float64], groups: tuple[int, ...]) -> float:
    orders = _orders(groups)
    ways = apart[orders[:, :-1], orders[:, 1:]].sum(axis=1)
    return float((ways <= ways[0] * (1 + 1e-9)).mean())


@lru_cache(maxsize=64)
def _orders(groups: tuple[int, ...]) -> NDArray[np.intp]:
    """Orders of launches, a row each, that change places within their group; first as they are."""
    import numpy as np

    count = len(groups)
    if len(set(groups)) == 1 and count <= _COUNTED:
        return np.array(list(itertools.permutations(range(count))), dtype=np.intp)
    random = np.random.default_rng(_SEED)
    found = np.tile(np.arange(count, dtype=np.intp), (_DRAWN + 1, 1))
    for group in sorted(set(groups)):
        places = np.flatnonzero(np.array(groups) == group)
        found[1:, places] = random.permuted(found[1:, places], axis=1)
    return found
