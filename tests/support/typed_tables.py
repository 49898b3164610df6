"""A current network typed by hand as two tables of OMB, whose numbers are known.

1.05 us and 12 GB/s up to 8 KiB, 3.4 us and 48.5 GB/s beyond; a message each 85 ns at most.
"""

from pathlib import Path

from weft.sources.imported import import_outputs
from weft.sources.peers.stated import Given

SIZES = tuple(1 << power for power in range(23))
GAP_NS = 85.0
WIRE_BYTES_PER_NS = 48.5
LAST_EAGER = 8192


def latency_ns(size: int) -> float:
    """One way of a message."""
    if size <= LAST_EAGER:
        return 1050 + size / 12
    return 3400 + size / WIRE_BYTES_PER_NS


def latencies(folder: Path) -> Path:
    """The record of an osu_latency table."""
    rows = [f"{size:<10}{latency_ns(size) / 1000:18.2f}" for size in SIZES]
    return _imported(folder, "osu_latency", "# OSU MPI Latency Test v7.4", "Latency (us)", rows)


def bandwidths(folder: Path) -> Path:
    """The record of an osu_bw table."""
    times = [max(GAP_NS, size / WIRE_BYTES_PER_NS) for size in SIZES]
    rows = [f"{n:<10}{1000 * n / time:18.2f}" for n, time in zip(SIZES, times, strict=True)]
    return _imported(folder, "osu_bw", "# OSU MPI Bandwidth Test v7.4", "Bandwidth (MB/s)", rows)


def _imported(folder: Path, name: str, title: str, head: str, rows: list[str]) -> Path:
    table = folder / f"{name}.txt"
    table.write_text("\n".join([title, f"# Size          {head}", *rows, ""]))
    return import_outputs([table], Given(), folder / f"{name}.jsonl")
