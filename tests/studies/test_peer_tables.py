"""A record in the tables of other programs: what their own readers read there is the record's."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft
from support.collectives import collective_record
from support.every_topic import record_of_every_topic
from support.peer_outputs import OUTPUTS, told
from weft.errors import WeftError
from weft.sources.imported import import_outputs
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given
from weft.studies.peer_tables import LAYOUTS, as_printed_by

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from weft.plan.case import Case
    from weft.record.run import Run
    from weft.sources.peers.stated import StatedRow

GIVEN = Given(ranks=3)
PROGRAMS = {"osu": "OMB", "imb": "IMB", "perftest": "perftest"}
OF_RANKS = "sendrecv"
# OMB and IMB measure these with windows only, so their tables are read as windows.
BY_WINDOWS = {
    "stream": "window_stream",
    "bidirectional_stream": "bidirectional_window_stream",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record_of_every_topic(tmp_path_factory.mktemp("like") / "r.jsonl")


def read_back(run: Run, name: str, folder: Path) -> list[StatedRow]:
    path = folder / f"{name}.txt"
    path.write_text("\n".join(as_printed_by(run, name)) + "\n")
    peer, output = read_output(path, GIVEN)
    assert peer.name == PROGRAMS[name]
    return list(output.rows)


def times_of(run: Run, key: str) -> NDArray[np.float64]:
    """All samples of a case in ns of one operation, from the lines of the record."""
    lines = [json.loads(line) for line in run.path.read_text().splitlines()]
    ticks = {one["launch"]: one["clock"]["tick_ns"] for one in lines if one["kind"] == "launch"}
    return np.concatenate(
        [
            np.array(one["ticks"][one.get("warmup", 0) :]) * ticks[one["launch"]]
            / one.get("ops_per_sample", 1)
            for one in lines
            if one["kind"] == "batch" and one["case"] == key and one["status"] == "ok"
            and one["role"] == "measure"
        ]
    )  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_back_is_the_records_own_to_the_last_digit(
    run: Run, name: str, tmp_path: Path
) -> None:
    """By test, size and order: the layouts have no variants, and only one transport in a file."""
    layout = next(one for one in LAYOUTS if one.name == name)
    due: dict[Case, list[str]] = {}
    for key, case in run.cases.items():
        if case.test in (*layout.titles.values(), *layout.alike) and key in run.measured_by_case:
            due.setdefault(case.but_for("bytes"), []).append(key)
    keys = [key for curve in due.values() for key in curve]
    rows = read_back(run, name, tmp_path)
    read_as = {} if name == "perftest" else BY_WINDOWS
    tests = [run.cases[key].test for key in keys]
    assert [(row.case.test, row.case.bytes) for row in rows] == [
        (read_as.get(test, test), run.cases[key].bytes)
        for test, key in zip(tests, keys, strict=True)
    ]
    assert len(keys) > 5
    for row, key in zip(rows, keys, strict=True):
        times = times_of(run, key)
        is_median = name == "perftest" and row.test.figure != "bandwidth"
        if row.case.test == OF_RANKS and name == "imb":
            continue  # over the ranks, below
        expected = np.median(times) if is_median else times.mean()
        # The reader's unit of the last digit is what one digit more or less is worth.
        slack = 0.51 * row.stated.digit_ns + 1e-9 * expected
        assert row.time_ns == pytest.approx(expected, rel=0, abs=slack), key


def test_a_bandwidth_in_perftests_table_keeps_its_depth(run: Run, tmp_path: Path) -> None:
    """Where its box said nothing, 128 would be taken."""
    due = {case.queue_depth for case in run.cases.values() if case.test == "stream"}
    rows = [row for row in read_back(run, "perftest", tmp_path) if row.case.test == "stream"]
    assert {row.case.queue_depth for row in rows} == due
    assert len(due) > 2
    # As it prints them: what it measured in MiB/s has two digits behind the point.
    rates = [row for row in rows_in("\n".join(as_printed_by(run, "perftest"))) if len(row) == 5]
    assert rates
    for row in rates:
        assert [len(cell.partition(".")[2]) for cell in row] == [0, 0, 2, 2, 6]


def test_an_exchange_is_reported_over_the_ranks(run: Run, tmp_path: Path) -> None:
    """Rank r of these takes 1 + 0.05 r times what rank 0 does."""
    rows = [row for row in read_back(run, "imb", tmp_path) if row.case.test == OF_RANKS]
    keys = [key for key in run.measured_by_case if run.cases[key].test == OF_RANKS]
    assert len(rows) == len(keys) > 0
    for row, key in zip(rows, keys, strict=True):
        first_us = times_of(run, key).mean() / 1000
        told = row.stated.others
        assert told["t_min[usec]"] == pytest.approx(first_us, abs=0.0051)
        assert told["t_avg[usec]"] == pytest.approx(1.075 * first_us, abs=0.0051)
        assert row.time_ns / 1000 == pytest.approx(1.15 * first_us, abs=0.0051)
        both_ways = 2 * row.case.bytes / (1.15 * first_us)
        assert told["Mbytes/sec"] == pytest.approx(both_ways, rel=1e-3, abs=0.0051)


@pytest.mark.parametrize("name", ["osu", "imb"])
def test_operations_of_all_ranks_are_read_back_with_and_without_a_size(
    name: str, tmp_path: Path
) -> None:
    run = collective_record(tmp_path / "all.jsonl")
    rows = read_back(run, name, tmp_path)
    assert [(row.case.test, row.case.bytes) for row in rows] == [
        (case.test, case.bytes) for case in run.cases.values()
    ]
    for row, key in zip(rows, run.cases, strict=True):
        expected = of_all_ranks(run, key)
        slack = 0.51 * row.stated.digit_ns + 1e-9 * expected
        assert row.time_ns == pytest.approx(expected, rel=0, abs=slack), key


def of_all_ranks(run: Run, key: str) -> float:
    """The mean of all ranks' samples, ns of one operation, from the record's lines."""
    lines = [json.loads(line) for line in run.path.read_text().splitlines()]
    ticks = {one["launch"]: one["clock"]["tick_ns"] for one in lines if one["kind"] == "launch"}
    means = [
        np.mean([own[one.get("warmup", 0) :] for own in (one["ticks"], *one["parts"].values())], 0)
        * ticks[one["launch"]] / one.get("ops_per_sample", 1)
        for one in lines
        if one["kind"] == "batch" and one["case"] == key and one["role"] == "measure"
    ]  # fmt: skip
    return float(np.concatenate(means).mean())


def test_figures_stand_below_their_heads_as_where_they_come_from(tmp_path: Path) -> None:
    """OMB's barrier: its title, its head, and the one figure that it has."""
    lines = as_printed_by(collective_record(tmp_path / "all.jsonl"), "osu")
    at = lines.index("# OSU MPI Barrier Latency Test v7.4")
    assert lines[at + 1] == "# Avg Latency(us)"
    assert re.fullmatch(r" +\d+\.\d\d", lines[at + 2])
    own = (OUTPUTS / "omb_barrier.txt").read_text().splitlines()
    [title] = [number for number, line in enumerate(own) if "Barrier Latency Test" in line]
    assert own[title + 1] == lines[at + 1]


