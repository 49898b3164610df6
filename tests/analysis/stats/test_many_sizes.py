"""Verdicts on many sizes at once: none of them false in more than one table of twenty."""

import numpy as np
import pytest

from weft.analysis.layers import looked_at_together, step_between
from weft.analysis.stats.intervals import median_of_launches
from weft.analysis.stats.parameters import over_launches
from weft.analysis.stats.ratios import Figure, ratio, ratios, seen, verdict
from weft.analysis.stats.rounds import differences
from weft.analysis.stats.slowdown import Paces

TRIALS = 200
SIZES = 24
# Of 200 trials at 5 %: ten, and three standard deviations more.
MOST = 19


def figure(logs: np.ndarray) -> Figure:
    """A side of one session."""
    times = tuple(np.exp(logs).tolist())
    return Figure(estimate=median_of_launches(times), kind="launches", paces=Paces((times,)))


@pytest.mark.parametrize("shared", [0.0, 0.01])
def test_compare_names_no_size_where_nothing_differs(shared: float) -> None:
    """Two transports of one session: the day is in both, so that only chance is left."""
    random = np.random.default_rng(1)
    wrong = 0
    for _ in range(TRIALS):
        logs = 0.01 * random.standard_normal((2, 5, SIZES))
        logs += shared * random.standard_normal((2, 5, 1))
        pairs = [(figure(logs[0, :, at]), figure(logs[1, :, at])) for at in range(SIZES)]
        found = ratios(pairs, "latency", same_session=True)
        wrong += any(one and verdict(one) in ("better", "worse") for one in found)
    assert wrong <= MOST


def test_a_difference_of_one_session_each_allows_for_other_days() -> None:
    """Launches agree to 0.1 %: 4 % may be the day's, 12 % is not; in one session 4 % counts."""
    even = 0.001 * np.array([-1.0, 0.5, 0.0, 1.0, -0.5])
    for slower, same_session, answer in (
        (0.04, False, "cannot tell"),
        (0.04, True, "worse"),
        (0.12, False, "worse"),
    ):
        found = ratio(figure(even), figure(even + slower), "latency", same_session=same_session)
        assert verdict(found) == answer
        assert (found.high < 1) is (answer == "worse")
        assert seen(found) == "worse"
        assert found.in_these_runs
        assert found.low <= found.in_these_runs[0] < found.in_these_runs[1] <= found.high


def test_layers_name_no_size_where_nothing_differs() -> None:
    random = np.random.default_rng(2)
    wrong = 0
    for _ in range(TRIALS):
        steps, added = [], []
        for size in range(SIZES):
            times = 10_000 * np.exp(0.01 * random.standard_normal((2, 5)))
            below, above = (over_launches(own.tolist(), positive=True) for own in times)
            rounds = [dict(enumerate(own.tolist())) for own in times]
            steps.append(step_between(size, below, above).in_rounds(rounds[0], rounds[1]))
            added.append(differences(rounds[0], rounds[1])[0])
        wrong += any(one.verdict != "cannot tell" for one in looked_at_together(steps, added))
    assert wrong <= MOST
