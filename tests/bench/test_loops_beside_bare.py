"""The bench's programs that run a loop of the engine and a bare one in turn."""

from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import loop

    return loop


@pytest.mark.engine
def test_ping_pong_beside_bare_calls_has_a_ratio(loop: ModuleType) -> None:
    figures = loop.ratios_of(loop.told_by("loop_beside_bare", "openmpi", turns=2))
    assert min(figures.values()) > 0


@pytest.mark.engine
def test_both_ways_beside_bare_calls_has_a_ratio_for_each_memory(loop: ModuleType) -> None:
    figures = loop.ratios_both_ways(loop.told_by("both_ways_beside_bare", "openmpi", turns=1))
    assert {"engine_windows_to_bare_usual_ratio", "engine_usual_ratio", "bare_small_ratio"} <= set(
        figures
    )
    assert min(figures.values()) > 0


@pytest.mark.engine
def test_one_way_beside_bare_calls_has_a_ratio_for_each_loop(loop: ModuleType) -> None:
    figures = loop.ratios_of_one_way(loop.told_by("one_way_beside_bare", "openmpi", turns=1))
    assert {"engine_ratio", "bare_refills_ratio", "bare_statuses_ratio"} <= set(figures)
    assert min(figures.values()) > 0


@pytest.mark.engine
def test_content_has_a_speed_beside_the_c_library(loop: ModuleType) -> None:
    content = next(cost for cost in loop.costs() if cost.name == "content")
    figures = content.measure()
    assert figures
    assert min(figures.values()) > 0


def test_ratios_are_of_one_turn_and_the_median_over_turns(loop: ModuleType) -> None:
    told = "bare_usual engine_windows_usual \n100 50 \n10 20 \n8 16"
    assert loop.ratios_both_ways(told) == {
        "engine_windows_usual_ratio": 2,
        "bare_usual_bytes_per_s": 10,
        "engine_windows_to_bare_usual_ratio": 2,
    }
    told = "bare bare_refills engine \n100 50 25 \n10 20 20 \n8 16 4 "
    assert loop.ratios_of_one_way(told) == {
        "bare_refills_ratio": 2,
        "engine_ratio": 0.5,
        "bare_bytes_per_s": 10,
        "engine_to_bare_refills_ratio": 0.5,
    }
