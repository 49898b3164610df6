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
    figures = loop.ratios_of_columns(loop.told_by("both_ways_beside_bare", "openmpi", turns=1))
    assert {"engine_usual_ratio", "engine_many_usual_ratio", "bare_small_ratio"} <= set(figures)
    assert min(figures.values()) > 0
