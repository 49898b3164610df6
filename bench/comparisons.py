"""What is measured beside what. How each side waits is part of it: it decides a latency."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench import peers

WEFT = str(Path(sys.prefix) / "bin" / "weft")
MEBIBYTE = 1 << 20
# sockperf sends at least its own header, and no larger message than a datagram.
SMALLEST_SOCKPERF = 14
LARGEST_SOCKPERF = 65_507
POLL = "--nonblocked"


class LeftOutError(Exception):
    """This weft cannot measure that, and says why."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of weft and the same of a peer, which both wait as `weft_waits` and `peer_waits`.

    `figure` is latency_ns (less is better) or bandwidth_bytes_per_s (more is better). `words` are
    more of weft run's.
    """

    name: str
    peer: str
    theirs: Callable[[], float]
    test: str
    transport: str
    bytes: int
    figure: str
    peer_waits: str
    weft_waits: str = "polls"
    words: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """In words, with how each side waits."""
        kind = self.figure.partition("_")[0]
        fair = "" if self.peer_waits == self.weft_waits else ": unlike"
        return (
            f"{self.transport} {self.test} {self.bytes} B {kind} / {self.peer}"
            f" (weft {self.weft_waits}, the peer {self.peer_waits}{fair})"
        )

    def ours(self) -> float:
        """Two launches of weft's own, as a user starts it. Raises LeftOutError."""
        words = [*self.words, *(["--wait", "block"] if self.weft_waits == "blocks" else [])]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [WEFT, "run", self.test, "--transport", self.transport, "--sizes", str(self.bytes),
                 "--launches", "2", "--budget", "6s", "--precision", "100%", "--no-report",
                 "--json", "-o", str(Path(folder) / "r.jsonl"), *words],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
        if not done.stdout:
            raise LeftOutError(done.stderr.strip().splitlines()[-1])
        row: dict[str, Any] = json.loads(done.stdout)["result"][0]
        if self.figure not in row:
            raise LeftOutError(row["reason"])
        return float(row[self.figure]["value"])


def comparisons() -> tuple[Comparison, ...]:
    """All of them, in the order in which a round measures them."""
    return (
        Comparison(
            name="mpi-latency", peer="bare MPI_Send and MPI_Recv", peer_waits="polls",
            theirs=peers.bare_mpi_latency_ns,
            test="ping_pong", transport="mpi", bytes=8, figure="latency_ns",
        ),
        *_waiting_both_ways(
            "tcp-latency-netpipe", "NetPIPE", partial(peers.netpipe_latency_ns, 8),
            test="ping_pong", transport="tcp", bytes=8, figure="latency_ns",
        ),
        *_waiting_both_ways(
            "tcp-latency-sockperf", "sockperf",
            partial(peers.sockperf_latency_ns, SMALLEST_SOCKPERF),
            test="ping_pong", transport="tcp", bytes=SMALLEST_SOCKPERF, figure="latency_ns",
        ),
        Comparison(
            name="tcp-latency-sockperf-polling", peer=f"sockperf {POLL}", peer_waits="polls",
            theirs=partial(peers.sockperf_latency_ns, SMALLEST_SOCKPERF, POLL),
            test="ping_pong", transport="tcp", bytes=SMALLEST_SOCKPERF, figure="latency_ns",
        ),
        *_waiting_both_ways(
            "tcp-bandwidth-netpipe", "NetPIPE",
            partial(peers.netpipe_bandwidth_bytes_per_s, MEBIBYTE),
            test="ping_pong", transport="tcp", bytes=MEBIBYTE, figure="bandwidth_bytes_per_s",
        ),
        *_waiting_both_ways(
            "tcp-stream-netpipe", "NetPIPE -s",
            partial(peers.netpipe_stream_bytes_per_s, MEBIBYTE),
            test="stream", transport="tcp", bytes=MEBIBYTE, figure="bandwidth_bytes_per_s",
        ),
        *_waiting_both_ways(
            "tcp-stream-iperf3", "iperf3", partial(peers.iperf3_stream_bytes_per_s, MEBIBYTE),
            test="stream", transport="tcp", bytes=MEBIBYTE, figure="bandwidth_bytes_per_s",
        ),
        *_waiting_both_ways(
            "tcp-stream-sockperf", "sockperf throughput",
            partial(peers.sockperf_stream_bytes_per_s, LARGEST_SOCKPERF),
            test="stream", transport="tcp", bytes=LARGEST_SOCKPERF, figure="bandwidth_bytes_per_s",
        ),
    )  # fmt: skip


def _waiting_both_ways(
    name: str, peer: str, theirs: Callable[[], float], **case: object
) -> tuple[Comparison, Comparison]:
    """A peer that sleeps in the kernel, beside weft as users run it, and as it waits likewise."""
    facts = {"peer": peer, "theirs": theirs, "peer_waits": "blocks", **case}
    return (
        msgspec.convert({"name": name, **facts}, Comparison),
        msgspec.convert({"name": f"{name}-blocking", "weft_waits": "blocks", **facts}, Comparison),
    )
