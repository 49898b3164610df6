"""Drawn machines of known truth: the printed interval decides the verdict."""

import math

import numpy as np
import pytest

from weft.analysis.compare.acceptance import JudgedCurve, judged
from weft.analysis.compare.curves import curves_of
from weft.analysis.compare.pool import Pooled
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.ratios import Figure, ratios, seen, verdict
from weft.analysis.stats.slowdown import Paces
from weft.plan.case import Case

SIZES, LAUNCHES, TRIALS = 8, 5, 250
Random = np.random.Generator


def session(random: Random, days: float, slower: float = 0.0) -> np.ndarray:
    """Logarithms by launch and size: a day of its own, launches by 1 %, sizes by 0.3 %."""
    launches = 0.01 * random.standard_normal((LAUNCHES, 1))
    own = 0.003 * random.standard_normal((LAUNCHES, SIZES))
    found: np.ndarray = math.log1p(slower) + days * random.standard_normal() + launches + own
    return found


def figure(logs: np.ndarray) -> Figure:
    times = tuple(np.exp(logs).tolist())
    return Figure(estimate=median_of_launches(times), kind="launches", paces=Paces((times,)))


@pytest.mark.parametrize("days", [0.0, 0.02])
@pytest.mark.parametrize("slower", [0.0, 0.05])
def test_a_comparison_covers_the_truth_and_never_contradicts_itself(
    days: float, slower: float
) -> None:
    """One session a side; 57 % of the intervals held the truth, and 59 to 99 % contradicted."""
    random = np.random.default_rng(1)
    covered = wrong = 0
    for _ in range(TRIALS):
        first, second = session(random, days), session(random, days, slower)
        pairs = [(figure(first[:, at]), figure(second[:, at])) for at in range(SIZES)]
        found = [one for one in ratios(pairs, "latency") if one]
        for one in found:
            answer = verdict(one)
            assert (answer == "better", answer == "worse") == (one.low > 1, one.high < 1)
            assert one.in_these_runs
            assert one.low <= one.in_these_runs[0] <= one.in_these_runs[1] <= one.high
            assert answer not in ("better", "worse") or seen(one) == answer
        covered += sum(one.low <= 1 / (1 + slower) <= one.high for one in found)
        answers = {verdict(one) for one in found}
        wrong += "better" in answers or (not slower and "worse" in answers)
    assert covered >= 0.93 * TRIALS * SIZES
    assert wrong <= 0.05 * TRIALS


def checked(
    random: Random, slower: float, tolerance: float, sessions: int = 1, days: float = 0.02
) -> JudgedCurve:
    """A curve of one machine against one of another that is slower by that share."""
    sides = []
    for share in (slower, 0.0):
        logs = [session(random, days, share) for _ in range(sessions)]
        cases = [Case(test="ping_pong", transport="tcp", bytes=1 << at) for at in range(SIZES)]
        sides.append(
            {
                case.key: Pooled(
                    case=case,
                    directions=1,
                    paces=tuple(dict(enumerate(np.exp(own[:, at]).tolist())) for own in logs),
                )
                for at, case in enumerate(cases)
            }
        )
    [found] = judged(curves_of(*sides), tolerance)
    assert found.speed is not None
    required = 1 / (1 + tolerance)
    assert (found.outcome == "pass") is (found.speed.low >= required)
    assert (found.outcome == "fail") is (found.speed.high < required)
    return found


@pytest.mark.parametrize("sessions", [1, 3])
@pytest.mark.parametrize("tolerance", [0.05, 0.1])
def test_a_machine_at_the_bound_hardly_passes_or_fails(sessions: int, tolerance: float) -> None:
    """It passed in 24 to 31 %. The level is 5 %; three standard deviations of the trials more."""
    random = np.random.default_rng(2)
    answers = [checked(random, tolerance, tolerance, sessions).outcome for _ in range(TRIALS)]
    assert answers.count("pass") <= 0.092 * TRIALS
    assert answers.count("fail") <= 0.092 * TRIALS


def test_the_price_of_one_session_a_side() -> None:
    """An equal machine passes a tolerance of 10 % nearly always, and one of 5 % at every second."""
    random = np.random.default_rng(3)
    wide = [checked(random, 0.0, 0.1).outcome for _ in range(TRIALS)]
    assert wide.count("pass") >= 0.92 * TRIALS
    narrow = [checked(random, 0.0, 0.05).outcome for _ in range(TRIALS)]
    assert 0.35 * TRIALS <= narrow.count("pass") <= 0.7 * TRIALS
    assert "fail" not in (*wide, *narrow)
