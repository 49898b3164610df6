"""How often a verdict is false, and how often an interval holds the truth: a scene a row.

The noise is drawn otherwise than in bench/decisions.py, whose tables the methods were tuned on:
gamma tails, nights that are far slower, sessions, and series correlated in time. Every scene calls
what the commands call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from bench.in_time import of_time
from bench.noise import tailed
from bench.scene import KINDS_OF_DAYS, KINDS_OF_LAUNCHES, MOST, Random, Scene
from bench.sides import (
    LAUNCHES,
    SIZES,
    apart,
    apart_at_a_size,
    kept_limit,
    ratio_held,
    slower_than_limit,
)
from weft.analysis.compare.made_limits import QUIET, TAILED_LAUNCHES
from weft.analysis.fits.delays import DelayTest
from weft.analysis.fits.linear import fit_line
from weft.analysis.fits.loggp import from_delays
from weft.analysis.fits.sweeps import Series, series_of_times
from weft.analysis.layers import looked_at_together, step_between
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.rounds import differences
from weft.analysis.stats.slowest import slowest_rank, speed_of
from weft.topics.scaling.rows import verdict_of

SEED = 20261123
Fails = Callable[..., bool]


def efficiency(random: Random, ranks: int, asked: str) -> bool:
    """Equal ranks, each with its own noise of 6 %: is 1 covered, is it called a cost?"""
    alone = np.exp(0.06 * tailed(random, LAUNCHES, 1))
    times = np.exp(0.06 * tailed(random, LAUNCHES, ranks))
    base, here = slowest_rank(alone.tolist()), slowest_rank(times.tolist())
    found = speed_of(base, here)
    if asked == "covered":
        return found.low <= 1 <= found.high
    return verdict_of(found) == "costs more"


def keeps_all(random: Random, ranks: int, launches: int) -> bool:
    """Whether equal ranks, each with its own noise of 6 %, are said to cost less than 10 %."""
    sides = (np.exp(0.06 * tailed(random, launches, count)) for count in (1, ranks))
    found = speed_of(*(slowest_rank(one.tolist()) for one in sides))
    return verdict_of(found) == "costs less"


def efficiency_of_days(random: Random, ranks: int, slower: float, asked: str) -> bool:
    """The same over three days of three launches, which differ by 3 %; one rank is slower."""
    sessions = [day for day in range(3) for _ in range(3)]
    sides = []
    for count in (1, ranks):
        days = (0.03 * random.standard_normal(3))[sessions]
        # Unlike ranks: some are three times as noisy as others.
        own = random.uniform(0.02, 0.06, count) * tailed(random, len(sessions), count)
        times = np.exp(days[:, None] + own)
        times[:, -1] *= 1 + slower if count > 1 else 1.0
        sides.append(slowest_rank(times.tolist(), sessions=sessions))
    found = speed_of(*sides)
    if asked == "covered":
        return found.low <= 1 / (1 + slower) <= found.high
    return verdict_of(found) == "costs more"


def layer_of_days(random: Random) -> bool:
    """Whether `layers` names one size of a resumed record: what a layer adds changes by the day.

    Four days of three rounds; 1 % between days, 0.5 % between rounds.
    """
    days = np.repeat(0.01 * random.standard_normal((4, 2)), 3, axis=0)
    times = 10_000 * np.exp(days + 0.005 * tailed(random, 12, 2))
    rounds = [dict(enumerate(times[:, at].tolist())) for at in (0, 1)]
    sessions = {number: number // 3 for number in range(12)}
    below, above = (over_launches(times[:, at].tolist(), positive=True) for at in (0, 1))
    step = step_between(8, below, above).in_rounds(rounds[0], rounds[1], sessions)
    return step.verdict != "cannot tell"


def layer_named(random: Random) -> bool:
    """Whether the sentence of `layers` names a size though the layers are alike."""
    times = 10_000 * np.exp(0.01 * tailed(random, 2, LAUNCHES, SIZES))
    steps, added = [], []
    for size in range(SIZES):
        own = [times[at, :, size].tolist() for at in (0, 1)]
        below, above = (over_launches(one, positive=True) for one in own)
        rounds = [dict(enumerate(one)) for one in own]
        steps.append(step_between(size, below, above).in_rounds(rounds[0], rounds[1]))
        added.append(differences(rounds[0], rounds[1])[0])
    return any(step.verdict != "cannot tell" for step in looked_at_together(steps, added))


def line_missed(random: Random) -> bool:
    """Whether an interval of a line through one launch of a record misses; launches differ by 1 %.

    Either line, its latency or its slope.
    """
    sizes = np.array([0, *(2**power for power in range(23))])
    times = (1500 + 0.25 * sizes) * math.exp(0.01 * random.standard_normal())
    samples = times[:, None] * (1 + 0.02 * tailed(random, len(sizes), 20))
    table = series_of_times("drawn", np.repeat(sizes, 20), samples.ravel())
    fit = fit_line(Series(name="drawn", launches=table.launches))
    ends = [
        (getattr(line, part), truth)
        for line in (fit.least_squares, fit.median_line)
        for part, truth in (("latency_ns", 1500), ("slope_ns_per_byte", 0.25))
    ]
    return any(not one.low <= truth <= one.high for one, truth in ends)


def delay_method(random: Random, launches: int, asked: str) -> bool:
    """Whether LogGP's g or o_r holds its mean; parts of a launch scatter by 5 % with a tail."""
    truths = {"g": 700.0, "o_r": 250.0}
    tests = []
    for _ in range(launches):
        parts = 1 + 0.05 * tailed(random, 3, 3)
        tests.append(
            [
                DelayTest(
                    bytes=size, messages=8, single_ns=5000.0, receive_ns=250 * own[1],
                    burst_ns=5000 + 7 * (700 * own[0] + 0.12 * size),
                    delayed_ns=5000 + 7 * (20_000 + 300 * own[2]), delay_ns=20_000.0,
                )
                for size, own in zip((1, 1024, 65536), parts, strict=True)
            ]
        )  # fmt: skip
    found = from_delays("drawn", tests)
    estimate = found.gaps[0].gap_ns if asked == "g" else found.overheads[0].receive_ns
    return estimate is not None and estimate.low <= truths[asked] <= estimate.high


