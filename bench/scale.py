"""What starting, two cases and ending cost by the number of ranks, far more than there are cores.

Ranks that take no part in a case sleep, and the pair that measures blocks, so that oversubscribed
ranks do not take turns of milliseconds. In the lab, where rank 0 is on the host that runs this:

    make lab CMD='sbatch --wait --nodes 4 --output scale.log --wrap "python -m bench.scale 16 64"'

Beside each launch stands one of ranks that only meet by MPI: what of a start is the library's. From
three numbers of ranks on, the laws that they follow are printed too, with what these say of more
ranks than can be started here: for times a part that is fixed, one for each rank and one for each
pair of ranks, for memory a line.

    python -m bench.scale 16 32 64 128 256 --into docs/validation/many-ranks.md

writes the table of the page: what was measured, and by the laws what 1,024, 4,096 and 16,384 ranks
cost. Simulated ranks have a command of their own, bench.simulated_ranks.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import psutil
from scipy.optimize import nnls

from bench.compiled import compiled, libraries_of_engine
from bench.loop import LIBRARIES
from bench.tables import markdown, with_table
from weft.launch.all import choose_launcher
from weft.launch.launcher import Job
from weft.launch.programs import choose_mpi, programs
from weft.launch.protocol import LaunchError
from weft.plan.allocation import Allocation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
TOLD_RANKS = (1024, 4096, 16_384)
MEMORY_RANKS = 1024
MOST_BYTES = 1_000_000_000
# So many ranks are asked for their memory: each has its whole list of mappings read.
LOOKED_AT = 16
_OF_ALL = ("meets_start_s", "start_s", "connect_s", "cases_s", "end_s")
CASE = {
    "test": "ping_pong", "samples": 100, "warmup": 10, "ops_per_sample": 1, "queue_depth": 1,
    "wait": "block", "seed": 1, "verify": True,
}  # fmt: skip


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Of one launch; `rank_0_bytes` is 0 where rank 0 is on another host.

    `connect_s` of the start is what connecting every rank with its two neighbours took, and
    `processor_s` the processor's time of a rank until then, the median. `rank_bytes` is a rank's
    proportional share of memory (PSS), the median. With `meets` in front they are those of ranks
    that only meet by MPI.
    """

    ranks: int
    start_s: float
    connect_s: float
    cases_s: float
    end_s: float
    rank_0_bytes: int
    processor_s: float = 0.0
    rank_bytes: float = 0.0
    meets_start_s: float = 0.0
    meets_processor_s: float = 0.0
    meets_rank_bytes: float = 0.0


def cost_of(ranks: int) -> Cost:
    """One launch of so many ranks over TCP, and one of ranks that only meet.

    Raises WeftError and LaunchError.
    """
    allocation = Allocation()
    launcher = choose_launcher("", allocation)
    mpi = choose_mpi("", launcher.starts)
    [program] = [one for one in programs(mpi) if one.transport == "tcp"]

    def job(path: Path) -> Job:
        return Job(program=path, mpi=mpi, ranks=ranks, allocation=allocation)

    meeting = _started(ranks, lambda: launcher.start(job(_meets(mpi))), _meeting_since)
    return msgspec.structs.replace(
        _started(ranks, lambda: launcher.start(job(program.path)), _cost_since),
        meets_start_s=meeting.start_s,
        meets_processor_s=meeting.processor_s,
        meets_rank_bytes=meeting.rank_bytes,
    )


@cache
def _meets(mpi: str) -> Path:
    libraries = [f"-l{library.format(mpi=mpi)}" for library in LIBRARIES]
    return compiled(
        f"mpicxx.{mpi}", "meets.cpp", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
        libraries_of_engine(), *libraries,
    )  # fmt: skip


def _started(
    ranks: int,
    start: Callable[[], RunningLaunch],
    cost_since: Callable[[float, RunningLaunch, Hello], Cost],
) -> Cost:
    """What a launch costs, which is started again where MPI's start was at fault."""
    for left in reversed(range(MOST_STARTS)):
        start_s = time.monotonic()
        with start() as launch:
            try:
                hello = launch.hello(DEADLINE_S)
            except LaunchError as error:
                if not left:
                    raise
                sys.stderr.write(f"bench.scale: {ranks} ranks: started again: {error}\n")
                continue
            return cost_since(start_s, launch, hello)
    raise AssertionError


