"""Outputs of OMB: what a column means decides what is kept."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.omb import _test
from weft.sources.peers.stated import Given, StatedOutput

OLD = (
    "# OSU MPI-CUDA Latency Test v5.9\n"
    "# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n"
    "# Size          Latency (us)\n0    1.17\n8    1.20\n"
)
FAILED = """# OSU MPI Latency Test v7.4
# Size       Avg Latency(us)        Validation
1                       0.52              Pass
2                       0.46              Fail
"""
TAILS = """# OSU MPI Latency Test v7.4
# Size       Avg Latency(us)   P1 Tail Lat(us)  P99 Tail Lat(us)
1                       0.52              0.00              1.00
"""


def of(text: str, folder: Path, told: Given | None = None, *, strict: bool = False) -> StatedOutput:
    path = folder / "osu.txt"
    path.write_text(text)
    return read_output(path, told or Given(), strict=strict)[1]


def test_the_columns_of_older_releases_are_read(tmp_path: Path) -> None:
    found = of(OLD, tmp_path)
    assert [(row.case.key, row.time_ns) for row in found.rows] == [
        ("mpi/ping_pong/0", 2340.0),
        ("mpi/ping_pong/8", 2400.0),
    ]
    assert found.version == "5.9"
    assert {row.stated.digit_ns for row in found.rows} == {20.0}


@pytest.mark.parametrize(
    ("was", "now", "key"),
    [
        ("Buffer on HOST (H)\n", "Buffer on DEVICE (D)\n",
         "mpi/omb_mpi_latency_host_to_device/8"),
        ("# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n", "",
         "mpi/omb_mpi_latency_other_memory/8"),
        ("Latency (us)\n", "Latency (us)     Transmit Size\n",
         "mpi/omb_mpi_latency_derived_datatype/8"),
    ],
)  # fmt: skip
def test_a_latency_of_other_memory_or_layout_is_not_the_usual_one(
    tmp_path: Path, was: str, now: str, key: str
) -> None:
    assert was in OLD
    text = OLD.replace(was, now)
    if "Transmit" in now:
        text = text.replace("1.17", "1.17  0").replace("1.20", "1.20  8")
    row = of(text, tmp_path).rows[1]
    assert row.case.key == key
    # Half a round trip, as the usual one.
    assert (row.time_ns, row.test.latency_divisor) == (2400.0, 2)


@pytest.mark.parametrize(
    ("by", "test"),
    [("MPI_Win_flush", "put_latency"), ("MPI_Win_post/start/complete/wait",
     "omb_mpi_put_latency_mpi_win_post_start_complete_wait")],
)  # fmt: skip
def test_a_put_that_ends_otherwise_is_another_test(tmp_path: Path, by: str, test: str) -> None:
    text = (
        "# OSU MPI_Put Latency Test v7.4\n# Window creation: MPI_Win_allocate\n"
        f"# Synchronization: {by}\n# Size          Latency (us)\n8    1.20\n"
    )
    assert [row.case.key for row in of(text, tmp_path).rows] == [f"mpi/{test}/8"]


def test_each_command_is_of_the_output_behind_it(tmp_path: Path) -> None:
    """One file of a night: the ranks of the first command are not those of the second."""
    latency = "# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8   1.20\n"
    allreduce = "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n4   8.5\n"
    found = of(
        f"$ mpirun -n 2 osu_latency\n{latency}$ mpirun -n 64 osu_allreduce\n{allreduce}"
        f"[me@n1 run]$ mpirun -n 16 osu_allreduce\n{allreduce}",
        tmp_path,
    )
    assert [row.case.key for row in found.rows] == [
        "mpi/ping_pong/8",
        "mpi/allreduce/4/64ranks",
        "mpi/allreduce/4/16ranks",
    ]
    assert found.command == (
        "mpirun -n 2 osu_latency; mpirun -n 64 osu_allreduce; mpirun -n 16 osu_allreduce"
    )


def test_a_fan_in_is_no_stream_of_one_pair(tmp_path: Path) -> None:
    """Its title is that of osu_bw: the command alone tells them apart."""
    text = BANDWIDTH.format("")
    [row] = of(f"$ mpirun -n 4 osu_bw_fan_in\n{text}", tmp_path).rows
    assert row.case.test == "omb_fan_in_bandwidth"


@pytest.mark.parametrize(("first", "further"), [("CHAR", "INT"), ("INT", "CHAR")])
def test_a_further_datatype_is_another_test(tmp_path: Path, first: str, further: str) -> None:
    text = (
        f"# OSU MPI Latency Test v7.4\n# Datatype: MPI_{first}.\n# Size  Avg Latency(us)\n8  1.2\n"
        f"# Datatype: MPI_{further}.\n# Size  Avg Latency(us)\n8  1.3\n"
    )
    assert [row.case.key for row in of(text, tmp_path).rows] == [
        "mpi/ping_pong/8",
        f"mpi/omb_mpi_latency_mpi_{further.lower()}/8",
    ]


def test_a_build_that_knows_no_version_has_none(tmp_path: Path) -> None:
    """Compiled without the package's Makefile: the head of a source leaves it out."""
    found = of(OLD.replace(" v5.9", ""), tmp_path)
    assert found.version == ""
    assert [row.case.key for row in found.rows] == ["mpi/ping_pong/0", "mpi/ping_pong/8"]


