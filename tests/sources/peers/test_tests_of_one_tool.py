"""Tests that one tool only has: what is divided, and what is counted of both ways."""

import pytest

from weft.plan.pattern import Pattern
from weft.sources.peers import imb, iperf3_rows, omb, perftest, ucx
from weft.sources.peers.perftest import TITLES

# By its own title: its name in weft, parts of a round trip, ways of a bandwidth, what it is about.
OWN = [
    (perftest._test("RDMA_Write Bidirectional BW"),
     "perftest_rdma_write_bidirectional_bw", 0, 2, "bandwidth"),
    (perftest._test("RDMA_Read Bidirectional BW"),
     "perftest_rdma_read_bidirectional_bw", 0, 2, "bandwidth"),
    (perftest._test("Atomic FETCH_AND_ADD BW"),
     "perftest_atomic_fetch_and_add_bw", 0, 1, "bandwidth"),
    (perftest._test("Atomic CMP_AND_SWAP Latency"),
     "perftest_atomic_cmp_and_swap_latency", 1, 0, "one_sided_latency"),
    (ucx._test("latency", "put latency"), "ucx_perftest_put_latency", 2, 2, "latency"),
    (ucx._test("bandwidth", "put bandwidth"), "ucx_perftest_put_bandwidth", 0, 1, "bandwidth"),
    (ucx._typed_test("ucp_get", "latency"), "ucx_perftest_ucp_get", 1, 0, "one_sided_latency"),
    (ucx._typed_test("am_sync_lat", "latency"), "ucx_perftest_am_sync_lat", 2, 2, "latency"),
    (ucx._typed_test("ucp_other", "overhead"), "ucx_perftest_ucp_other", 0, 1, "bandwidth"),
    (iperf3_rows.test_of("", 2, 0), "iperf3_2_parallel_streams", 0, 1, "bandwidth"),
    (iperf3_rows.test_of("TX-C", 1, 0), "iperf3_both_ways_tx_c", 0, 1, "bandwidth"),
    (iperf3_rows.test_of("RX-C", 4, 0),
     "iperf3_both_ways_rx_c_4_parallel_streams", 0, 1, "bandwidth"),
    (iperf3_rows.test_of("", 1, 50_000_000), "iperf3_paced_at_50_mbit_s", 0, 1, "bandwidth"),
    (iperf3_rows.test_of("", 1, -1), "iperf3_paced", 0, 1, "bandwidth"),
    (omb._test("MPI Bandwidth Test", "osu_bw_fan_in"),
     "omb_fan_in_bandwidth", 0, 1, "bandwidth"),
    (omb._test("MPI Bandwidth Test", "osu_bw_fan_out"),
     "omb_fan_out_bandwidth", 0, 1, "bandwidth"),
    (omb._test("MPI_Accumulate latency"),
     "omb_mpi_accumulate_latency", 1, 0, "one_sided_latency"),
    (omb._test("MPI Gather Latency Test"), "omb_mpi_gather_latency_test", 1, 0, ""),
    (imb._test("Exchange"), "imb_exchange", 1, 4, ""),
    (imb._test("Unheard"), "imb_unheard", 1, 0, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("test", "name", "divisor", "factor", "figure"), OWN, ids=[one[1] for one in OWN]
)
def test_a_test_of_one_tool_is_about_what_its_title_says(
    test: Pattern, name: str, divisor: int, factor: int, figure: str
) -> None:
    found = (test.name, test.latency_divisor, test.bandwidth_factor, test.figure, test.ranks)
    assert found == (name, divisor, factor, figure, 2)


def test_what_weft_has_too_has_its_name_there() -> None:
    assert {title: perftest._test(title).name for title in TITLES} == dict(TITLES)
    assert iperf3_rows.test_of("", 1, 0).name == "stream"
    # By the server's words, and by the heads alone where the file has none.
    named = [
        (kind, tested, ucx._test(kind, tested).name)
        for kind in ("latency", "bandwidth")
        for tested in ("tag match latency", "tag match bandwidth", "")
    ]
    assert [name for *_, name in named] == ["ping_pong", "stream", "ping_pong",
                                            "ping_pong", "stream", "stream"]  # fmt: skip
