"""Tables of a run hold the known figures."""

import json
import math
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import msgspec
import numpy as np
import polars as pl
import pytest

import weft
from support.builders import (
    HOST,
    OPS_PER_SAMPLE,
    SAMPLES,
    TICK_NS,
    TICKS_NS,
    VERIFIED_BYTES,
    WARMUPS,
    lost_batch,
    make_batch,
    make_cases,
    make_clock,
    make_header,
    make_launch,
    synthetic_record,
    usual_times_ns,
    write_lines,
)
from weft.record.model import Launch, LaunchEnd, Line, Outcome, RankFacts, Status

CASES = make_cases(["ping_pong", "stream"], ["tcp"], [0, 1000])
PING_0, PING, STREAM = CASES


@pytest.fixture
def run(tmp_path: Path) -> weft.Run:
    return weft.load(synthetic_record(tmp_path / "a.jsonl", CASES, launches=2))


def test_samples_are_the_raw_samples_in_the_order_of_time(run: weft.Run) -> None:
    one = run.samples.filter(case=PING.key, launch=1)
    [start] = [one for one in run.lines.launches if one.launch == 1]
    tick_ns = TICKS_NS[start.launch % len(TICKS_NS)]
    assert start.clock.tick_ns == tick_ns
    ticks = [round(t * OPS_PER_SAMPLE / tick_ns) for t in usual_times_ns(PING, 1)]
    warmup = WARMUPS[1]
    assert one["ticks"].to_list()[warmup:] == ticks
    assert one["index"].to_list() == list(range(len(ticks) + warmup))
    assert one["warmup"].to_list() == [True] * warmup + [False] * len(ticks)


def test_calibration_and_lost_batches_are_no_samples(tmp_path: Path) -> None:
    lost = lost_batch(PING, 0, 99, "failed", "byte 3 differs")
    run = weft.load(synthetic_record(tmp_path / "a.jsonl", CASES, launches=2, more=[lost]))
    per_batch = run.samples.group_by("order").len()["len"].to_list()
    assert sorted(per_batch) == sorted(3 * [WARMUPS[at] + SAMPLES[at] for at in (0, 1)])
    assert run.batches.filter(pl.col("role") == "calibrate").height == 3
    assert run.batches.filter(pl.col("status") == "failed")["reason"].to_list() == [lost.reason]


def test_figures_follow_the_definitions_of_the_pattern(run: weft.Run) -> None:
    ns_by_launch = [tick_ns / OPS_PER_SAMPLE for tick_ns in TICKS_NS]
    rows = run.samples.filter(case=PING.key).to_dicts()
    assert len({row["launch"] for row in rows}) > 1
    for row in rows[:20] + rows[-20:]:
        ns = ns_by_launch[row["launch"]]
        assert row["time_ns"] == pytest.approx(row["ticks"] * ns)
        assert row["latency_ns"] == pytest.approx(row["ticks"] * ns / 2)
        assert row["bandwidth_bytes_per_s"] == pytest.approx(2 * 1000 / (row["ticks"] * ns * 1e-9))
    for row in run.samples.filter(case=STREAM.key).tail(20).to_dicts():
        ns = ns_by_launch[row["launch"]]
        assert row["latency_ns"] is None
        assert row["bandwidth_bytes_per_s"] == pytest.approx(1000 / (row["ticks"] * ns * 1e-9))
    assert run.samples.filter(case=PING_0.key)["bandwidth_bytes_per_s"].null_count() == sum(
        WARMUPS[at] + SAMPLES[at] for at in (0, 1)
    )
    assert run.samples.filter(case=PING_0.key)["latency_ns"].null_count() == 0


@pytest.mark.parametrize(("end_baseline", "used"), [(10**9, 0.6), (10**6, TICK_NS)])
def test_the_calibration_with_the_longer_baseline_counts(
    tmp_path: Path, end_baseline: int, used: float
) -> None:
    batch = make_batch(PING, 0, 0, [1000.0] * 9)
    end = LaunchEnd(launch=0, status="ok", clock=make_clock(0.6, end_baseline))
    lines: list[Line] = [make_header(CASES), make_launch(0, "tcp"), batch, end]
    run = weft.load(write_lines(tmp_path / "a.jsonl", lines))
    expected = batch.ticks[-1] * used / OPS_PER_SAMPLE
    assert run.samples["time_ns"][-1] == pytest.approx(expected)
    assert run.time_ns(batch) == pytest.approx([expected] * 9)