def of_fits() -> list[Scene]:
    """Lines through one launch, and parameters that are means of launches with a tail."""
    return [
        Scene("one launch, an interval of a line misses", line_missed, MOST),
        *(
            Scene(
                f"LogGP's {asked} over 10 launches with a tail: covered",
                partial(delay_method, launches=10, asked=asked),
                ">= 92",
                2.0,
            )
            for asked in ("g", "o_r")
        ),
    ]


def of_ranks() -> list[Scene]:
    """More ranks: 5 launches, each rank's own noise is 6 %."""
    found = []
    for ranks in (2, 16, 256):
        name = f"slowest of {ranks} equal ranks"
        covered = partial(efficiency, ranks=ranks, asked="covered")
        cost = partial(efficiency, ranks=ranks, asked="cost")
        found.append(Scene(f"{name}: efficiency covered", covered, ">= 93"))
        found.append(Scene(f"{name}: called a cost", cost, "<= 5"))
    kept = partial(keeps_all, ranks=16, launches=30)
    found.append(Scene("16 equal ranks, 30 launches: said to cost less", kept, ">= 90", 0.5))
    for ranks in (2, 16, 256):
        name = f"{ranks} unlike ranks over 3 days"
        slow = partial(efficiency_of_days, ranks=ranks, slower=0.05, asked="covered")
        cost = partial(efficiency_of_days, ranks=ranks, slower=0.0, asked="cost")
        found.append(Scene(f"{name}, one 5 % slower: efficiency covered", slow, ">= 93"))
        found.append(Scene(f"{name}, equal: called a cost", cost, "<= 5"))
    return found


