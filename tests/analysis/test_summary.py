"""From records with known answers to the figures that users see."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

import weft
from support.builders import (
    LAUNCH_EFFECTS,
    OPS_PER_SAMPLE,
    SAMPLES,
    SPREAD_ABOVE,
    SPREAD_BELOW,
    VERIFIED_BYTES,
    lost_batch,
    make_batch,
    make_cases,
    make_footer,
    make_header,
    make_launch,
    synthetic_record,
    usual_time_ns,
    usual_times_ns,
    write_lines,
)
from weft.analysis.summary import CaseSummary, summarise, to_json_rows
from weft.plan.case import Case
from weft.record.model import Batch, GivenUp, LaunchEnd, Outcome

CASES = make_cases(["ping_pong", "stream"], ["mpi", "tcp"], [0, 1000])
TICKS = 0.001  # the builders round to ticks


def only(path: Path) -> CaseSummary:
    (summary,) = summarise(weft.load(path))
    return summary


def one_case(test: str = "ping_pong", size: int = 8) -> tuple[Case, ...]:
    return make_cases([test], ["tcp"], [size])


def test_every_figure_of_a_usual_record_is_the_known_one(record: Path) -> None:
    divisors = {"ping_pong": 2, "ping_ping": 1, "stream": 0, "bidirectional_stream": 0}
    factors = {"ping_pong": 2, "ping_ping": 1, "stream": 1, "bidirectional_stream": 2}
    for case, summary in zip(make_cases(), summarise(weft.load(record)), strict=True):
        time = usual_time_ns(case)
        assert (summary.case, summary.status, summary.reason) == (case.key, "ok", "")
        assert (summary.launches, summary.samples, summary.settled) == (5, sum(SAMPLES), True)
        assert summary.verified_bytes == 6 * VERIFIED_BYTES
        assert summary.ops_per_sample == (OPS_PER_SAMPLE,)
        assert summary.flags == ()
        if divisors[case.test]:
            assert summary.latency_ns is not None
            assert summary.latency_ns.value == pytest.approx(time / divisors[case.test], rel=TICKS)
            assert summary.minimum_latency_ns is None  # a sample is a mean of eight
            assert summary.minimum_of_means_latency_ns == pytest.approx(
                time / divisors[case.test] * min(LAUNCH_EFFECTS) * (1 - SPREAD_BELOW), rel=TICKS
            )
        else:
            assert summary.latency_ns is None
            assert summary.minimum_of_means_latency_ns is None
            assert summary.percentiles_of_means_latency_ns == {}
        assert (summary.percentiles_latency_ns, summary.tails_latency_ns) == ({}, {})
        if case.bytes:
            bandwidth = factors[case.test] * case.bytes / (time * 1e-9)
            assert summary.bandwidth_bytes_per_s is not None
            assert summary.bandwidth_bytes_per_s.value == pytest.approx(bandwidth, rel=TICKS)
        else:
            assert summary.bandwidth_bytes_per_s is None


def test_interval_and_spreads_of_a_usual_case(record: Path) -> None:
    summary = next(s for s in summarise(weft.load(record)) if s.case == "tcp/ping_pong/1048576")
    latency, bandwidth = summary.latency_ns, summary.bandwidth_bytes_per_s
    assert latency is not None
    assert bandwidth is not None
    widened = math.exp(0.0388 * math.log(1.003 / 0.996))
    assert latency.low == pytest.approx(latency.value * 0.996 / widened, rel=1e-5)
    assert latency.high == pytest.approx(latency.value * 1.003 * widened, rel=1e-5)
    # High time is low bandwidth: bytes over latency, as factor and divisor are both 2.
    assert bandwidth.low == pytest.approx(2**20 / latency.high * 1e9)
    assert bandwidth.high == pytest.approx(2**20 / latency.low * 1e9)
    assert summary.between_launch_percent == pytest.approx(0.2, rel=1e-3)
    assert summary.within_launch_percent == pytest.approx(
        100 * (SPREAD_BELOW / 2 + SPREAD_ABOVE / 4) / 2, rel=1e-2
    )
    assert summary.relative_half_width == pytest.approx(0.0038, rel=0.02)


def test_warm_up_and_calibration_are_in_no_figure(tmp_path: Path) -> None:
    # The builders' warm-up takes twice, their calibration nine times as long as the samples.
    summary = only(synthetic_record(tmp_path / "a.jsonl", one_case()))
    highest = usual_time_ns(one_case()[0]) / 2 * 1.003 * (1 + SPREAD_ABOVE)
    assert max(summary.percentiles_of_means_latency_ns.values()) < highest


def test_the_launch_is_the_unit_not_the_sample(tmp_path: Path) -> None:
    """Nine samples of the slow launch for one of each other: the median is of the launches."""

    def times(_: Case, launch: int) -> list[float]:
        return [3000.0] * 900 if launch == 2 else [1000.0 + launch] * 100

    summary = only(synthetic_record(tmp_path / "a.jsonl", one_case(), launches=3, times_ns=times))
    assert summary.latency_ns is not None
    assert summary.latency_ns.value == pytest.approx(1001 / 2, rel=TICKS)
    assert summary.latency_ns.high > 1500


def test_two_batches_of_a_launch_are_one_launch(tmp_path: Path) -> None:
    case = one_case()[0]
    lines = [
        make_header((case,)),
        make_launch(0, "tcp"),
        make_batch(case, 0, 0, [1000.0] * 10),
        make_batch(case, 0, 1, [2000.0] * 11),
    ]
    summary = only(write_lines(tmp_path / "a.jsonl", lines))  # type: ignore[arg-type]
    assert (summary.launches, summary.samples) == (1, 21)
    assert summary.latency_ns is not None
    assert summary.latency_ns.value == 1000
    assert summary.latency_ns.method.startswith("one launch: the variation")
    assert summary.between_launch_percent is None
    assert not summary.settled


@pytest.mark.parametrize(
    ("outcome", "says"),
    [("budget", "the budget ended"), ("interrupted", "the run was interrupted")],
)
def test_a_case_never_measured_is_a_row_in_its_place(
    tmp_path: Path, outcome: Outcome, says: str
) -> None:
    def not_the_second(case: Case, launch: int) -> list[float]:
        return [] if case.key == CASES[1].key else usual_times_ns(case, launch)

    path = synthetic_record(tmp_path / "a.jsonl", CASES, times_ns=not_the_second, outcome=outcome)
    summaries = summarise(weft.load(path))
    assert [s.case for s in summaries] == [case.key for case in CASES]
    assert summaries[1].status == "not_tried"
    expected = f"{says} before this case was measured; finish it with: weft run --resume {path}"
    assert summaries[1].reason == expected
    assert {s.status for s in summaries} == {"ok", "not_tried"}


def test_a_lost_launch_is_the_reason_only_for_its_own_transport(tmp_path: Path) -> None:
    lines = [
        make_header(CASES),
        make_launch(0, "mpi"),
        LaunchEnd(launch=0, status="failed", reason="rank 1 ended with signal 9"),
        make_footer(0, "budget"),
    ]
    path = write_lines(tmp_path / "a.jsonl", lines)  # type: ignore[arg-type]
    for summary in summarise(weft.load(path)):
        assert ("signal 9" in summary.reason) == (summary.transport == "mpi")


def test_a_launch_that_never_came_up_is_told(tmp_path: Path) -> None:
    end = LaunchEnd(launch=0, status="timeout", reason="the ranks did not start")
    path = write_lines(tmp_path / "a.jsonl", [make_header(one_case()), end])
    assert "the run ended before" in only(path).reason
    assert "did not start" in only(path).reason


def test_wrong_bytes_are_not_hidden_behind_good_launches(tmp_path: Path) -> None:
    case = one_case()[0]
    lost = lost_batch(case, 2, 99, "failed", "byte 3 of 8 differs")
    summary = only(synthetic_record(tmp_path / "a.jsonl", (case,), more=[lost]))
    assert (summary.status, summary.reason) == ("failed", "byte 3 of 8 differs")
    assert summary.latency_ns is not None
    assert summary.launches == 5


def test_a_timeout_among_good_launches_is_a_flag(tmp_path: Path) -> None:
    case = one_case()[0]
    lost = lost_batch(case, 4, 99, "timeout", "no answer in 20 s")
    summary = only(synthetic_record(tmp_path / "a.jsonl", (case,), more=[lost]))
    assert (summary.status, summary.reason) == ("ok", "")
    assert summary.flags == ("a launch gave nothing: launch 4: no answer in 20 s",)


def test_ranks_killed_once_are_a_flag_where_other_launches_went_well(tmp_path: Path) -> None:
    case = one_case()[0]
    summary = only(synthetic_record(tmp_path / "a.jsonl", (case,), more=[killed(case, 7)]))
    assert summary.status == "ok"
    assert summary.flags == ("a launch gave nothing: launch 7: rank 1 ended with signal 9",)


def killed(case: Case, launch: int) -> Batch:
    lost = lost_batch(case, launch, 99, "failed", "rank 1 ended with signal 9")
    return msgspec.structs.replace(lost, ended_launch=True)


def test_a_case_that_was_given_up_is_not_ok_though_it_went_well_before(tmp_path: Path) -> None:
    case = one_case()[0]
    lost = [killed(case, 7), killed(case, 8)]
    summary = only(synthetic_record(tmp_path / "a.jsonl", (case,), more=lost))
    assert (summary.status, summary.reason) == ("failed", "rank 1 ended with signal 9")
    assert summary.launches == 5


def test_what_was_given_up_is_the_reason_of_its_own_cases_that_were_not_tried(
    tmp_path: Path,
) -> None:
    cases = make_cases(["ping_pong", "stream"], ["mpi", "tcp"], [8])
    gone = GivenUp(transport="tcp", ranks=2, test="stream", reason="3 different cases failed: no")
    footer = msgspec.structs.replace(make_footer(0, "budget"), given_up=(gone,))
    path = write_lines(tmp_path / "a.jsonl", [make_header(cases), footer])
    rows = summarise(weft.load(path))
    told = {row.case: "stream over tcp was given up: 3 different" in row.reason for row in rows}
    assert told == {case.key: case.key == "tcp/stream/8" for case in cases}
    assert {row.status for row in rows} == {"not_tried"}


@pytest.mark.parametrize(
    ("options", "came_up", "advice"),
    [
        (
            {"tcp.port": "7", "ucx.tls": "no"},
            False,
            "no launch came up with tcp.port=7, which",
        ),
        ({"tcp.port": "7"}, True, "finish it with: weft run --resume"),
        ({"ucx.tls": "no"}, False, "finish it with: weft run --resume"),
    ],
)
def test_a_run_is_not_to_be_resumed_with_options_that_no_launch_came_up_with(
    tmp_path: Path, options: dict[str, str], came_up: bool, advice: str
) -> None:
    cases = make_cases(["ping_pong"], ["tcp"], [8])
    gone = GivenUp(transport="tcp", ranks=2, test="", reason="port 7 is taken; choose another")
    footer = msgspec.structs.replace(make_footer(0, "budget"), given_up=(gone,))
    launches = [make_launch(0, "tcp")] if came_up else []
    header = make_header(cases, options=options)
    path = write_lines(tmp_path / "a.jsonl", [header, *launches, footer])
    [row] = summarise(weft.load(path))
    assert advice in row.reason


@pytest.mark.parametrize("status", ["unsupported", "timeout", "failed"])
def test_a_case_without_any_good_launch_says_why(tmp_path: Path, status: Any) -> None:
    case = one_case()[0]
    lost = lost_batch(case, -1, 0, status, "the reason")
    path = synthetic_record(tmp_path / "a.jsonl", (case,), times_ns=lambda *_: [], more=[lost])
    assert (only(path).status, only(path).reason) == (status, "the reason")
    assert only(path).latency_ns is None


def test_a_clock_that_stands_still_is_a_failure_and_no_figure(tmp_path: Path) -> None:
    path = synthetic_record(
        tmp_path / "a.jsonl", one_case(), times_ns=lambda _, round_: [0.0, 0.0, 1000.0 + round_]
    )
    summary = only(path)
    assert (summary.status, summary.latency_ns) == ("failed", None)
    assert "clock did not move" in summary.reason


def test_fewer_launches_than_asked_or_a_wide_interval_are_not_settled(tmp_path: Path) -> None:
    def two_only(_: Case, launch: int) -> list[float]:
        return [1000.0] * 100 if launch < 2 else []  # as narrow as can be, and too few

    def wide(_: Case, launch: int) -> list[float]:
        return [1000.0 + 50 * launch] * 100

    for number, times in enumerate((two_only, wide)):
        path = synthetic_record(tmp_path / f"{number}.jsonl", one_case(), times_ns=times)
        assert only(path).latency_ns is not None
        assert not only(path).settled


def test_two_modes_are_told_with_shares_cause_and_next_step(tmp_path: Path) -> None:
    def times(case: Case, launch: int) -> list[float]:
        usual = [value / usual_time_ns(case) for value in usual_times_ns(case, launch)]
        return [2400 * v if n % 10 < 7 else 3800 * v for n, v in enumerate(usual)]

    (flag,) = only(synthetic_record(tmp_path / "a.jsonl", one_case(), times_ns=times)).flags
    told = "two modes, at 1.20 µs (70%) and 1.90 µs (30%) in 5 of 5 launches: often "
    assert flag.startswith(told)
    assert "see weft doctor, and run weft run ping_pong " in flag
    assert "--single" in flag
    assert flag.endswith("to time single operations")
    alone = (msgspec.structs.replace(one_case()[0], single=True),)
    (flag,) = only(synthetic_record(tmp_path / "b.jsonl", alone, times_ns=times)).flags
    assert flag.startswith(told)
    assert flag.endswith("see weft doctor")


# The medians of the last and the first tenth are 0.9 of 200 ns apart, of 1100 and 900 ns.
@pytest.mark.parametrize(("end", "words"), [(1.2, "rises by 16.3%"), (0.8, "falls by 20.0%")])
def test_a_drift_is_told_with_its_direction(tmp_path: Path, end: float, words: str) -> None:
    def times(_: Case, launch: int) -> list[float]:
        return [1000 * (1 + (end - 1) * n / 200) + launch for n in range(201)]

    (flag,) = only(synthetic_record(tmp_path / "a.jsonl", one_case(), times_ns=times)).flags
    assert flag.startswith(f"drift: the time {words} within a batch in 5 of 5 launches: ")


def test_one_launch_apart_is_told(tmp_path: Path) -> None:
    def times(case: Case, launch: int) -> list[float]:
        return [(1.5 if launch == 3 else 1) * t for t in usual_times_ns(case, launch)]

    (flag,) = only(synthetic_record(tmp_path / "a.jsonl", one_case(), times_ns=times)).flags
    told = "launches differ: their medians range from 996 ns to 1.50 µs, far more than the samples"
    assert flag.startswith(told)


def test_json_rows_hold_what_scripts_rely_on(record: Path) -> None:
    summaries = summarise(weft.load(record))
    rows = msgspec.json.decode(msgspec.json.encode(to_json_rows(summaries)))
    assert len(rows) == len(summaries)
    always = {"test", "transport", "bytes", "status", "reason", "samples", "launches"}
    for row, summary in zip(rows, summaries, strict=True):
        assert always | {"verified_bytes", "settled"} <= set(row)
        assert ("latency_ns" in row) == (summary.latency_ns is not None)
        assert ("bandwidth_bytes_per_s" in row) == (summary.bandwidth_bytes_per_s is not None)
        for name in ("latency_ns", "bandwidth_bytes_per_s"):
            if name in row:
                parts = {"value", "low", "high", "coverage", "method", "launches", "unit"}
                assert set(row[name]) == parts
                assert row[name]["low"] <= row[name]["value"] <= row[name]["high"]


def test_two_modes_in_half_of_the_launches_are_no_finding(tmp_path: Path) -> None:
    def times(case: Case, launch: int) -> list[float]:
        usual = [value / usual_time_ns(case) for value in usual_times_ns(case, launch)]
        slow = 3800 if launch < 2 else 2400
        return [2400 * v if n % 10 < 7 else slow * v for n, v in enumerate(usual)]

    flags = only(
        synthetic_record(tmp_path / "a.jsonl", one_case(), times_ns=times, launches=4)
    ).flags
    assert not any(flag.startswith("two modes, at") for flag in flags)