def test_launches_with_clocks_of_their_own_are_not_mixed(tmp_path: Path) -> None:
    lines: list[Line] = [
        make_header(CASES),
        *(make_launch(number, "tcp", tick_ns=tick) for number, tick in ((0, 0.5), (1, 2.0))),
        make_batch(PING, 0, 0, [1000.0] * 3, tick_ns=0.5, warmup=0),
        make_batch(PING, 1, 1, [1000.0] * 3, tick_ns=2.0, warmup=0, ops_per_sample=1),
    ]
    run = weft.load(write_lines(tmp_path / "a.jsonl", lines))
    assert run.samples["time_ns"].to_list() == [1000.0] * 6
    assert run.samples["ticks"].to_list() == [16000] * 3 + [500] * 3


def test_a_sample_of_no_time_gives_no_warning(tmp_path: Path) -> None:
    batch = make_batch(PING, 0, 0, [0.0, 1000.0, 1000.0], warmup=0)
    lines: list[Line] = [make_header(CASES), make_launch(0, "tcp"), batch]
    samples = weft.load(write_lines(tmp_path / "a.jsonl", lines)).samples
    assert samples["latency_ns"][0] == 0
    assert math.isinf(samples["bandwidth_bytes_per_s"][0])


def test_host_has_a_row_a_rank_with_the_facts_of_its_host(run: weft.Run) -> None:
    rows = run.host.to_dicts()
    assert [(row["rank"], row["host"], row["cpu"], row["launches"]) for row in rows] == [
        (0, "node1", 0, 2),
        (1, "node1", 1, 2),
    ]
    assert rows[0]["cpu_model"] == HOST["cpu"]["model"]
    assert rows[0]["software_libraries_openmpi"] == "4.1.4"
    assert rows[0]["cpu_turbo"] is None
    assert json.loads(rows[0]["host_numa"]) == HOST["numa"]


def test_a_rank_that_moved_shows_each_of_its_places(tmp_path: Path) -> None:
    moved = RankFacts(rank=0, host="elsewhere", pid=1, cpu=7, numa=1)
    first = make_launch(0, "tcp")
    second = Launch(
        **{f: getattr(first, f) for f in first.__struct_fields__ if f not in ("launch", "ranks")},
        launch=1,
        ranks=(moved, first.ranks[1]),
    )
    lines: list[Line] = [make_header(CASES), first, second]
    host = weft.load(write_lines(tmp_path / "a.jsonl", lines)).host
    assert host.select("rank", "host", "cpu", "launches").rows() == [
        (0, "elsewhere", 7, 1),
        (0, "node1", 0, 1),
        (1, "node1", 1, 2),
    ]


def test_a_run_that_measured_nothing_still_has_its_tables(tmp_path: Path) -> None:
    run = weft.load(write_lines(tmp_path / "a.jsonl", [make_header(CASES)]))
    assert run.samples.height == run.batches.height == run.host.height == 0
    assert {"latency_ns", "ticks", "warmup"} <= set(run.samples.columns)
    assert "status" in run.batches.columns
    assert (run.complete, run.footer) == (False, None)


@pytest.mark.parametrize(
    ("outcome", "complete"), [("precise", True), ("budget", True), ("interrupted", False)]
)
def test_complete_is_a_run_that_ended_by_itself(
    tmp_path: Path, outcome: Outcome, complete: bool
) -> None:
    path = synthetic_record(tmp_path / "a.jsonl", CASES, launches=1, outcome=outcome)
    assert weft.load(str(path)).complete is complete


@pytest.mark.parametrize(
    ("lost", "missing"),
    [
        ((), True),
        (("timeout",), True),
        (("timeout", "timeout"), True),
        (("failed",), True),
        (("failed", "timeout"), True),
        (("unsupported",), False),
    ],
)
def test_a_case_without_all_its_launches_is_missing_unless_it_is_not_supported(
    tmp_path: Path, lost: tuple[Status, ...], missing: bool
) -> None:
    path = synthetic_record(
        tmp_path / "a.jsonl",
        CASES,
        launches=3,
        times_ns=lambda case, k: [] if case == PING and k == 2 else usual_times_ns(case, k),
        more=[lost_batch(PING, 5, 90 + n, status, "gone") for n, status in enumerate(lost)],
        outcome="budget",
    )
    run = weft.load(path)
    assert run.missing == ((PING.key,) if missing else ())
    assert run.complete is not missing