def test_windows_beside_each_other_are_cases_with_their_message_rates(tmp_path: Path) -> None:
    head = (
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
        "# [ pairs: 2 ] [ window size: varied ]\n"
    )
    rates = "\n# Uni-directional Bandwidth (MB/sec)\n#   1   64\n8  2.5  5.0\n"
    profile = "\n# Message Rate Profile\n#   1   64\n{size}  312500  625000\n"
    rows = of(head + rates + profile.format(size=8), tmp_path).rows
    assert [(row.case.queue_depth, row.case.ranks) for row in rows] == [(1, 4), (64, 4)]
    assert [row.stated.others for row in rows] == [{"Messages/s": 312500}, {"Messages/s": 625000}]
    found = of(head + rates + profile.format(size=16), tmp_path)
    assert [row.stated.others for row in found.rows] == [{}, {}]
    assert [line.number for line in found.ignored] == [10]
    with pytest.raises(WeftError, match=r"osu\.txt:1: no line"):
        of(head + rates.replace("5.0", ""), tmp_path)
    # What follows in the file is another run.
    again = of(head + rates + profile.format(size=8) + BANDWIDTH.format(""), tmp_path).rows
    assert again[-1].case.test == "window_stream"


def test_a_size_whose_validation_failed_has_no_figure(tmp_path: Path) -> None:
    good, bad = of(FAILED, tmp_path).rows
    assert (good.reason, bad.reason) == ("", "its validation failed")


def test_a_percentile_that_was_read_before_the_samples_is_not_kept(tmp_path: Path) -> None:
    [row] = of(TAILS, tmp_path).rows
    assert row.stated.latencies_ns == {"99": 1000.0}


def test_ranks_that_nothing_states_are_unknown(tmp_path: Path) -> None:
    text = "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n4   8.5\n"
    assert [row.case.ranks for row in of(text, tmp_path).rows] == [0]
    assert [row.case.ranks for row in of(text, tmp_path, Given(ranks=8)).rows] == [8]
    script = f"running mpirun -np 16 ./osu_allreduce\n{text}"
    assert [row.case.ranks for row in of(script, tmp_path).rows] == [16]
    assert of(text, tmp_path, Given(ranks=8)).rows[0].case.ranks == 8
    assert of(f"$ srun -n 16 ./osu_allreduce\n{text}", tmp_path).rows[0].case.ranks == 16


def test_pairs_and_window_are_of_the_case(tmp_path: Path) -> None:
    text = (
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
        "# [ pairs: 3 ] [ window size: 16 ]\n# Size    MB/s     Messages/s\n8  80.00  10000000.00\n"
    )
    [row] = of(text, tmp_path).rows
    assert (row.case.ranks, row.case.queue_depth, row.time_ns) == (6, 16, 100.0)
    assert row.stated.others == {"Messages/s": 1e7}


BANDWIDTH = "# OSU MPI {}Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n8  80.00\n"


@pytest.mark.parametrize(
    ("ways", "test", "time_ns"),
    [("", "window_stream", 100.0), ("Bi-Directional ", "bidirectional_window_stream", 200.0)],
)
def test_a_bandwidth_is_of_the_loop_and_the_buffers_that_it_was_measured_with(
    ways: str, test: str, time_ns: float, tmp_path: Path
) -> None:
    """Windows, not a stream: the partner is what a run with these words measures."""
    text = BANDWIDTH.format(ways)
    for command, key in (
        ("", "/shared"),
        ("$ mpirun -n 2 ./osu_bw -b single\n", "/shared"),
        ("$ mpirun -n 2 ./osu_bw -b multiple\n", "/turn64"),
        ("$ mpirun -n 2 ./osu_bw -W 16 -b multiple\n", "/q16/turn16"),
        ("$ mpirun -n 2 ./osu_bw --window-size=16\n", "/q16/shared"),
    ):
        [row] = of(command + text, tmp_path).rows
        assert (row.case.key, row.time_ns) == (f"mpi/{test}/8{key}", time_ns)


def test_all_that_osu_init_says_is_one_time(tmp_path: Path) -> None:
    text = "# OSU MPI Init Test v7.4\nnprocs: 4, min: 10 ms, max: 30 ms, avg: 20 ms\n"
    [row] = of(text, tmp_path).rows
    assert (row.case.ranks, row.time_ns) == (4, 20e6)


@pytest.mark.parametrize(
    ("title", "factor"),
    [("MPI_Accumulate Bi-directional Bandwidth", 2), ("MPI_Accumulate Bandwidth", 1)],
)
def test_a_bandwidth_that_weft_has_not_is_of_the_ways_of_its_title(title: str, factor: int) -> None:
    found = _test(title)
    assert (found.figure, found.latency_divisor) == ("bandwidth", 0)
    assert found.bandwidth_factor == factor


def test_the_window_of_one_test_is_not_that_of_the_next(tmp_path: Path) -> None:
    """Pairs that vary the window, then a bandwidth whose command says nothing of it."""
    pairs = (
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
        "# [ pairs: 1 ] [ window size: 16 ]\n"
        "# Size                  MB/s        Messages/s\n8   3.50  437500.00\n"
    )
    found = of(pairs + BANDWIDTH.format(""), tmp_path)
    usual = of(BANDWIDTH.format(""), tmp_path)
    assert [row.case.queue_depth for row in usual.rows] == [64]
    assert [row.case.queue_depth for row in found.rows] == [16, 64]
