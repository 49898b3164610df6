"""UCX beside ucx_perftest, both with the same lanes and each side on a core of its own.

ucx_perftest's latency is the median of single round trips, halved; its bandwidth is that of the
whole run, in MB of 2^20 bytes. Its put test waits for the last byte, so weft is told to trust it.
"""

from __future__ import annotations

from functools import partial

from bench.comparisons import MEBIBYTE, Comparison
from bench.peers import LOOPBACK, serve

PORT = 13337
ANY_LANES = "all"
TCP_LANES = "tcp,self"
QUEUE_DEPTH = 32  # ucx_perftest's own window


def comparisons() -> tuple[Comparison, ...]:
    """Over the lanes that UCX takes by itself within a host, and over TCP."""
    return (
        _latency("ucx-tag-latency", "tag_lat", "ping_pong", ANY_LANES),
        _latency("ucx-put-latency", "ucp_put_lat", "put_ping_pong", ANY_LANES),
        _bandwidth("ucx-tag-bandwidth", ANY_LANES),
        _latency("ucx-tcp-tag-latency", "tag_lat", "ping_pong", TCP_LANES),
        _bandwidth("ucx-tcp-tag-bandwidth", TCP_LANES),
    )


def _latency(name: str, peer_test: str, test: str, lanes: str) -> Comparison:
    count = 200_000 if lanes == ANY_LANES else 20_000
    return Comparison(
        name=name, peer=f"ucx_perftest {peer_test}", peer_waits="polls",
        theirs=partial(perftest_latency_ns, peer_test, 8, count, lanes),
        test=test, transport="ucx", bytes=8, figure="latency_ns",
        words=("--option", f"ucx.tls={lanes}", "--option", "ucx.trust_last_byte=yes"),
    )  # fmt: skip


def _bandwidth(name: str, lanes: str) -> Comparison:
    return Comparison(
        name=name, peer="ucx_perftest tag_bw", peer_waits="polls",
        theirs=partial(perftest_bandwidth_bytes_per_s, "tag_bw", MEBIBYTE, 2000, lanes),
        test="stream", transport="ucx", bytes=MEBIBYTE, figure="bandwidth_bytes_per_s",
        words=("--option", f"ucx.tls={lanes}", "--option", "ucx.multi_send=yes",
               "--queue-depth", str(QUEUE_DEPTH)),
    )  # fmt: skip


def perftest_latency_ns(test: str, size: int, count: int, lanes: str) -> float:
    """The median of single round trips, halved."""
    return parse_final(_perftest(test, size, count, lanes))["median_us"] * 1e3


def perftest_bandwidth_bytes_per_s(test: str, size: int, count: int, lanes: str) -> float:
    """Of the whole run."""
    return parse_final(_perftest(test, size, count, lanes))["overall_mib_per_s"] * MEBIBYTE


def parse_final(told: str) -> dict[str, float]:
    """The last line of ucx_perftest -f: iterations, latencies (us), bandwidths, message rates."""
    numbers = [float(word) for word in told.strip().splitlines()[-1].split() if word != "Final:"]
    if len(numbers) != 8:
        raise RuntimeError(f"ucx_perftest's last line is not its figures: {told[-300:]}")
    return {"median_us": numbers[1], "overall_mib_per_s": numbers[5]}


def _perftest(test: str, size: int, count: int, lanes: str) -> str:
    program = ["env", f"UCX_TLS={lanes}", "ucx_perftest", "-p", str(PORT)]
    return serve(
        ["taskset", "-c", "1", *program],
        ["taskset", "-c", "0", *program, LOOPBACK, "-t", test, "-s", str(size), "-n", str(count),
         "-f"],
        PORT,
    )  # fmt: skip