def test_what_a_program_has_no_test_for_is_said_before_its_tables(run: Run) -> None:
    lines = as_printed_by(run, "osu")
    first_table = next(at for at, line in enumerate(lines) if line.startswith("# OSU"))
    assert "# no test of OMB 7.4: sendrecv" in lines[:first_table]
    assert "# no test of OMB 7.4: ping_pong" not in lines


def test_a_stream_under_a_title_of_windows_is_said_to_be_none(run: Run, tmp_path: Path) -> None:
    said = "# stream stands under MPI Bandwidth, of which weft's own loop is window_stream"
    assert said in as_printed_by(run, "osu")
    path = tmp_path / "windows.jsonl"
    renamed = re.sub(r"\bbidirectional_stream\b", "window_stream", run.path.read_text())
    path.write_text(renamed)
    both = weft.load(path)
    rows = read_back(both, "osu", tmp_path)
    lines = as_printed_by(both, "osu")
    assert said not in lines
    assert "# no test of OMB 7.4: stream" in lines
    keys = [key for key in both.measured_by_case if both.cases[key].test == "window_stream"]
    assert [row.case.bytes for row in rows if row.case.test == "window_stream"] == [
        both.cases[key].bytes for key in keys
    ]


def test_extremes_of_means_are_said_to_be_of_means(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "singles.jsonl"
    path.write_text(re.sub(r'"ops_per_sample":\d+', '"ops_per_sample":1', run.path.read_text()))
    said = "# a sample is the mean of several operations: extremes are not of single ones"
    assert any(b.ops_per_sample > 1 for own in run.measured_by_case.values() for b in own)
    assert said in as_printed_by(run, "perftest")
    assert said not in as_printed_by(weft.load(path), "perftest")


def test_a_layout_that_is_none_and_a_record_without_its_tests_are_refused(run: Run) -> None:
    with pytest.raises(WeftError, match="there is no layout called osx"):
        as_printed_by(run, "osx")
    only = run.only([key for key, case in run.cases.items() if case.test == OF_RANKS])
    with pytest.raises(WeftError, match=r"has no figure that OMB 7\.4 has a test for"):
        as_printed_by(only, "osu")


def stated(folder: Path, name: str) -> Run:
    return weft.load(import_outputs([OUTPUTS / name], told(name), folder / "stated.jsonl"))


@pytest.mark.parametrize(
    ("name", "layout", "why"),
    [
        ("perftest_send_lat_a.txt", "osu", "a median, and no mean, is what the record has"),
        ("netpipe_np.out", "osu", "a minimum, and no mean, is what the record has"),
        ("perftest_send_lat_a.txt", "imb", "a median, and no mean, is what the record has"),
        ("sockperf_pp.txt", "perftest", "the record has no samples, whose extremes"),
        ("perftest_send_lat_d.txt", "perftest", "the record has no samples, whose extremes"),
        ("omb_latency_z.txt", "imb", "does not say of how many operations its figures are"),
        ("iperf3_v.txt", "perftest", "does not say of how many operations its figures are"),
    ],
)
def test_what_is_stated_without_samples_has_no_place_where_samples_are_printed(
    tmp_path: Path, name: str, layout: str, why: str
) -> None:
    """A lone figure has no least, no greatest and no scatter: each column would repeat it."""
    with pytest.raises(WeftError, match=why) as refused:
        as_printed_by(stated(tmp_path, name), layout)
    assert refused.value.fix.startswith("see what it has with: weft show ")


def test_a_mean_with_its_count_is_printed_as_it_was_stated(tmp_path: Path) -> None:
    run = stated(tmp_path, "imb_mpi1.txt")
    key = "mpi/ping_pong/64"
    [batch] = run.measured_by_case[key]
    assert batch.stated is not None
    rows = [row for row in read_back(run, "imb", tmp_path) if row.case.key == key]
    [time_ns] = times_of(run, key)
    assert [row.time_ns for row in rows] == [pytest.approx(time_ns, abs=1)]
    assert rows[0].stated.operations == batch.stated.operations > 1


def rows_in(text: str) -> list[list[str]]:
    """The rows of a table, by their words."""
    return [line.split() for line in text.splitlines() if re.match(r" *[\d.]+( |$)", line)]


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("imb_mpi1.txt", "imb"),
        ("omb_barrier.txt", "osu"),
        ("omb_put_latency.txt", "osu"),
        ("perftest_send_lat_a.txt", "perftest"),
        ("perftest_send_lat_u.txt", "perftest"),
        ("perftest_send_bw_gbits.txt", "perftest"),
    ],
)
def test_what_a_program_printed_comes_back_digit_by_digit(
    tmp_path: Path, name: str, layout: str
) -> None:
    """A rate is not computed anew from a rounded time, and the ranks' ends are those stated."""
    printed = rows_in("\n".join(as_printed_by(stated(tmp_path, name), layout)))
    # A stream of no bytes has no bandwidth, and what had no clock no times.
    original = [row for row in rows_in((OUTPUTS / name).read_text()) if row[2:3] != ["0.00"]
                or len(row) > 4]  # fmt: skip
    original = [row for row in original if "inf" not in row]
    assert printed == original
