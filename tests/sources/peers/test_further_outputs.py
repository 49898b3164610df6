"""Outputs of the other benchmarks: what each of their columns means decides what is kept.

The tables of perftest, fabtests and nccl-tests here are written by hand in their layout.
"""

from pathlib import Path

import pytest

from support.peer_outputs import (
    FABTESTS,
    KEYS,
    LATENCY,
    LATENCY_JSON,
    NCCL,
    OUTPUTS,
    STREAM,
    STREAM_JSON,
)
from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given, StatedOutput, StatedRow


def of(text: str, folder: Path, told: Given | None = None, *, strict: bool = False) -> StatedOutput:
    path = folder / "out.txt"
    path.write_text(text)
    return read_output(path, told or Given(), strict=strict)[1]


def only(found: StatedOutput) -> StatedRow:
    [row] = found.rows
    return row


def test_perftests_typical_time_is_a_median_and_its_deviation_is_a_word_of_its_own(
    tmp_path: Path,
) -> None:
    row = only(of(LATENCY, tmp_path))
    assert (row.case.key, row.time_ns) == ("verbs/ping_pong/2/single", 2020.0)
    assert (row.stated.figure, row.stated.operations) == ("median", 1000)
    assert row.stated.latencies_ns == pytest.approx(
        {"99": 1150, "99.9": 4020, "0": 980, "100": 4020}
    )
    assert row.stated.others == {"t_avg[usec]": 1.02, "t_stdev[usec]": 0.05}


@pytest.mark.parametrize(
    ("unit", "bytes_per_s"), [("MB/sec", 2**20), ("MiB/sec", 2**20), ("Gb/sec", 125_000_000)]
)
def test_a_megabyte_of_perftest_is_a_mebibyte_whatever_it_is_called(
    tmp_path: Path, unit: str, bytes_per_s: int
) -> None:
    row = only(of(STREAM.format(unit=unit, way=""), tmp_path))
    assert row.case.key == "verbs/put_stream/65536/q128"
    assert row.time_ns == pytest.approx(65536 / (100 * bytes_per_s) * 1e9)
    # A peak of 0 was not measured.
    assert "BW peak[MB/sec]" not in row.stated.others


def test_perftests_json_is_the_row_of_its_table(tmp_path: Path) -> None:
    found = of(LATENCY_JSON, tmp_path)
    table, row = only(of(LATENCY, tmp_path)), only(found)
    assert (row.case, row.time_ns, row.test) == (table.case, table.time_ns, table.test)
    assert row.stated.latencies_ns == pytest.approx(table.stated.latencies_ns)
    assert (row.stated.figure, row.stated.operations) == ("median", 1000)
    assert "one size" in found.notes[0]


