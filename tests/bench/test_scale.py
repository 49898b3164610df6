"""What starting costs by the number of ranks: the laws that known costs follow."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import scale

    return scale


def _costs(scale: ModuleType, *counts: int, power: float = 1.0, each_bytes: int = 50_000) -> Any:
    return [
        scale.Cost(
            ranks=ranks,
            start_s=0.01 * ranks**power,
            cases_s=0.5 * ranks,
            end_s=0.0,
            rank_0_bytes=30_000_000 + each_bytes * ranks if each_bytes else 0,
        )
        for ranks in counts
    ]


def test_the_laws_of_known_costs_are_found_and_extrapolated(scale: ModuleType) -> None:
    assert scale.laws_of(_costs(scale, 16, 64, 256, power=1.5)) == [
        "start: grows as ranks^1.50, 2621 s for 4,096 ranks",
        "two cases: grows as ranks^1.00, 2048 s for 4,096 ranks",
        "rank 0: 30.0 MB and 50.0 kB for each rank, 81 MB for 1,024 ranks: within 1 GB",
    ]


def test_a_rank_0_that_needs_too_much_is_reported(scale: ModuleType) -> None:
    lines = scale.laws_of(_costs(scale, 16, 64, 256, each_bytes=1_000_000))
    assert lines[-1].endswith("1054 MB for 1,024 ranks: over 1 GB")


def test_too_few_numbers_of_ranks_have_no_law(scale: ModuleType) -> None:
    assert scale.laws_of(_costs(scale, 16, 64, 64)) == []
    assert len(scale.laws_of(_costs(scale, 16, 64, 256, each_bytes=0))) == 2
