"""The bench names its comparisons, and reads its peers' figures right."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
NETPIPE = " 524288 9000.5 0.00046\n 1048576 13895.402359   0.00057573\n"
SOCKPERF = """sockperf: Summary: Latency is 63.111 usec
sockperf: ---> percentile 75.000 =    4.136
sockperf: ---> percentile 50.000 =    4.066
sockperf: ---> <MIN> observation =    3.620
"""
THROUGHPUT = """sockperf: Summary: Message Rate is 11031 [msg/sec], Packet Rate is about 496395
sockperf: Summary: BandWidth is 683.799 MBps (5470.390 Mbps)
"""

PERFTEST = """| Stage | # iterations | 50.0%ile | average | overall |
      300000      0.115     0.315     0.315       24.26      24.50     3179213     317
"""
SEND_LAT = """ #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]
 8       400          150.10         900.00       201.50     210.0  12.1  300.0  900.0
"""
WRITE_BW = """ #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      1280             70.10              61.50              0.000984
"""
PINGPONG = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
8       100k    =100k    1.5m        0.71s      2.25       3.56       0.28
"""


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import peers

    return peers


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


def test_netpipe_writes_seconds_of_half_a_round_trip(peers: ModuleType) -> None:
    assert peers.parse_netpipe(NETPIPE, 1048576) == 0.00057573
    # Its own second column says the same: 2^20 bits are its megabit.
    assert pytest.approx(13895.4, rel=1e-4) == 1048576 * 8 / 0.00057573 / 2**20


def test_sockperf_writes_the_median_in_microseconds(peers: ModuleType) -> None:
    assert peers.parse_sockperf_latency(SOCKPERF) == pytest.approx(4066)
    with pytest.raises(RuntimeError, match="no median"):
        peers.parse_sockperf_latency("sockperf: ERROR: refused")


def test_sockperfs_rate_times_the_size_is_its_bandwidth(peers: ModuleType) -> None:
    rate = peers.parse_sockperf_rate(THROUGHPUT)
    assert rate == 11031
    assert rate * 65000 == pytest.approx(683.799 * 2**20, rel=1e-4)
    with pytest.raises(RuntimeError, match="no rate"):
        peers.parse_sockperf_rate("")


def test_iperf3_counts_what_arrived(peers: ModuleType) -> None:
    end = {"sum_sent": {"bytes": 9, "seconds": 1}, "sum_received": {"bytes": 8e9, "seconds": 2}}
    assert peers.parse_iperf3(json.dumps({"end": end})) == 4e9


@pytest.mark.usefixtures("peers")
def test_ucx_perftest_writes_the_median_second_and_the_whole_bandwidth_sixth() -> None:
    from bench import ucx

    assert ucx.parse_final(PERFTEST) == {"median_us": 0.115, "overall_mib_per_s": 24.5}
    with pytest.raises(RuntimeError, match="not its figures"):
        ucx.parse_final("[thread 0] 1\nFinal: 1 2 3")


@pytest.mark.usefixtures("peers")
def test_fi_pingpong_writes_microseconds_under_their_name() -> None:
    from bench import ofi

    assert ofi.parse_us_per_transfer(PINGPONG) == 3.56
    with pytest.raises(RuntimeError, match="no figures"):
        ofi.parse_us_per_transfer("fi_getinfo(): No data available")


@pytest.fixture
def verbs(peers: ModuleType) -> ModuleType:
    from bench import verbs

    assert peers
    return verbs


def test_perftest_writes_the_typical_latency_fifth_and_the_average_bandwidth_fourth(
    verbs: ModuleType,
) -> None:
    pairs = {pair.name: pair for pair in verbs.comparisons()}
    assert verbs.parse_perftest(SEND_LAT, pairs["verbs-send-latency"]) == pytest.approx(201_500)
    write = pairs["verbs-write-bandwidth"]
    assert verbs.parse_perftest(WRITE_BW, write) == pytest.approx(61.5 * 2**20)
    with pytest.raises(RuntimeError, match="no figures"):
        verbs.parse_perftest("Couldn't connect to 10.9.0.1:18515", write)


