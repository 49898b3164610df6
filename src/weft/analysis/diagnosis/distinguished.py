"""What a map of so many rounds distinguishes, and from which slowness on. Pure.

A kind of cause is distinguished where the pairs that each of its causes would make slow are those
of no other cause: in few rounds few pairs meet, and a slow pair is then seldom seen, but a slow
node is after a number of rounds that grows as the logarithm of the nodes. How slow it has to be
depends on the scatter: a slowness is added to the times of a typical cause of the kind, and the
least is sought that most such maps would name.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weft.analysis.diagnosis.causes import CauseKind, Causes, causes_of
from weft.analysis.diagnosis.diagnose import FEWEST, LEAST, excess_of, pairs_of
from weft.analysis.diagnosis.fit import fits_of, least_fit
from weft.analysis.stats.median_deviation import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.analysis.diagnosis.pair_times import PairTimes
    from weft.analysis.diagnosis.together import Pairs
    from weft.fabric.known import KnownFabric

# So many standard errors below its mean are 5 % of what is normal.
_POWER = 1.645
# A slowness is sought between these shares, in steps that halve their ratio.
_SHARES = (0.001, 10.0)
_STEPS = 10
# The standard error of a median of normal values, in that of their mean: the root of pi / 2.
_ERROR_OF_MEDIAN = 1.2533


class Distinguished(msgspec.Struct, frozen=True, kw_only=True):
    """Of a kind of cause, how many touch any pair, and how many of them no other cause is like.

    `name` is that of a typical one of these; most maps name one like it that is slower by the
    share `slower`, and None says that it never is.
    """

    kind: CauseKind
    name: str
    causes: int
    alone: int
    slower: float | None


def distinguished_of(times: PairTimes, fabric: KnownFabric) -> tuple[Distinguished, ...]:
    """By kind of cause; none where fewer than FEWEST endpoints answer. Times are finite, ns."""
    if len(np.union1d(times.source, times.target)) < FEWEST:
        return ()
    pairs = pairs_of(times, excess_of(times, fabric))
    causes = causes_of(times.names, pairs.source, pairs.target, fabric)
    kinds = dict.fromkeys(cause.kind for alike in causes.alike for cause in alike)
    return tuple(_distinguished(kind, causes, times, fabric, pairs) for kind in kinds)


def _distinguished(
    kind: CauseKind, causes: Causes, times: PairTimes, fabric: KnownFabric, pairs: Pairs
) -> Distinguished:
    there = [
        (at, cause)
        for at, alike in enumerate(causes.alike)
        for cause in alike
        if cause.kind == kind
    ]
    alone = [(at, cause) for at, cause in there if len(causes.alike[at]) == 1]
    if not alone:
        return Distinguished(kind=kind, name="", causes=len(there), alone=0, slower=None)
    at, cause = _typical(alone, causes.places, pairs)
    least = least_fit(len(causes.places))
    return Distinguished(
        kind=kind,
        name=cause.name,
        causes=len(there),
        alone=len(alone),
        slower=_slowness(times, fabric, pairs, causes.places[at], least),
    )


def _typical(alone: Sequence[Any], places: Sequence[NDArray[Any]], pairs: Pairs) -> Any:
    """Of those with as many pairs as most have, the one whose pairs are the least unusual."""
    sizes = np.array([len(places[at]) for at, _ in alone])
    middle = np.sort(sizes)[(len(sizes) - 1) // 2]
    usual = [one for one, size in zip(alone, sizes, strict=True) if size == middle]
    return min(usual, key=lambda one: abs(float(pairs.log[places[one[0]]].mean())))


def _slowness(
    times: PairTimes, fabric: KnownFabric, pairs: Pairs, places: NDArray[Any], least: float
) -> float | None:
    """The least share by which these pairs have to be slower to be named in most maps.

    What they seem to be is less by _POWER standard errors in some maps: about 1 / `least` each of
    the slowness that fits so well.
    """
    is_of = np.isin(pairs.of_value, places)
    doubt = _POWER * _ERROR_OF_MEDIAN * spread(pairs.log) / math.sqrt(len(places))

    def seen(slowness: float) -> tuple[float, float]:
        slower = msgspec.structs.replace(times, time_ns=times.time_ns * np.exp(slowness * is_of))
        logs = excess_of(slower, fabric)
        own = pairs_of(slower, logs)
        [fit] = fits_of(slower, logs, own, [places])
        beyond = np.median(own.log[places]) - np.median(np.delete(own.log, places))
        return float(fit), float(beyond)

    def is_named(slowness: float) -> bool:
        fit, _ = seen(slowness / (1 + _POWER / least))
        return fit >= least and seen(slowness)[1] - doubt >= math.log1p(LEAST)

    low, high = map(math.log1p, _SHARES)
    if not is_named(high):
        return None
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_named(middle) else (middle, high)
    return math.expm1(high)
