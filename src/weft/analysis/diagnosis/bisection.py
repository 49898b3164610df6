"""Effective bisection bandwidth: what a link gets where one half sends to the other. Pure.

Hoefler, Schneider and Lumsdaine, Multistage Switches are not Crossbars: Effects of Static Routing
in High-Performance Networks (Cluster 2008): the mean bandwidth of a link over random matchings of
one half of the endpoints with the other. A round of a map is such a matching; in it first one half
sends and then the other, so each round is two of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from weft.analysis.diagnosis.pair_times import AS_AN_ANSWER
from weft.analysis.stats.intervals import CONFIDENCE
from weft.analysis.stats.parameters import student
from weft.estimate import Estimate
from weft.units import format_bytes
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.measured import MeasuredMap
    from weft.analysis.diagnosis.pair_times import PairTimes
    from weft.fabric.peaks import Link

# Of fewer endpoints no two pairs run at once.
FEWEST = 4
# Shorter messages do not fill a link.
LEAST_BYTES = 65536
_Way: TypeAlias = "tuple[int, int]"
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Bisection(msgspec.Struct, frozen=True, kw_only=True):
    """What a link gets on average over all pairs of a matching, in bytes/s, over the matchings.

    `effective` is the mean over matchings, with its 95 % interval; `shares` are the SHARES of
    the matchings that get at most so much, `least` and `greatest` the worst and the best one.
    `percent_of_peak` is the mean of what all links of a matching could carry together; None where
    no link is known. `worst` are the ways of the worst matching, from and to, the slowest first.
    """

    effective: Estimate
    least: float
    shares: tuple[float, ...]
    greatest: float
    matchings: int
    worst: tuple[tuple[str, str], ...]
    link: str = ""
    percent_of_peak: float | None = None


def bisection_of(
    times: PairTimes, message_bytes: int, answer_ns: float, link: Link | None
) -> Bisection | None:
    """From times there and back, of which the answer takes so long; None where nothing tells.

    A matching counts where all its pairs were measured, and has the median of its launches.
    """
    count = len(times.names)
    if message_bytes < LEAST_BYTES or count < FEWEST:
        return None
    rates = _rates_by_way(times, message_bytes, answer_ns)
    of_matching: dict[frozenset[_Way], list[dict[_Way, float]]] = defaultdict(list)
    for one in rates:
        if len(one) == count // 2:
            of_matching[frozenset(one)].append(one)
    if not of_matching:
        return None
    middle = {
        ways: float(np.median([np.mean([*one.values()]) for one in visits]))
        for ways, visits in of_matching.items()
    }
    values = np.array([*middle.values()])
    worst = min(middle, key=lambda ways: middle[ways])
    slow_first = sorted(worst, key=lambda way: np.median([one[way] for one in of_matching[worst]]))
    effective = _mean(values)
    return Bisection(
        effective=effective,
        least=float(values.min()),
        shares=tuple(np.quantile(values, SHARES).tolist()),
        greatest=float(values.max()),
        matchings=len(values),
        worst=tuple((times.names[i], times.names[j]) for i, j in slow_first),
        link=link.name if link else "",
        percent_of_peak=100 * effective.value / link.one_way_bytes_per_s if link else None,
    )


def bisection_of_map(one: MeasuredMap, answer_ns: float, link: Link | None) -> Bisection | None:
    """The same of a map; where its pairs took turns no half sent at once."""
    if one.case.at_once:
        return None
    return bisection_of(one.times, one.case.bytes, answer_ns, link)


def why_no_bisection(one: MeasuredMap) -> str:
    """Why `bisection_of_map` gives None for it."""
    if one.case.at_once:
        return "pairs that took turns have no bisection bandwidth"
    if one.case.bytes < LEAST_BYTES:
        return f"messages of less than {format_bytes(LEAST_BYTES)} have no bisection bandwidth"
    if len(one.times.names) < FEWEST:
        return f"bisection bandwidth takes {FEWEST} endpoints or more"
    return "no matching of all endpoints was measured whole"


def answer_of(one: MeasuredMap, maps: Sequence[MeasuredMap]) -> float:
    """What the answer to a message takes, ns: half of there and back of the smallest messages.

    0 where these maps have none that are as short.
    """
    alike = [other for other in maps if other.case.but_for("bytes") == one.case.but_for("bytes")]
    least = min(alike, key=lambda other: other.case.bytes)
    if least.case.bytes > AS_AN_ANSWER:
        return 0.0
    return float(np.nanmedian(least.times.time_ns)) / 2


def times_of_one_way(there_and_back_ns: np.ndarray, answer_ns: float) -> np.ndarray:
    """The messages' own times, ns, of those there and back: none is faster than its answer."""
    own: np.ndarray = np.maximum(there_and_back_ns - answer_ns, there_and_back_ns / 2)
    return own


def rates_of(message_bytes: int, there_and_back_ns: np.ndarray, answer_ns: float) -> np.ndarray:
    """What messages get, bytes/s, of the same shape as their times."""
    rates: np.ndarray = message_bytes * 1e9 / times_of_one_way(there_and_back_ns, answer_ns)
    return rates


def _rates_by_way(
    times: PairTimes, message_bytes: int, answer_ns: float
) -> Sequence[dict[_Way, float]]:
    """Of each half of a round the rate of each way: one rank of each pair sends, then the other."""
    halves: dict[tuple[int, bool], dict[_Way, float]] = defaultdict(dict)
    used = times.at(np.isfinite(times.time_ns))
    rates = rates_of(message_bytes, used.time_ns, answer_ns)
    rows = zip(
        used.source.tolist(),
        used.target.tolist(),
        used.visit.tolist(),
        used.half.tolist(),
        rates.tolist(),
        strict=True,
    )
    for source, target, visit, half, rate in rows:
        halves[visit, half][source, target] = rate
    return [*halves.values()]


def _mean(values: np.ndarray) -> Estimate:
    """The mean with its interval by Student's t, as of matchings drawn by themselves."""
    mean, count = float(values.mean()), len(values)
    half = math.inf
    if count > 1:
        half = student(count - 1) * float(values.std(ddof=1)) / math.sqrt(count)
    return Estimate(
        value=mean,
        low=mean - half,
        high=mean + half,
        coverage=CONFIDENCE,
        method=f"mean of {counted(count, 'matching')}, Student's t",
    )