@pytest.mark.parametrize(
    ("bandwidth", "rate", "bytes_per_s"),
    [("100.00", "0.001600", 100 * 2**20), ("0.84", "0.001600", 0.84 * 125e6)],
)
def test_the_unit_of_perftests_json_is_what_fits_its_message_rate(
    tmp_path: Path, bandwidth: str, rate: str, bytes_per_s: float
) -> None:
    row = only(of(STREAM_JSON % (bandwidth, rate), tmp_path))
    assert row.case.key == "verbs/put_stream/65536/q128"
    assert row.time_ns == pytest.approx(65536 / bytes_per_s * 1e9)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (STREAM_JSON % ("500.00", "0.001600"), r"out.txt:6: its bandwidth is in no unit"),
        (LATENCY_JSON.replace("4.02\n", "4.02,\n"), r"out.txt:\d+: the JSON is damaged"),
        (LATENCY_JSON.replace('"MsgSize"', '"avg_lat"'), r"out.txt:\d+: .* no MsgSize"),
        (LATENCY_JSON.replace("Send_Latency_Test", "Send"), r"out.txt:\d+: its test 'Send'"),
        (LATENCY_JSON.replace('"results"', '"found"'), r"out.txt:1: no line"),
    ],
)
def test_what_perftests_json_does_not_say_is_refused_by_line(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(WeftError, match=why):
        of(text, tmp_path)


def test_gpcnets_key_results_are_no_further_figures(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="no line of this output of GPCNeT has a value"):
        of(KEYS, tmp_path)


def test_gpcnets_tails_are_no_percentiles_of_its_mean(tmp_path: Path) -> None:
    """They come from other data: 99% of them is 0.4 us where the mean is 0.8 us."""
    row = of((OUTPUTS / "gpcnet.txt").read_text(), tmp_path).rows[0]
    assert (row.case.key, row.time_ns) == ("mpi/gpcnet_rr_two_sided_lat/8", 800.0)
    assert row.stated.latencies_ns == {}
    assert row.stated.others == {"99% [usec]": 0.4}


def test_cycles_of_perftest_and_columns_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    text = STREAM.format(unit="MB/sec", way="").replace("MsgRate[Mpps]", "Cycles[n]")
    with pytest.raises(WeftError, match=r"out.txt:2: these columns are not understood"):
        of(text, tmp_path)


def test_the_values_of_nccl_are_out_of_place_and_wrong_ones_are_none(tmp_path: Path) -> None:
    row = only(of(NCCL.format(wrong=0), tmp_path, Given(transport="ib")))
    assert (row.case.key, row.time_ns) == ("ib/nccl_tests_collective/8", 12100.0)
    assert row.stated.operations == 20
    assert row.stated.others["time in-place"] == 11.9
    assert only(of(NCCL.format(wrong=3), tmp_path)).reason == "3 wrong values"


def test_a_size_of_fabtests_that_was_cut_comes_back_from_the_figures(tmp_path: Path) -> None:
    first, second = of(FABTESTS, tmp_path).rows
    assert (first.case.key, first.time_ns) == ("ofi/ping_pong/64", 10000.0)
    assert (second.case.bytes, second.stated.operations) == (1536, 10000)
    with pytest.raises(WeftError, match=r"out.txt:3: its size was cut"):
        of(FABTESTS.replace("300.00", "900.00"), tmp_path, strict=True)


ONE_WAY = """bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      20k     1.2m        0.04s     32.00       2.00       0.50
1k      20k     19m         0.07s    284.44       3.60       0.28
"""


@pytest.mark.parametrize(
    ("prompt", "text", "test"),
    [
        ("", ONE_WAY, "stream"),
        ("", FABTESTS, "ping_pong"),
        ("$ fi_rdm_tagged_bw -p tcp n1\n", ONE_WAY, "stream"),
        ("$ fi_rdm_tagged_pingpong n1\n", FABTESTS, "ping_pong"),
        ("$ fi_rma_bw -o write n1\n", ONE_WAY, "fabtests_fi_rma_bw"),
        ("$ fi_rma_pingpong n1\n", FABTESTS, "fabtests_fi_rma_pingpong"),
    ],
)
def test_the_total_of_fabtests_says_what_its_columns_do_not(
    tmp_path: Path, prompt: str, text: str, test: str
) -> None:
    """A ping-pong's has the messages of both ways, a bandwidth's of one."""
    rows = of(prompt + text, tmp_path).rows
    assert {row.case.test for row in rows} == {test}


def test_a_total_of_another_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"out.txt:3: its total is not of fi_rdm_bw"):
        of(f"$ fi_rdm_bw n1\n{FABTESTS}", tmp_path)


def test_a_run_of_fabtests_that_failed_keeps_its_rows(tmp_path: Path) -> None:
    found = of(
        ONE_WAY + "libfabric:3181:1719::tcp:ep_data:handle():159<warn> msg recv truncated\n"
        "[error] fabtests:common/shared.c:2904: cq_readerr 265 (Truncation error)\n",
        tmp_path,
    )
    assert len(found.rows) == 2
    assert found.failed.startswith("[error] fabtests:")


