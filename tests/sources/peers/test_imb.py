"""Outputs of IMB: columns are found by their names, and what MB is by the row."""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given, StatedOutput

OUTPUTS = Path(__file__).parent / "outputs"
HEAD = "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n"
TIMES = "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]"


def of(text: str, folder: Path, head: str = HEAD) -> StatedOutput:
    path = folder / "imb.txt"
    path.write_text(head + text)
    return read_output(path, Given())[1]


def section(name: str, columns: str, *rows: str, ranks: int = 2) -> str:
    lines = [f"# Benchmarking {name}", f"# #processes = {ranks}", columns, *rows]
    return "".join(f"{line}\n" for line in lines)


def test_the_mean_over_the_ranks_is_kept_and_the_ranks_are_the_cases(tmp_path: Path) -> None:
    found = of(
        section("Allreduce", TIMES, "8 1000 1.00 3.00 2.00", ranks=2)
        + section("Allreduce", TIMES, "8 500 2.00 6.00 4.00", ranks=4),
        tmp_path,
    )
    assert [(row.case.key, row.time_ns, row.stated.operations) for row in found.rows] == [
        ("mpi/allreduce/8", 2000.0, 1000),
        ("mpi/allreduce/8/4ranks", 4000.0, 500),
    ]
    assert found.rows[0].stated.others == {"t_min[usec]": 1.0, "t_max[usec]": 3.0}
    assert found.version == "2021.3"


def test_a_ping_pong_of_no_bytes_has_a_latency(tmp_path: Path) -> None:
    columns = "#bytes #repetitions t[usec] Mbytes/sec"
    [row] = of(section("PingPong", columns, "0 1000 0.42 0.00"), tmp_path).rows
    assert (row.case.key, row.time_ns) == ("mpi/ping_pong/0", 840.0)


@pytest.mark.parametrize(("mbytes", "unit"), [("100.00", 10**6), ("95.37", 2**20)])
def test_what_a_mbyte_is_shows_in_the_rate_of_messages(
    tmp_path: Path, mbytes: str, unit: int
) -> None:
    columns = "#bytes #repetitions Mbytes/sec Msg/sec"
    [row] = of(section("Uniband", columns, f"1000 100 {mbytes} 100000"), tmp_path).rows
    assert row.time_ns == pytest.approx(1000 / (float(mbytes) * unit) * 1e9)


def test_a_rate_that_fits_to_no_mbyte_is_refused(tmp_path: Path) -> None:
    columns = "#bytes #repetitions Mbytes/sec Msg/sec"
    with pytest.raises(WeftError, match=r"imb.txt:5: Mbytes/sec and Msg/sec do not fit"):
        of(section("Uniband", columns, "1000 100 120.00 100000"), tmp_path)


@pytest.mark.parametrize(
    ("mbytes", "messages", "fits"),
    [
        # Half of a last digit of either, and a thousandth: of few it is more.
        ("0.10", 110, True), ("0.10", 95, True), ("0.10", 112, False), ("0.10", 94, False),
        ("100.00", 100_100, True), ("100.00", 99_900, True),
        ("100.00", 100_110, False), ("100.00", 99_890, False),
        ("0.95", 996, True),
        # Without a rate of messages there is nothing to fit.
        ("120.00", 0, True), ("0.00", 100, True),
    ],
)  # fmt: skip
def test_both_rates_fit_as_far_as_their_last_digits_tell(
    tmp_path: Path, mbytes: str, messages: int, *, fits: bool
) -> None:
    columns = "#bytes #repetitions Mbytes/sec Msg/sec"
    text = section("Uniband", columns, f"1000 100 {mbytes} {messages}")
    if fits:
        assert len(of(text, tmp_path).rows) == 1
        return
    with pytest.raises(WeftError, match="Mbytes/sec and Msg/sec do not fit"):
        of(text, tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        "out-of-mem.; needed X=   0.127 GB; use flag",
        "time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over;",
        "int-overflow; The production rank*size caused int overflow;",
    ],
)
def test_a_size_without_a_figure_keeps_its_reason(tmp_path: Path, words: str) -> None:
    rows = of(section("Bcast", TIMES, "8 10 1.00 3.00 2.00", f"1048576 {words}"), tmp_path).rows
    assert [row.reason for row in rows] == ["", words]


