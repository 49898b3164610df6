"""What 1,024 ranks with 1,000 samples of six series cost: rank 0, its line, and who reads it.

The ranks are real ones under MPI on this machine, and hand drawn samples over by the engine's own
code; the answer is put into a record, which `weft show` reads.

    python -m bench gathered

Where so many ranks do not start on one machine, hosts of a Slurm job start their own:

    make lab HOSTS=64 CMD='salloc --nodes 64 python -m bench gathered --rounds 1'
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from bench.comparisons import WEFT
from bench.compiled import DEADLINE_S, compiled, libraries_of_engine
from bench.loop import LIBRARIES
from bench.own import Cost
from bench.peers import AS_ROOT
from weft.applications.info import ApplicationInfo
from weft.applications.lattice import Lattice
from weft.launch.environment import environment_of_ranks
from weft.launch.nodes import hosts_of_slurm, network_of
from weft.launch.protocol import Answer, decode
from weft.measure.lines import batch_line
from weft.plan.case import Case
from weft.plan.pattern import Pattern
from weft.plan.plan import Plan
from weft.record.model import SCHEMA_VERSION, Clock, Footer, Header, Launch, RankFacts
from weft.record.writer import RecordWriter

RANKS = 1024
SAMPLES = 1000
ROUNDS = 3
_MPI = "openmpi"
_MB = 1e6


def costs() -> tuple[Cost, ...]:
    """The one of many ranks."""
    return (
        Cost(
            name="gathered",
            what=f"{RANKS:,} ranks hand {SAMPLES:,} samples of six series over: the first time and"
            " the median of the others, that of bare MPI_Gathers of as many bytes, rank 0's peak"
            " memory, the line, and weft show of a record with it",
            measure=measured,
        ),
    )


def measured(ranks: int = RANKS, samples: int = SAMPLES) -> dict[str, float]:
    """One start of so many ranks. Raises RuntimeError where they do not come to an end."""
    *times, peak_bytes, line = _told_by(ranks, samples).splitlines()
    first_s, *others_s = map(float, times[:ROUNDS])
    bare_s = sorted(map(float, times[ROUNDS:]))
    with tempfile.TemporaryDirectory() as folder:
        record = _record(Path(folder) / "many.jsonl", ranks, line)
        start = time.perf_counter()
        subprocess.run([WEFT, "show", record], check=True, capture_output=True, timeout=60)
        show_s = time.perf_counter() - start
    return {
        "first_s": first_s,
        "next_s": sorted(others_s)[len(others_s) // 2],
        "bare_s": bare_s[len(bare_s) // 2],
        "rank_0_peak_mb": int(peak_bytes) / _MB,
        "line_mb": len(line) / _MB,
        "show_s": show_s,
    }


def _told_by(ranks: int, samples: int) -> str:
    libraries = [f"-l{library.format(mpi=_MPI)}" for library in LIBRARIES]
    program = compiled(
        f"mpicxx.{_MPI}", "gathered.cpp", "-O2", "-DOMPI_SKIP_MPICXX", libraries_of_engine(),
        *libraries,
    )  # fmt: skip
    hosts = hosts_of_slurm()
    done = subprocess.run(
        [*_starter(ranks, len(hosts)), str(program), str(samples), str(ROUNDS)],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
        env=environment_of_ranks({}, network_of(hosts)),
    )  # fmt: skip
    # Open MPI's starter may fail at the end of hundreds of ranks on few cores: it reads that one
    # has exited before it reads that it has left MPI. Rank 0 has told everything then.
    # A step ends with an empty line of its own.
    told = done.stdout.strip()
    if not told.endswith("}"):
        raise RuntimeError(f"{ranks} ranks: {(done.stderr or done.stdout)[-500:]}")
    return told


def _starter(ranks: int, hosts: int) -> list[str]:
    """What starts so many ranks: a step of the job where this is one, which has so many hosts."""
    if not hosts:
        return [f"mpirun.{_MPI}", *AS_ROOT, "-n", str(ranks)]
    return ["srun", "--mpi=pmix", f"--nodes={hosts}", f"--ntasks={ranks}",
            "--overlap", "--overcommit", "--cpu-bind=none", "--input=none"]  # fmt: skip


def _record(path: Path, ranks: int, line: str) -> Path:
    lattice = Lattice(extents=(4, 4, 4, 4), sums=2)
    case = Case(test="milc", transport="tcp", bytes=4, ranks=ranks, application=lattice.options)
    pattern = Pattern(
        name="milc", title="Staggered solver", summary="conjugate gradient", figure="iteration",
        ranks=1, latency_divisor=1, bandwidth_factor=0,
        parts=("pack", "local", "wait", "remote", "sum"),
        application=ApplicationInfo(dimensions=4, extents="4", bytes="4", multiple=2, sums=2),
    )  # fmt: skip
    clock = Clock(name="tsc", tick_ns=1.0, overhead_ticks=40, baseline_ns=3_000_000_000)
    facts = tuple(RankFacts(rank=rank, host=f"n{rank // 16}", pid=rank, cpu=rank % 16, numa=0)
                  for rank in range(ranks))  # fmt: skip
    with RecordWriter.create(path) as writer:
        writer.write(Header(
            schema_version=SCHEMA_VERSION,
            weft_version="0.1.0",
            created_utc="2026-01-02T03:04:05+00:00",
            command=("weft", "run"),
            plan=Plan(cases=(case,), precision=0.01, budget_s=60, launches=1, seed=1, mpi=_MPI),
            patterns=(pattern,),
            hosts={"n0": {"host": "n0", "cpu": {"model": "made"}}},
        ))  # fmt: skip
        writer.write(Launch(
            launch=0, transport="tcp", started_utc="2026-01-02T03:04:06+00:00", mpi="Open MPI",
            ranks=facts, clock=clock, details={}, load_average=0.1,
        ))  # fmt: skip
        writer.write(batch_line(case, 0, 0, "measure", decode(line.encode(), Answer)))
        writer.write(Footer(
            finished_utc="2026-01-02T03:05:06+00:00", outcome="precise", batches=1
        ))  # fmt: skip
    return path
