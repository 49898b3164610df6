"""The engine's loop beside a bare one in the same process: what the engine itself costs over MPI.

Two programs started one after the other meet two states of this machine; here both loops take turns
of some milliseconds, engine, bare, bare, engine, so that the ratio of a turn is of one state.
"""

from __future__ import annotations

import statistics
from functools import cache, partial
from typing import TYPE_CHECKING

from bench.compiled import ENGINE, compiled, libraries_of_engine, output_of
from bench.own import Cost
from bench.peers import AS_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# The engine as it was built for each MPI, and what each program of MPI compiles for itself.
LIBRARIES = ("weft_engine_{mpi}", "weft_engine", "hwloc")
SOURCE_OF_MPI = "transports/mpi/library.cpp"
# mpirun of Debian's Open MPI 5 crashes if it gets several commands (open-mpi/ompi 13303).
_A_CORE_EACH = 'exec taskset -c "${OMPI_COMM_WORLD_LOCAL_RANK:-$PMI_RANK}" "$@"'
STARTS = {"openmpi": ["mpirun.openmpi", *AS_ROOT], "mpich": ["mpirun.mpich"]}


def costs() -> tuple[Cost, ...]:
    """One for each MPI and loop, and how fast content is made and compared."""
    return (
        *(
            Cost(
                name=f"mpi-loop-{mpi}",
                what="8 B ping_pong of the engine over a bare MPI_Send and MPI_Recv, turn about in"
                f" one process, {mpi}: the median ratio of the turns of a launch, the median of"
                " each",
                measure=partial(_measure, ratios_of, "loop_beside_bare", mpi),
            )
            for mpi in STARTS
        ),
        *(
            Cost(
                name=f"mpi-both-ways-{mpi}",
                what="1 MiB both ways at once: the engine's loop and a bare one with the calls of"
                f" osu_bibw, each in memory of several kinds, turn about in one process, {mpi}:"
                " ratios to the bare loop in memory of posix_memalign, and its bandwidth",
                measure=partial(_measure, ratios_both_ways, "both_ways_beside_bare", mpi),
            )
            for mpi in STARTS
        ),
        *(
            Cost(
                name=f"mpi-one-way-{mpi}",
                what="8 B one way: the engine's loop and bare ones, with the calls of osu_bw and"
                f" with the engine's refills, turn about in one process, {mpi}: ratios to osu_bw's"
                " loop, and its bandwidth",
                measure=partial(_measure, ratios_of_one_way, "one_way_beside_bare", mpi),
            )
            for mpi in STARTS
        ),
        Cost(
            name="content",
            what="256 MiB of a message's content made, poisoned and compared by one core, beside"
            " the C library's memset and memcmp: GB/s",
            measure=_content_speed,
        ),
    )


def ratios_of(told: str) -> dict[str, float]:
    """What a launch printed, a turn a line: round trips of the engine and bare, in ns."""
    turns = [tuple(map(float, line.split())) for line in told.splitlines()]
    return {
        "ratio": statistics.median(engine / bare for engine, bare in turns),
        "engine_latency_ns": statistics.median(engine for engine, _ in turns) / 2,
        "bare_latency_ns": statistics.median(bare for _, bare in turns) / 2,
    }


def ratios_of_columns(told: str) -> dict[str, float]:
    """What a launch printed: a line of names, then a turn a line; the first column is the peer's.

    Medians over the turns: of each other column's ratio to the first within a turn, and of the
    first, in B/s.
    """
    (peer, *names), turns = _columns(told)
    ratios = {f"{name}_ratio": _ratio(turns, name, peer) for name in names}
    return {**ratios, f"{peer}_bytes_per_s": statistics.median(turn[peer] for turn in turns)}


def ratios_both_ways(told: str) -> dict[str, float]:
    """The same, and the engine's loop of osu_bibw over the bare one in the same memory."""
    _, turns = _columns(told)
    own = _ratio(turns, "engine_windows_usual", "bare_usual")
    return {**ratios_of_columns(told), "engine_windows_to_bare_usual_ratio": own}


def ratios_of_one_way(told: str) -> dict[str, float]:
    """The same, and the engine's ratio to the bare loop that refills as it does."""
    _, turns = _columns(told)
    own = _ratio(turns, "engine", "bare_refills")
    return {**ratios_of_columns(told), "engine_to_bare_refills_ratio": own}


def _columns(told: str) -> tuple[list[str], list[dict[str, float]]]:
    head, *lines = told.splitlines()
    names = head.split()
    return names, [dict(zip(names, map(float, line.split()), strict=True)) for line in lines]


def _ratio(turns: Sequence[dict[str, float]], name: str, other: str) -> float:
    return statistics.median(turn[name] / turn[other] for turn in turns)


def _measure(
    figures_of: Callable[[str], dict[str, float]], name: str, mpi: str
) -> dict[str, float]:
    return figures_of(told_by(name, mpi))


def told_by(name: str, mpi: str, turns: int | None = None) -> str:
    """What a launch of one of the programs here prints; without `turns` it takes its usual ones."""
    words = [str(_program(name, mpi)), *([] if turns is None else [str(turns)])]
    return output_of([*STARTS[mpi], "-n", "2", "sh", "-c", _A_CORE_EACH, "sh", *words])


def _content_speed() -> dict[str, float]:
    libraries = (libraries_of_engine(), "-lweft_engine", "-lhwloc")
    printed = output_of([str(compiled("g++", "content_speed.cpp", "-O2", *libraries))])
    pairs = (line.split() for line in printed.splitlines())
    return {name: float(value) for name, value in pairs}


@cache
def _program_of_ucx() -> Path:
    ucx = ENGINE / "transports" / "ucx"
    libraries = [f"-l{library.format(mpi='openmpi')}" for library in LIBRARIES]
    return compiled(
        "mpicxx.openmpi", "ucx_loop_beside_bare.cpp", "-O2", "-DOMPI_SKIP_MPICXX",
        *(str(ucx / f"{name}.cpp") for name in ("worker", "notes", "log")), libraries_of_engine(),
        *libraries, "-lucp", "-luct", "-lucs",
    )  # fmt: skip


def turns_of(transport: str, ranks: int, turns: int | None = None) -> tuple[float, float]:
    """The medians over the turns of one launch: round trips of the engine and bare, in ns.

    The first two ranks are bound to a core each; those beyond them sleep.
    """
    program = _program_of_ucx() if transport == "ucx" else _program("loop_beside_bare", "openmpi")
    words = [str(program), *([] if turns is None else [str(turns)])]
    pair = [["-n", "1", "taskset", "-c", str(cpu), *words] for cpu in (0, 1)]
    others = [":", "-n", str(ranks - 2), *words] if ranks > 2 else []
    told = output_of([*STARTS["openmpi"], *pair[0], ":", *pair[1], *others])
    both = [tuple(map(float, line.split())) for line in told.splitlines()]
    return statistics.median(one for one, _ in both), statistics.median(two for _, two in both)


@cache
def _program(name: str, mpi: str) -> Path:
    libraries = [f"-l{library.format(mpi=mpi)}" for library in LIBRARIES]
    return compiled(
        f"mpicxx.{mpi}", f"{name}.cpp", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
        f'-DWEFT_MPI="{mpi}"', str(ENGINE / SOURCE_OF_MPI), libraries_of_engine(), *libraries,
    )  # fmt: skip
