"""Scenes of bench/verdicts.py on two sides of a comparison, and on limits made from a record."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bench.noise import deviates, tailed
from weft.analysis.compare.bounds import Limit
from weft.analysis.compare.kept_limits import against_limits
from weft.analysis.compare.made_limits import limit_of
from weft.analysis.compare.pool import Pooled
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.ratios import Figure, ratio, ratios, verdict
from weft.analysis.stats.slowdown import SESSION_SCATTER, Paces
from weft.plan.case import Case

if TYPE_CHECKING:
    from weft.analysis.compare.acceptance import Outcome

SIZES = 24
LAUNCHES = 5
CASE = Case(test="ping_pong", transport="tcp", bytes=8)
# A machine that is slower by so many tolerances of a made limit fails it.
SLOWER = 2.2
Random = np.random.Generator


def figure(sessions: list[np.ndarray]) -> Figure:
    """A side of `compare` from the logarithms of its launches, session by session."""
    times = tuple(tuple(np.exp(own).tolist()) for own in sessions)
    medians = [float(np.median(own)) for own in times]
    estimate = median_of_launches(medians if len(times) > 1 else times[0])
    return Figure(estimate=estimate, kind="launches", paces=Paces(times))


def apart(
    random: Random,
    scatter: float,
    sessions: tuple[int, int],
    boot: float = 0.0,
    within: float = 0.01,
    launches: int = LAUNCHES,
    kind: str = "normal",
) -> bool:
    """Whether `compare` calls equal machines different; a boot in five is slow by `boot`.

    Sessions differ by `scatter`, launches of one by `within`.
    """
    sides = []
    for count in sessions:
        days = scatter * (
            tailed(random, count) if kind == "tail" else deviates(random, kind, (count,))
        )
        days += math.log1p(boot) * (random.random(count) < 0.2)
        sides.append(figure([day + within * tailed(random, launches) for day in days]))
    return verdict(ratio(sides[0], sides[1], "latency")) in ("better", "worse")


def ratio_held(random: Random) -> bool:
    """Whether the interval of `compare` holds 1 where one side scatters five times as much.

    Launches with a tail, and truths that are equal in the mean of logarithms.
    """
    sides = [figure([scatter * tailed(random, LAUNCHES)]) for scatter in (0.01, 0.002)]
    found = ratio(sides[0], sides[1], "latency")
    return found.low <= 1 <= found.high


def apart_at_a_size(random: Random, shared: float) -> bool:
    """Whether `compare` names any of 24 sizes of two transports of one session."""
    logs = 0.01 * tailed(random, 2, LAUNCHES, SIZES) + shared * tailed(random, 2, LAUNCHES, 1)
    pairs = [[figure([own[:, size]]) for own in logs] for size in range(SIZES)]
    found = ratios([(a, b) for a, b in pairs], "latency", same_session=True)
    return any(one and verdict(one) in ("better", "worse") for one in found)


def _session(
    random: Random, launches: int, scatter: float, kind: str, slower: float = 0.0
) -> Pooled:
    """The launches of one session, which differs from others as `check` takes it to."""
    day = max(SESSION_SCATTER, scatter) * random.standard_normal()
    logs = math.log(1000) + slower + day + scatter * deviates(random, kind, (launches,))
    times = np.exp(logs).tolist()
    return Pooled(
        case=CASE,
        directions=1,
        launches=launches,
        paces=(dict(enumerate(times)),),
        latency_ns=median_of_launches(times),
    )


def _answer(random: Random, launches: int, scatter: float, kind: str, slower: float) -> Outcome:
    """What the limit of a record says of another one, slower by so many tolerances."""
    made = limit_of(_session(random, launches, scatter, kind))
    if isinstance(made, str):
        raise TypeError(made)
    limit = Limit(
        text="", test=CASE.test, transport="", wanted=(), ranges=(), variant="", kind=made.kind,
        bound=made.bound,
    )  # fmt: skip
    new = _session(random, launches, scatter, kind, slower * math.log1p(made.tolerance))
    return against_limits({"new": new}, [limit])[0].outcome


def kept_limit(random: Random, launches: int, scatter: float, kind: str = "normal") -> bool:
    """Whether a machine that is equal keeps a limit that was made from a record."""
    return _answer(random, launches, scatter, kind, 0.0) == "pass"


def slower_than_limit(random: Random, launches: int, scatter: float) -> bool:
    """Whether a machine that is slower by SLOWER tolerances fails it."""
    return _answer(random, launches, scatter, "normal", SLOWER) == "fail"
