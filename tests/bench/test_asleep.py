"""The bench of ranks that sleep while two are measured."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_launch_is_compared_with_those_of_two_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from bench import asleep

    times = iter([100.0, 150.0, 200.0, 200.0, 300.0])
    started = []

    def taken(transport: str, ranks: int) -> float:
        started.append((transport, ranks))
        return next(times)

    monkeypatch.setattr(asleep, "latency_ns", taken)
    assert asleep.ratios("tcp", (16, 64)) == {
        "ratio_of_16": 1.0,
        "ratio_of_64": 0.8,
        "latency_of_2_ns": 200.0,
    }
    assert started == [("tcp", ranks) for ranks in (2, 16, 2, 64, 2)]


def test_what_sleepers_cost_us_is_what_the_bare_loop_does_not_lose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from bench import asleep

    # Engine and bare, of 2, 16, 2: the library loses a half, the engine a tenth more.
    told = iter([(110.0, 100.0), (181.5, 150.0), (110.0, 100.0)])
    monkeypatch.setattr(asleep, "turns_of", lambda _transport, _ranks: next(told))
    found = asleep.shares("mpi", (16,))
    assert found == {
        "engine_over_bare_of_2": pytest.approx(1.1),
        "bare_ratio_of_16": pytest.approx(1.5),
        "engine_ratio_of_16": pytest.approx(1.65),
        "ours_of_16": pytest.approx(1.1),
    }


def test_every_way_of_counting_sleepers_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from bench import asleep

    names = [cost.name for cost in asleep.costs()]
    assert {"ranks-asleep-tcp-256", "ranks-asleep-mpi", "ranks-asleep-mpi-and-bare"} <= set(names)
    assert len(set(names)) == len(names)
