"""The OSU Micro-Benchmarks beside weft's own loops of the same definition, in turn.

OMB is taken from the folder that --omb names, where it was built with one MPI or several; which one
a program was linked with is asked of it. Both sides are of one MPI, with a rank on each core, and
over the transport that the library chooses.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from bench import peers
from bench.comparisons import MEBIBYTE, Comparison
from bench.loop import STARTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = 8
# osu_bw and osu_bibw have one buffer a side unless they are told otherwise.
ONE_BUFFER = ("--buffers", "shared")
# By the program: its name here, the test that is the same, its words, and the sizes.
PROGRAMS = {
    "osu_latency": ("latency", "ping_pong", (), (SMALL,)),
    "osu_bw": ("bandwidth", "window_stream", ONE_BUFFER, (SMALL, MEBIBYTE)),
    "osu_bibw": ("both-ways", "bidirectional_window_stream", ONE_BUFFER, (SMALL, MEBIBYTE)),
}
NAMES = {SMALL: "8b", MEBIBYTE: "1mib"}


def comparisons(folder: Path) -> list[Comparison]:
    """Those of the programs below a folder: `omb-bandwidth-8b-openmpi` and their like."""
    return [
        Comparison(
            name=f"omb-{kind}-{NAMES[size]}-{mpi}",
            peer=f"{program.name} of {mpi}",
            peer_waits="polls",
            theirs=_figure_of(program, mpi, size),
            test=test,
            transport="mpi",
            bytes=size,
            figure="latency_ns" if kind == "latency" else "bandwidth_bytes_per_s",
            words=(*words, "--mpi", mpi),
        )
        for name, (kind, test, words, sizes) in PROGRAMS.items()
        for program in built(folder, name)
        for mpi in [mpi_of(program)]
        for size in sizes
    ]


def built(folder: Path, name: str) -> list[Path]:
    """The programs of that name below a folder; libtool leaves the real one in .libs."""
    found = sorted(path for path in folder.rglob(name) if path.is_file())
    return [path for path in found if path.stat().st_mode & 0o100]


def mpi_of(program: Path) -> str:
    """The MPI that a program was linked with."""
    told = peers.told_by(["ldd", str(program)])
    return "mpich" if re.search(r"\blibmpich\b", told) else "openmpi"


def figure_of(told: str, size: int) -> float:
    """What one of them printed for a size: ns of a latency (us there), or B/s (MB/s there).

    Raises RuntimeError where there is no such line.
    """
    match = re.search(rf"^{size}\s+([0-9.]+)", told, re.MULTILINE)
    if match is None:
        raise RuntimeError(f"OMB printed no figure of {size} B: {told[-300:]}")
    is_latency = "Latency" in told
    return float(match[1]) * (1e3 if is_latency else 1e6)


def on_two_cores(mpi: str, words: list[str]) -> list[str]:
    """The command that starts a program as two ranks of an MPI, each pinned to its own core."""
    ranks = [["-n", "1", "taskset", "-c", str(cpu), *words] for cpu in (0, 1)]
    return [*STARTS[mpi], *ranks[0], ":", *ranks[1]]


def _figure_of(program: Path, mpi: str, size: int) -> Callable[[], float]:
    return partial(_told, on_two_cores(mpi, [str(program), "-m", f"{size}:{size}"]), size)


def _told(command: list[str], size: int) -> float:
    return figure_of(peers.told_by(command), size)
