"""Where the level of a machine steps from one session to the next. Pure.

The segments of a series are found by circular binary segmentation (Olshen, Venkatraman, Lucito and
Wigler, Circular binary segmentation for the analysis of array-based DNA copy number data,
Biostatistics 5, 2004): the stretch that differs most from the rest, by Student's t, is cut out, and
its parts are searched in the same way. A stretch that reaches an end is one step, one inside is a
step and its return. The chance of each t is multiplied by the number of stretches that were
compared (Bonferroni), where the paper permutes: ten sessions have too few orders.

Nights are neither independent nor normal. So a step needs two sessions on either side of it: one
slow night is named as one that stands out. And means are taken to scatter by CORRELATED times what
independent sessions would give, as the mean of a long series does in which each session is
correlated by a third with the one before: sqrt((1 + 1/3) / (1 - 1/3)). Over as few sessions as
there are that is enough for a correlation of 0.5, for skewed sessions and for slow nights: `python
-m bench.decisions verdicts` has the shares.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.median_deviation import deviation_by_distances
from weft.analysis.stats.needed import POWER, quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# A level is that of two sessions or more: one alone is as likely to be a slow night.
IN_LEVEL = 2
FEWEST = 2 * IN_LEVEL
CORRELATED = math.sqrt(2.0)
# From so many sessions on some are slow by themselves: those that are off both neighbours by so
# many scatters count as if they were off by that.
MANY = 20
FAR = 3.0
# How often a series without any step is said to have one.
LEVEL = 0.05
INTERVAL_LEVEL = 0.95
# Sessions scatter by this at least: what is nearer is the last digits of floating-point numbers.
_LEAST_SCATTER = 1e-6


class LevelStep(msgspec.Struct, frozen=True, kw_only=True):
    """A change of level before the session at index `at`: by `shift`, with its 95 % interval.

    The interval allows for the choice among all stretches. `chance` is the p-value, times the
    places that the step might have.
    """

    at: int
    shift: float
    low: float
    high: float
    chance: float


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of a series in their order, and what it could show.

    `scatter` is the standard deviation about the levels, and `smallest` the shift by which two
    sessions more would have to differ from all to be found; None with fewer than FEWEST sessions.
    `outliers` are the indices of single sessions that lie off their level by more than chance.
    """

    steps: tuple[LevelStep, ...] = ()
    outliers: tuple[int, ...] = ()
    scatter: float | None = None
    smallest: float | None = None


def steps_in(values: Sequence[float], level: float = LEVEL) -> Steps:
    """The steps of a series in the order of time; logarithms give relative shifts.

    `level` is how often a series finds a step that is not there.
    """
    import numpy as np

    count = len(values)
    if count < FEWEST:
        return Steps()
    series = _limited(np.asarray(values, dtype=np.float64))
    cuts = _confirmed(series, _cuts(series, level), level)
    squares, freedom = _about_levels(series, cuts)
    scatter = math.sqrt(squares / freedom)
    return Steps(
        steps=tuple(_step(series, cuts, at) for at in range(len(cuts))),
        outliers=_outliers(np.asarray(values, dtype=np.float64), cuts, level),
        scatter=scatter,
        smallest=CORRELATED
        * math.sqrt(squares / (freedom + 1))
        * _reach(count, level / _stretches(count + IN_LEVEL))
        * math.sqrt(1 / IN_LEVEL + 1 / count),
    )


def sessions_for_step(scatter: float, before: int, shift: float, level: float = LEVEL) -> float:
    """How many sessions more show a step of that shift behind `before` of them, in POWER of cases.

    Infinite where the sessions before know their own level too badly for it.
    """
    reach = _reach(before, level / _stretches(before + IN_LEVEL)) + quantile(POWER)
    least = (shift / (CORRELATED * max(scatter, _LEAST_SCATTER) * reach)) ** 2 - 1 / before
    return max(math.ceil(1 / least), IN_LEVEL) if least > 0 else math.inf


def step_seen(scatter: float, count: int, level: float = LEVEL) -> float:
    """The step in the middle of `count` sessions that is found with probability POWER."""
    before, behind = count // 2, count - count // 2
    reach = _reach(count - 2, level / _stretches(count)) + quantile(POWER)
    return CORRELATED * scatter * reach * math.sqrt(1 / before + 1 / behind)