def _meeting_since(start_s: float, launch: RunningLaunch, hello: Hello) -> Cost:
    """Of a launch of ranks that only meet."""
    start_s = time.monotonic() - start_s
    processor_s, rank_bytes = _shares_of(hello)
    launch.finish(DEADLINE_S)
    return Cost(
        ranks=len(hello.ranks), start_s=start_s, connect_s=0.0, cases_s=0.0, end_s=0.0,
        rank_0_bytes=0, processor_s=processor_s, rank_bytes=rank_bytes,
    )  # fmt: skip


def _cost_since(start_s: float, launch: RunningLaunch, hello: Hello) -> Cost:
    """Of a launch that was started then and has its ranks now: two cases and its end."""
    ranks = len(hello.ranks)
    times = [start_s, time.monotonic()]
    processor_s, _ = _shares_of(hello)
    cases_s = time.monotonic()
    for number, size in enumerate((8, 65536)):
        answer = launch.run({**CASE, "id": number, "bytes": size}, DEADLINE_S)
        if answer.status != "ok":
            raise SystemExit(f"bench.scale: {ranks} ranks: {answer.reason}")
    cases_s = time.monotonic() - cases_s
    used = _memory_of(hello.ranks[0].pid, hello.ranks[0].host)
    _, rank_bytes = _shares_of(hello)
    end_s = time.monotonic()
    launch.finish(DEADLINE_S)
    end_s = time.monotonic() - end_s
    return Cost(
        ranks=ranks,
        start_s=times[1] - times[0],
        connect_s=int(hello.details["connect_ns"]) / 1e9,
        cases_s=cases_s,
        end_s=end_s,
        rank_0_bytes=used,
        processor_s=processor_s,
        rank_bytes=rank_bytes,
    )


