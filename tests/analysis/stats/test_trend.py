"""Launches in time: a trend and a correlation are found, and chance is not called one."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from support.shown import findings_of
from weft.analysis.stats.theil_sen import theil_sen
from weft.analysis.stats.trend import (
    LEVEL,
    bartels,
    mann_kendall,
    not_looked_for,
    power_in_words,
    trend_of,
    trends_in_words,
    trends_of,
)
from weft.analysis.summary import summarise
from weft.plan.case import Case

CASES = make_cases(tests=("ping_pong", "stream"), transports=("tcp", "mpi"))


@pytest.mark.parametrize("count", [2, 3, 5, 6])
def test_the_chance_of_a_trend_is_counted_over_all_orders(count: int) -> None:
    for order in itertools.islice(itertools.permutations(range(count)), 0, None, 7):
        known = stats.kendalltau(range(count), order, method="exact").pvalue
        assert mann_kendall(order) == pytest.approx(known)


def test_the_approximation_is_near_the_count() -> None:
    draw = np.random.default_rng(4)
    for count in (20, 21):
        values = (draw.normal(size=count) + 0.05 * np.arange(count)).tolist()
        known = stats.kendalltau(range(count), values).pvalue
        assert mann_kendall(values) == pytest.approx(known, abs=0.02)


@pytest.mark.parametrize("count", [5, 7, 8, 12, 30])
def test_chance_is_seldom_called_a_correlation(count: int) -> None:
    draw = np.random.default_rng(count)
    told = sum(bartels(draw.normal(size=count).tolist()) <= LEVEL for _ in range(600))
    assert told <= 600 * LEVEL + 3.5 * math.sqrt(600 * LEVEL)


@pytest.mark.parametrize("count", [2, 3, 10, 31])
def test_the_slope_is_that_of_scipy(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count).round(1)
    assert theil_sen(values) == pytest.approx(stats.theilslopes(values).slope)


def test_equal_values_share_the_middle_of_their_ranks() -> None:
    values = [0.1, 0.3, 0.3, 0.1, 0.0, 0.1]
    near = [
        float((np.diff(order) ** 2).sum())
        for order in itertools.permutations(stats.rankdata(values))
    ]
    known = np.mean(np.array(near) <= near[0])
    assert bartels(values) == pytest.approx(known)


def test_only_a_rise_and_a_fall_have_neighbours_as_near_as_can_be() -> None:
    assert bartels(range(6)) == bartels(range(6, 0, -1)) == pytest.approx(2 / math.factorial(6))
    assert bartels([1, 6, 2, 5, 3, 4]) > 0.5


def test_launches_that_hang_together_are_found() -> None:
    wave = [math.sin(2 * math.pi * at / 12) for at in range(24)]
    found = trend_of(wave)
    assert found.is_correlated
    assert not found.is_trend
    zigzag = trend_of([(-1.0) ** at + 0.01 * at for at in range(12)])
    assert not zigzag.is_correlated  # neighbours that are unlike are no sign of a slow change


def record(folder: Path, factors: Sequence[float]) -> Path:
    def times(case: Case, launch: int) -> Sequence[float]:
        level = factors[launch] if case.transport == "tcp" else 1.0
        return [level * t for t in usual_times_ns(case, 2)]

    path = folder / "a.jsonl"
    return synthetic_record(path, CASES, launches=len(factors), times_ns=times)


def test_a_drift_over_launches_is_told_with_its_size_and_cure(tmp_path: Path) -> None:
    run = weft.load(record(tmp_path, [1.0, 1.01, 1.02, 1.03, 1.04]))
    (line,) = trends_in_words(run)
    assert line.startswith("trend over time: tcp, 5 launches of 9 cases: the time rises by 4.0%")
    assert "p = 1.7%" in line
    assert "give all records" in line
    assert line in findings_of(run, summarise(run))
    by_transport = {found.transport: found for found in trends_of(run)}
    assert not by_transport["mpi"].is_trend
    # What the quiet transport would have shown is said too.
    (quiet,) = power_in_words(run)
    assert quiet.startswith("trend over time: mpi: none found over 5 launches")
    assert quiet.endswith("scatter in 25% of such runs")


def test_with_few_launches_nobody_looked_and_that_is_said(tmp_path: Path) -> None:
    run = weft.load(record(tmp_path, [1.0, 1.1, 1.2]))
    assert trends_in_words(run) == ()
    assert not_looked_for(run).startswith("trend over time: not tested with fewer")
    assert not_looked_for(run) in findings_of(run, summarise(run))


def test_a_case_that_some_launches_lack_makes_no_trend(tmp_path: Path) -> None:
    """The long messages are measured in the later launches only: these are not slower ones."""

    def times(case: Case, launch: int) -> Sequence[float]:
        is_late = case.bytes > 1024 and launch < 3
        return [] if is_late else usual_times_ns(case, launch)

    run = weft.load(synthetic_record(tmp_path / "b.jsonl", CASES, times_ns=times))
    assert trends_in_words(run) == ()


@pytest.mark.parametrize("count", [2, 5, 7, 8, 9, 20])
def test_launches_that_took_the_same_are_in_any_order(tmp_path: Path, count: int) -> None:
    """Ranks that are all tied have no scatter: a division by it ended show, report and check."""
    assert bartels([1.0] * count) == 1.0
    path = synthetic_record(
        tmp_path / "a.jsonl", CASES[:1], launches=count, times_ns=lambda *_: [1000.0] * 20
    )
    [found] = trends_of(weft.load(path))
    assert not found.is_trend
    assert not found.is_correlated
    assert found.change == 0
    # All but one tied: the usual approximation, and no error.
    assert 0 <= bartels([1.0] * count + [2.0]) <= 1
