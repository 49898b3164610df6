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
    "fi_msg_bw.txt": (1, "ofi/stream/4096", 10.45e6),
    "fi_rdm_pingpong.txt": (1, "ofi/ping_pong/64", 37530.0),
    "fi_rdm_tagged_bw.txt": (1, "ofi/stream/1536", 3.84e6),
    "fi_rdm_tagged_pingpong.txt": (1, "ofi/ping_pong/1024", 234530.0),
    "fi_rdm_tagged_bw_m.txt": (1, "ofi/stream/64", 0.099357e6),
    "fi_rdm_tagged_pingpong_m.txt": (1, "ofi/ping_pong/64", 4810.0),
    "fi_pingpong.txt": (3, "ofi/ping_pong/1", 13200.22e3),
    "gpcnet.txt": (8, "mpi/gpcnet_rr_get_lat/8", 400.0),
    "gpcnet_load.txt": (4, "mpi/gpcnet_rr_two_sided_lat_beside_congestors/8/10ranks", 9656.1e3),
    "gpcnet_verbose.txt": (8, "mpi/gpcnet_multiple_alltoall/4096", 380.8 * 2**20),
    "iperf3.txt": (1, "tcp/stream/131072", 11.6e9 / 8),
    "iperf3.json": (1, "tcp/iperf3_2_parallel_streams/131072", 12705127370.538 / 8),
    "iperf3_bidir.json": (2, "tcp/iperf3_both_ways_rx_c/131072", 6792131969.903 / 8),
    "iperf3_stream.json": (1, "tcp/stream/131072", 13266144922.528955 / 8),
    "iperf3_stream_bidir.json": (2, "tcp/iperf3_both_ways_rx_c/131072", 3001676301.1315),
    "iperf3_stream_full.json": (1, "tcp/stream/131072", 2812726332.25025),
    "iperf3_v.txt": (1, "tcp/stream/65536", 13.3e9 / 8),
    "iperf3_server_output.txt": (1, "tcp/stream/131072", 16.6e9 / 8),
    "iperf3_timestamps.txt": (1, "tcp/stream/131072", 15.7e9 / 8),
    "iperf3_udp.txt": (1, "udp/iperf3_paced_at_50_mbit_s/32768", 50.1e6 / 8),
    "iperf3_p2.txt": (1, "tcp/iperf3_2_parallel_streams/131072", 12.0e9 / 8),
    "mpigraph.txt": (12, "mpi/mpigraph_bandwidth_of_sends/1024/3ranks/at2", 43.375 * 2**20),
    "netpipe_console.txt": (8, "tcp/ping_pong/8", 10210.0),
    "netpipe_np.out": (12, "tcp/ping_pong/6", 10210.0),
    "sockperf_pp.txt": (1, "tcp/ping_pong/64", 17750.0),
    "sockperf_tp_32k.txt": (1, "tcp/stream/32768", 2326.25 * 2**20),
    "sockperf_tp.txt": (1, "tcp/stream/1472", 601.285 * 2**20),
    "ucx_client_latency.txt": (1, "ucx/ping_pong/64", 79987.0),
    "ucx_client_bw.txt": (1, "ucx/stream/64", 5.76 * 2**20),
    "imb_rma.txt": (64, "mpi/imb_unidir_put_aggregate/4", 1.63e3),
    "imb_multi.txt": (11, "mpi/imb_multi_pingpong_2_groups_of_2_ranks/8/4ranks", 4220.0),
    "imb_multi_groups.txt": (
        22, "mpi/imb_multi_pingpong_group_1_of_2_groups_of_2_ranks/4/4ranks", 3600.0
    ),
    "imb_mpi1.txt": (30, "mpi/sendrecv/64", 680.0),
    "perftest_send_lat_a.txt": (23, "verbs/ping_pong/8/single", 87.88e3),
    "perftest_send_lat_u.txt": (1, "verbs/ping_pong/64/single", 244.51e3),
    "perftest_send_lat_d.txt": (1, "verbs/ping_pong/64", 230.86e3),
    "perftest_atomic_lat.txt": (
        1, "verbs/perftest_atomic_fetch_and_add_latency/8/single", 34.72e3
    ),
    "perftest_send_bw_gbits.txt": (1, "verbs/stream/4096/q128", 0.099407e9 / 8),
    "perftest_write_bw_b.txt": (
        1, "verbs/perftest_rdma_write_bidirectional_bw/4096/q128", 38.09 * 2**20
    ),
    "perftest_lat.json": (1, "verbs/ping_pong/64/single", 19.32e3),
    "perftest_bw.json": (1, "verbs/put_stream/4096/q128", 29.33 * 2**20),
    "sockperf_ul.txt": (1, "udp/sockperf_under_load_of_1000_messages_per_s/64", 3648163.0),
    "netpipe_console_2.txt": (12, "tcp/netpipe_both_ways_at_once/24", 13030.0),
    "omb_bw_z.txt": (11, "mpi/window_stream/8/shared", 38.26e6),
    "omb_latency_mt.txt": (
        7, "mpi/omb_mpi_multi_threaded_latency_1_sender_threads_2_receiver_threads/2", 830.0
    ),
    "omb_put_latency.txt": (9, "mpi/put_latency/8", 80.0),
    "omb_latency_ddt.txt": (11, "mpi/omb_mpi_latency_derived_datatype/4", 140.0),
    "omb_iallreduce_f.txt": (
        5, "mpi/omb_mpi_non_blocking_allreduce_latency/8/3ranks", 24.62e3
    ),
    "omb_latency_z.txt": (11, "mpi/ping_pong/8", 460.0),
    "netgauge_one_one.txt": (9, "mpi/ping_pong/8", 170.0),
    "netgauge_nto1.txt": (10, "mpi/netgauge_nto1/8/4ranks", 2640.0),
    "netgauge_sync.txt": (10, "mpi/netgauge_one_one_sync/8", 1930.0),
    "netgauge_bidirect.txt": (9, "mpi/netgauge_one_one_mpi_bidirect/1", 2060.0),
    "omb_mbw_mr_v.txt": (
        56, "mpi/omb_mpi_multiple_bandwidth_message_rate/8/4ranks/q128", 8.29e6
    ),
    "omb_mbw_mr.txt": (11, "mpi/omb_mpi_multiple_bandwidth_message_rate/8", 57.00e6),
    "omb_allreduce_f.txt": (5, "mpi/allreduce/16/4ranks", 2879.96e3),
    "omb_barrier.txt": (1, "mpi/barrier/0", 2080.0),
    "omb_bibw_tagged.txt": (7, "mpi/bidirectional_window_stream/8/shared", 80.86e6),
}  # fmt: skip
# How many of them say why they have none.
WITHOUT = {"perftest_send_lat_a.txt": 2}
# What a run writes on stderr beside its figures: Open MPI's box, and lines of a process.
BOX = f"""{"-" * 74}
WARNING: No preset parameters were found for the device that Open MPI
detected:

  Local host:            n1
  Device name:           rxe0

NOTE: You can turn off this warning by setting the MCA parameter
      btl_openib_warn_no_device_params_found to 0.
{"-" * 74}
[n1:01234] 1 more process has sent help message help-mpi-btl-openib.txt / no device params found
[n1:01234] Set MCA parameter "orte_base_help_aggregate" to 0 to see all help / error messages
"""


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
    assert sum(bool(row.reason) for row in rows if row.case.bytes) == WITHOUT.get(name, 0)


