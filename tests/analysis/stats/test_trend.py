"""Launches in time: a trend and a correlation are found, and chance is not called one."""

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy

import weft
from support.builders import make_cases, synthetic_record, usual_times_ns
from support.shown import findings_of
from weft.analysis.stats.neighbours import _orders, chance_of_groups, chance_of_neighbours
from weft.analysis.stats.theil_sen import theil_sen
from weft.analysis.stats.trend import (
    LEVEL,
    few_in_words,
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
        known = scipy.stats.kendalltau(range(count), order, method="exact").pvalue
        assert mann_kendall(order) == pytest.approx(known)


def test_the_approximation_is_near_the_count() -> None:
    draw = np.random.default_rng(4)
    for count in (20, 21):
        values = (draw.normal(size=count) + 0.05 * np.arange(count)).tolist()
        known = scipy.stats.kendalltau(range(count), values).pvalue
        assert mann_kendall(values) == pytest.approx(known, abs=0.02)


@pytest.mark.parametrize("count", [5, 7, 8, 12, 30])
def test_chance_is_seldom_called_a_correlation(count: int) -> None:
    draw = np.random.default_rng(count)
    told = sum(chance_of_neighbours(draw.normal(size=(1, count))) <= LEVEL for _ in range(600))
    assert told <= 600 * LEVEL + 3.5 * math.sqrt(600 * LEVEL)


@pytest.mark.parametrize("count", [2, 3, 10, 31])
def test_the_slope_is_that_of_scipy(count: int) -> None:
    values = np.random.default_rng(count).normal(size=count).round(1)
    assert theil_sen(values) == pytest.approx(scipy.stats.theilslopes(values).slope)


def test_the_chance_of_neighbours_is_counted_over_all_orders_by_von_neumanns_ratio() -> None:
    values = np.array([0.1, 0.3, 0.3, 0.15, 0.0, 0.12])
    near = [float((np.diff(order) ** 2).sum()) for order in itertools.permutations(values)]
    known = np.mean(np.array(near) <= near[0] * (1 + 1e-9))
    assert chance_of_neighbours([values.tolist()]) == pytest.approx(known)
    # A case without scatter weighs nothing, and one that scatters more no more.
    assert chance_of_neighbours([values.tolist(), [7.0] * 6]) == pytest.approx(known)
    rising = np.arange(6.0)
    both = chance_of_neighbours([values.tolist(), rising.tolist()])
    assert chance_of_neighbours([(100 * values).tolist(), rising.tolist()]) == both
    assert both < known


def test_only_a_rise_and_a_fall_have_neighbours_as_near_as_can_be() -> None:
    for order in (range(6), range(6, 0, -1)):
        assert chance_of_neighbours([list(order)]) == pytest.approx(2 / math.factorial(6))
    assert chance_of_neighbours([[1, 6, 2, 5, 3, 4]]) > 0.5


def wandering(draw: np.random.Generator, count: int, series: int, rho: float) -> np.ndarray:
    """Series, a row each, whose every value is correlated with the one before."""
    found = draw.normal(size=(series, count))
    for at in range(1, count):
        found[:, at] = rho * found[:, at - 1] + math.sqrt(1 - rho**2) * found[:, at]
    return found


def test_five_launches_of_many_cases_show_what_five_of_one_cannot() -> None:
    draw = np.random.default_rng(5)
    alone = [chance_of_neighbours(wandering(draw, 5, 1, 0.9)) <= LEVEL for _ in range(200)]
    many = [chance_of_neighbours(wandering(draw, 5, 24, 0.9)) <= LEVEL for _ in range(200)]
    assert np.mean(alone) < 0.3
    assert np.mean(many) > 0.8


@pytest.mark.parametrize("shared", [0.0, 0.7, 1.0])
def test_cases_that_share_a_launch_are_seldom_called_correlated(shared: float) -> None:
    draw = np.random.default_rng(6)
    told = 0
    for _ in range(300):
        own = draw.normal(size=(24, 5))
        told += chance_of_neighbours(shared * draw.normal(size=5) + (1 - shared) * own) <= LEVEL
    assert told <= 300 * LEVEL + 3.5 * math.sqrt(300 * LEVEL)


def in_turn(values: np.ndarray) -> list[list[tuple[int, float]]]:
    """Launches of two transports that a machine made in turn."""
    places = list(enumerate(values.tolist()))
    return [places[0::2], places[1::2]]


def test_two_transports_show_the_state_of_the_machine_that_neither_shows_alone() -> None:
    draw = np.random.default_rng(7)
    seen = by_chance = 0
    for _ in range(200):
        [series] = wandering(draw, 10, 1, 0.9**0.5)
        # Unlike means and scatters of the transports are no correlation.
        series[1::2] = 3 * series[1::2] + 5
        seen += (chance_of_groups(in_turn(series)) or 1.0) <= 0.05
        noise = draw.normal(size=10)
        noise[1::2] = 3 * noise[1::2] + 5
        by_chance += (chance_of_groups(in_turn(noise)) or 1.0) <= 0.05
    assert seen >= 100
    assert by_chance <= 21
    assert chance_of_groups([[(0, 1.0), (2, 1.1), (4, 0.9)], [(1, 1.0), (3, 1.0)]]) is None


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
    assert line.startswith(
        "trend over time: tcp, 5 launches of 9 cases: the time rises by 4.0% from the first to the"
        " last (p = 1.7%); "
    )
    assert "give all records" in line
    assert line in findings_of(run, summarise(run))
    by_transport = {found.transport: found for found in trends_of(run)}
    assert not by_transport["mpi"].is_trend
    # That the quiet transport shows none says little.
    assert power_in_words(run) == (
        "trend over time: none found, but so few launches miss many (mpi 5): 20 show most"
    )


def test_days_that_differ_are_no_trend_of_launches(tmp_path: Path) -> None:
    """The intervals of several sessions are over these: they are not too narrow."""
    path = record(tmp_path, [1.0, 1.01, 1.02, 1.03, 1.04, 1.05])
    assert trends_in_words(weft.load(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "launch":
            line["session"] = line["launch"] // 4
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = weft.load(path)
    assert len(run.sessions) == 3
    assert trends_in_words(run) == ()
    assert (power_in_words(run), not_looked_for(run)) == ("", "")


@pytest.mark.parametrize(
    ("launches", "state"),
    [
        (4, [1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07]),
        (5, [1.0, 1.02, 1.05, 1.06, 1.04, 1.02, 0.99, 0.98, 1.0, 1.01]),
    ],
)
def test_what_moves_all_transports_alike_is_told_once(
    tmp_path: Path, launches: int, state: Sequence[float]
) -> None:
    """Neither transport rises or falls, and each alone says nothing over five launches.

    That none was found, or none was looked for, is not said beside it.
    """

    def times(case: Case, launch: int) -> Sequence[float]:
        at = 2 * launch + (case.transport == CASES[-1].transport)
        return [state[at] * t for t in usual_times_ns(case, 2)]

    path = tmp_path / "c.jsonl"
    run = weft.load(synthetic_record(path, CASES, launches=launches, times_ns=times))
    (line,) = trends_in_words(run)
    assert line.startswith("trend over time: launches of all transports together")
    assert f"mpi {launches}" in line
    assert "one transport alone seldom shows with fewer than 20" in line
    assert "give all records" in line
    assert (power_in_words(run), few_in_words(run), not_looked_for(run)) == ("", "", "")


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
    assert chance_of_neighbours([[1.0] * count]) == 1.0
    path = synthetic_record(
        tmp_path / "a.jsonl", CASES[:1], launches=count, times_ns=lambda *_: [1000.0] * 20
    )
    [found] = trends_of(weft.load(path))
    assert not found.is_trend
    assert not found.is_correlated
    assert found.change == 0
    assert 0 < chance_of_neighbours([[1.0] * count + [2.0]]) <= 1


@pytest.mark.parametrize(
    "groups", [(0, 0, 0, 0), (0, 1, 0, 1), (0, 0, 1, 1, 1), (0,) * 9, (3, 1, 3)]
)
def test_launches_change_places_within_their_group_alone(groups: tuple[int, ...]) -> None:
    orders = _orders(groups)
    assert list(orders[0]) == list(range(len(groups)))
    assert (np.array(groups)[orders] == np.array(groups)).all()
    assert (np.sort(orders, axis=1) == np.arange(len(groups))).all()
    counted = {tuple(order) for order in orders.tolist()}
    ways = math.prod(math.factorial(groups.count(one)) for one in set(groups))
    assert len(counted) == (ways if len(groups) < 9 else len(counted))
    assert len(orders) == (ways if len(set(groups)) == 1 and len(groups) <= 7 else 2001)
