"""Other programs run again and again beside `bench.real`: how much their figures differ.

Each is one call that gives its own figures by message size; OMB is taken from a folder where it was
built, the others where Debian installed them.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from bench import peers, ucx
from bench.omb import built

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIZES = (8, 64, 1 << 10, 8 << 10, 64 << 10, 1 << 20)
# Open MPI's shared memory, and its sockets on this host.
OVER = {"shared memory": ("self,vader", ()), "TCP": ("self,tcp", ("btl_tcp_if_include", "lo"))}


class Repeated(NamedTuple):
    """A program of others, and one run of it: its figures by message size in bytes."""

    name: str
    once: Callable[[], dict[int, float]]


def programs(omb: Path | None) -> list[Repeated]:
    """Those that are here."""
    found = [
        Repeated(f"{name} over {medium}", partial(omb_figures, program, medium))
        for name in ("osu_latency", "osu_bw")
        if omb and (program := next(iter(built(omb, name)), None))
        for medium in OVER
    ]
    if shutil.which("NPtcp"):
        found.append(Repeated("NetPIPE over TCP", _netpipe))
    if shutil.which("sockperf"):
        found.append(Repeated("sockperf ping-pong over TCP", _sockperf))
    if shutil.which("ucx_perftest"):
        found.append(Repeated("ucx_perftest tag_lat over shared memory", _ucx))
    return found


def parse_omb(told: str) -> dict[int, float]:
    """Figures by size from lines of two numbers; those of SIZES.

    Raises RuntimeError where there is none of them.
    """
    rows = (line.split() for line in told.splitlines() if not line.startswith("#"))
    found = {int(row[0]): float(row[1]) for row in rows if len(row) == 2 and row[0].isdigit()}
    kept = {size: found[size] for size in SIZES if size in found}
    if not kept:
        raise RuntimeError(f"OMB printed no figure: {told[-300:]}")
    return kept


def omb_figures(program: Path, medium: str) -> dict[int, float]:
    """One run of an OMB program between two ranks, each on a core of its own, sizes of SIZES."""
    btl, more = OVER[medium]
    transport = ["--mca", "pml", "ob1", "--mca", "btl", btl, *(["--mca", *more] if more else [])]
    asked = [str(program), "-m", f"{SIZES[0]}:{SIZES[-1]}"]
    ranks = [["-n", "1", "taskset", "-c", str(cpu), *asked] for cpu in (0, 1)]
    words = ["mpirun.openmpi", *peers.AS_ROOT, *transport, *ranks[0], ":", *ranks[1]]
    return parse_omb(peers.told_by(words))


def _netpipe() -> dict[int, float]:
    return {size: peers.netpipe_latency_ns(size) for size in (SIZES[0], SIZES[-1])}


def _sockperf() -> dict[int, float]:
    return {14: peers.sockperf_latency_ns(14)}


def _ucx() -> dict[int, float]:
    return {8: ucx.perftest_latency_ns("tag_lat", 8, 200_000, ucx.ANY_LANES)}
