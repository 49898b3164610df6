"""Rows for every planned case, with the figures that the record holds."""

from pathlib import Path

import msgspec
import pytest

import weft
from lines import CLOCK, batch_of, header_of, launch_of, plan_of, sample_lines, write_lines
from weft.analysis.summary import summarise, to_json_rows
from weft.record.model import Case, LaunchEnd, Line

CASE = Case(test="ping_pong", transport="tcp", bytes=8)


def summary_of(tmp_path: Path, *batches: Line) -> list[dict[str, object]]:
    lines: list[Line] = [header_of(plan_of([CASE], launches=2)), launch_of(0, "tcp")]
    lines += [launch_of(1, "tcp"), *batches, LaunchEnd(launch=0, status="ok", clock=CLOCK)]
    path = tmp_path / "r.jsonl"
    path.unlink(missing_ok=True)
    return to_json_rows(summarise(weft.load(write_lines(path, lines))))


def test_figures_are_those_of_the_record(tmp_path: Path) -> None:
    run = weft.load(write_lines(tmp_path / "r.jsonl", sample_lines(launches=7)))
    latency, stream = summarise(run)
    assert latency.latency_ns is not None
    assert latency.latency_ns.median == pytest.approx(1030 * 0.5 / 2)
    assert latency.latency_ns.low == pytest.approx(1000 * 0.5 / 2)
    assert latency.latency_ns.high == pytest.approx(1060 * 0.5 / 2)
    assert (latency.samples, latency.launches, latency.verified_bytes) == (210, 7, 7 * 64)
    assert latency.minimum_latency_ns == pytest.approx(999 * 0.5 / 2)
    assert stream.latency_ns is None
    assert stream.bandwidth_bytes_per_s is not None
    assert stream.bandwidth_bytes_per_s.median == pytest.approx(1024e9 / (1030 * 0.5))
    assert stream.bandwidth_bytes_per_s.low == pytest.approx(1024e9 / (1060 * 0.5))


def test_operations_per_sample_divide_the_time(tmp_path: Path) -> None:
    [row] = summary_of(tmp_path, batch_of(CASE, 0, 0, [9, 800, 800, 800], ops_per_sample=4))
    assert row["latency_ns"]["median"] == pytest.approx(800 * 0.5 / 4 / 2)  # type: ignore[index]
    assert row["ops_per_sample"] == (4,)


def test_a_case_that_was_not_measured_is_a_row_with_the_mend(tmp_path: Path) -> None:
    [row] = summary_of(tmp_path)
    assert row["status"] == "timeout"
    assert "--resume" in str(row["reason"])
    assert "latency_ns" not in row


def test_wrong_bytes_do_not_hide_behind_good_launches(tmp_path: Path) -> None:
    good = batch_of(CASE, 0, 0, [1, 1000, 1000])
    bad = batch_of(CASE, 1, 1, [], status="failed", reason="wrong byte at offset 3")
    [row] = summary_of(tmp_path, good, bad)
    assert (row["status"], row["reason"]) == ("failed", "wrong byte at offset 3")
    assert row["launches"] == 1


def test_a_lost_launch_among_good_ones_is_told(tmp_path: Path) -> None:
    good = batch_of(CASE, 0, 0, [1, 1000, 1000])
    late = batch_of(CASE, 1, 1, [], status="timeout", reason="the case did not end in 9 s")
    [row] = summary_of(tmp_path, good, late)
    assert row["status"] == "ok"
    assert any("did not end in 9 s" in flag for flag in row["flags"])  # type: ignore[attr-defined]


def test_an_unsupported_case_keeps_its_reason(tmp_path: Path) -> None:
    [row] = summary_of(
        tmp_path, batch_of(CASE, -1, 0, [], status="unsupported", reason="no one-sided operations")
    )
    assert (row["status"], row["samples"]) == ("unsupported", 0)


def test_json_rows_hold_what_scripts_rely_on(tmp_path: Path) -> None:
    run = weft.load(write_lines(tmp_path / "r.jsonl", sample_lines()))
    for row in to_json_rows(summarise(run)):
        assert {
            "test", "transport", "bytes", "status", "reason", "samples", "launches",
            "verified_bytes",
        } <= set(row)  # fmt: skip
        assert msgspec.json.encode(row)
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            if name in row:
                assert {"median", "low", "high"} <= set(row[name])