def test_of_the_engines_batch_the_warm_up_is_left_out(verbs: ModuleType) -> None:
    pairs = {pair.name: pair for pair in verbs.comparisons()}
    batch = {"status": "ok", "ticks": [9, 100, 300, 200], "warmup": 1, "ops_per_sample": 256}
    assert verbs.figure_of(pairs["verbs-send-latency"], batch, 0.5) == 200 * 0.5 / 2
    rate = 65536 * 256 / (200 * 0.5e-9)
    assert verbs.figure_of(pairs["verbs-write-bandwidth"], batch, 0.5) == pytest.approx(rate)
    failed = {"status": "failed", "reason": "no device"}
    with pytest.raises(RuntimeError, match="verbs-read-latency: no device"):
        verbs.figure_of(pairs["verbs-read-latency"], failed, 1.0)


def test_the_guests_lines_become_rounds(verbs: ModuleType) -> None:
    lines = [{"name": "a", "ours": 1.0, "theirs": 2.0}, {"name": "a", "theirs": 4.0, "ours": 3.0}]
    told = "".join(json.dumps(line) + "\n" for line in lines)
    rounds = [{"ours": 1.0, "theirs": 2.0}, {"ours": 3.0, "theirs": 4.0}]
    assert verbs.figures_by_name(told) == {"a": rounds}


@pytest.mark.usefixtures("peers")
def test_from_six_rounds_on_the_median_has_an_interval() -> None:
    from bench.__main__ import middle_and_interval

    assert middle_and_interval([3.0, 1.0, 2.0]) == "2 [1, 3] (range) over 3 rounds"
    # Of twelve values the third and the tenth: 96.1 % (David and Nagaraja, table of section 7.1).
    values = [float(value) for value in range(1, 13)]
    assert middle_and_interval(values) == "6.5 [3, 10] (95 %) over 12 rounds"


def test_the_list_says_how_each_side_waits() -> None:
    done = bench("--list")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "weft polls, the peer blocks: unlike" in lines["tcp-latency-netpipe"]
    assert "weft blocks, the peer blocks)" in lines["tcp-latency-netpipe-blocking"]
    assert "weft polls, the peer polls)" in lines["tcp-latency-sockperf-polling"]
    assert {"ucx-tag-latency", "ofi-shm-latency", "verbs-write-bandwidth"} <= set(lines)
    assert {"between-batches", "start-up", "default-run"} <= set(lines)


def test_an_unknown_name_is_one_line() -> None:
    done = bench("nothing")
    assert done.returncode == 1
    assert done.stderr == "bench: there is no nothing; run python -m bench --list\n"


def test_a_cost_is_measured_in_rounds_and_written_as_json(tmp_path: Path) -> None:
    done = bench("start-up", "--rounds", "2", "--json", str(tmp_path / "b.json"))
    assert done.returncode == 0, done.stderr
    assert "over 2 rounds" in done.stdout
    rounds = json.loads((tmp_path / "b.json").read_text())["start-up"]
    assert [set(figures) for figures in rounds] == [{"help_s"}, {"help_s"}]


def test_a_turns_ratio_is_of_one_state(peers: ModuleType) -> None:
    from bench.loop import ratios_of

    assert peers is not None
    told = ratios_of("202 200\n404 400\n303 150\n")
    assert told["ratio"] == pytest.approx(1.01)
    assert told["engine_latency_ns"] == pytest.approx(151.5)
    assert told["bare_latency_ns"] == pytest.approx(100)


def test_columns_are_compared_with_the_first_within_a_turn(peers: ModuleType) -> None:
    from bench.loop import ratios_of_columns

    assert peers is not None
    told = ratios_of_columns("bare ours huge \n100 90 150 \n200 180 320 \n50 50 70 \n")
    assert told == pytest.approx({"ours_ratio": 0.9, "huge_ratio": 1.5, "bare_bytes_per_s": 100.0})


def test_the_solver_beside_a_sweep_is_a_median_of_turns_of_each_extent(
    peers: ModuleType,
) -> None:
    from bench.staggered import figures_of

    assert peers is not None
    told = figures_of(
        "4 256 2e-6 1e-6 8e-6 4e-6\n4 256 4e-6 1e-6 8e-6 4e-6\n4 256 1e-6 1e-6 8e-6 4e-6\n"
    )
    assert told["L4_short_links_gflop_per_s"] == pytest.approx(1187 * 256 / 4e-6 / 1e9)
    assert told["L4_gflop_per_s"] == pytest.approx(1187 * 256 / 2e-6 / 1e9)
    assert told["L4_share_of_sweep"] == pytest.approx(0.5)
    assert told["L4_times_plain"] == pytest.approx(4 * 1187 / 1146)
