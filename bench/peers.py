"""The peers, each as one call that gives its own figure. Every start has a deadline.

Each side is pinned to a core of its own, as weft pins its ranks. Latency is half a round trip.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import psutil

DEADLINE_S = 30
TEST_S = 2
STREAMED_MESSAGES = 1000
HERE = Path(__file__).parent
AS_ROOT = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
LOOPBACK = "127.0.0.1"
NETPIPE_PORT = 5002  # NetPIPE's own, which it has no option for.
SOCKPERF_PORT = 11911
IPERF3_PORT = 5299


def bare_mpi_latency_ns() -> float:
    """The median of 8 B by MPI_Send and MPI_Recv, 30 lines of C."""
    binary = str(_bare_mpi())
    ranks = [["-n", "1", "taskset", "-c", str(cpu), binary] for cpu in (0, 1)]
    return float(told_by(["mpirun.openmpi", *AS_ROOT, *ranks[0], ":", *ranks[1]])) / 2


def netpipe_latency_ns(size: int) -> float:
    """NetPIPE's TCP ping-pong at one size."""
    return _netpipe_s(size) * 1e9


def netpipe_bandwidth_bytes_per_s(size: int) -> float:
    """NetPIPE's TCP ping-pong at one size: bytes over half a round trip, as it defines it."""
    return size / _netpipe_s(size)


def netpipe_stream_bytes_per_s(size: int) -> float:
    """NetPIPE's streaming mode (-s): its clock stops when the last message is handed over.

    What is then still in the kernel's buffers is little of so many messages.
    """
    return size / _netpipe_s(size, "-s", "-n", str(STREAMED_MESSAGES))


def sockperf_latency_ns(size: int, *words: str) -> float:
    """The median of sockperf's TCP ping-pong; `words` for both of its sides."""
    return parse_sockperf_latency(_sockperf("ping-pong", size, *words))


def sockperf_stream_bytes_per_s(size: int, *words: str) -> float:
    """What sockperf's client sends one way; it takes messages up to 65,507 B only."""
    return parse_sockperf_rate(_sockperf("throughput", size, *words)) * size


def iperf3_stream_bytes_per_s(size: int) -> float:
    """What iperf3's server receives, in writes of one size."""
    where = ["-p", str(IPERF3_PORT)]
    told = serve(
        ["taskset", "-c", "1", "iperf3", "-s", "-1", "-B", LOOPBACK, *where],
        ["taskset", "-c", "0", "iperf3", "-c", LOOPBACK, *where, "-l", str(size), "-t",
         str(TEST_S), "-J"],
        IPERF3_PORT,
    )  # fmt: skip
    return parse_iperf3(told)


def parse_netpipe(table: str, size: int) -> float:
    """Seconds of one message from NetPIPE's file: bytes, Mbit/s, seconds in each row."""
    rows = [line.split() for line in table.splitlines()]
    return float(next(row for row in rows if int(row[0]) == size)[2])


def parse_sockperf_latency(told: str) -> float:
    """Nanoseconds from "percentile 50.000 = 4.066", which is in microseconds."""
    match = re.search(r"percentile 50\.0+\s*=\s*([0-9.]+)", told)
    if match is None:
        raise RuntimeError("sockperf printed no median")
    return float(match[1]) * 1e3


def parse_sockperf_rate(told: str) -> float:
    """Messages a second. (What it calls MBps is 2^20 bytes: the rate needs no such knowledge.)"""
    match = re.search(r"Message Rate is ([0-9.]+) \[msg/sec\]", told)
    if match is None:
        raise RuntimeError("sockperf printed no rate")
    return float(match[1])


def parse_iperf3(told: str) -> float:
    """Bytes a second that arrived, from iperf3's JSON."""
    received = json.loads(told)["end"]["sum_received"]
    return float(received["bytes"]) / float(received["seconds"])


@cache
def _bare_mpi() -> Path:
    binary = Path(tempfile.mkdtemp()) / "bare_ping_pong"
    told_by(["mpicc.openmpi", "-O2", str(HERE / "bare_ping_pong.c"), "-o", str(binary)])
    return binary


def _netpipe_s(size: int, *words: str) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Both sides want the same sizes, or the receiver ends in the middle.
        bounds = ["-l", str(size), "-u", str(size), "-p", "0", *words]
        serve(
            ["taskset", "-c", "1", "NPtcp", *bounds, "-o", "server.out"],
            ["taskset", "-c", "0", "NPtcp", "-h", LOOPBACK, *bounds, "-o", "client.out"],
            NETPIPE_PORT,
            folder,
        )
        return parse_netpipe((folder / "client.out").read_text(), size)


def _sockperf(test: str, size: int, *words: str) -> str:
    where = ["--tcp", "-i", LOOPBACK, "-p", str(SOCKPERF_PORT), *words]
    return serve(
        ["taskset", "-c", "1", "sockperf", "server", *where],
        ["taskset", "-c", "0", "sockperf", test, *where, "-m", str(size), "-t", str(TEST_S)],
        SOCKPERF_PORT,
    )


def told_by(command: list[str], folder: Path | None = None) -> str:
    """What a command prints. Raises RuntimeError where it fails, TimeoutExpired where it hangs."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=folder
    )
    # NetPIPE's exit status is whatever its last call left; what it wrote tells whether it ran.
    if done.returncode != 0 and "NPtcp" not in command:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout


def serve(server: list[str], client: list[str], port: int, folder: Path | None = None) -> str:
    """What a client says, beside a server that is ended afterwards."""
    with subprocess.Popen(
        server, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _wait_until_it_listens(process, port)
            return told_by(client, folder)
        finally:
            process.kill()


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    """No peer says so; a look at the kernel's table does not use up the one call it takes."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end and process.poll() is None:
        for socket in psutil.Process(process.pid).net_connections("tcp"):
            if socket.status == psutil.CONN_LISTEN and socket.laddr.port == port:
                return
        time.sleep(0.01)
    raise RuntimeError(f"{process.args!r} does not listen on port {port}")