def test_the_two_lines_of_the_docstring_plot(run: weft.Run) -> None:
    mpl.use("agg")
    from matplotlib import pyplot as plt

    chosen = run.samples.filter(case=PING.key, warmup=False)
    (line,) = plt.plot("latency_ns", ".", data=chosen)  # type: ignore[arg-type]
    drawn = np.asarray(line.get_ydata())
    plt.close()
    assert drawn == pytest.approx(chosen["latency_ns"].to_numpy())


def test_import_weft_loads_nothing_heavy() -> None:
    heavy = "{'polars', 'numpy', 'scipy', 'matplotlib', 'zstandard'}"
    program = f"import sys, weft; sys.exit(str({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip() == "set()"


def test_samples_are_joined_with_their_batches(record: Path) -> None:
    run = weft.load(record)
    of_batch = run.batches.drop("warmup", "ops_per_sample")
    joined = run.samples.join(of_batch, on=["case", "launch", "order"])
    assert joined.height == run.samples.height
    assert joined["role"].unique().to_list() == ["measure"]
    one = joined.filter(case="tcp/ping_pong/8")
    assert one["verified_bytes"].unique().to_list() == [VERIFIED_BYTES]
    assert set(one["samples"]) == set(SAMPLES)
    # Five launches, and a calibration, which has no samples.
    assert run.batches.filter(case="tcp/ping_pong/8").height == 6


def test_a_run_of_some_cases_says_how_many_and_of_all_is_the_whole(run: weft.Run) -> None:
    keys = [case.key for case in CASES]
    some = run.only(keys[:2])
    assert some.part == "with 2 of its 3 cases"
    assert some.only(keys[:1]).part == "with 2 of its 3 cases with 1 of its 2 cases"
    assert run.only(keys).part == run.only(keys).only(keys).part == ""
    assert {one.case for one in some.lines.batches} == set(keys[:2])
    assert some.fingerprint == run.fingerprint


@pytest.mark.parametrize(("ranks", "host_of_second", "within"), [
    (1, "n1", False), (2, "n1", True), (2, "n2", False),
])  # fmt: skip
def test_a_transport_is_within_a_host_where_two_ranks_were_beside_each_other(
    tmp_path: Path, ranks: int, host_of_second: str, *, within: bool
) -> None:
    launch = make_launch(0, "tcp", ranks, host="n1")
    first, *others = launch.ranks
    others = [msgspec.structs.replace(one, host=host_of_second) for one in others]
    launch = msgspec.structs.replace(launch, ranks=(first, *others))
    batch = make_batch(PING, 0, 0, [1000.0] * 9)
    lines: list[Line] = [make_header(CASES, launches=1), launch, batch]
    run = weft.load(write_lines(tmp_path / "a.jsonl", lines))
    assert run.within_a_host == ({"tcp"} if within else set())
    assert run.is_within_a_host(PING.key) is (host_of_second == "n1")


@pytest.mark.parametrize(
    ("hosts", "within", "whole"),
    [
        (("n1", "n1", "n2"), True, False),
        (("n1", "n2", "n1"), False, False),
        (("n1", "n1", "n1"), True, True),
    ],
)
def test_the_first_two_ranks_say_whether_anything_was_within_a_host(
    tmp_path: Path, hosts: tuple[str, ...], *, within: bool, whole: bool
) -> None:
    launch = make_launch(0, "tcp", len(hosts))
    ranks = tuple(
        msgspec.structs.replace(rank, host=host)
        for rank, host in zip(launch.ranks, hosts, strict=True)
    )
    launch = msgspec.structs.replace(launch, ranks=ranks)
    lines: list[Line] = [make_header(CASES, launches=1), launch]
    lines.append(make_batch(PING, 0, 0, [1000.0] * 9))
    run = weft.load(write_lines(tmp_path / "a.jsonl", lines))
    assert run.within_a_host == ({"tcp"} if within else set())
    assert run.is_within_a_host(PING.key) is whole
