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


def _costs(scale: ModuleType, *counts: int, each_bytes: int = 50_000) -> Any:
    return [
        scale.Cost(
            ranks=ranks,
            start_s=0.5 + 0.01 * ranks + 0.0002 * ranks**2,
            connect_s=0.00001 * ranks**2,
            cases_s=0.02 * ranks,
            end_s=0.0,
            rank_0_bytes=30_000_000 + each_bytes * ranks if each_bytes else 0,
        )
        for ranks in counts
    ]


def test_the_laws_of_known_costs_are_found_and_extrapolated(
    scale: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "MACHINE_CORES", 2)
    assert scale.laws_of(_costs(scale, 16, 32, 64, 256)) == [
        (
            "start: 0.50 s + 10.00 ms ranks + 200.0 us ranks^2: 3,397 s for 4,096 ranks on these 2"
            " cores"
        ),
        (
            "connecting: 0.00 s + 0.00 ms ranks + 10.0 us ranks^2: 168 s for 4,096 ranks on these 2"
            " cores"
        ),
        (
            "two cases: 0.00 s + 20.00 ms ranks + 0.0 us ranks^2: 82 s for 4,096 ranks on these 2"
            " cores"
        ),
        "rank 0: 30.0 MB and 50.0 kB for each rank, 81 MB for 1,024 ranks: within 1 GB",
    ]


def test_a_rank_0_that_needs_too_much_is_reported(scale: ModuleType) -> None:
    lines = scale.laws_of(_costs(scale, 16, 64, 256, each_bytes=1_000_000))
    assert lines[-1].endswith("1054 MB for 1,024 ranks: over 1 GB")


def test_too_few_numbers_of_ranks_have_no_law(scale: ModuleType) -> None:
    assert scale.laws_of(_costs(scale, 16, 64, 64)) == []
    assert len(scale.laws_of(_costs(scale, 16, 64, 256, each_bytes=0))) == 3
