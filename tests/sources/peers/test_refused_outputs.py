"""Outputs that are whole but for one thing, which is refused by its line and with its reason."""

import re
from pathlib import Path

import pytest

from support.peer_outputs import FABTESTS, LATENCY, LATENCY_JSON, NCCL, OUTPUTS, STREAM, told
from weft.errors import WeftError
from weft.sources.peers import read_output

GOOD = {
    "perftest": LATENCY,
    "perftest stream": STREAM.format(way="", unit="MB/sec"),
    "perftest json": LATENCY_JSON,
    "fabtests": FABTESTS,
    "nccl": NCCL.format(wrong="0"),
    **{name: (OUTPUTS / name).read_text() for name in (
        "imb_mpi1.txt", "gpcnet.txt", "mpigraph.txt", "ucx_client_latency.txt", "sockperf_pp.txt",
        "netpipe_np.out", "iperf3.json",
    )},
}  # fmt: skip
UNKNOWN = "this line is not understood"


def refused(name: str, text: str, folder: Path) -> tuple[int, str, str]:
    """The line, the reason and what to do."""
    path = folder / "out.txt"
    path.write_text(text)
    with pytest.raises(WeftError) as found:
        read_output(path, told(name), strict=True)
    match = re.fullmatch(r".*/out\.txt:(\d+): (.*?)(?:: ['\"].*['\"])?", found.value.what)
    assert match, found.value.what
    return int(match[1]), match[2], found.value.fix


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("perftest", " 2       1000 ", " 2       1000 7 ", UNKNOWN),
        ("perftest", " 2       1000 ", " 2.5     1000 ", "'2.5' is not a whole number"),
        ("perftest stream", "BW average[MB/sec]", "BW average[kB/sec]",
         "the unit of BW average[kB/sec] is not known"),
        ("perftest json", '"MsgSize": 2,', '"MsgSize": [2],', "its results are no numbers"),
        ("perftest json", '"MsgSize": 2,', '"Size": 2,', "its results have no MsgSize"),
        ("fabtests", "64      10k", "64      10q", "'10q' is no count"),
        ("fabtests", "1.2m        0.10s", "1.2m        0.10", UNKNOWN),
        ("fabtests", "300.00       5.12", "600.00       5.12",
         "its size was cut, and MB/sec times usec/xfer gives no size near it"),
        ("nccl", "           8      2", "           8      2   2", UNKNOWN),
        ("gpcnet.txt", "(8 B)", "(8 B", "its size was cut with its name"),
        ("gpcnet.txt", "         usec |", "        hours |", "its unit or its mean is not known"),
        ("gpcnet.txt", "  Test with 2 MPI ranks", "  Test with MPI ranks", UNKNOWN),
        ("mpigraph.txt", "Times\t2", "", "no line before it says MsgSize, Times and Procs"),
        ("mpigraph.txt", "vm:0 to\t0.000", "vm:0 to", "it has 2 figures for 3 ranks"),
        ("mpigraph.txt", "vm:0 to\t0.000", "vm:3 to\t0.000", "it has 3 figures for 3 ranks"),
        ("mpigraph.txt", "vm:0 to\t0.000", "vm:0 to\t0.001",
         "the figure of a rank with itself is not 0"),
        ("ucx_client_latency.txt", "      12502\n", "\n", UNKNOWN),
        ("netpipe_np.out", "0.801150   0.00000952", "0.801150   0.00001952",
         "its Mbit/s and seconds are not of one message one way"),
        ("iperf3.json", '"bits_per_second":', '"bits":',
         "end.sum_received has no bits_per_second"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_line(
    tmp_path: Path, name: str, old: str, new: str, why: str
) -> None:
    text = GOOD[name]
    path = tmp_path / "whole.txt"
    path.write_text(text)
    assert read_output(path, told(name))[1].rows
    assert old in text
    line, reason, fix = refused(name, text.replace(old, new), tmp_path)
    assert reason == why
    assert fix
    first = text[: text.index(old)].count("\n") + 1
    # Of JSON it is the line of all results.
    assert line >= first or "json" in name


@pytest.mark.parametrize("rest", ['{\n  "start": {},\n  "end": {}\n}\n', "{\n\n\n}\n"])
def test_a_further_run_of_iperf3_that_says_nothing_is_refused_where_it_begins(
    tmp_path: Path, rest: str
) -> None:
    text = GOOD["iperf3.json"]
    line, why, _ = refused("iperf3.json", text + rest, tmp_path)
    assert line == text.count("\n") + 1
    assert why.startswith("it lacks end.sum_received")


@pytest.mark.parametrize("order", [("netpipe_np.out", "console"), ("console", "netpipe_np.out")])
def test_a_file_of_netpipe_and_its_console_are_not_one_run(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    console = (OUTPUTS / "netpipe_console.txt").read_text()
    texts = {"netpipe_np.out": GOOD["netpipe_np.out"], "console": console}
    _, why, _ = refused("netpipe_np.out", "".join(texts[name] for name in order), tmp_path)
    assert why == "the rows of two runs are mixed here"


def test_the_least_rate_of_iperf3_is_a_rate(tmp_path: Path) -> None:
    """Of a link that passes a byte now and then; 0 is none, and an hour for a message neither."""
    rate = re.compile(r'("bits_per_second":\s*)[\d.e+]+')
    path = tmp_path / "out.json"
    path.write_text(rate.sub(r"\g<1>400.5", GOOD["iperf3.json"]))
    [row] = read_output(path, told("iperf3.json"))[1].rows
    assert row.time_ns == pytest.approx(row.case.bytes / (400.5 / 8) * 1e9)
    path.write_text(rate.sub(r"\g<1>0.5", GOOD["iperf3.json"]))
    [row] = read_output(path, told("iperf3.json"))[1].rows
    assert row.reason == "it states 0.500, over an hour for an operation"
    _, why, _ = refused("iperf3.json", rate.sub(r"\g<1>0", GOOD["iperf3.json"]), tmp_path)
    assert why.endswith("has no bits_per_second")


def test_a_stream_of_iperf3_that_was_cut_is_refused_where_it_ends(tmp_path: Path) -> None:
    lines = (OUTPUTS / "iperf3_stream.json").read_text().splitlines()
    assert len(lines) > 3
    line, why, _ = refused("iperf3.json", "\n".join(lines[:-1]) + "\n", tmp_path)
    # Behind the last line that is there.
    assert (line, why) == (len(lines), "the end of the run is missing")
