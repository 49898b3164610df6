"""How well a cause fits the times of pairs, and what chance gives. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.analysis.diagnosis.together import Pairs, inflations, means_by
from weft.analysis.stats.median_deviation import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.analysis.diagnosis.pair_times import PairTimes

# Of healthy maps so many name somebody at most, by chance.
FALSE_ALARMS = 0.005
# Fewer endpoints have so few pairs that their ranks alone hardly exceed chance.
_SMALL = 8
# A value that is so many scatters from its pair's median counts as that far.
_CUT = 4.0
# One way alone can be far from all others; so many are more than one of a kind.
_SEVERAL = 3


def least_fit(causes: int) -> float:
    """What chance gives the best of so many causes in FALSE_ALARMS of healthy maps."""
    from scipy.special import ndtri

    return -float(ndtri(FALSE_ALARMS / causes))


def fits_of(
    times: PairTimes, logs: NDArray[Any], pairs: Pairs, causes: Sequence[NDArray[Any]]
) -> NDArray[Any]:
    """How well each cause fits, as normal deviates; `causes` are places of `pairs`.

    Those of one round are less by what they are slow together.

    Few pairs have few ranks, however far apart they are: of these the logarithms themselves count
    too, each cut off where it is beyond its pair's own scatter. And where every pair of a cause is
    slower than any other, the times do: what a scheduler adds is no factor.
    """
    scores = _normal_scores(logs)
    z = _deviates(means_by(pairs, scores), causes)
    if len(times.names) >= _SMALL:
        z /= np.sqrt(inflations(pairs, scores, times.visit, causes))
        return z
    usual = pairs.log[pairs.of_value]
    far = _CUT * spread(logs - usual)
    cut: NDArray[Any] = usual + np.clip(logs - usual, -far, far)
    found: NDArray[Any] = np.maximum(z, _deviates(means_by(pairs, cut), causes))
    usual_ns = np.exp(pairs.log)
    apart = _deviates(usual_ns - usual_ns.mean(), causes)
    for at, places in enumerate(causes):
        if len(places) >= _SEVERAL and usual_ns[places].min() > np.delete(usual_ns, places).max():
            found[at] = max(found[at], apart[at])
    return found


def _deviates(own: NDArray[Any], causes: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Student's t of each cause's values against the others, as normal deviates (Wallace 1959).

    `own` are the values, their sum 0; positive where a cause's are greater.
    """
    count = len(own)
    free = max(count - 2, 1)
    total = max(float((own**2).sum()), 1e-300)
    size = np.array([len(places) for places in causes])
    added = np.array([own[places].sum() for places in causes])
    share = added**2 * count / (size * (count - size)) / total
    z = np.sqrt(-free * np.log1p(-np.minimum(share, 1 - 1e-12))) * (8 * free + 1) / (8 * free + 3)
    deviates: NDArray[Any] = np.copysign(z, added)
    return deviates


def _normal_scores(values: NDArray[Any]) -> NDArray[Any]:
    """Ranks as quantiles of the normal distribution, their sum 0; alike values have one."""
    from scipy.special import ndtri

    _, alike, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[alike]
    scores: NDArray[Any] = ndtri((ranks - 0.5) / len(values))
    centred: NDArray[Any] = scores - scores.mean()
    return centred
