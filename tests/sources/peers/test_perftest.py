"""Outputs of perftest, real ones of 6.06 over Soft-RoCE: what a box, a list and a clock mean."""

from pathlib import Path

import pytest

from support.peer_outputs import LATENCY, OUTPUTS, STREAM
from weft.errors import WeftError
from weft.sources.peers import read_output
from weft.sources.peers.perftest import PERFTEST
from weft.sources.peers.perftest_rows import USUAL_TAKEN
from weft.sources.peers.stated import Given, StatedOutput
from weft.sources.peers.text import OutputText

CYCLES = Path(__file__).parent / "refused" / "perftest_cycles.txt"


def of(text: str, folder: Path) -> StatedOutput:
    path = folder / "out.txt"
    path.write_text(text)
    return read_output(path, Given())[1]


def test_cycles_under_heads_of_microseconds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WeftError, match=r"cycles.txt:23: these times are cycles \(-C\)") as refused:
        read_output(CYCLES, Given())
    assert refused.value.fix == "run perftest without -C"
    # One time with another decimal is none of cycles, which are halves at the least.
    text = CYCLES.read_text()
    assert text.count("708968.00") == 1
    [row] = of(text.replace("708968.00", "708968.01"), tmp_path).rows
    assert row.time_ns == 2 * 1535716e3


def test_a_list_of_cycles_is_refused_by_its_head(tmp_path: Path) -> None:
    text = (OUTPUTS / "perftest_send_lat_u.txt").read_text()
    with pytest.raises(WeftError, match=r"out.txt:23: these times are cycles"):
        of(text.replace("#, usec", "#, cycles"), tmp_path)


def test_single_times_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    found = of((OUTPUTS / "perftest_send_lat_u.txt").read_text(), tmp_path)
    assert found.notes == (f"{tmp_path / 'out.txt'}:23: 9 single times not read",)
    assert found.command == "ib_send_lat -s 64 -n 10 -U -d rxe0 -x 1 10.9.0.2"


def test_a_row_without_a_clock_is_left_out_and_the_others_stand() -> None:
    rows = read_output(OUTPUTS / "perftest_send_lat_a.txt", Given())[1].rows
    why = "it states inf: perftest found no frequency of the clock"
    assert {row.case.key: row.reason for row in rows if row.reason} == {
        "verbs/ping_pong/4/single": why,
        "verbs/ping_pong/32768/single": why,
    }


@pytest.mark.parametrize(
    ("box", "key"),
    [
        (" Number of qps   : 4\t\tTransport type : IB\n TX depth        : 16\n",
         "verbs/perftest_rdma_write_bw_over_4_queue_pairs/65536/q16"),
        (" Number of qps   : 1\t\tTransport type : IB\n TX depth        : 16\n",
         "verbs/put_stream/65536/q16"),
        (" Connection type : UC\t\tUsing SRQ      : OFF\n TX depth        : 64\n",
         "verbs:uc/put_stream/65536"),
        (" Test with events. Using mlx5_0_comp0\n TX depth        : 64\n",
         "verbs/put_stream/65536/block"),
        ("", "verbs/put_stream/65536/q128"),
    ],
)  # fmt: skip
def test_the_box_before_a_table_says_what_its_cases_are(tmp_path: Path, box: str, key: str) -> None:
    title, heads, row = STREAM.format(unit="MB/sec", way="").splitlines(keepends=True)
    found = of(title + box + heads + row, tmp_path)
    assert [row.case.key for row in found.rows] == [key]
    assert found.notes == (() if box else (USUAL_TAKEN,))


def test_what_newer_boxes_say_further_is_passed_over(tmp_path: Path) -> None:
    """As of 24.01 and later: linux-rdma/perftest, src/perftest_parameters.c and issue 273."""
    box = (
        "                    RDMA_Write BW Test\n"
        " PCIe relax order: ON\t\tLock-free      : OFF\n"
        " ibv_wr* API     : ON\t\tUsing DDP      : OFF\n"
        " TX depth        : 128\n CQE Poll Batch  : Dynamic\n"
    )
    heads = " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
    row = " 65536      664644           0.00               6923.30             0.110773\n"
    [found] = of(box + heads + row, tmp_path).rows
    assert found.case.key == "verbs/put_stream/65536/q128"
    assert found.time_ns == pytest.approx(65536 / (6923.30 * 2**20) * 1e9)


