"""What other benchmarks printed becomes the figures that they state, or one line that says where.

The files in outputs/ are real: each was printed by its program on the machine of the day, short.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.peer_outputs import FILES, OUTPUTS, told
from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.stated import Given, Peer, StatedOutput, StatedRow
from weft.sources.peers.text import OutputText

# By file: how many rows there are, then the case, the latency in ns or the bandwidth in bytes/s.
KNOWN: dict[str, tuple[int, str, float]] = {
    "fi_pingpong.txt": (3, "ofi/ping_pong/1", 13200.22e3),
    "gpcnet.txt": (8, "mpi/gpcnet_rr_get_lat/8", 400.0),
    "gpcnet_load.txt": (4, "mpi/gpcnet_rr_two_sided_lat_beside_congestors/8/10ranks", 9656.1e3),
    "gpcnet_verbose.txt": (8, "mpi/gpcnet_multiple_alltoall/4096", 380.8 * 2**20),
    "iperf3.txt": (1, "tcp/stream/131072", 11.6e9 / 8),
    "iperf3.json": (1, "tcp/iperf3_parallel_streams/131072", 12705127370.538 / 8),
    "iperf3_p2.txt": (1, "tcp/iperf3_parallel_streams/131072", 12.0e9 / 8),
    "mpigraph.txt": (12, "mpi/mpigraph_bandwidth_of_sends/1024/3ranks/at2", 43.375 * 2**20),
    "netpipe_console.txt": (8, "tcp/ping_pong/8", 10210.0),
    "netpipe_np.out": (12, "tcp/ping_pong/6", 10210.0),
    "sockperf_pp.txt": (1, "tcp/ping_pong/64", 17750.0),
    "sockperf_tp.txt": (1, "tcp/stream/1472", 601.285 * 2**20),
    "ucx_client_latency.txt": (1, "ucx/ping_pong/64", 79987.0),
    "ucx_client_bw.txt": (1, "ucx/stream/64", 5.76 * 2**20),
    "imb_mpi1.txt": (31, "mpi/sendrecv/64", 680.0),
    "omb_latency_z.txt": (11, "mpi/ping_pong/8", 460.0),
    "omb_mbw_mr.txt": (11, "mpi/omb_mpi_multiple_bandwidth_message_rate/8", 57.00e6),
    "omb_allreduce_f.txt": (5, "mpi/allreduce/16/4ranks", 2879.96e3),
    "omb_barrier.txt": (1, "mpi/barrier/0", 2080.0),
    "omb_bibw_tagged.txt": (7, "mpi/bidirectional_window_stream/8/shared", 80.86e6),
}


def read(name: str) -> StatedOutput:
    return read_output(OUTPUTS / name, told(name))[1]


def figure(row: StatedRow) -> float:
    """Latency in ns or, of a test that has none, bandwidth in bytes/s."""
    if row.test.latency_divisor:
        return row.time_ns / row.test.latency_divisor
    return row.test.bandwidth_factor * row.case.bytes / row.time_ns * 1e9


def row_of(name: str, key: str) -> StatedRow:
    return next(row for row in read(name).rows if row.case.key == key)


@cache
def peer_of(name: str) -> Peer:
    return read_output(OUTPUTS / name, told(name))[0]


def said(text: str, name: str) -> list[tuple[str, float]]:
    """The figures of a text; raises WeftError as the reader does."""
    rows = peer_of(name).read(OutputText(Path(name), text), told(name)).rows
    return [(row.case.key, row.time_ns) for row in rows]


def outcome(text: str, name: str) -> list[tuple[str, float]] | str:
    """The figures, or the line of a refusal."""
    try:
        return said(text, name)
    except WeftError as error:
        return error.what


def test_every_stored_output_has_a_known_figure() -> None:
    assert sorted(KNOWN) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_real_output_gives_the_figures_that_it_states(name: str) -> None:
    count, key, value = KNOWN[name]
    rows = read(name).rows
    assert len(rows) == count
    assert figure(row_of(name, key)) == pytest.approx(value, rel=1e-9)
    # A stream of no bytes has no bandwidth.
    assert not any(row.reason for row in rows if row.case.bytes)


@pytest.mark.parametrize("name", FILES)
def test_an_output_that_is_cut_anywhere_loses_its_end_and_nothing_else(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    whole = said(text, name)
    for end in range(len(text) - 1, 0, -max(1, len(text) // 300)):
        found = outcome(text[:end], name)
        if isinstance(found, str):
            assert re.search(rf"{re.escape(name)}:\d+:", found)
        else:
            assert found
            assert found == whole[: len(found)]


@pytest.mark.parametrize("name", FILES)
def test_a_line_that_is_not_understood_is_refused_by_its_number(name: str) -> None:
    lines = (OUTPUTS / name).read_text().split("\n")
    first = next(row for row in read(name).rows).stated.place
    at = int(first.rpartition(":")[2])
    broken = "\n".join([*lines[:at], "xyzzy 12 plugh", *lines[at:]])
    with pytest.raises(WeftError, match=rf"{name}:{at + 1}: "):
        said(broken, name)


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(FILES), noise=st.text(max_size=40), data=st.data())
def test_noise_is_refused_by_line_or_changes_no_figure(
    name: str, noise: str, data: st.DataObject
) -> None:
    text = (OUTPUTS / name).read_text()
    lines = text.split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    found = outcome("\n".join([*lines[:at], noise, *lines[at:]]), name)
    if isinstance(found, str):
        assert re.search(rf"{re.escape(name)}:\d+:", found)
    else:
        assert set(said(text, name)) <= set(found) or not noise.isprintable()


def test_a_file_of_nobody_is_refused_with_what_could_be_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("a b c\n1 2 3\n")
    with pytest.raises(WeftError, match=r"notes.txt:1: nothing in this file"):
        read_output(path, Given())
    path.write_bytes(b"a\n\xff\xfe\n")
    with pytest.raises(WeftError, match=r"notes.txt:2: this is no text"):
        read_output(path, Given())


def test_a_run_that_its_starter_ended_keeps_the_whole_rows_before_that(tmp_path: Path) -> None:
    text = (OUTPUTS / "omb_latency_z.txt").read_text()
    path = tmp_path / "aborted.txt"
    box = "-" * 70
    path.write_text(
        text[: text.index("16  ")]
        + f"{box}\nMPI_ABORT was invoked on rank 0 in communicator\n{box}"
    )
    found = read_output(path, Given())[1]
    assert [row.case.bytes for row in found.rows] == [1, 2, 4, 8]
    assert found.failed == "MPI_ABORT was invoked on rank 0 in communicator"


@pytest.mark.parametrize("label", ["0: ", "P0 0: ", " 0: "])
def test_labels_of_srun_are_no_part_of_the_output(tmp_path: Path, label: str) -> None:
    path = tmp_path / "labelled.txt"
    lines = (OUTPUTS / "omb_barrier.txt").read_text().splitlines()
    path.write_text("".join(f"{label}{line}\n" for line in lines))
    assert [row.time_ns for row in read_output(path, Given())[1].rows] == [2080.0]
