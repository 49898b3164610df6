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
PINGPONG = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
8       100k    =100k    1.5m        0.71s      2.25       3.56       0.28
"""


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT)
    from bench import peers  # noqa: PLC0415 - found only now

    return peers


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
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
    from bench import ucx  # noqa: PLC0415 - found only now

    assert ucx.parse_final(PERFTEST) == {"median_us": 0.115, "overall_mib_per_s": 24.5}
    with pytest.raises(RuntimeError, match="not its figures"):
        ucx.parse_final("[thread 0] 1\nFinal: 1 2 3")


@pytest.mark.usefixtures("peers")
def test_fi_pingpong_writes_microseconds_under_their_name() -> None:
    from bench import ofi  # noqa: PLC0415 - found only now

    assert ofi.parse_us_per_transfer(PINGPONG) == 3.56
    with pytest.raises(RuntimeError, match="no figures"):
        ofi.parse_us_per_transfer("fi_getinfo(): No data available")


def test_the_list_says_how_each_side_waits() -> None:
    done = bench("--list")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "weft polls, the peer blocks: unlike" in lines["tcp-latency-netpipe"]
    assert "weft blocks, the peer blocks)" in lines["tcp-latency-netpipe-blocking"]
    assert "weft polls, the peer polls)" in lines["tcp-latency-sockperf-polling"]
    assert {"ucx-tag-latency", "ofi-shm-latency"} <= set(lines)
    assert {"between-batches", "start-up", "default-run"} <= set(lines)


def test_an_unknown_name_is_one_line() -> None:
    done = bench("nothing")
    assert done.returncode == 1
    assert done.stderr == "bench: there is no nothing; type: python -m bench --list\n"


def test_a_cost_is_measured_in_rounds_and_written_as_json(tmp_path: Path) -> None:
    done = bench("start-up", "--rounds", "2", "--json", str(tmp_path / "b.json"))
    assert done.returncode == 0, done.stderr
    assert "over 2 rounds" in done.stdout
    rounds = json.loads((tmp_path / "b.json").read_text())["start-up"]
    assert [set(figures) for figures in rounds] == [{"help_s"}, {"help_s"}]
