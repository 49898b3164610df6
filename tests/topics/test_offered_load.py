"""Latency under load: percentiles, the queue that is known, the knee, coordinated omission."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from weft.analysis.stats.percentiles import percentiles
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.topics.offered_load import MOST_OF_ENDS, PERCENTILES, Knee, LoadRow, loads_of

SERVICE_NS = 1000.0
SAMPLES = 2000


def measured(
    path: Path,
    loads: tuple[int, ...],
    due_to_answer_ns: Callable[[int, float], list[float]],
    late_ns: Callable[[int, float], list[float]] | None = None,
) -> tuple[tuple[LoadRow, ...], tuple[Knee, ...]]:
    """The analysis of a record; the functions are given a launch and the interval."""
    cases = tuple(Case(test="offered_load", transport="tcp", bytes=8, point=load) for load in loads)

    def interval(case: Case) -> float:
        return 100 * SERVICE_NS / (case.point or 1)

    def parts(case: Case, round_: int) -> dict[str, list[float]]:
        late = late_ns(round_, interval(case)) if late_ns else [0.0] * SAMPLES
        return {"interval": [interval(case)] * SAMPLES, "late": late}

    file = synthetic_record(
        path / "r.jsonl",
        cases,
        launches=3,
        times_ns=lambda case, round_: due_to_answer_ns(round_, interval(case)),
        parts_ns=parts,
    )
    run = weft.load(file)
    return loads_of(run, summarise(run))


def test_ways_of_waiting_have_their_own_knees(tmp_path: Path) -> None:
    """Who blocks queues from a load on at which who polls does not."""
    cases = tuple(
        Case(test="offered_load", transport="tcp", bytes=8, point=load, wait=wait)
        for wait in ("", "block")
        for load in (20, 60, 90)
    )

    def times(case: Case, round_: int) -> list[float]:
        steep = case.wait == "block" and (case.point or 0) > 20
        return [SERVICE_NS * LAUNCH_EFFECTS[round_] * (50 if steep else 1)] * SAMPLES

    def parts(case: Case, _: int) -> dict[str, list[float]]:
        return {"interval": [1e5 / (case.point or 1)] * SAMPLES, "late": [0.0] * SAMPLES}

    file = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times, parts_ns=parts)
    run = weft.load(file)
    _, knees = loads_of(run, summarise(run))
    assert [knee.load_percent for knee in knees] == [90, 20]
    assert [knee.variant for knee in knees] == ["", "block"]
    assert knees[0].cases == tuple(case.key for case in cases[:3])


def d_d_1(_: int, interval_ns: float) -> list[float]:
    """A server of constant service time behind arrivals at a constant rate."""
    behind = max(0.0, SERVICE_NS - interval_ns)
    return [2 * SERVICE_NS + number * behind for number in range(SAMPLES)]


def m_d_1(launch: int, interval_ns: float) -> list[float]:
    """The same behind arrivals at random, by Lindley's recursion."""
    draw = np.random.default_rng([launch, round(interval_ns)])
    waited, times = 0.0, []
    for gap in draw.exponential(interval_ns, SAMPLES):
        times.append(waited + SERVICE_NS)
        waited = max(0.0, waited + SERVICE_NS - float(gap))
    return times


@pytest.mark.parametrize("shape", ["uniform", "lognormal", "constant"])
def test_the_percentiles_of_a_load_lie_between_the_samples_of_their_rank(shape: str) -> None:
    draw = np.random.default_rng(7)
    times = {
        "uniform": draw.uniform(200, 5e6, 20_000),
        "lognormal": draw.lognormal(9, 1.5, 20_000),
        "constant": np.full(20_000, 1234.0),
    }[shape]
    found = percentiles(times, PERCENTILES)
    assert list(found) == ["50", "90", "99", "99.9"]
    ordered = np.sort(times)
    for name, value in found.items():
        rank = round(len(times) * float(name) / 100)
        assert ordered[rank - 1] <= value <= ordered[rank]


@pytest.mark.parametrize(
    ("times", "is_known"),
    [
        ([5e6, 100.0], False),  # it was 245036 % of the load
        ([5e6, *[100.0] * 19], False),
        ([100.0] * 9, False),
        ([100.0] * 20, True),
        ([100.0 + 5e4 * at for at in range(20)], True),
    ],
)
def test_a_rate_of_answers_needs_answers(
    tmp_path: Path, times: list[float], *, is_known: bool
) -> None:
    cases = tuple(
        Case(test="offered_load", transport="tcp", bytes=8, point=at) for at in (20, 50, 90)
    )
    file = synthetic_record(
        tmp_path / "r.jsonl",
        cases,
        launches=3,
        times_ns=lambda *_: times,
        parts_ns=lambda *_: {"interval": [1e4] * len(times), "late": [0.0] * len(times)},
    )
    run = weft.load(file)
    rows, knees = loads_of(run, summarise(run))
    for row in rows:
        assert (row.answered_per_s is not None) is is_known
        assert row.answered_percent is None or row.answered_percent <= 100 / (1 - MOST_OF_ENDS)
    assert bool(knees) is is_known


