"""The engine's loop beside a bare one in the same process: what the engine itself costs over MPI.

Two programs started one after the other meet two states of this machine; here both loops take turns
of some milliseconds, engine, bare, bare, engine, so that the ratio of a turn is of one state.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from functools import cache, partial
from pathlib import Path

from bench.own import Cost
from bench.peers import AS_ROOT, DEADLINE_S

ENGINE = Path(__file__).parents[1] / "engine"
SOURCES = ("bootstrap_mpi", "clock", "memory", "mpi_library", "options", "registration_cache")
SOURCE = Path(__file__).with_name("loop_beside_bare.cpp")
STARTS = {"openmpi": ["mpirun.openmpi", *AS_ROOT], "mpich": ["mpirun.mpich"]}


def costs() -> tuple[Cost, ...]:
    """One for each MPI."""
    return tuple(
        Cost(
            name=f"mpi-loop-{mpi}",
            what=f"8 B ping_pong of the engine over a bare MPI_Send and MPI_Recv, turn about in one"
            f" process, {mpi}: the median ratio of the turns of a launch, the median of each",
            measure=partial(_measure, mpi),
        )
        for mpi in STARTS
    )


def ratios_of(told: str) -> dict[str, float]:
    """What a launch printed, a turn a line: round trips of the engine and bare, in ns."""
    turns = [tuple(map(float, line.split())) for line in told.splitlines()]
    return {
        "ratio": statistics.median(engine / bare for engine, bare in turns),
        "engine_latency_ns": statistics.median(engine for engine, _ in turns) / 2,
        "bare_latency_ns": statistics.median(bare for _, bare in turns) / 2,
    }


def _measure(mpi: str) -> dict[str, float]:
    binary = str(_program(mpi))
    ranks = [["-n", "1", "taskset", "-c", str(cpu), binary] for cpu in (0, 1)]
    return ratios_of(_run([*STARTS[mpi], *ranks[0], ":", *ranks[1]]))


@cache
def _program(mpi: str) -> Path:
    binary = Path(tempfile.mkdtemp()) / "loop_beside_bare"
    sources = [SOURCE, *(ENGINE / f"{name}.cpp" for name in SOURCES)]
    _run([f"mpicxx.{mpi}", "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
          f'-DWEFT_MPI="{mpi}"', *map(str, sources), "-o", str(binary)])  # fmt: skip
    return binary


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=4 * DEADLINE_S, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])}: {(done.stderr or done.stdout)[-500:]}")
    return done.stdout
