"""Outputs of the other benchmarks: what each of their columns means decides what is kept.

The tables of perftest, fabtests, Netgauge and nccl-tests here are written by hand in their layout.
"""

from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given, StatedOutput, StatedRow

OUTPUTS = Path(__file__).parent / "outputs"
LATENCY = """---------------------------------------
                    Send Latency Test
 Dual-port       : OFF        Device         : mlx5_0
 Connection type : RC        Using SRQ      : OFF
---------------------------------------
 local address: LID 0x09 QPN 0x0086 PSN 0x8b9c10
---------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]\
   99% percentile[usec]   99.9% percentile[usec]
Conflicting CPU frequency values detected: 800.0 != 3400.0. CPU Frequency is not max.
 2       1000          0.98           4.02         1.01                1.02            0.05   \
        1.15            4.02
---------------------------------------
"""
STREAM = """                    RDMA_Write {way}BW Test
 #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]
 65536      5000             0.00            100.00           0.187374
"""
NCCL = """# nThread 1 nGpus 2 warmup iters: 5 iters: 20 agg iters: 1
#  Rank  0 Group  0 Pid   1234 on      node1 device  0 [0x07] NVIDIA A100
#  Rank  1 Group  0 Pid   1234 on      node1 device  1 [0x0f] NVIDIA A100
#                                                              out-of-place            in-place
#       size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#        (B)
           8      2  float   sum    -1 12.10   0.00   0.00      {wrong} 11.90   0.00   0.00      0
"""
FABTESTS = """bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      10k     1.2m        0.10s     12.80       5.00       0.20
1.5k    10k     29m         0.10s    300.00       5.12       0.20
"""


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
