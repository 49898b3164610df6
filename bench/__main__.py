"""`python -m bench [ROUNDS]`: weft beside its peers on this machine, in turn, as ratios.

Each round measures every peer and weft once, the first of a pair in turn; the figure is the median
over rounds of the ratio within a round, with its range, for the machine's state changes by itself.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.peers import bare_mpi_latency_ns, build_bare_mpi, netpipe, sockperf_latency_ns

ROUNDS = 5
WEFT = str(Path(sys.prefix) / "bin" / "weft")
MEBIBYTE = 1 << 20
# sockperf sends at least its own header.
SMALLEST_SOCKPERF = 14
Pairs = dict[str, tuple[Callable[[], float], Callable[[], float]]]


def weft(test: str, transport: str, size: int, figure: str) -> float:
    """Two launches of weft's own, as a user starts it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [WEFT, "run", test, "--transport", transport, "--sizes", str(size), "--launches", "2",
             "--budget", "3s", "--precision", "100%", "--no-report", "--json", "-o",
             str(Path(folder) / "r.jsonl")],
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    return float(json.loads(done.stdout)[0][figure]["median"])


def pairs_of(bare: Path) -> Pairs:
    """What is measured beside what."""
    return {
        "mpi 8 B latency / bare MPI_Send and MPI_Recv": (
            lambda: weft("ping_pong", "mpi", 8, "latency_ns"),
            lambda: bare_mpi_latency_ns(bare),
        ),
        "tcp 8 B latency / NetPIPE": (
            lambda: weft("ping_pong", "tcp", 8, "latency_ns"),
            lambda: netpipe(8)[0],
        ),
        "tcp 14 B latency / sockperf": (
            lambda: weft("ping_pong", "tcp", SMALLEST_SOCKPERF, "latency_ns"),
            lambda: sockperf_latency_ns(SMALLEST_SOCKPERF),
        ),
        "tcp 1 MiB ping-pong bandwidth / NetPIPE": (
            lambda: weft("ping_pong", "tcp", MEBIBYTE, "bandwidth_bytes_per_s"),
            lambda: netpipe(MEBIBYTE)[1],
        ),
    }


def ratios(rounds: int) -> dict[str, list[float]]:
    """The ratios of each round: latency is better under 1, bandwidth over 1."""
    found: dict[str, list[float]] = {}
    pairs = pairs_of(build_bare_mpi(Path(tempfile.mkdtemp())))
    for round_ in range(rounds):
        for name, (ours, theirs) in pairs.items():
            if round_ % 2:
                peer, own = theirs(), ours()
            else:
                own, peer = ours(), theirs()
            found.setdefault(name, []).append(own / peer)
            sys.stderr.write(f"round {round_ + 1}: {name}: {own:.4g} / {peer:.4g}\n")
    return found


def start_up_s() -> float:
    """Seconds that `weft --help` takes."""
    start = time.perf_counter()
    subprocess.run([WEFT, "--help"], capture_output=True, check=True, timeout=60)
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    for name, values in ratios(rounds).items():
        low, high = min(values), max(values)
        sys.stdout.write(f"{name}: {statistics.median(values):.3f} [{low:.3f}, {high:.3f}]\n")
    sys.stdout.write(f"start-up of weft --help: {start_up_s():.2f} s\n")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    sys.stdout.write(f"peak memory of the largest process: {peak / 1e6:.0f} MB\n")


main()
