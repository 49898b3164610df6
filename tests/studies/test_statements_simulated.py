"""Figures of a published text, simulated: each is of its own test and size."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from weft.errors import WeftError
from weft.plan.simulated import SimulatedPlatform
from weft.studies import reproduction

TESTS = ("ping_pong", "stream", "sendrecv", "late_receive", "host_overhead")
SMALL, LARGE = 8, 1 << 20
PLATFORM = cast("SimulatedPlatform", SimpleNamespace(name="of a test"))


def of_cases(patch: pytest.MonkeyPatch, *absent: tuple[str, int]) -> list[Any]:
    """No two figures alike; those of `absent` are not there. What was asked for."""
    asked: list[Any] = []
    cases = [(test, size) for test in TESTS for size in (SMALL, LARGE)]
    found = [
        SimpleNamespace(
            test=test,
            bytes=size,
            latency_ns=None if (test, size) in absent else SimpleNamespace(value=100.0 + at),
            bandwidth_bytes_per_s=(
                None if (test, size) in absent else SimpleNamespace(value=200.0 + at)
            ),
        )
        for at, (test, size) in enumerate(cases)
    ]

    def run(_: SimulatedPlatform, experiments: tuple[Any, ...]) -> Any:
        asked.extend(experiments)
        return SimpleNamespace(path="r.jsonl")

    patch.setattr(reproduction, "simulated_run", run)
    patch.setattr(reproduction, "summarise", lambda _: found)
    patch.setattr(
        reproduction, "host_times",
        lambda _, transport, size: SimpleNamespace(both_ns=(transport, size)),
    )  # fmt: skip
    return asked


def test_each_statement_is_of_its_test_at_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = of_cases(monkeypatch)
    assert reproduction.simulated_statements(PLATFORM) == {
        "latency_small": 100.0,
        "bandwidth_peak_one_way": 203.0,
        "bandwidth_peak_both_ways": 205.0,
        "host_overhead": ("sim", SMALL),
    }
    [one] = asked
    assert (one.tests, one.sizes, one.ranks) == (TESTS, f"{SMALL},{LARGE}", 2)


@pytest.mark.parametrize("absent", [("ping_pong", SMALL), ("stream", LARGE), ("sendrecv", LARGE)])
def test_a_figure_that_is_not_there_is_no_statement(
    monkeypatch: pytest.MonkeyPatch, absent: tuple[str, int]
) -> None:
    of_cases(monkeypatch, absent)
    with pytest.raises(WeftError, match=r"r\.jsonl lacks figures of of a test"):
        reproduction.simulated_statements(PLATFORM)