def test_an_operation_that_took_no_time_to_print_has_no_figure(tmp_path: Path) -> None:
    [row] = of(section("Bcast", TIMES, "0 1000 0.00 0.00 0.00"), tmp_path).rows
    assert row.reason == "it states 0.00, below its last digit"


def test_each_group_has_its_own_figures_and_all_ranks_those_of_the_benchmark() -> None:
    found = read_output(OUTPUTS / "imb_multi_groups.txt", Given())[1]
    rows = {row.case.key: row for row in found.rows}
    groups = "mpi/imb_multi_allreduce_group_{}_of_2_groups_of_2_ranks/8/4ranks"
    assert [rows[groups.format(at)].time_ns for at in (0, 1)] == [4400.0, 4410.0]
    assert rows[groups.format(1)].stated.others == {"t_min[usec]": 0.2, "t_max[usec]": 8.62}
    assert rows["mpi/allreduce/8/4ranks"].time_ns == 8300.0
    assert rows["mpi/barrier/0/4ranks"].time_ns == 7370.0
    assert rows["mpi/imb_multi_barrier_group_1_of_2_groups_of_2_ranks/0/4ranks"].time_ns == 3830.0
    pairs = rows["mpi/imb_multi_pingpong_group_0_of_2_groups_of_2_ranks/8/4ranks"]
    assert (pairs.time_ns, pairs.test.latency_divisor) == (2 * 3670.0, 2)


def test_a_group_without_a_figure_keeps_its_reason(tmp_path: Path) -> None:
    columns = "Group #bytes #repetitions t[usec] Mbytes/sec"
    text = section("PingPong", columns, "0 4 1000 0.42 9.50", "0 8 out-of-mem.; needed X= 0.1 GB")
    rows = of(text, tmp_path).rows
    assert [(row.case.key, row.reason) for row in rows] == [
        ("mpi/ping_pong/4", ""), ("mpi/ping_pong/8", "out-of-mem.; needed X= 0.1 GB"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "before",
    [
        "# #processes = 2",
        "#bytes #repetitions t[usec] Mbytes/sec",
        "#    MODE: AGGREGATE",
    ],
)
def test_a_section_that_says_something_twice_is_of_two_runs(tmp_path: Path, before: str) -> None:
    columns = "#bytes #repetitions t[usec] Mbytes/sec"
    row = "8 1000 0.42 19.05"
    mixed = section("PingPong", columns, row, before, "16 1000 0.42 38.10")
    with pytest.raises(WeftError, match=r"imb.txt:\d+: two runs wrote into one file"):
        of(mixed, tmp_path)
    found = of(mixed + section("PingPing", columns, row), tmp_path)
    assert [one.case.test for one in found.rows] == ["ping_ping"]


def test_a_row_behind_the_end_of_a_run_is_of_no_benchmark(tmp_path: Path) -> None:
    end = "# All processes entering MPI_Finalize\n"
    one, other = (
        section(name, "#bytes #repetitions t[usec] Mbytes/sec", "8 1000 0.42 19.05")
        for name in ("PingPong", "PingPing")
    )
    assert len(of(f"{one}{end}{HEAD}{other}{end}", tmp_path).rows) == 2
    # A run that was lost has no end.
    assert len(of(f"{one}{HEAD}{other}{end}", tmp_path).rows) == 2
    found = of(f"{one}{end}16 1000 0.42 38.10\n{other}{end}", tmp_path)
    assert [row.case.bytes for row in found.rows] == [8, 8]
    assert [line.text for line in found.ignored] == ["16 1000 0.42 38.10"]


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n", "mpi/window_stream/8/q256/shared"),
        ("#    Intel(R) MPI Benchmarks 2019 Update 3, MPI-1 part\n", "mpi/window_stream/8/shared"),
        (
            (
                "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"
                "# ./IMB-MPI1 -window_size 16 Uniband -npmin 2\n"
            ),
            "mpi/window_stream/8/q16/shared",
        ),
        ("", "mpi/imb_uniband_window_not_stated/8"),
    ],
)
def test_the_window_of_a_bandwidth_is_its_commands_or_its_releases(
    tmp_path: Path, head: str, key: str
) -> None:
    columns = "#bytes #repetitions Mbytes/sec Msg/sec"
    rows = ("0 1000 0.00 7500000", "8 1000 64.00 8000000")
    [row] = of(section("Uniband", columns, *rows), tmp_path, head).rows
    assert row.case.key == key


