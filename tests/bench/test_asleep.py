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
