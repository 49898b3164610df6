"""Whether what is said to tell does: launches or sessions that are stated, beside those needed.

A few launches are drawn, and what weft then says that it takes is set beside the number that does
in 80 % of further trials, found by halving. The noise is that of bench/noise.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from bench.noise import KINDS, deviates
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.needed import (
    POWER,
    Needed,
    apart,
    cheapest,
    for_half_width,
    to_settle,
    to_tell,
)
from weft.analysis.stats.precision import settled
from weft.analysis.stats.ratios import ONE_SIDED, Figure, ratio
from weft.analysis.stats.slowdown import SESSION_SCATTER, Paces, Slowdown, slowdown_between

SEED = 20261124
FIRST = 5
# The factor within which a statement is right.
RIGHT = 2.0
MOST = 1 << 11
Random = np.random.Generator
# So many launches, or sessions, of noise of a kind: times about 1.
Times = Callable[[Random, int], list[list[float]]]


class Statement(NamedTuple):
    """What weft says after a first look, and whether so many units do tell, once."""

    name: str
    stated: Callable[[Random], Needed]
    tells: Callable[[Random, int], bool]


def launches(random: Random, kind: str, scatter: float, count: int) -> list[float]:
    """The times of one session's launches, equal to 1 on average of their logarithms."""
    return [float(one) for one in np.exp(scatter * deviates(random, kind, (count,)))]


def days(random: Random, kind: str, between: float, count: int) -> list[list[float]]:
    """Sessions of five launches each that scatter by 1 %."""
    own = between * deviates(random, kind, (count,))
    return [
        [float(np.exp(day)) * one for one in launches(random, "normal", 0.01, 5)] for day in own
    ]


def slower(
    random: Random, times: Times, count: int, share: float
) -> tuple[Slowdown, tuple[int, int]]:
    """The slowdown of a side of so many that is slower, and how many are behind it."""
    mine, theirs = (Paces(tuple(map(tuple, times(random, count)))) for _ in range(2))
    slow = Paces(tuple(tuple((1 + share) * one for one in own) for own in mine.sessions))
    found = slowdown_between(slow, theirs)
    if found is None:
        raise AssertionError(count)
    return found, (len(slow.logs(found.unit)), len(theirs.logs(found.unit)))


def of_launches(kind: str, scatter: float, share: float) -> Statement:
    """Two sides of launches, as compare judges parts of one record and check passes."""

    def times(random: Random, count: int) -> list[list[float]]:
        return [launches(random, kind, scatter, count)]

    def stated(random: Random) -> Needed:
        return to_tell(*slower(random, times, FIRST, 0.0), np.log1p(share), ONE_SIDED)

    def tells(random: Random, count: int) -> bool:
        return slower(random, times, count, share)[0].chance_if_at_most(0.0) <= ONE_SIDED

    name = f"{share:.0%} between sides, launches scatter by {scatter:.0%}, {kind}"
    return Statement(name, stated, tells)


def of_sessions(kind: str, between: float, share: float) -> Statement:
    """Two sides of sessions, after three a side."""
    times = partial(days, kind=kind, between=between)

    def drawn(random: Random, count: int) -> list[list[float]]:
        return times(random, count=count)

    def stated(random: Random) -> Needed:
        return to_tell(*slower(random, drawn, 3, 0.0), np.log1p(share), ONE_SIDED)

    def tells(random: Random, count: int) -> bool:
        return slower(random, drawn, count, share)[0].chance_if_at_most(0.0) <= ONE_SIDED

    name = f"{share:.0%} between sides, sessions scatter by {between:.0%}, {kind}"
    return Statement(name, stated, tells)


def of_other_days(kind: str, share: float) -> Statement:
    """One session a side, and sessions differ by what is assumed: sessions are stated."""

    def first(random: Random, count: int) -> list[list[float]]:
        return [launches(random, "normal", 0.01, FIRST * count)]

    def drawn(random: Random, count: int) -> list[list[float]]:
        return days(random, kind, SESSION_SCATTER, count)

    def stated(random: Random) -> Needed:
        return cheapest(*slower(random, first, 1, 0.0), np.log1p(share), ONE_SIDED)

    def tells(random: Random, count: int) -> bool:
        return slower(random, drawn, count, share)[0].chance_if_at_most(0.0) <= ONE_SIDED

    name = f"{share:.0%} between sides of one session, by sessions that differ by 2%, {kind}"
    return Statement(name, stated, tells)