def _shares_of(hello: Hello) -> tuple[float, float]:
    """The processor's time and the proportional memory of ranks on this host, medians of a few."""
    here = [one.pid for one in hello.ranks if one.host == os.uname().nodename]
    some = [psutil.Process(pid) for pid in here[:: -(-len(here) // LOOKED_AT) or 1]]
    if not some:
        return 0.0, 0.0
    times = [one.cpu_times() for one in some]
    shares = [one.memory_full_info().pss for one in some]
    return statistics.median(one.user + one.system for one in times), statistics.median(shares)


def laws_of(costs: Sequence[Cost]) -> list[str]:
    """The laws that costs follow, a line each; none from too few numbers of ranks."""
    if len({cost.ranks for cost in costs}) < FEWEST_FOR_LAW:
        return []
    lines = [
        f"{name}: {_law_in_words(costs, [getattr(cost, field) for cost in costs])}"
        for name, field in (
            ("start", "start_s"),
            ("start of ranks that only meet", "meets_start_s"),
            ("connecting", "connect_s"),
            ("two cases", "cases_s"),
        )
        if any(getattr(cost, field) for cost in costs)
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


class Law(msgspec.Struct, frozen=True):
    """A fixed part, one for each rank and one for each pair of them, none of them negative."""

    fixed: float
    each: float
    pair: float

    def at(self, ranks: int) -> float:
        """What so many ranks cost."""
        return self.fixed + self.each * ranks + self.pair * ranks**2


def law_of(counts: Sequence[int], values: Sequence[float], *, pairs: bool = True) -> Law:
    """Least squares of the relative errors, so that few ranks count as much as many.

    Without `pairs` it has no part for each pair of ranks.
    """
    ranks = np.array(counts, dtype=float)
    terms = np.stack([np.ones_like(ranks), ranks, ranks**2][: 3 if pairs else 2], axis=1)
    found, _ = nnls(terms / np.array(values)[:, None], np.ones_like(ranks))
    return Law(*map(float, found), *(() if pairs else (0.0,)))


def _law_in_words(costs: Sequence[Cost], seconds: Sequence[float]) -> str:
    law = law_of([cost.ranks for cost in costs], seconds)
    return (
        f"{law.fixed:.2f} s + {law.each * 1e3:.2f} ms ranks + {law.pair * 1e6:.1f} us ranks^2:"
        f" {law.at(FAR_RANKS):,.0f} s for {FAR_RANKS:,} ranks on these {MACHINE_CORES} cores"
    )


def _memory_of(pid: int, host: str) -> int:
    """What a process of this host has in memory."""
    if host != os.uname().nodename or not psutil.pid_exists(pid):
        return 0
    return int(psutil.Process(pid).memory_info().rss)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the page's table: what was measured by the number of ranks, s or bytes.

    `of_all`: it is a time of all ranks together.
    """

    name: str
    unit: str
    scale: float
    of_all: bool
    measured: dict[int, float]

    def cells(self) -> list[str]:
        """Its name, its figure at the most ranks, and what is told of more; "~": not measured."""
        most = max(self.measured)
        # Memory, and what one rank or message takes, grow by a line at most.
        law = law_of(list(self.measured), list(self.measured.values()), pairs=self.of_all)
        far = [
            self._figure(self.measured[ranks]) if ranks in self.measured
            else f"~ {self._figure(law.at(ranks))}"
            for ranks in TOLD_RANKS
        ]  # fmt: skip
        return [self.name, f"{self._figure(self.measured[most])} at {most:,}", *far]

    def _figure(self, value: float) -> str:
        return f"{float(f'{value * self.scale:.2g}'):,g} {self.unit}"


def rows_of(costs: Sequence[Cost]) -> list[Row]:
    """The lines of the table."""
    real = [
        ("a start, ranks that only meet by MPI", "s", 1.0, "meets_start_s"),
        ("a start, ranks of weft", "s", 1.0, "start_s"),
        ("of that connecting", "s", 1.0, "connect_s"),
        ("a rank's processor time until then, ranks that only meet", "s", 1.0, "meets_processor_s"),
        ("a rank's processor time until then, ranks of weft", "s", 1.0, "processor_s"),
        ("two cases of two ranks, the others asleep", "s", 1.0, "cases_s"),
        ("the end", "s", 1.0, "end_s"),
        ("a rank's share of memory, ranks that only meet", "MB", 1e-6, "meets_rank_bytes"),
        ("a rank's share of memory, ranks of weft", "MB", 1e-6, "rank_bytes"),
        ("rank 0's resident memory", "MB", 1e-6, "rank_0_bytes"),
    ]
    return [
        Row(name=name, unit=unit, scale=scale, of_all=field in _OF_ALL,
            measured={cost.ranks: getattr(cost, field) for cost in costs})
        for name, unit, scale, field in real
    ]  # fmt: skip


def table_of(rows: Sequence[Row], whose: str) -> str:
    """A page's table of the lines that something is known of, and a line of what it was measured
    on; `whose` ranks they are."""
    known = [
        row for row in rows if len(row.measured) >= FEWEST_FOR_LAW and all(row.measured.values())
    ]
    head = ["", "measured at most", *(f"{ranks:,} ranks" for ranks in TOLD_RANKS)]
    counts = ", ".join(f"{ranks:,}" for ranks in (rows[0].measured if rows else ()))
    law = "a fixed part and one for each rank"
    if any(row.of_all for row in known):
        law = "a fixed part, one for each rank and one for each pair of ranks"
    return (
        f"{markdown([head, *(row.cells() for row in known)])}\n\n"
        f"Measured on {time.strftime('%Y-%m-%d')} on {MACHINE_CORES} cores at a load of"
        f' {os.getloadavg()[1]:.0f} with {whose} ranks: {counts}. "~" is extrapolated, by'
        f" {law}."
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ranks", nargs="*", type=int, help="how many to start, one after the other")
    parser.add_argument("--into", type=Path, help="write the table between the marks of this page")
    return parser.parse_args()


def _costs_of(counts: Sequence[int]) -> list[Cost]:
    costs = []
    for ranks in counts:
        cost = cost_of(ranks)
        costs.append(cost)
        sys.stdout.write(
            f"{cost.ranks} ranks: start {cost.start_s:.2f} s ({cost.connect_s:.2f} s connecting),"
            f" two cases {cost.cases_s:.2f} s,"
            f" end {cost.end_s:.2f} s, rank 0 {cost.rank_0_bytes / 1e6:.0f} MB\n"
            f"  ranks that only meet: start {cost.meets_start_s:.2f} s; a rank's processor time"
            f" {cost.processor_s * 1e3:.0f} ms, {cost.meets_processor_s * 1e3:.0f} ms where they"
            f" only meet; its share of memory {cost.rank_bytes / 1e6:.1f} MB,"
            f" {cost.meets_rank_bytes / 1e6:.1f} MB where they only meet\n"
        )
        sys.stdout.flush()
    return costs


def main() -> None:
    """A line for each number of ranks, and one for each law; the table of the page with --into."""
    asked = _arguments()
    costs = _costs_of(asked.ranks or USUAL)
    for line in laws_of(costs):
        sys.stdout.write(f"{line}\n")
    if not asked.into:
        return
    page = asked.into.read_text(encoding="utf-8")
    words = table_of(rows_of(costs), "real")
    asked.into.write_text(with_table(page, "bench.scale", words), encoding="utf-8")


if __name__ == "__main__":
    main()
