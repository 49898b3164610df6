"""Outputs of the other benchmarks: what each of their columns means decides what is kept.

The tables of perftest, fabtests, Netgauge and nccl-tests here are written by hand in their layout.
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


def of(text: str, folder: Path, told: Given | None = None) -> StatedOutput:
    path = folder / "out.txt"
    path.write_text(text)
    return read_output(path, told or Given())[1]


def only(found: StatedOutput) -> StatedRow:
    [row] = found.rows
    return row


def test_perftests_typical_time_is_a_median_and_its_deviation_is_not_trusted(
    tmp_path: Path,
) -> None:
    row = only(of(LATENCY, tmp_path))
    assert (row.case.key, row.time_ns) == ("verbs/ping_pong/2", 2020.0)
    assert (row.stated.figure, row.stated.operations) == ("median", 1000)
    assert row.stated.latencies_ns == pytest.approx(
        {"99": 1150, "99.9": 4020, "0": 980, "100": 4020}
    )
    assert row.stated.others == {"t_avg[usec]": 1.02}


@pytest.mark.parametrize(
    ("unit", "bytes_per_s"), [("MB/sec", 2**20), ("MiB/sec", 2**20), ("Gb/sec", 125_000_000)]
)
def test_a_megabyte_of_perftest_is_a_mebibyte_whatever_it_is_called(
    tmp_path: Path, unit: str, bytes_per_s: int
) -> None:
    row = only(of(STREAM.format(unit=unit, way=""), tmp_path))
    assert row.case.key == "verbs/put_stream/65536"
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
    assert row.case.key == "verbs/put_stream/65536"
    assert row.time_ns == pytest.approx(65536 / bytes_per_s * 1e9)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (STREAM_JSON % ("500.00", "0.001600"), r"out.txt:6: its bandwidth is in no unit"),
        (LATENCY_JSON.replace("4.02\n", "4.02,\n"), r"out.txt:18: the JSON is damaged"),
        (LATENCY_JSON.replace('"MsgSize"', '"avg_lat"'), r"out.txt:8: .* avg_lat"),
        (LATENCY_JSON.replace("Send_Latency_Test", "Send"), r"out.txt:2: its test 'Send'"),
        (LATENCY_JSON.replace('"results"', '"found"'), r"out.txt:2: it lacks test_info or"),
    ],
)
def test_what_perftests_json_does_not_say_is_refused_by_line(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(WeftError, match=why):
        of(text, tmp_path)


def test_gpcnets_key_results_are_no_further_figures(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="ends without a figure"):
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
        of(FABTESTS.replace("300.00", "900.00"), tmp_path)


def test_netgauge_states_the_minimum_and_the_bandwidth_of_the_median(tmp_path: Path) -> None:
    row = only(of("Netgauge v2.4.6\n1000 bytes -> 2.50 us == 2000.00 Mbit/s\n", tmp_path))
    assert (row.stated.figure, row.time_ns) == ("minimum", 5000.0)
    assert row.stated.latencies_ns == {"50": 4000.0}


@pytest.mark.parametrize("name", ["sockperf_pp.txt", "iperf3.txt", "ucx_client_latency.txt"])
def test_a_size_that_is_not_printed_is_asked_for(name: str) -> None:
    with pytest.raises(WeftError, match=rf"{name}:\d+: ") as refused:
        read_output(OUTPUTS / name, Given())
    assert "--bytes" in refused.value.fix


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