def of_median(kind: str, scatter: float, half: float) -> Statement:
    """One median whose interval is to be so narrow in most records."""

    def stated(random: Random) -> Needed:
        return for_half_width(median_of_launches(launches(random, kind, scatter, FIRST)), half)

    def tells(random: Random, count: int) -> bool:
        found = median_of_launches(launches(random, kind, scatter, count))
        return found.relative_half_width <= half

    return Statement(f"median within {half:.0%}, scatter {scatter:.0%}, {kind}", stated, tells)


def of_medians(kind: str, scatter: float, share: float) -> Statement:
    """Two medians apart, as of numbers of ranks or two links."""

    def figure(random: Random, count: int, times: float = 1.0) -> Figure:
        drawn = [times * one for one in launches(random, kind, scatter, count)]
        return Figure(estimate=median_of_launches(drawn), kind="launches", launches=count)

    def stated(random: Random) -> Needed:
        one, other = (figure(random, FIRST).estimate for _ in range(2))
        return apart(one, other, float(np.log1p(share)))

    def tells(random: Random, count: int) -> bool:
        found = ratio(figure(random, count), figure(random, count, 1 + share), "latency")
        return found.high < 1

    return Statement(f"medians {share:.0%} apart, scatter {scatter:.0%}, {kind}", stated, tells)


def of_run(kind: str, scatter: float, precision: float) -> Statement:
    """A case of a run that is to end within the precision."""

    def stated(random: Random) -> Needed:
        return to_settle(median_of_launches(launches(random, kind, scatter, FIRST)), precision)

    def tells(random: Random, count: int) -> bool:
        return settled(launches(random, kind, scatter, count), precision, FIRST)

    name = f"a case ends within {precision:.0%}, scatter {scatter:.0%}, {kind}"
    return Statement(name, stated, tells)


def statements() -> list[Statement]:
    """All of them, in the order of the table."""
    return [
        *(of_launches(kind, 0.05, 0.05) for kind in KINDS),
        of_launches("normal", 0.10, 0.05),
        *(of_sessions(kind, 0.03, 0.05) for kind in KINDS),
        *(of_other_days(kind, 0.05) for kind in KINDS[:2]),
        *(of_median(kind, 0.05, 0.02) for kind in KINDS),
        *(of_medians(kind, 0.05, 0.05) for kind in KINDS),
        *(of_run(kind, 0.03, 0.02) for kind in KINDS),
    ]


def needed_by_trials(one: Statement, trials: int) -> int:
    """The smallest number that tells in POWER of the trials, to a twentieth."""

    def is_enough(count: int) -> bool:
        random = np.random.default_rng([SEED, count])
        return sum(one.tells(random, count) for _ in range(trials)) >= POWER * trials

    most = 2
    while most < MOST and not is_enough(most):
        most *= 2
    least = most // 2
    while most - least > max(1, most // 20):
        middle = (most + least) // 2
        least, most = (least, middle) if is_enough(middle) else (middle, most)
    return most


def ratios(one: Statement, trials: int) -> tuple[int, np.ndarray]:
    """What is needed, and what is stated in each trial over it."""
    needed = needed_by_trials(one, trials)
    random = np.random.default_rng(SEED)
    return needed, np.array([one.stated(random).count for _ in range(trials)]) / needed


def rows(trials: int) -> list[tuple[str, ...]]:
    """For each what is needed, what is stated over it, and how often that is within a factor 2."""
    found: list[tuple[str, ...]] = [
        ("answer to report", "needed", "stated / needed, median", "within a factor of two")
    ]
    for one in statements():
        needed, over = ratios(one, trials)
        right = float(np.mean((over >= 1 / RIGHT) & (over <= RIGHT)))
        found.append((one.name, str(needed), f"{np.median(over):.2f}", f"{right:.0%}"))
    return found
