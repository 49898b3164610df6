"""The times of an exchange over its ranks, from records whose answer is known."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from support.over_ranks import without_each_value
from support.shown import json_rows, tables_of
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.topics.exchange import exchanges_of

OWN_NS = (1000.0, 1300.0, 900.0)
CASE = Case(test="sendrecv", transport="tcp", bytes=1000, ranks=3)


def record_of(path: Path, own_ns: tuple[float, ...] = OWN_NS, case: Case = CASE) -> weft.Run:
    def series(time_ns: float, round_: int) -> list[float]:
        # Slow samples of one rank are in no median.
        return [time_ns * LAUNCH_EFFECTS[round_]] * 7 + [50 * time_ns] * 2

    def parts(_: Case, round_: int) -> dict[str, list[float]]:
        return {f"rank{rank}": series(own_ns[rank], round_) for rank in range(1, len(own_ns))}

    file = synthetic_record(
        path / "r.jsonl",
        (case,),
        times_ns=lambda _, round_: series(own_ns[0], round_),
        parts_ns=parts,
    )
    return weft.load(file)


def record_beside(folder: Path, own_ns: Mapping[int, list[float]]) -> weft.Run:
    """Ten samples of rank 0 that are alike in a launch, and those of the other ranks."""
    file = synthetic_record(
        folder / "s.jsonl",
        (CASE,),
        times_ns=lambda _, round_: [1000.0 * LAUNCH_EFFECTS[round_]] * 10,
        parts_ns=lambda _, __: {f"rank{rank}": own for rank, own in own_ns.items()},
    )
    return weft.load(file)


def test_least_mean_and_greatest_are_over_the_ranks(tmp_path: Path) -> None:
    (row,) = exchanges_of(record_of(tmp_path))
    assert (row.ranks, row.launches, row.bytes) == (3, 5, 1000)
    assert row.least_ns.value == pytest.approx(900, rel=1e-3)
    assert row.mean_ns.value == pytest.approx(3200 / 3, rel=1e-3)
    assert row.greatest_ns.value == pytest.approx(1300, rel=1e-3)
    assert row.bandwidth_bytes_per_s is not None
    # Both directions of a rank, by the slowest one's time.
    assert row.bandwidth_bytes_per_s.value == pytest.approx(2 * 1000 / 1300e-9, rel=1e-3)
    assert row.bandwidth_bytes_per_s.low < 2 * 1000 / 1300e-9 < row.bandwidth_bytes_per_s.high


def test_one_row_a_case_reaches_the_tables_and_the_json(tmp_path: Path) -> None:
    run = record_of(tmp_path)
    summaries = summarise(run)
    (leaf,) = tables_of(run, summaries, "exchange")
    assert leaf.rows[0][:4] == ("sendrecv", "tcp", "1000 B", "3")
    assert [cell.split()[0] for cell in leaf.rows[0][4:7]] == ["900", "1.07", "1.30"]
    (row,) = json_rows(run, summaries)
    assert row["many"]["greatest_ns"]["value"] == pytest.approx(1300, rel=1e-3)


def test_the_rank_that_was_last_most_often_is_named_with_its_share(tmp_path: Path) -> None:
    # Rank 2 is last in 7 of 10 samples, though rank 1's mean is greater and its warm-up is longest.
    own_ns = {1: [9000.0] * 3 + [2000.0] * 7, 2: [1000.0] * 3 + [3000.0] * 7}
    whole = record_beside(tmp_path, own_ns)
    for run in (whole, without_each_value(whole)):
        (row,) = exchanges_of(run)
        assert row.slowest_rank == 2
        assert row.slowest_share == pytest.approx(0.7)
        (leaf,) = tables_of(run, summarise(run), "exchange")
        assert leaf.rows[0][-2:] == ("2", "70%")


def test_a_message_of_no_bytes_has_times_and_no_bandwidth(tmp_path: Path) -> None:
    case = Case(test="sendrecv", transport="tcp", bytes=0)
    (row,) = exchanges_of(record_of(tmp_path, (500.0, 600.0), case))
    assert row.bandwidth_bytes_per_s is None
    assert row.greatest_ns.value == pytest.approx(600, rel=1e-3)


def test_a_record_that_kept_rank_0_alone_has_no_rows(tmp_path: Path) -> None:
    assert exchanges_of(record_of(tmp_path, (1000.0,))) == ()


def test_of_ranks_that_were_last_as_often_the_first_is_named(tmp_path: Path) -> None:
    own_ns = {1: [9000.0] * 5 + [2000.0] * 5, 2: [2000.0] * 5 + [9000.0] * 5}
    (row,) = exchanges_of(record_beside(tmp_path, own_ns))
    assert row.slowest_rank == 1
    assert row.slowest_share == pytest.approx(0.5)
