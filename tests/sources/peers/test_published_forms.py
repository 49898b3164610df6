"""Forms that were met in results that others published, of other releases and other starters.

The texts are written by hand in those forms; files in outputs/ were printed by the programs here.
"""

from pathlib import Path

import pytest

from support.peer_outputs import NCCL, OUTPUTS, STREAM
from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.iperf3_rows import utc_of
from weft.sources.peers.nccl import UNNAMED
from weft.sources.peers.perftest import OTHER_SIDE
from weft.sources.peers.stated import Given, StatedOutput

OSU = "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n8                       1.25\n"


def of(text: str, folder: Path, told: Given | None = None, *, strict: bool = False) -> StatedOutput:
    path = folder / "out.txt"
    path.write_text(text)
    return read_output(path, told or Given(), strict=strict)[1]


def keys(found: StatedOutput) -> list[str]:
    return [row.case.key for row in found.rows]


def prefixed(text: str, *prefixes: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(prefixes[at % len(prefixes)] + line for at, line in enumerate(lines))


@pytest.mark.parametrize(
    "text",
    [
        prefixed(OSU, "00:55:22  "),
        prefixed(OSU, "[2026-11-26T09:31:30.123Z] ", "[2026-11-26T09:31:31.004Z] "),
        prefixed(OSU, "2026-11-26T09:31:30+01:00 "),
        prefixed(prefixed(OSU, "0: "), "09:31:30 "),
        f"srun: job 12 queued and waiting for resources\n{prefixed(OSU, '0: ')}",
        f"\ufeff{OSU}",
        prefixed(prefixed(OSU, "[1,0]<stdout>:"), "09:31:30  "),
        # openucx/ucx#7442 and #2111.
        prefixed(OSU, "[0] "),
        prefixed(OSU, "Sun Dec 24 09:52:05 2017[1,0]<stdout>:"),
        OSU.replace("8  ", "[1.5] [n1:12:0]   | perftest inter-node cfg#0 | tagged |\n8  "),
        OSU.replace("v7.0", "v7.0-b3"),
    ],
)
def test_what_a_log_puts_before_each_line_is_no_output(tmp_path: Path, text: str) -> None:
    [row] = of(text, tmp_path).rows
    assert (row.case.key, row.time_ns) == ("mpi/ping_pong/8", 2500.0)


def test_a_time_before_a_line_leaves_the_blanks_of_the_line(tmp_path: Path) -> None:
    """GPCNeT's and sockperf's lines are known by theirs."""
    text = (OUTPUTS / "gpcnet.txt").read_text()
    whole = of(text, tmp_path)
    for prefix in ("2026-11-26T09:31:30.123Z ", "09:31:30  "):
        assert of(prefixed(text, prefix), tmp_path).rows == whole.rows


def test_what_powershell_redirects_is_text(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(OSU.replace("\n", "\r\n").encode("utf-16"))
    assert keys(read_output(path, Given())[1]) == ["mpi/ping_pong/8"]


def test_a_time_before_some_lines_only_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"out.txt:3: "):
        of(OSU.replace("8  ", "00:55:22  8  "), tmp_path, strict=True)


def test_a_decimal_comma_is_refused_with_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"out.txt:3: '1,25' has a comma"):
        of(OSU.replace("1.25", "1,25"), tmp_path)


def test_a_figure_below_nothing_is_none(tmp_path: Path) -> None:
    [row] = of(OSU.replace("1.25", "-1.25"), tmp_path).rows
    assert row.reason == "it states -1.25, below nothing"


def test_heads_of_a_barrier_without_a_sign_are_heads(tmp_path: Path) -> None:
    text = (
        "# OSU MPI Non-blocking Barrier Latency Test v5.7.1\n\n"
        "       Overall(us)       Compute(us)        Overlap(%)\n"
        "             89.72             68.02             65.64\n"
    )
    [row] = of(text, tmp_path, Given(ranks=4)).rows
    assert row.time_ns == 89720.0
    assert row.stated.others == {"Compute(us)": 68.02, "Overlap(%)": 65.64}


