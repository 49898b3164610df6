"""The peers, each as one call that gives its own figure. Every start has a deadline."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from pathlib import Path

DEADLINE_S = 30
HERE = Path(__file__).parent
AS_ROOT = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


def _run(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=folder
    )
    # NetPIPE's exit status is whatever its last call left; what it wrote tells whether it ran.
    if done.returncode != 0 and "NPtcp" not in command:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout + done.stderr


def bare_mpi_latency_ns(binary: Path) -> float:
    """Half the median round trip of 8 B by MPI_Send and MPI_Recv, each rank on its own core."""
    ranks = [["-n", "1", "taskset", "-c", str(cpu), str(binary)] for cpu in (0, 1)]
    return float(_run(["mpirun.openmpi", *AS_ROOT, *ranks[0], ":", *ranks[1]])) / 2


def build_bare_mpi(folder: Path) -> Path:
    """Compile the bare ping-pong."""
    binary = folder / "bare_ping_pong"
    _run(["mpicc.openmpi", "-O2", str(HERE / "bare_ping_pong.c"), "-o", str(binary)])
    return binary


def netpipe(size: int) -> tuple[float, float]:
    """Latency in ns and bandwidth in bytes per second of NetPIPE's TCP ping-pong at one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Both sides want the same sizes, or the receiver ends in the middle.
        bounds = ["-l", str(size), "-u", str(size), "-p", "0", "-o", "np.out"]
        _serve(
            ["taskset", "-c", "1", "NPtcp", *bounds],
            ["taskset", "-c", "0", "NPtcp", "-h", "127.0.0.1", *bounds],
            folder,
        )
        rows = [line.split() for line in (folder / "np.out").read_text().splitlines()]
    seconds = float(next(row for row in rows if int(row[0]) == size)[2])
    return seconds * 1e9, size / seconds


def sockperf_latency_ns(size: int) -> float:
    """Median one-way latency of sockperf's TCP ping-pong, as it prints it (half the round trip)."""
    where = ["--tcp", "-i", "127.0.0.1", "-p", "11911"]
    told = _serve(
        ["taskset", "-c", "1", "sockperf", "server", *where],
        ["taskset", "-c", "0", "sockperf", "ping-pong", *where, "-m", str(size), "-t", "2"],
        HERE,
    )
    match = re.search(r"percentile 50\.0+\s*=\s*([0-9.]+)", told)
    if match is None:
        raise RuntimeError("sockperf printed no median")
    return float(match[1]) * 1e3


def _serve(server: list[str], client: list[str], folder: Path) -> str:
    """What a client says, beside a server that is ended afterwards."""
    with subprocess.Popen(
        server, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            time.sleep(0.5)  # neither peer says when it listens
            return _run(client, folder)
        finally:
            process.kill()
