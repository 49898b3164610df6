"""libfabric beside its own fi_pingpong, over the same provider, each side on a core of its own.

fi_pingpong prints the mean time of a message one way over its whole run, weft's figure is the
median over samples.
"""

from __future__ import annotations

from functools import partial

from bench.comparisons import MEBIBYTE, Comparison
from bench.peers import LOOPBACK, serve

PORT = 47592  # fi_pingpong's own, for its control messages


def comparisons() -> tuple[Comparison, ...]:
    """Over shared memory and over TCP."""
    return (
        _latency("ofi-shm-latency", "shm", 100_000),
        _bandwidth("ofi-shm-bandwidth", "shm", 500),
        _latency("ofi-tcp-latency", "tcp;ofi_rxm", 10_000),
        _bandwidth("ofi-tcp-bandwidth", "tcp;ofi_rxm", 500),
    )


def _latency(name: str, provider: str, count: int) -> Comparison:
    return Comparison(
        name=name, peer="fi_pingpong", peer_waits="polls",
        theirs=partial(pingpong_latency_ns, provider, 8, count),
        test="ping_pong", transport="ofi", bytes=8, figure="latency_ns",
        words=("--option", f"ofi.provider={provider}"),
    )  # fmt: skip


def _bandwidth(name: str, provider: str, count: int) -> Comparison:
    return Comparison(
        name=name, peer="fi_pingpong", peer_waits="polls",
        theirs=partial(pingpong_bandwidth_bytes_per_s, provider, MEBIBYTE, count),
        test="ping_pong", transport="ofi", bytes=MEBIBYTE, figure="bandwidth_bytes_per_s",
        words=("--option", f"ofi.provider={provider}"),
    )  # fmt: skip


def pingpong_latency_ns(provider: str, size: int, count: int) -> float:
    """The mean of a message one way."""
    return parse_us_per_transfer(_pingpong(provider, size, count)) * 1e3


def pingpong_bandwidth_bytes_per_s(provider: str, size: int, count: int) -> float:
    """Bytes over half a round trip."""
    return size / (parse_us_per_transfer(_pingpong(provider, size, count)) * 1e-6)


def parse_us_per_transfer(told: str) -> float:
    """The column usec/xfer of fi_pingpong's last line."""
    lines = [line.split() for line in told.strip().splitlines()]
    head = next((words for words in lines if "usec/xfer" in words), None)
    if head is None or len(lines[-1]) != len(head):
        raise RuntimeError(f"fi_pingpong printed no figures: {told[-300:]}")
    return float(lines[-1][head.index("usec/xfer")])


def _pingpong(provider: str, size: int, count: int) -> str:
    program = ["fi_pingpong", "-e", "rdm", "-p", provider, "-I", str(count), "-S", str(size)]
    return serve(["taskset", "-c", "1", *program], ["taskset", "-c", "0", *program, LOOPBACK], PORT)