def test_groups_at_once_are_a_test_of_all_their_ranks() -> None:
    """A section of groups has no number of processes of its own: that of another is not its."""
    found = read_output(OUTPUTS / "imb_multi.txt", Given())[1]
    rows = {row.case.key: row for row in found.rows}
    assert rows["mpi/imb_multi_allreduce_2_groups_of_2_ranks/8/4ranks"].time_ns == 5690.0
    assert rows["mpi/allreduce/8/4ranks"].time_ns == 9310.0
    pairs = rows["mpi/imb_multi_pingpong_2_groups_of_2_ranks/8/4ranks"]
    assert (pairs.time_ns, pairs.test.latency_divisor) == (2 * 4220.0, 2)


BOX = """                    RDMA_Write BW Test
 TX depth        : 128
 local address: LID 0x06 QPN {0} PSN {0} RKey 0x1
 remote address: LID 0x06 QPN {1} PSN {1} RKey 0x1
"""


def sides(*ends: tuple[str, str]) -> str:
    _, heads, row = STREAM.format(unit="MB/sec", way="").splitlines(keepends=True)
    waits = "****\n* Waiting for client to connect... *\n****\n"
    return waits.join(f"{BOX.format(*end)}{heads}{row}" for end in ends)


def test_both_sides_of_a_run_of_perftest_are_one_run(tmp_path: Path) -> None:
    found = of(sides(("0xa", "0xb"), ("0xb", "0xa"), ("0xc", "0xd")), tmp_path)
    assert keys(found) == ["verbs/put_stream/65536/q128"] * 2
    assert found.notes == (f"{tmp_path / 'out.txt'}:15: {OTHER_SIDE}",)


def test_two_runs_between_the_same_queue_pairs_are_two(tmp_path: Path) -> None:
    assert len(of(sides(("0xa", "0xb"), ("0xa", "0xb")), tmp_path).rows) == 2


def test_a_box_at_the_margin_says_the_same(tmp_path: Path) -> None:
    text = "".join(f"{line.strip()}\n" for line in sides(("0xa", "0xb")).splitlines())
    found = of(text.replace(": 128", ": 16"), tmp_path)
    assert keys(found) == ["verbs/put_stream/65536/q16"]


def test_a_collective_without_an_operation_leaves_its_column_empty(tmp_path: Path) -> None:
    heads = NCCL.replace("  root", "").replace("    -1", "")
    whole = of(heads.format(wrong="0"), tmp_path)
    found = of(heads.replace("   sum", "").format(wrong="0"), tmp_path)
    assert [row.time_ns for row in found.rows] == [row.time_ns for row in whole.rows] == [12100.0]
    assert found.rows[0].stated.others["busbw in-place"] == 0.0
    assert found.notes == (UNNAMED,)
    named = of(f"$ alltoall_perf -g 2\n{heads.format(wrong='0')}", tmp_path)
    assert (keys(named), named.notes) == (["nccl/nccl_tests_alltoall/8"], ())


OLD = """\
|              |       latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
| # iterations | typical | average | overall |  average |  overall |   average |   overall |
          1000     0.522     1.424     1.424    2743.19    2743.19      702258      702258
          2000     0.523     1.029     1.195    3794.71    3268.90      971445      836839
"""


def test_the_last_row_of_an_older_ucx_perftest_is_of_the_whole_run(tmp_path: Path) -> None:
    """Up to 1.8: no stages, and heads that say latency of a bandwidth too."""
    latency, bandwidth = (
        f"$ ucx_perftest n1 -t {test} -s 4096\n{OLD}" for test in ("tag_lat", "tag_bw")
    )
    first, second = of(latency + bandwidth, tmp_path).rows
    assert (first.case.key, first.time_ns) == ("ucx/ping_pong/4096", 2 * 1195.0)
    assert first.stated.latencies_ns == {"50": 523.0}
    assert second.case.key == "ucx/stream/4096"
    assert second.time_ns == pytest.approx(4096e9 / (3268.90 * 2**20))
    [row] = of(OLD, tmp_path, Given(bytes=64)).rows
    assert (row.case.test, row.time_ns) == ("ucx_perftest_test_not_stated", 1195.0)


