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


@pytest.fixture
def simulated_ranks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import simulated_ranks

    return simulated_ranks


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


def test_the_table_tells_what_was_measured_from_what_was_not(scale: ModuleType) -> None:
    beside = {"end_s": 0.01, "processor_s": 0.05, "rank_bytes": 6e6, "meets_processor_s": 0.03}
    costs = [
        scale.msgspec.structs.replace(
            cost, **beside, meets_start_s=0.1 + 0.01 * cost.ranks, meets_rank_bytes=4e6
        )
        for cost in _costs(scale, 16, 64, 256, 1024)
    ]
    table = scale.table_of(scale.rows_of(costs), "real").splitlines()
    assert table[0] == "|  | measured at most | 1,024 ranks | 4,096 ranks | 16,384 ranks |"
    # 0.5 s, 10 ms a rank and 0.2 ms a pair.
    assert "| a start, ranks of weft | 220 s at 1,024 | 220 s | ~ 3,400 s | ~ 54,000 s |" in table
    assert (
        "| a start, ranks that only meet by MPI | 10 s at 1,024 | 10 s | ~ 41 s | ~ 160 s |"
        in table
    )
    assert "| rank 0's resident memory | 81 MB at 1,024 | 81 MB | ~ 230 MB | ~ 850 MB |" in table
    assert "with real ranks: 16, 64, 256, 1,024." in table[-1]
    assert table[-1].endswith("by a fixed part, one for each rank and one for each pair of ranks.")


def test_simulated_ranks_have_a_table_of_their_own(simulated_ranks: ModuleType) -> None:
    costs = [
        simulated_ranks.SimulatedCost(
            ranks=ranks, peak_bytes=200_000 * ranks, eager_s=2e-8 * ranks, rendezvous_s=2e-5
        )
        for ranks in (256, 1024, 4096)
    ]
    table = simulated_ranks.table_of(simulated_ranks.rows_of(costs), "simulated").splitlines()
    assert "| memory of a simulated rank | 200 kB at 4,096 | 200 kB | 200 kB | ~ 200 kB |" in table
    assert (
        "| a processor's time of a simulated message, sent at once | 82 us at 4,096 | 20 us |"
        " 82 us | ~ 330 us |" in table
    )
    assert (
        "| the same, asked for first (rendezvous) | 20 us at 4,096 | 20 us | 20 us | ~ 20 us |"
        in table
    )
    assert "with simulated ranks: 256, 1,024, 4,096." in table[-1]
    assert table[-1].endswith("by a fixed part and one for each rank.")


def test_what_was_not_measured_has_no_line(scale: ModuleType) -> None:
    """Rank 0 is on another host."""
    rows = scale.rows_of(_costs(scale, 16, 64, 256, each_bytes=0))
    assert "rank 0's" not in scale.table_of(rows, "real")
