"""What starting, two cases and ending cost by the number of ranks, far more than there are cores.

Ranks that take no part in a case sleep, and the pair that measures blocks, so that oversubscribed
ranks do not take turns of milliseconds. In the lab, where rank 0 is on the host that runs this:

    make lab CMD='sbatch --wait --nodes 4 --output scale.log --wrap "python -m bench.scale 16 64"'

From three numbers of ranks on, the laws that they follow are printed too, with what these say of
more ranks than can be started here: for times a part that is fixed, one for each rank and one for
each pair of ranks, for memory a line.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import psutil
from scipy.optimize import nnls

from weft.launch.all import choose_launcher
from weft.launch.launcher import Job
from weft.launch.programs import choose_mpi, programs
from weft.launch.protocol import LaunchError
from weft.plan.allocation import Allocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import RunningLaunch
    from weft.launch.protocol import Hello

USUAL = (16, 32, 64, 128, 256)
DEADLINE_S = 600.0
FEWEST_FOR_LAW = 3
# Open MPI 4.1 sometimes ends by signal 11 in MPI_Init where many ranks share a core (its btl_tcp
# calls a handler that it has not set yet): such a launch has measured nothing and is started again.
MOST_STARTS = 3
MACHINE_CORES = os.cpu_count() or 1
FAR_RANKS = 4096
MEMORY_RANKS = 1024
MOST_BYTES = 1_000_000_000
CASE = {
    "test": "ping_pong", "samples": 100, "warmup": 10, "ops_per_sample": 1, "queue_depth": 1,
    "wait": "block", "seed": 1, "verify": True,
}  # fmt: skip


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Of one launch; `rank_0_bytes` is 0 where rank 0 is on another host.

    `connect_s` of the start is what connecting every rank with every other took.
    """

    ranks: int
    start_s: float
    connect_s: float
    cases_s: float
    end_s: float
    rank_0_bytes: int


def cost_of(ranks: int) -> Cost:
    """One launch of so many ranks over TCP. Raises WeftError and LaunchError."""
    allocation = Allocation()
    launcher = choose_launcher("", allocation)
    mpi = choose_mpi("", launcher.starts)
    [program] = [one for one in programs(mpi) if one.transport == "tcp"]
    job = Job(program=program.path, mpi=mpi, ranks=ranks, allocation=allocation)
    for left in reversed(range(MOST_STARTS)):
        start_s = time.monotonic()
        with launcher.start(job) as launch:
            try:
                hello = launch.hello(DEADLINE_S)
            except LaunchError as error:
                if not left:
                    raise
                sys.stderr.write(f"bench.scale: {ranks} ranks: started again: {error}\n")
                continue
            return _cost_since(start_s, launch, hello)
    raise AssertionError


def _cost_since(start_s: float, launch: RunningLaunch, hello: Hello) -> Cost:
    """Of a launch that was started then and has its ranks now: two cases and its end."""
    ranks = len(hello.ranks)
    times = [start_s, time.monotonic()]
    for number, size in enumerate((8, 65536)):
        answer = launch.run({**CASE, "id": number, "bytes": size}, DEADLINE_S)
        if answer.status != "ok":
            raise SystemExit(f"bench.scale: {ranks} ranks: {answer.reason}")
    times.append(time.monotonic())
    used = _memory_of(hello.ranks[0].pid, hello.ranks[0].host)
    launch.finish(DEADLINE_S)
    times.append(time.monotonic())
    start_s, cases_s, end_s = (b - a for a, b in itertools.pairwise(times))
    return Cost(
        ranks=ranks,
        start_s=start_s,
        connect_s=int(hello.details["connect_ns"]) / 1e9,
        cases_s=cases_s,
        end_s=end_s,
        rank_0_bytes=used,
    )


def laws_of(costs: Sequence[Cost]) -> list[str]:
    """The laws that costs follow, a line each; none from too few numbers of ranks."""
    if len({cost.ranks for cost in costs}) < FEWEST_FOR_LAW:
        return []
    lines = [
        f"{name}: {_law_in_words(costs, [getattr(cost, field) for cost in costs])}"
        for name, field in (
            ("start", "start_s"),
            ("connecting", "connect_s"),
            ("two cases", "cases_s"),
        )
    ]
    known = [cost for cost in costs if cost.rank_0_bytes]
    if len({cost.ranks for cost in known}) >= FEWEST_FOR_LAW:
        each, fixed = np.polyfit(
            [cost.ranks for cost in known], [cost.rank_0_bytes for cost in known], 1
        )
        there = fixed + each * MEMORY_RANKS
        lines.append(
            f"rank 0: {fixed / 1e6:.1f} MB and {each / 1e3:.1f} kB for each rank,"
            f" {there / 1e6:.0f} MB for {MEMORY_RANKS:,} ranks:"
            f" {'within' if there <= MOST_BYTES else 'over'} {MOST_BYTES / 1e9:.0f} GB"
        )
    return lines


def _law_in_words(costs: Sequence[Cost], seconds: Sequence[float]) -> str:
    """A fixed time, one for each rank and one for each pair of them, none of them negative.

    Least squares of the relative errors, so that few ranks count as much as many.
    """
    ranks = np.array([cost.ranks for cost in costs], dtype=float)
    terms = np.stack([np.ones_like(ranks), ranks, ranks**2], axis=1)
    (fixed, each, pair), _ = nnls(terms / np.array(seconds)[:, None], np.ones_like(ranks))
    far_s = fixed + each * FAR_RANKS + pair * FAR_RANKS**2
    return (
        f"{fixed:.2f} s + {each * 1e3:.2f} ms ranks + {pair * 1e6:.1f} us ranks^2:"
        f" {far_s:,.0f} s for {FAR_RANKS:,} ranks on these {MACHINE_CORES} cores"
    )


def _memory_of(pid: int, host: str) -> int:
    """What a process of this host has in memory."""
    if host != os.uname().nodename or not psutil.pid_exists(pid):
        return 0
    return int(psutil.Process(pid).memory_info().rss)


def main() -> None:
    """A line for each number of ranks, and one for each law."""
    costs = []
    for ranks in [int(word) for word in sys.argv[1:]] or USUAL:
        cost = cost_of(ranks)
        costs.append(cost)
        sys.stdout.write(
            f"{cost.ranks} ranks: start {cost.start_s:.2f} s ({cost.connect_s:.2f} s connecting),"
            f" two cases {cost.cases_s:.2f} s,"
            f" end {cost.end_s:.2f} s, rank 0 {cost.rank_0_bytes / 1e6:.0f} MB\n"
        )
        sys.stdout.flush()
    for line in laws_of(costs):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