@pytest.mark.parametrize("name", FILES)
def test_a_file_from_windows_says_the_same(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    assert said(text.replace("\n", "\r\n"), name) == said(text, name)


@pytest.mark.parametrize("name", FILES)
def test_two_outputs_in_one_file_are_read_one_after_the_other(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    assert outcome(2 * text, name) == 2 * said(text, name)


@pytest.mark.parametrize("name", FILES)
def test_what_mpirun_warns_of_is_no_output_wherever_it_stands(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    lines = text.split("\n")
    whole = said(text, name)
    for at in range(0, len(lines), max(1, len(lines) // 20)):
        mixed = "\n".join([*lines[:at], *BOX.split("\n")[:-1], *lines[at:]])
        assert said(mixed, name) == whole, at


@pytest.mark.parametrize("name", FILES)
def test_an_output_that_is_cut_anywhere_loses_its_end_and_nothing_else(name: str) -> None:
    text = (OUTPUTS / name).read_text()
    whole = said(text, name)
    for end in range(len(text) - 1, 0, -max(1, len(text) // 300)):
        found = outcome(text[:end], name)
        if isinstance(found, str):
            assert re.search(rf"{re.escape(name)}:\d+:", found)
        else:
            # Without its last lines a run of iperf3 or ucx_perftest is said to be a part.
            found = [one for one in found if not re.search("one_side_s|_cut_off", one[0])]
            assert found == whole[: len(found)]


@pytest.mark.parametrize("name", FILES)
def test_a_line_that_is_not_understood_is_skipped_and_refused_if_strict(name: str) -> None:
    lines = (OUTPUTS / name).read_text().split("\n")
    first = next(row for row in read(name).rows).stated.place
    at = int(first.rpartition(":")[2])
    broken = "\n".join([*lines[:at], "xyzzy 12 plugh", *lines[at:]])
    assert said(broken, name) in ([], said("\n".join(lines), name))
    with pytest.raises(WeftError, match=rf"{name}:\d+: "):
        peer_of(name).read(OutputText(Path(name), broken, strict=True), told(name))


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
        is_damaged = name.endswith(".json") and not set(found) - set(said(text, name))
        assert is_damaged or set(said(text, name)) <= set(found) or not noise.isprintable()


def test_a_file_of_nobody_is_refused_with_what_could_be_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("a b c\n1 2 3\n")
    with pytest.raises(WeftError, match=r"notes.txt:1: nothing in this file"):
        read_output(path, Given())
    path.write_bytes(b"a\n\xff\xfe\n")
    with pytest.raises(WeftError, match=r"notes.txt:1: nothing in this file"):
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


def test_figures_between_two_frames_are_no_warning(tmp_path: Path) -> None:
    """Where the first frame closes a box whose beginning was cut off."""
    text = (OUTPUTS / "omb_latency_z.txt").read_text()
    frame = "-" * 74 + "\n"
    path = tmp_path / "cut.txt"
    path.write_text(f"{frame}{text}{frame}")
    assert len(read_output(path, Given())[1].rows) == len(read("omb_latency_z.txt").rows)


def test_what_follows_a_run_that_failed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "night.txt"
    box = "-" * 74 + "\nmpirun noticed that process rank 1 exited on signal 9\n" + "-" * 74 + "\n"
    text = "# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8   {}\n"
    path.write_text(f"{text.format(1.2)}{box}$ mpirun -n 2 osu_latency\n{text.format(1.3)}")
    found = read_output(path, Given())[1]
    assert [row.time_ns for row in found.rows] == [2400.0, 2600.0]
    assert found.failed == "mpirun noticed that process rank 1 exited on signal 9"


@pytest.mark.parametrize("label", ["0: ", "P0 0: ", " 0: "])
def test_labels_of_srun_are_no_part_of_the_output(tmp_path: Path, label: str) -> None:
    path = tmp_path / "labelled.txt"
    lines = (OUTPUTS / "omb_barrier.txt").read_text().splitlines()
    path.write_text("".join(f"{label}{line}\n" for line in lines))
    assert [row.time_ns for row in read_output(path, Given())[1].rows] == [2080.0]