@pytest.mark.parametrize(
    ("before", "inside", "key"),
    [
        ("", "", "put_stream"),
        ("$ ib_write_bw --use_cuda=0 n1\n", "", "perftest_rdma_write_bw_gpu_memory"),
        ("$ ib_write_bw --use_rocm 1 n1\n", "", "perftest_rdma_write_bw_gpu_memory"),
        ("$ ib_write_bw --use_hugepages n1\n", "", "put_stream"),
        # As published outputs of ib_write_bw --use_cuda have them.
        ("creating CUDA Ctx\n", "", "perftest_rdma_write_bw_gpu_memory"),
        (
            "allocated GPU buffer of a 131072 address at 0x5af for type CUDA_MEM_DEVICE\n",
            "",
            "perftest_rdma_write_bw_gpu_memory",
        ),
        ("", " Use ROCm memory : ON\n", "perftest_rdma_write_bw_gpu_memory"),
        ("", " Use ROCm memory : OFF\n", "put_stream"),
        ("", " Number of qps   : 2\n Use ROCm memory : ON\n",
         "perftest_rdma_write_bw_gpu_memory_over_2_queue_pairs"),
    ],
)  # fmt: skip
def test_a_buffer_of_a_gpu_is_not_one_of_the_host(
    tmp_path: Path, before: str, inside: str, key: str
) -> None:
    """It was imported as the host's, and a comparison held it against one."""
    table = (
        "                    RDMA_Write BW Test\n TX depth        : 128\n{}"
        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
        " 65536      5000             14954.90            14948.60             0.239178\n"
        "---------------------------------------------------------------------\n"
    )
    behind = "deallocating GPU buffer 00007255bb400000\ndestroying current CUDA Ctx\n"
    [row] = of(before + table.format(inside) + behind, tmp_path).rows
    assert row.case.key == f"verbs/{key}/65536/q128"
    assert row.test.bandwidth_factor == 1
    # What stands before a table is said of the next one only.
    if not before.startswith("$"):
        host = table.format("").replace("RDMA_Write", "Send")
        both = of(before + table.format(inside) + behind + host, tmp_path).rows
        assert both[1].case.key == "verbs/stream/65536/q128"


def test_a_box_says_nothing_of_the_next_table(tmp_path: Path) -> None:
    title, heads, row = STREAM.format(unit="MB/sec", way="").splitlines(keepends=True)
    box = " Number of qps   : 4\n Connection type : UD\n TX depth        : 16\n"
    first, second = of(title + box + heads + row + title + heads + row, tmp_path).rows
    assert (first.case.transport, second.case.transport) == ("verbs:ud", "verbs")
    assert second.case.key == "verbs/put_stream/65536/q128"


def test_what_stands_between_two_tables_is_no_part_of_them_but_figures_are(tmp_path: Path) -> None:
    noise = "Device not recognized to implement inline feature. Disabling it\n"
    assert len(of(LATENCY + noise + LATENCY, tmp_path).rows) == 2
    row = LATENCY.splitlines()[-2]
    found = of(LATENCY + row + "\n", tmp_path)
    assert (len(found.rows), [line.number for line in found.ignored]) == (1, [12])


@pytest.mark.parametrize("name", ["perftest_lat.json", "perftest_bw.json"])
def test_damaged_json_without_quotes_gives_its_own_value_or_none(tmp_path: Path, name: str) -> None:
    text = (OUTPUTS / name).read_text()
    [whole] = of(text, tmp_path).rows
    lines = text.splitlines(keepends=True)
    at = lines.index("results: {\n")
    for damaged in (
        [*lines[:at], "t_min: 1.00,\n", *lines[at:]],  # between two parts
        [*lines[: at + 1], "MsgSize: 64\n", *lines[at + 2 :]],  # no comma
        [*lines[: at + 2], "MsgSize: 8,\n", *lines[at + 2 :]],  # two values of one name
        [*lines[:at], *lines[at - 1 :]],  # a part closed twice
        [*lines[:-2], lines[-1]],  # a part that is not closed
        lines[:-1],  # the end is missing
    ):
        rows = PERFTEST.read(OutputText(tmp_path / "out.txt", "".join(damaged)), Given()).rows
        assert [(row.case, row.time_ns) for row in rows] in ([], [(whole.case, whole.time_ns)])


def test_json_of_cycles_is_refused(tmp_path: Path) -> None:
    text = (OUTPUTS / "perftest_lat.json").read_text()
    for was, now in (
        ("18.88", "18.00"), ("6170.06", "6170.50"), ("19.32", "19.00"), ("6151.21", "6151.00"),
    ):  # fmt: skip
        text = text.replace(was, now)
    with pytest.raises(WeftError, match="these times are cycles"):
        of(text, tmp_path)