def of_sides(fails: Fails) -> list[Scene]:
    """Comparison and check of machines that are equal, or slower by just the tolerance of 5 %."""
    one, five = (1, 1), (1, 5)
    boot = partial(apart, scatter=0.01, sessions=one, boot=0.3)
    single = partial(fails, between=0.02, slower=0.05, sessions=1)
    three = partial(fails, between=0.01, slower=0.05, sessions=3)
    slow = partial(fails, between=0.01, slower=0.10, sessions=3)
    return [
        Scene("compare, one session a side, 1 %", partial(apart, scatter=0.01, sessions=one), MOST),
        Scene("one against five, 1 %", partial(apart, scatter=0.01, sessions=five), MOST),
        Scene("one against five, 3 %", partial(apart, scatter=0.03, sessions=five), MOST),
        *(
            Scene(
                f"one against five, 3 %, sessions {words}",
                partial(apart, scatter=0.03, sessions=five, kind=kind),
                MOST,
                5.0,
            )
            for kind, words in KINDS_OF_DAYS.items()
        ),
        *(
            Scene(
                f"one session a side, sessions and {launches} launches by {scatter:.0%}",
                partial(apart, scatter=scatter, sessions=one, within=scatter, launches=launches),
                MOST,
                2.0,
            )
            for scatter, launches in ((0.05, 5), (0.2, 12))
        ),
        Scene("a boot in five 30 % slow, one session a side", boot, "said"),
        Scene(
            "compare, one side scatters 5 times as much, with a tail: covered",
            ratio_held,
            ">= 93",
            5.0,
        ),
        Scene("compare names one of 24 sizes", partial(apart_at_a_size, shared=0.0), MOST),
        Scene("the same, sizes move together", partial(apart_at_a_size, shared=0.01), MOST),
        Scene("layers names one of 24 sizes", layer_named, MOST),
        Scene("layers of four days, named", layer_of_days, MOST, 5),
        *of_limits(),
        Scene("check at the tolerance, one session a side, 2 %: fails", single, MOST),
        Scene("check at the tolerance, 3 sessions a side, 1 %: fails", three, MOST),
        *(
            Scene(
                f"check at the tolerance, one session a side, 2 %, launches {words}: fails",
                partial(single, kind=kind),
                MOST,
                0.25,
            )
            for kind, words in KINDS_OF_LAUNCHES.items()
        ),
        Scene("check, all 10 % slower, 3 sessions a side, 1 %: fails", slow, ">= 90"),
    ]


def of_limits() -> list[Scene]:
    """Limits of `check --make-limits`; sessions differ by 2 %, or by as much as launches do."""
    found = []
    for launches, scatter in ((3, 0.005), (5, 0.02), (5, 0.05), (10, 0.2)):
        name = f"made limits, {launches} launches by {scatter:.1%}"
        kept = partial(kept_limit, launches=launches, scatter=scatter)
        slower = partial(slower_than_limit, launches=launches, scatter=scatter)
        found.append(Scene(f"{name}: kept by an equal machine", kept, ">= 95"))
        found.append(Scene(f"{name}: 2.2 tolerances slower fails", slower, ">= 95"))
    for launches, scatter in ((5, 0.01), (5, 0.05), (10, 0.02), (10, 0.05), (10, 0.2)):
        aim = "said" if launches < TAILED_LAUNCHES and scatter > QUIET else ">= 95"
        for kind, words in (("skewed", "with an exponential tail"), ("modes", "of two modes")):
            name = f"made limits, {launches} launches {words} by {scatter:.0%}: kept"
            kept = partial(kept_limit, launches=launches, scatter=scatter, kind=kind)
            found.append(Scene(name, kept, aim))
    return found


def scenes(fails: Fails) -> list[Scene]:
    """All of them, in the order of the table."""
    return [*of_ranks(), *of_sides(fails), *of_time(), *of_fits()]


def rows(trials: int, fails: Fails) -> list[tuple[str, ...]]:
    """The share of each scene, beside what it is to be."""
    found: list[tuple[str, ...]] = [("scene", "share", "to be", "trials")]
    for scene in scenes(fails):
        random = np.random.Generator(np.random.Philox(SEED))
        count = max(1, round(trials * scene.trials_share))
        answers = [one for one in (scene.once(random) for _ in range(count)) if one is not None]
        share = f"{100 * sum(answers) / len(answers):.1f} %" if answers else "-"
        found.append((scene.name, share, scene.aim, str(len(answers))))
    return found
