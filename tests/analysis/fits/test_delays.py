"""The delay method through a record: the overheads that were put in come out."""

import json
from pathlib import Path

import pytest

import weft
from support.builders import make_cases, make_clock, pattern, synthetic_record
from weft.analysis.fits.delays import delay_tests_of
from weft.analysis.fits.models import FROM_DELAYS, fit_models
from weft.plan.case import Case
from weft.sources.series import series_of_record

L, SEND, RECEIVE, GAP, BYTE = 1800.0, 300.0, 250.0, 700.0, 0.12
MESSAGES = pattern("burst").messages_per_burst
SIZES = (1, 1024, 65536, 262144)
ALL = ("ping_pong", "burst", "paused_burst", "late_receive")
READ_NS = make_clock().overhead_ticks * make_clock().tick_ns


def times(case: Case, round_: int, samples: int = 21) -> list[float]:
    """What the engine's benchmarks see of the parameters above, each clock read with its cost."""
    single = 2 * (L + SEND + RECEIVE + (case.bytes - 1) * BYTE)
    exact = {
        "ping_pong": single,
        "burst": single + (MESSAGES - 1) * (GAP + (case.bytes - 1) * BYTE),
        "paused_burst": single + (MESSAGES - 1) * (SEND + READ_NS),
        "late_receive": RECEIVE + READ_NS,
    }[case.test]
    return [exact * (1 + 1e-4 * ((sample + round_) % 3 - 1)) for sample in range(samples)]


def record_of(path: Path, tests: tuple[str, ...]) -> weft.Run:
    path.mkdir(exist_ok=True)
    cases = make_cases(tests, ("tcp",), SIZES)
    return weft.load(synthetic_record(path / "r.jsonl", cases, times_ns=times))


def test_overheads_gap_and_latency_come_out(tmp_path: Path) -> None:
    run = record_of(tmp_path, ALL)
    ((series, _),) = series_of_record(run)
    models = fit_models(series)
    assert models.loggp is not None
    assert models.loggp.latency_ns is not None
    assert models.loggp.latency_ns.value == pytest.approx(L, rel=0.01)
    assert models.loggp.gap_ns.value == pytest.approx(GAP, rel=0.01)
    assert models.loggp.gap_ns_per_byte.value == pytest.approx(BYTE, rel=0.01)
    assert [overhead.bytes for overhead in models.loggp.overheads] == list(SIZES)
    smallest = models.loggp.overheads[0]
    assert smallest.send_ns.value == pytest.approx(SEND, rel=0.02)
    assert smallest.receive_ns is not None
    assert smallest.receive_ns.value == pytest.approx(RECEIVE, rel=0.02)
    assert FROM_DELAYS in {prediction.basis for prediction in models.predictions}


def described(path: Path, changes: dict[str, dict[str, object]]) -> weft.Run:
    """The record with a description of its tests changed."""
    header, *rest = path.read_text().splitlines()
    told = json.loads(header)
    for one in told["patterns"]:
        one.update(changes.get(one["name"], {}))
    path.write_text("\n".join([json.dumps(told), *rest, ""]))
    return weft.load(path)