def test_the_last_rank_of_nccl_says_how_many_there_are(tmp_path: Path) -> None:
    """Of a list whose beginning was cut off, and beside the log of NCCL itself."""
    text = NCCL.format(wrong=0).replace("Rank  1 ", "Rank 71 ")
    noise = "n1:23920:24013 [7] NCCL INFO comm 0x7f57 rank 15 nranks 32 - Init COMPLETE\n"
    row = only(of(text + noise, tmp_path))
    assert row.case.ranks == 72


def test_each_command_of_nccl_names_the_collective_behind_it(tmp_path: Path) -> None:
    text = NCCL.format(wrong=0)
    found = of(f"$ all_reduce_perf -b 8\n{text}$ all_gather_perf -b 8\n{text}", tmp_path)
    assert [row.case.test for row in found.rows] == [
        "nccl_tests_all_reduce",
        "nccl_tests_all_gather",
    ]


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("ucx_perftest n1 -t tag_lat -s 8", "ucx/ping_pong/8"),
        ("ucx_perftest n1 -t ucp_put_lat -s 8", "ucx/put_ping_pong/8"),
        ("ucx_perftest n1 -t ucp_am_lat -s 8", "ucx/ucx_perftest_ucp_am_lat/8"),
        ("ucx_perftest n1 -t ucp_get -s 8", "ucx/ucx_perftest_ucp_get/8"),
    ],
)
def test_a_prompt_names_the_test_of_a_client_of_ucx_perftest(
    tmp_path: Path, command: str, key: str
) -> None:
    text = (OUTPUTS / "ucx_client_latency.txt").read_text()
    found = of(f"$ {command}\n{text}", tmp_path)
    assert (only(found).case.key, found.notes) == (key, ())


def test_a_client_of_ucx_perftest_without_a_name_is_said_to_be_taken_for_one_of_tags() -> None:
    found = read_output(OUTPUTS / "ucx_client_latency.txt", Given(bytes=8))[1]
    assert [note.partition(":")[0] for note in found.notes] == ["no line names the test"]


CSV = (
    "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
    "[thread 0]  29,16016.251,17604.396,17604.396,0.00,0.00,57,57\n"
    " 200,4.680,1035.553,3438.035,0.06,0.02,966,291\n"
)


def test_csv_of_ucx_perftest_is_of_the_test_that_its_command_names(tmp_path: Path) -> None:
    """As 1.13 prints it: the heads say latency of a bandwidth, too."""
    command = "$ ucx_perftest n1 -t {} -s 64 -v\n"
    row = only(of(command.format("tag_lat") + CSV, tmp_path))
    assert (row.case.key, row.time_ns) == ("ucx/ping_pong/64", 2 * 3438035)
    row = only(of(command.format("tag_bw") + CSV, tmp_path))
    assert row.case.key == "ucx/stream/64"
    assert row.time_ns == pytest.approx(64e9 / (0.02 * 2**20))
    row = only(of(command.format("ucp_am_bw") + CSV, tmp_path))
    assert (row.case.test, row.test.figure) == ("ucx_perftest_ucp_am_bw", "bandwidth")
    row = only(of(CSV, tmp_path, Given(bytes=64)))
    assert (row.case.test, row.time_ns) == ("ucx_perftest_test_not_stated", 3438035.0)


def test_the_sends_under_way_of_ucx_perftest_are_its_depth(tmp_path: Path) -> None:
    text = (OUTPUTS / "ucx_client_bw.txt").read_text()
    found = of(f"$ ucx_perftest n1 -t tag_bw -s 64 -O 16\n{text}", tmp_path)
    assert only(found).case.key == "ucx/stream/64/q16"


