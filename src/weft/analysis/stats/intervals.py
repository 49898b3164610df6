"""Medians with nonparametric 95 % intervals, launch by launch.

The unit of independence is the launch: the samples of one launch share placement, memory and
connection, so an interval over all samples together would be falsely narrow (Hunold and
Carpen-Amarie, Reproducible MPI Benchmarking Is Still Not as Easy as You Think, TPDS 2016).
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from weft.analysis.stats.in_time import widened
from weft.estimate import PLURAL, Estimate, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95
ONE = "one {}: the variation between {} is unknown"

# With L < 6 launches no order statistics reach 95 %: the range of L values covers their median with
# 1 - 2^(1-L). So the range R of the logarithms is widened by c_L * R on both sides, c_L such that
# the coverage is 95 % when launch medians are log-normal: the chance that min - c_L * R lies above
# the true median, or max + c_L * R below it, is 5 %. A test integrates it for each value.
WIDENING = {2: 5.8531, 3: 0.8133, 4: 0.2385, 5: 0.0388}


def exp(log: float) -> float:
    """The number of this natural logarithm, infinite where no float is as large.

    Few launches that scatter over many orders of magnitude have such intervals.
    """
    try:
        return math.exp(log)
    except OverflowError:
        return math.inf


def order_statistics(count: int, confidence: float = CONFIDENCE) -> tuple[int, int, float] | None:
    """0-based ranks (low, high) of the tightest symmetric interval of the median, its coverage.

    Binomial: P(X_(l) <= median <= X_(h)) = 1 - 2 * BinomCDF(l - 1; count, 1/2), l from 1 (David
    and Nagaraja, Order Statistics, section 7.1). None where even the range covers less.
    """
    # 1.2 * sqrt(count) below the middle is 2.4 standard deviations: surely outside, then climb.
    low = max(0, math.floor(count / 2 - 1.2 * math.sqrt(count)) - 1)
    term = math.exp(
        math.lgamma(count + 1)
        - math.lgamma(low + 1)
        - math.lgamma(count - low + 1)
        - count * math.log(2)
    )
    tail = _sum_down(term, low, count)
    best = None
    while low < count // 2 and 1 - 2 * tail >= confidence:
        best = (low, count - 1 - low, 1 - 2 * tail)
        term *= (count - low) / (low + 1)
        low += 1
        tail += term
    return best


def _sum_down(term: float, successes: int, count: int) -> float:
    """P(X <= successes) of a fair binomial, from its probability of just that many."""
    total = term
    while successes > 0 and term > total * 1e-17:
        term *= successes / (count - successes + 1)
        successes -= 1
        total += term
    return total


def interval_of_median(values: Sequence[float], known_to: float = 0.0) -> tuple[float, float, str]:
    """The 95 % interval of the median of two or more independent values, and its method.

    Each value is known to +- `known_to`, half a tick of the clock, so that their range may be
    longer by twice that. It is added before the range is widened: two values on one tick look alike
    however they scatter within it.

    2 to 5: their range, widened on both sides by c times its length (WIDENING). From 6 on order
    statistics, interpolated between the two pairs that enclose 95 % (Hettmansperger and Sheather,
    Confidence intervals based on interpolated order statistics, Statistics and Probability Letters
    4, 1986): six to eight values have no pair near 95 %. Raises ValueError for fewer than two.
    """
    ordered = sorted(values)
    count = len(ordered)
    if count < 2:
        raise ValueError("interval_of_median needs at least two values")
    if count in WIDENING:
        first, last = ordered[0] - known_to, ordered[-1] + known_to
        spread = (last - first) * WIDENING[count]
        return first - spread, last + spread, "range of {}, widened to 95 %"
    low, high = _interpolated(ordered)
    return low - known_to, high + known_to, "interpolated order statistics of {}"


def _interpolated(ordered: Sequence[float]) -> tuple[float, float]:
    """Between two pairs of order statistics, of 6 values or more."""
    count = len(ordered)
    ranks = order_statistics(count)
    if ranks is None:
        raise ValueError("order statistics cover 95 % from 6 values on")
    outer, _, covered = ranks
    depth = outer + 1
    log_chance = (
        math.lgamma(count + 1)
        - math.lgamma(depth + 1)
        - math.lgamma(count - depth + 1)
        - count * math.log(2)
    )
    share = (covered - CONFIDENCE) / (2 * math.exp(log_chance))
    weight = (count - depth) * share / (depth + (count - 2 * depth) * share)
    low = (1 - weight) * ordered[outer] + weight * ordered[outer + 1]
    high = (1 - weight) * ordered[-1 - outer] + weight * ordered[-2 - outer]
    return low, high


def over_sessions(sessions: Iterable[Sequence[float]]) -> tuple[list[float], Unit]:
    """The values that are independent, and what they are of: of one session its launches.

    Of several the median of each, for the launches of a session share its day. Sessions without a
    launch do not count.
    """
    known = [list(own) for own in sessions if own]
    if len(known) > 1:
        return [statistics.median(own) for own in known], "session"
    return known[0] if known else [], "launch"


def in_sessions(values: Sequence[float], sessions: Sequence[int] = ()) -> list[list[float]]:
    """The values of launches by the number of their session; without numbers all are of one."""
    found: dict[int, list[float]] = {}
    for session, value in zip(sessions or [0] * len(values), values, strict=True):
        found.setdefault(session, []).append(value)
    return list(found.values())


def median_of_case(
    values: Sequence[float], sessions: Sequence[int] = (), resolution: float = 0.0
) -> Estimate:
    """`median_of_launches` of one session's launches, or over several sessions.

    The one way of every command and table, `over_sessions_of` for figures of any sign: what is said
    of a machine rests on the sessions, where there are several of them. `sessions` has the number
    of the session of each value.
    """
    own, unit = over_sessions(in_sessions(values, sessions))
    return median_of_launches(own, resolution, unit)


def middle_of_case(values: Sequence[float], sessions: Sequence[int] = ()) -> float:
    """The same median by itself, of values of any sign."""
    return statistics.median(over_sessions(in_sessions(values, sessions))[0])


def median_of_launches(
    medians: Sequence[float], resolution: float = 0.0, unit: Unit = "launch"
) -> Estimate:
    """The median over launches of each launch's median, positive values, with its interval.

    The interval is that of `interval_of_median`, of the logarithms, so that it stays positive and
    turns into a bandwidth's interval without loss, and wider where launches that follow each other
    are alike (in_time.py): `medians` are in the order of time. One launch has none. `resolution` is
    what one tick of the clock is worth in the values: each is known to half of it. `unit` says what
    the values are independent over. Raises ValueError for no value or one that is not positive.
    """
    ordered = sorted(medians)
    if not ordered or ordered[0] <= 0:
        raise ValueError("median_of_launches needs at least one launch and positive values")
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    if count == 1:
        return Estimate(
            value=middle,
            low=-math.inf,
            high=math.inf,
            coverage=0.0,
            method=ONE.format(unit, PLURAL[unit]),
            launches=1,
            unit=unit,
        )
    half_tick = min(resolution / 2 / ordered[0], 0.5)
    logs = [math.log(value) for value in medians]
    low, high, method = interval_of_median(logs, -math.log1p(-half_tick))
    low, high = widened(low, math.log(middle), high, medians, unit)
    return Estimate(
        # The same value many times over comes back from its logarithm a little off.
        value=middle,
        low=min(exp(low), middle),
        high=max(exp(high), middle),
        coverage=CONFIDENCE,
        method=method.format(f"{count} {PLURAL[unit]}"),
        launches=count,
        unit=unit,
    )