def _limited(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The series with sessions that are far off both of their neighbours drawn near to them.

    Among many sessions some are, and two beside each other would look like a step. The scatter is
    from the differences of neighbours, whose median no step and no single session moves; few
    sessions do not know it well enough.
    """
    import numpy as np

    if len(series) < MANY:
        return series
    scatter = deviation_by_distances(np.diff(series)) / math.sqrt(2)
    before = np.concatenate([series[2:3], series[:-1]])
    behind = np.concatenate([series[1:], series[-3:-2]])
    low = np.minimum(before, behind) - FAR * scatter
    high = np.maximum(before, behind) + FAR * scatter
    return np.clip(series, low, high)


def _cuts(series: NDArray[np.float64], level: float) -> list[int]:
    """The indices at which the best stretch begins and ends, and those of its parts."""
    chance, begin, end = _best_stretch(series) if len(series) >= FEWEST else (1.0, 0, 0)
    if chance > level:
        return []
    edges = sorted({0, begin, end, len(series)})
    inner = [
        left + cut for left, right in pairwise(edges) for cut in _cuts(series[left:right], level)
    ]
    return sorted([*edges[1:-1], *inner])


def _best_stretch(series: NDArray[np.float64]) -> tuple[float, int, int]:
    """The stretch [begin, end) that differs most from the rest, with its chance."""
    import numpy as np

    count = len(series)
    centred = series - series.mean()
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    begins, ends = np.triu_indices(count + 1, 1)
    inside = (ends - begins).astype(np.float64)
    known = (inside >= IN_LEVEL) & (count - inside >= IN_LEVEL)
    begins, ends, inside = begins[known], ends[known], inside[known]
    between = (sums[ends] - sums[begins]) ** 2 * count / (inside * (count - inside))
    best = int(np.argmax(between))
    within = max(float(np.sum(centred**2) - between[best]), (count - 2) * _LEAST_SCATTER**2)
    score = math.sqrt(float(between[best]) * (count - 2) / within)
    chance = _chance(score / CORRELATED, count - 2, _stretches(count))
    return chance, int(begins[best]), int(ends[best])


def _stretches(count: int) -> int:
    """Into how many pairs of a stretch and its rest a series can be cut, two sessions in each."""
    return count * (count - 3) // 2


def _confirmed(series: NDArray[np.float64], cuts: list[int], level: float) -> list[int]:
    """The cuts that hold against their neighbours alone: the least certain goes while one fails."""
    kept = list(cuts)
    while kept:
        chances = [_step(series, kept, at).chance for at in range(len(kept))]
        worst = max(range(len(kept)), key=chances.__getitem__)
        if chances[worst] <= level:
            break
        del kept[worst]
    return kept


def _outliers(series: NDArray[np.float64], cuts: Sequence[int], level: float) -> tuple[int, ...]:
    """The sessions that lie off the others of their level by more than chance among so many."""
    import numpy as np

    found: list[int] = []
    for left, right in pairwise([0, *cuts, len(series)]):
        others = right - left - 1
        if others <= IN_LEVEL:
            continue
        off = series[left:right] - series[left:right].mean()
        # Of each session beside the others: its distance from their mean, and their variance.
        from_others = np.abs(off) * (others + 1) / others
        squares = np.maximum((off**2).sum() - off**2 * (others + 1) / others, 0.0)
        spread = np.maximum(np.sqrt(squares / (others - 1)), _LEAST_SCATTER)
        score = from_others / (spread * math.sqrt(1 + 1 / others))
        far = score >= _reach(others - 1, level / len(series))
        found += [left + int(at) for at in np.flatnonzero(far)]
    return tuple(found)


def _about_levels(series: NDArray[np.float64], cuts: Sequence[int]) -> tuple[float, int]:
    """The sum of squares about the levels between cuts, and its degrees of freedom."""
    edges = [0, *cuts, len(series)]
    parts = [series[left:right] for left, right in pairwise(edges)]
    squares = sum(float(part.var()) * len(part) for part in parts)
    freedom = len(series) - len(edges) + 1
    return max(squares, freedom * _LEAST_SCATTER**2), freedom


def _step(series: NDArray[np.float64], cuts: Sequence[int], at: int) -> LevelStep:
    """The step at one cut: between the level before it and the level behind it."""
    edges = [0, *cuts, len(series)]
    before = series[edges[at] : edges[at + 1]]
    behind = series[edges[at + 1] : edges[at + 2]]
    shift = float(behind.mean() - before.mean())
    squares, freedom = _about_levels(series, cuts)
    if freedom < 1:
        return LevelStep(at=cuts[at], shift=shift, low=-math.inf, high=math.inf, chance=1.0)
    error = CORRELATED * math.sqrt(squares / freedom * (1 / len(before) + 1 / len(behind)))
    half = error * _reach(freedom, (1 - INTERVAL_LEVEL) / _stretches(len(series)))
    return LevelStep(
        at=cuts[at],
        shift=shift,
        low=shift - half,
        high=shift + half,
        chance=_chance(abs(shift) / error, freedom, len(series) - 2 * IN_LEVEL + 1),
    )


def _chance(score: float, freedom: int, ways: int) -> float:
    """The two-sided p-value of a Student's t, times the ways in which it was looked for."""
    from scipy import special

    return min(1.0, 2 * float(special.stdtr(freedom, -score)) * ways)


def _reach(freedom: int, level: float) -> float:
    """How many standard errors a two-sided interval reaches that misses so often."""
    from scipy import special

    return float(special.stdtrit(freedom, 1 - level / 2))