def test_few_samples_have_no_tail() -> None:
    assert list(percentiles(np.arange(100.0), PERCENTILES)) == ["50", "90"]


def test_constant_arrivals_wait_for_nobody_until_saturation(tmp_path: Path) -> None:
    rows, (knee,) = measured(tmp_path, (20, 50, 90, 100, 125), d_d_1)
    for row in rows[:4]:
        assert row.percentiles_ns["99"].value == pytest.approx(2 * SERVICE_NS, rel=2e-3)
        assert row.keeps_up
        assert row.offered_per_s.value == pytest.approx(1e4 * row.load_percent, rel=1e-3)
    # Beyond, the 99th of so many is behind by so many differences; answers come at the server's.
    behind = 0.99 * SAMPLES * 0.2 * SERVICE_NS
    assert rows[4].percentiles_ns["99"].value == pytest.approx(behind + 2 * SERVICE_NS, rel=0.01)
    assert rows[4].answered_per_s
    assert rows[4].answered_per_s.value == pytest.approx(1e9 / SERVICE_NS, rel=1e-3)
    assert not rows[4].keeps_up
    assert (knee.load_percent, knee.lowest_percent, knee.highest_percent) == (100, 100, 100)
    assert not knee.is_last


def test_random_arrivals_have_their_knee_where_the_queue_says(tmp_path: Path) -> None:
    """M/D/1: the 99th percentile by Lindley's recursion; its power peaks near the middle."""
    loads = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95)
    _, (knee,) = measured(tmp_path, loads, m_d_1)
    assert 30 <= knee.lowest_percent <= knee.load_percent <= knee.highest_percent <= 70
    assert knee.percentile == "99"


def test_a_knee_that_may_lie_beyond_says_so(tmp_path: Path) -> None:
    _, (knee,) = measured(tmp_path, (20, 40, 60), d_d_1)
    assert (knee.load_percent, knee.is_last) == (60, True)
    assert measured(tmp_path / "..", (20, 40), d_d_1)[1] == ()


def test_a_knee_is_of_launches_that_measured_every_load(tmp_path: Path) -> None:
    """The first launch lacks a load: what it measured does not stand beside another launch's."""
    loads = (20, 50, 90)
    cases = tuple(Case(test="offered_load", transport="tcp", bytes=8, point=load) for load in loads)
    # By launch: the load whose latency is low is the knee of that launch.
    best = (20, 50, 90)

    def times(case: Case, round_: int) -> list[float]:
        if round_ == 0 and case.point == 90:
            return []
        return [1000.0 if case.point == best[round_] else 1e6] * SAMPLES

    def parts(case: Case, _: int) -> dict[str, list[float]]:
        return {"interval": [100 * SERVICE_NS / (case.point or 1)] * SAMPLES}

    file = synthetic_record(tmp_path / "r.jsonl", cases, launches=3, times_ns=times, parts_ns=parts)
    run = weft.load(file)
    _, (knee,) = loads_of(run, summarise(run))
    assert (knee.lowest_percent, knee.highest_percent) == (50, 90)


def test_what_coordinated_omission_hides_is_told(tmp_path: Path) -> None:
    """A stall of 500 intervals: from the post, with 8 in flight, almost nobody saw it."""

    def stalled(_: int, interval_ns: float) -> list[float]:
        return [
            2 * SERVICE_NS + max(0.0, (500 - (number - 100)) * interval_ns * (number >= 100))
            for number in range(SAMPLES)
        ]

    def late(_: int, interval_ns: float) -> list[float]:
        return [
            max(0.0, (500 - (number - 100)) * interval_ns * (number >= 108))
            for number in range(SAMPLES)
        ]

    rows, _ = measured(tmp_path, (50,), stalled, late)
    assert rows[0].percentiles_ns["90"].value > 100 * SERVICE_NS
    assert rows[0].posted_percentiles_ns["99"].value == pytest.approx(2 * SERVICE_NS, rel=2e-3)


def test_of_two_loads_in_the_middle_the_knee_is_the_lower_one(tmp_path: Path) -> None:
    """Two launches queue from 90 % on, two from 60 %: a load between them was not measured."""
    loads = (20, 60, 90)
    cases = tuple(Case(test="offered_load", transport="tcp", bytes=8, point=load) for load in loads)

    def times(case: Case, round_: int) -> list[float]:
        first_slow = 90 if round_ % 2 else 100
        return [SERVICE_NS * (50 if (case.point or 0) >= first_slow else 1) + round_] * SAMPLES

    def parts(case: Case, _: int) -> dict[str, list[float]]:
        return {"interval": [1e5 / (case.point or 1)] * SAMPLES, "late": [0.0] * SAMPLES}

    file = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times, parts_ns=parts, launches=4)
    run = weft.load(file)
    _, [knee] = loads_of(run, summarise(run))
    assert (knee.lowest_percent, knee.load_percent, knee.highest_percent) == (60, 60, 90)
    assert not knee.is_last