def test_messages_without_an_answer_are_no_ping_pong(tmp_path: Path) -> None:
    """sockperf prints the same lines in each of its modes."""
    text = (OUTPUTS / "sockperf_ul.txt").read_text().partition("\n")[2]
    assert only(of(text, tmp_path, Given(bytes=64))).case.test == "sockperf_under_load"
    text = (OUTPUTS / "sockperf_pp.txt").read_text()
    for command, test in (
        ("pp -m 8", "ping_pong"),
        ("ping-pong -m 8 -b 10", "sockperf_bursts_of_10"),
        ("ul -m 8 --mps=max", "sockperf_under_load_of_max_messages_per_s"),
        ("under-load -m 8", "sockperf_under_load"),
        ("playback -m 8", "sockperf_playback"),
    ):
        assert only(of(f"$ sockperf {command}\n{text}", tmp_path)).case.test == test


def test_a_mode_of_netpipe_is_of_its_run_alone(tmp_path: Path) -> None:
    both = (OUTPUTS / "netpipe_console_2.txt").read_text().partition("\n")[2]
    usual = (OUTPUTS / "netpipe_console.txt").read_text()
    rows = of(both + usual, tmp_path).rows
    assert [row.case.test for row in rows] == 12 * ["netpipe_both_ways_at_once"] + 8 * ["ping_pong"]
    file = (OUTPUTS / "netpipe_np.out").read_text()
    for command, test in (("NPtcp -h n1 -2", "both_ways_at_once"), ("NPmpi -s", "streaming")):
        assert of(f"$ {command}\n{file}", tmp_path).rows[0].case.test == f"netpipe_{test}"


def test_netgauge_states_the_minimum_and_the_bandwidth_of_the_median(tmp_path: Path) -> None:
    row = only(of("Netgauge v2.4.6\n1000 bytes -> 2.50 us == 2000.00 Mbit/s\n", tmp_path))
    assert (row.stated.figure, row.time_ns) == ("minimum", 5000.0)
    assert row.stated.latencies_ns == {"50": 4000.0}


@pytest.mark.parametrize(
    ("pattern", "figure", "ranks"), [("one_one", "minimum", 2), ("sync", "minimum", 2),
                                     ("nto1", "median", 4)],
)  # fmt: skip
def test_a_pattern_of_netgauge_is_that_of_its_first_line(
    pattern: str, figure: str, ranks: int
) -> None:
    """All patterns print the same columns: an incast of four ranks had been a ping-pong of two."""
    found = read_output(OUTPUTS / f"netgauge_{pattern}.txt", Given())[1]
    assert found.version == "2.4.6"
    assert found.command.startswith("netgauge -m mpi -x ")
    assert {row.stated.figure for row in found.rows} == {figure}
    assert {row.case.ranks for row in found.rows} == {ranks}


def test_netgauge_over_sockets_is_of_tcp(tmp_path: Path) -> None:
    text = "1000 bytes -> 2.50 us == 2000.00 Mbit/s\n"
    row = only(of(f"$ netgauge -m tcp n1\n{text}", tmp_path))
    assert row.case.key == "tcp/ping_pong/1000"


def test_a_stream_of_json_that_failed_or_was_cut_is_refused(tmp_path: Path) -> None:
    text = (OUTPUTS / "iperf3_stream.json").read_text()
    start = text.split("\n")[0]
    failed = '{"event":"error","data":"unable to connect"}'
    with pytest.raises(WeftError, match="2: iperf3 failed: unable to connect"):
        of(f"{start}\n{failed}\n", tmp_path)
    with pytest.raises(WeftError, match="the end of the run is missing"):
        of(f"{start}\n", tmp_path)


@pytest.mark.parametrize("name", ["sockperf_pp.txt", "iperf3.txt", "ucx_client_latency.txt"])
def test_a_size_that_is_not_printed_is_unknown(name: str) -> None:
    """A test without a size is another one: no comparison takes it for one of some size."""
    row = only(read_output(OUTPUTS / name, Given())[1])
    told_row = only(read_output(OUTPUTS / name, Given(bytes=1024))[1])
    assert row.case.test.endswith("message_size_not_stated")
    assert not row.test.has_size
    assert told_row.case.bytes == 1024
    # A bandwidth is kept as the time of a byte.
    is_bandwidth = not row.test.latency_divisor
    assert told_row.time_ns == pytest.approx(row.time_ns * (1024 if is_bandwidth else 1))