def test_a_single_message_beside_each_burst_is_what_it_is_compared_with(tmp_path: Path) -> None:
    """Noise that both have in a sample falls out; a ping_pong by other calls says nothing."""

    def slow_by(case: Case, round_: int, sample: int) -> float:
        return 1 + 0.2 * ((sample * 7 + round_ + len(case.test)) % 5)

    def single(case: Case) -> float:
        return 2 * (L + SEND + RECEIVE + (case.bytes - 1) * BYTE)

    def own(case: Case, round_: int) -> list[float]:
        further = {
            "ping_pong": 0.0,
            "burst": 7 * (GAP + (case.bytes - 1) * BYTE) + READ_NS,
            "paused_burst": 7 * SEND + 8 * READ_NS,
        }
        if case.test == "ping_pong":
            return [0.6 * single(case)] * 21
        if case.test == "late_receive":
            return [RECEIVE + READ_NS] * 21
        return [single(case) * slow_by(case, round_, n) + further[case.test] for n in range(21)]

    def beside(case: Case, round_: int) -> dict[str, list[float]]:
        if "burst" not in case.test:
            return {}
        return {"single": [single(case) * slow_by(case, round_, n) + READ_NS for n in range(21)]}

    path = synthetic_record(
        tmp_path / "r.jsonl", make_cases(ALL, ("tcp",), SIZES), times_ns=own, parts_ns=beside
    )
    run = described(
        path,
        {
            "burst": {"clock_reads": 1, "part_clock_reads": {"single": 1}},
            "paused_burst": {"clock_reads": 8, "part_clock_reads": {"single": 1}},
        },
    )
    for launch in delay_tests_of(run, "tcp"):
        for test in launch:
            assert test.gap_ns == pytest.approx(GAP + (test.bytes - 1) * BYTE, rel=0.02)
            assert test.send_ns == pytest.approx(SEND, rel=0.02)
            # The mean of the factors above.
            assert test.single_ns == pytest.approx(
                1.4 * 2 * (L + SEND + RECEIVE + (test.bytes - 1) * BYTE), rel=0.02
            )


def test_without_the_late_receive_there_is_no_receive_overhead(tmp_path: Path) -> None:
    run = record_of(tmp_path, ALL[:3])
    tests = delay_tests_of(run, "tcp")
    assert len(tests) == 5
    assert all(test.receive_ns is None for launch in tests for test in launch)


def test_a_record_without_bursts_has_no_delay_tests(record: Path) -> None:
    assert delay_tests_of(weft.load(record), "tcp") == ()


def test_a_launch_that_lacks_sizes_is_left_out(tmp_path: Path) -> None:
    def some(case: Case, round_: int) -> list[float]:
        return [] if round_ > 2 and case.bytes == 1024 else times(case, round_)

    cases = make_cases(ALL, ("tcp",), SIZES)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=some))
    tests = delay_tests_of(run, "tcp")
    assert [[test.bytes for test in launch] for launch in tests] == [list(SIZES)] * 3


def test_what_a_burst_and_a_pause_are_is_read_from_the_record(tmp_path: Path) -> None:
    """An engine of five messages, other pauses and two reads of the clock in a late receive."""
    path = synthetic_record(tmp_path / "r.jsonl", make_cases(ALL, ("tcp",), SIZES), times_ns=times)
    run = described(
        path,
        {
            "burst": {"messages_per_burst": 5},
            "paused_burst": {"messages_per_burst": 5, "pause_trips": 3, "clock_reads": 4},
            "late_receive": {"clock_reads": 2},
        },
    )
    usual = delay_tests_of(record_of(tmp_path / "usual", ALL), "tcp")[0][0]
    other = delay_tests_of(run, "tcp")[0][0]
    assert (usual.messages, other.messages) == (8, 5)
    assert other.delay_ns == 3 * other.single_ns
    assert other.gap_ns == pytest.approx(usual.gap_ns * 7 / 4)
    assert other.send_ns == pytest.approx((7 * (SEND + READ_NS) - 4 * READ_NS) / 4, rel=0.01)
    assert other.receive_ns == pytest.approx(RECEIVE - READ_NS, rel=0.01)


def test_a_size_without_a_receive_in_one_launch_gives_no_receive_overhead(tmp_path: Path) -> None:
    """Of two launches that have it and one that lacks it no value may be made."""

    def lacking(case: Case, round_: int) -> list[float]:
        is_lost = (case.test, case.bytes, round_) == ("late_receive", 1024, 1)
        return [] if is_lost else times(case, round_)

    cases = make_cases(ALL, ("tcp",), SIZES)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=lacking, launches=3))
    launches = delay_tests_of(run, "tcp")
    assert len(launches) == 3
    assert {test.receive_ns for launch in launches for test in launch} == {None}
    ((series, _),) = series_of_record(run)
    loggp = fit_models(series).loggp
    assert loggp is not None
    assert loggp.latency_ns is None
    assert [one.receive_ns for one in loggp.overheads] == [None] * len(SIZES)
    assert loggp.overheads[0].send_ns.value == pytest.approx(SEND, rel=0.02)
