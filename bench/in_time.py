"""Scenes of sessions and launches in the order of time, of coarse clocks, and of stopping."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from bench.noise import deviates, tailed
from bench.scene import HALF, KINDS_OF_LAUNCHES, MEDIANS, MOST, Random, Scene
from bench.sides import LAUNCHES
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.neighbours import chance_of_groups
from weft.analysis.stats.precision import settled
from weft.analysis.stats.steps import steps_in
from weft.analysis.stats.trend import TOGETHER_LEVEL, trend_of

COARSE_NS = 40.0
STEP = 7.0


def autoregressive(random: Random, count: int, correlation: float) -> np.ndarray:
    """A series whose every value is correlated with the one before; long under way already."""
    values = [float(random.standard_normal())]
    fresh = math.sqrt(1 - correlation**2)
    for _ in range(count + 19):
        values.append(correlation * values[-1] + fresh * float(random.standard_normal()))
    return np.array(values[-count:])


def false_step(random: Random, kind: str, nights: int) -> bool:
    """Whether `trend` finds a step where there is none."""
    if kind == "correlated":
        logs = autoregressive(random, nights, 0.5)
    elif kind == "skewed":
        logs = tailed(random, nights)
    else:
        slow = random.random(nights) < 1 / 40
        logs = random.standard_normal(nights) + slow * random.uniform(6, 14, nights)
    return bool(steps_in(logs.tolist()).steps)


def step_held(random: Random) -> bool | None:
    """Of a step that was found in 5 sessions: whether its interval holds it."""
    logs = tailed(random, 5)
    logs[2:] += STEP
    found = steps_in(logs.tolist()).steps
    return found[0].low <= STEP <= found[0].high if len(found) == 1 else None


def seen(random: Random, count: int, correlation: float, sizes: int = 1) -> bool:
    """Whether launches that follow each other are seen to: each size has a state of its own."""
    series = [autoregressive(random, count, correlation).tolist() for _ in range(sizes)]
    level = np.mean(series, axis=0).tolist()
    found = trend_of(level, series=series)
    return found.is_trend or found.is_correlated


def seen_together(
    random: Random, transports: int, correlation: float, *, alone: bool = True
) -> bool:
    """The same of one state of the machine, which moves five launches of each transport in turn.

    By the test of all of them, or of any `alone`.
    """
    state = autoregressive(random, LAUNCHES * transports, correlation ** (1 / transports))
    groups = [list(enumerate(state.tolist()))[at::transports] for at in range(transports)]
    chance = chance_of_groups(groups)
    together = chance is not None and chance <= TOGETHER_LEVEL
    single = [trend_of([log for _, log in group]) for group in groups if alone]
    return together or any(one.is_trend or one.is_correlated for one in single)


def covered_in_time(random: Random, count: int, correlation: float) -> bool:
    """Whether an interval over launches that follow each other covers the truth."""
    logs = 0.02 * autoregressive(random, count, correlation)
    estimate = median_of_launches(np.exp(logs).tolist())
    return estimate.low <= 1 <= estimate.high


def one_tick(random: Random) -> bool | None:
    """Two launches of 1 to 2 us that fall on one tick of 40 ns."""
    truth = random.uniform(1000, 2000)
    ticks = np.rint(truth * np.exp(0.01 * random.standard_normal(2)) / COARSE_NS) * COARSE_NS
    if ticks[0] != ticks[1]:
        return None
    found = median_of_launches(ticks.tolist(), COARSE_NS)
    return found.low <= truth <= found.high


def stopped(
    random: Random, scatter: float, precision: float, most: int, kind: str = "normal"
) -> bool | None:
    """Of a case that ends within the precision: whether the truth is in its interval."""
    logs = deviates(random, kind, (most,)) - MEDIANS[kind]
    times = np.exp(scatter * logs).tolist()
    for count in range(LAUNCHES, most + 1):
        if settled(times[:count], precision, LAUNCHES):
            found = median_of_launches(times[:count])
            return found.low <= 1 <= found.high
    return None


def seen_in_time() -> list[Scene]:
    """Launches that are correlated in time: how often a note says so, and by chance."""
    one, sizes = "of one curve: seen", "of 24 sizes, each its own"
    far, none = partial(seen, correlation=0.9), partial(seen, correlation=0.0)
    state = partial(seen_together, correlation=0.9)
    still = partial(seen_together, correlation=0.0, alone=False)
    return [
        Scene(f"5 launches, correlation 0.9, {one}", partial(far, count=5), "said"),
        Scene(f"10 launches, correlation 0.9, {one}", partial(far, count=10), HALF),
        Scene(f"20 launches, correlation 0.9, {one}", partial(far, count=20), HALF),
        Scene(f"5 launches, the same {sizes}: seen", partial(far, count=5, sizes=24), HALF),
        Scene("5 launches of 2 transports in turn: seen", partial(state, transports=2), HALF),
        Scene("5 launches of 4 transports in turn: seen", partial(state, transports=4), HALF),
        Scene(
            f"5 independent launches {sizes}: called correlated",
            partial(none, count=5, sizes=24),
            MOST,
            4.0,
        ),
        Scene("4 transports, independent: called so", partial(still, transports=4), MOST, 4.0),
    ]


def of_time() -> list[Scene]:
    """Sessions and launches in the order of time, coarse clocks, and stopping."""
    kinds = [(kind, nights) for kind in ("correlated", "skewed", "slow") for nights in (7, 14, 30)]
    half = partial(covered_in_time, count=10, correlation=0.5)
    return [
        *(
            Scene(
                f"trend, a step in {nights} nights, {kind}",
                partial(false_step, kind=kind, nights=nights),
                MOST,
            )
            for kind, nights in kinds
        ),
        Scene("interval of a step found in 5 sessions", step_held, ">= 90"),
        Scene("10 launches, correlation 0.5: covered", half, "said"),
        *seen_in_time(),
        Scene("two launches on one tick of 40 ns: covered", one_tick, ">= 93"),
        Scene(
            "ended within 3 % at 5 %",
            partial(stopped, scatter=0.05, precision=0.03, most=80),
            ">= 90",
            0.5,
        ),
        Scene(
            "ended within 5 % at 5 %",
            partial(stopped, scatter=0.05, precision=0.05, most=80),
            ">= 90",
            0.5,
        ),
        *(
            Scene(
                f"ended within 3 % at 5 %, launches {words}",
                partial(stopped, scatter=0.05, precision=0.03, most=80, kind=kind),
                ">= 90",
                0.5,
            )
            for kind, words in KINDS_OF_LAUNCHES.items()
        ),
    ]