def test_a_prompt_in_the_file_has_the_size(tmp_path: Path) -> None:
    text = (OUTPUTS / "sockperf_pp.txt").read_text()
    found = of(f"$ sockperf pp -i 10.0.0.1 --tcp -m 64\n{text}", tmp_path)
    assert (only(found).case.bytes, found.command) == (64, "sockperf pp -i 10.0.0.1 --tcp -m 64")


def test_a_run_of_iperf3_that_failed_is_refused(tmp_path: Path) -> None:
    text = '{\n\t"start":\t{},\n\t"error":\t"unable to connect"\n}\n'
    with pytest.raises(WeftError, match=r"out.txt:3: iperf3 failed: unable to connect"):
        of(text, tmp_path)


def test_the_pairs_of_mpigraph_are_points_and_none_is_with_itself() -> None:
    rows = read_output(OUTPUTS / "mpigraph.txt", Given())[1].rows
    sends = [row.case.point for row in rows if row.test.name.endswith("sends")]
    assert sends == [1, 2, 3, 5, 6, 7]


@pytest.mark.parametrize("missing", ["12.10", "11.90"])
def test_a_row_of_nccl_that_lacks_a_time_is_refused(tmp_path: Path, missing: str) -> None:
    """It has as many words as one of a collective without an operation."""
    text = NCCL.format(wrong=0)
    assert text.count(missing) == 1
    with pytest.raises(WeftError, match=r"out.txt:7: its bandwidth is not that of its size"):
        of(text.replace(missing, ""), tmp_path)


def test_a_table_of_bandwidths_without_its_title_is_not_of_netpipe(tmp_path: Path) -> None:
    lines = (OUTPUTS / "omb_bw_z.txt").read_text().splitlines(keepends=True)
    rows = [line for line in lines if line[:1].isdigit()]
    with pytest.raises(WeftError, match=r"out.txt:1: "):
        of("".join(rows), tmp_path)


@pytest.mark.parametrize(
    ("row", "is_one"),
    [
        ("1 0.007 0.006 0.008 1.14", True),
        # Of so small a rate half of its last digit is a fourteenth.
        ("1 0.007 0.006 0.008 1.21", True),
        ("1 0.007 0.006 0.008 1.24", False),
        ("1048576 40.000 39.000 41.000 209.92", True),
        ("1048576 40.000 39.000 41.000 209.94", False),
        ("1048576 40.000 39.000 41.000 209.51", True),
        ("1048576 40.000 39.000 41.000 209.49", False),
    ],
)
def test_a_file_of_netpipe_5_has_a_rate_that_is_of_its_time(
    tmp_path: Path, row: str, *, is_one: bool
) -> None:
    """Mean, least and greatest Gbit/s, and the mean time in microseconds (netpipe.c of 5.1)."""
    if not is_one:
        with pytest.raises(WeftError, match="Gbit/s and usec are not of one message one way"):
            of(f"{row}\n", tmp_path)
        return
    (found,) = of(f"{row}\n", tmp_path).rows
    assert (found.case.test, found.case.bytes) == ("ping_pong", int(row.split(maxsplit=1)[0]))
    # One way, of a test whose operation is a round trip.
    assert found.stated.figure == "mean"
    assert found.time_ns == pytest.approx(2 * 1000 * float(row.rsplit(maxsplit=1)[-1]))


def test_every_percentile_of_sockperf_is_the_latency_of_that_share(tmp_path: Path) -> None:
    text = (OUTPUTS / "sockperf_pp.txt").read_text()
    row = only(of(text, tmp_path, Given(bytes=64)))
    assert row.stated.latencies_ns == pytest.approx({
        "0": 7328, "25": 9086, "50": 9422, "75": 12563, "90": 15063, "99": 49121,
        "99.9": 1806107, "99.99": 3381795, "99.999": 4274372, "100": 4274372,
    })  # fmt: skip