def test_a_typical_time_of_ucx_perftest_with_stages_is_its_median(tmp_path: Path) -> None:
    text = (OUTPUTS / "ucx_client_latency.txt").read_text().replace("50.0%ile", " typical")
    [row] = of(text, tmp_path, Given(bytes=64)).rows
    assert (row.case.key, list(row.stated.latencies_ns)) == ("ucx/ping_pong/64", ["50"])


def test_several_threads_of_ucx_perftest_have_no_percentile(tmp_path: Path) -> None:
    text = OLD.replace("0.523", "0.000")
    [row] = of(f"$ ucx_perftest n1 -t tag_lat -s 64\n{text}", tmp_path).rows
    assert (row.time_ns, row.stated.latencies_ns) == (2390.0, {})


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("avg-latency=17.750", "avg-lat= 17.750", "tcp/ping_pong/64"),
        ("avg-latency=17.750 (std-dev=", "avg-latency=17.750 (cv=0.1, std-dev=", ""),
        ("avg-latency=17.750", "avg-rtt=17.750", "tcp/sockperf_round_trip/64"),
    ],
)
def test_the_mean_of_each_release_of_sockperf_is_found(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    text = (OUTPUTS / "sockperf_pp.txt").read_text()
    assert old in text
    text = text.replace(old, new)
    # A port of four digits stands behind two blanks (Mellanox/sockperf#106).
    text = text.replace("PORT = 21111", "PORT =  8302")
    if key:
        assert keys(of(text, tmp_path, Given(bytes=64))) == [key]
        return
    with pytest.raises(WeftError, match="no line before it has its mean"):
        of(text, tmp_path, Given(bytes=64))


def test_a_full_log_of_sockperf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match="this is a full log of single messages"):
        of(
            "sockperf: == version #3.7 ==\n"
            "test was performed using the following parameters: --mps=1\n---\nsockperf: x\n",
            tmp_path,
        )


def test_a_size_that_sockperf_states_is_of_its_run_alone(tmp_path: Path) -> None:
    stated, usual = (
        (OUTPUTS / name).read_text() for name in ("sockperf_tp_32k.txt", "sockperf_tp.txt")
    )
    found = of(stated + usual, tmp_path, Given(bytes=1472))
    assert keys(found) == ["tcp/stream/32768", "tcp/stream/1472"]


def test_a_run_of_iperf3_without_its_receiver_is_one_sides_account(tmp_path: Path) -> None:
    text = (OUTPUTS / "iperf3.txt").read_text()
    sent = "".join(line for line in text.splitlines(True) if "receiver" not in line)
    whole, sender = of(text + sent, tmp_path, Given(bytes=131072)).rows
    assert whole.case.test == "stream"
    assert sender.case.test == "iperf3_bandwidth_one_side_s_account"


def test_a_date_of_iperf3_is_one_in_every_system() -> None:
    assert utc_of("Thu, 02 Sep 2021 09:48:52 UTC") == "2021-09-02T09:48:52+00:00"
    assert utc_of("Thu, 02 Sep 2021 09:48:52 GMT") == "2021-09-02T09:48:52+00:00"


def test_fabtests_for_machines_name_their_program(tmp_path: Path) -> None:
    text = (OUTPUTS / "fi_rdm_tagged_bw_m.txt").read_text()
    found = of(text, tmp_path)
    assert found.command == "fi_rdm_tagged_bw -p tcp -m -I 100 -S 64 127.0.0.1"
    with pytest.raises(WeftError, match="its total is not of fi_rdm_tagged_bw"):
        of(text.replace("total: 6400", "total: 12800"), tmp_path)
    with pytest.raises(WeftError, match=r"out.txt:1: no line"):
        of(text.replace("iterations", "count"), tmp_path)