def test_many_before_one_wait_are_another_test(tmp_path: Path) -> None:
    """Both sections have one name: as one case they were two launches of it."""
    columns = "#bytes #repetitions t[usec] Mbytes/sec"
    text = section("Unidir_put", "#    MODE: NON-AGGREGATE ", columns, "8 20 1.66 4.82")
    text += section("Unidir_put", "#    MODE: AGGREGATE ", columns, "8 20 0.83 9.64")
    text += section("Put_local", columns, "8 20 1.50 5.33")
    assert [row.case.test for row in of(text, tmp_path).rows] == [
        "imb_unidir_put",
        "imb_unidir_put_aggregate",
        "imb_put_local",
    ]


def test_its_own_line_of_the_command_is_no_second_command(tmp_path: Path) -> None:
    head = f"$ mpirun -n 2 IMB-MPI1 PingPong\n{HEAD}# IMB-MPI1 PingPong\n"
    columns = "#bytes #repetitions t[usec] Mbytes/sec"
    found = of(section("PingPong", columns, "8 20 1.66 4.82"), tmp_path, head)
    assert found.command == "mpirun -n 2 IMB-MPI1 PingPong"


@pytest.mark.parametrize(
    ("title", "version"),
    [
        # Titles of releases, in the source of 2019 Update 2 and in published outputs.
        ("Intel(R) MPI Benchmarks 2019 Update 3, MPI-1 part    ", "2019 Update 3"),
        ("Intel(R) MPI Benchmarks 2018 Update 1, MPI-NBC part    ", "2018 Update 1"),
        ("Intel(R) MPI Benchmarks 2021.7, MPI-1 part", "2021.7"),
        ("Intel(R) MPI Benchmarks 2018, MPI-1 part", "2018"),
        ("Intel (R) MPI Benchmark Suite V3.2, MPI-1 part", "3.2"),
        ("Intel (R) MPI Benchmarks 4.1 Update 1, MPI-1 part", "4.1"),
    ],
)
def test_the_release_is_in_the_title(tmp_path: Path, title: str, version: str) -> None:
    columns = "#bytes #repetitions t[usec] Mbytes/sec"
    head = f"#    {title}\n"
    assert of(section("PingPong", columns, "8 20 1.66 4.82"), tmp_path, head).version == version


def test_the_command_and_the_date_are_kept(tmp_path: Path) -> None:
    head = HEAD + "# Date                  : Mon Nov 23 12:00:00 2026\n# IMB-MPI1 PingPong\n"
    found = of(section("Barrier", "#repetitions t_min[usec] t_max[usec] t_avg[usec]", "9 1 3 2"),
               tmp_path, head)  # fmt: skip
    assert found.command == "IMB-MPI1 PingPong"
    assert found.created_utc == "2026-11-23T12:00:00+00:00"
    assert found.rows[0].case.key == "mpi/barrier/0"


def test_a_size_with_wrong_bytes_has_no_figure_and_its_number_of_defects(tmp_path: Path) -> None:
    columns = f"{TIMES} defects"
    text = section("Bcast", columns, "8 10 1.00 3.00 2.00 0.00", "64 10 1.00 3.00 2.00 7.00")
    good, bad = of(text, tmp_path).rows
    assert (good.case.bytes, good.reason) == (8, "")
    assert (bad.case.bytes, bad.reason) == (64, "7.00 defects")
