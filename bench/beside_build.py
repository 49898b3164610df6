"""`python -m bench.beside_build OTHER`: every loop of this build beside another build's, in turn.

OTHER is the other build's folder of rank programs (.venv/libexec/weft of its checkout). A round
starts both builds' ranks of each transport once, this one first in odd rounds, and measures every
test that both have; the figure is the median over rounds of the ratio of the median times of an
operation within a round (1.1: this build takes 10 % longer), with its 95 % interval (order
statistics; below six rounds the range). Example, before and after a change of the engine:

    python -m bench.beside_build /tmp/before/.venv/libexec/weft --transport tcp --rounds 11
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.__main__ import middle_and_interval
from weft.launch.launcher import Job
from weft.launch.local import LocalLauncher
from weft.launch.programs import choose_mpi, programs
from weft.launch.protocol import LaunchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.launch.programs import Program
    from weft.plan.pattern import Pattern

CASE_DEADLINE_S = 60.0
RANKS = 2
# Samples and operations in each, by size from which on they hold: some 20 ms of a case.
COUNTS = {0: (200, 64), 16384: (100, 8), 262144: (40, 1)}
Key = tuple[str, str, int]


def main() -> None:
    """A line for each loop and size."""
    asked = _arguments()
    mpi = choose_mpi(asked.mpi)
    ours = [
        program
        for program in programs(mpi)
        if not program.reason and asked.transport in ("", program.transport)
    ]
    ratios: dict[Key, list[float]] = defaultdict(list)
    for round_ in range(asked.rounds):
        for program in ours:
            folders = [program.path.parent, asked.other.resolve() / mpi]
            times = {
                at: _times(program, folders[at], asked)
                for at in ((0, 1) if round_ % 2 == 0 else (1, 0))
            }
            for key, time_ns in times[0].items():
                if key in times[1]:
                    ratios[key].append(time_ns / times[1][key])
        sys.stderr.write(f"round {round_ + 1} of {asked.rounds}\n")
    for (transport, test, size), found in ratios.items():
        sys.stdout.write(f"{transport:<10}{test:<22}{size:>9} B {middle_and_interval(found)}\n")


def _times(program: Program, folder: Path, asked: argparse.Namespace) -> dict[Key, float]:
    """Median time of an operation in ns by case, of one launch; a case that fails is skipped."""
    found: dict[Key, float] = {}
    path = folder / program.path.name
    words = () if program.usual else ("--mode", program.mode)
    try:
        job = Job(program=path, mpi=program.mpi, ranks=RANKS, arguments=words)
        with LocalLauncher().start(job) as ranks:
            tick_ns = ranks.hello().clock.tick_ns
            for number, (pattern, size) in enumerate(_cases(program.patterns, asked)):
                samples, operations = COUNTS[max(least for least in COUNTS if least <= size)]
                case = {
                    "id": number, "test": pattern.name, "bytes": size, "samples": samples,
                    "warmup": samples // 5, "ops_per_sample": operations, "verify": False,
                }  # fmt: skip
                answer = ranks.run(case, CASE_DEADLINE_S)
                if answer.status != "ok":
                    continue
                measured = answer.ticks[answer.warmup :]
                found[program.transport, pattern.name, size] = (
                    statistics.median(measured) * tick_ns / answer.ops_per_sample
                )
            ranks.finish()
    except LaunchError as error:
        sys.stderr.write(f"{path}: {error.reason}\n")
    return found


def _cases(patterns: Sequence[Pattern], asked: argparse.Namespace) -> Iterator[tuple[Pattern, int]]:
    for pattern in patterns:
        if not pattern.supported or pattern.ranks > RANKS:
            continue
        if asked.test and pattern.name not in asked.test:
            continue
        yield from ((pattern, size) for size in asked.sizes if size >= pattern.least_bytes)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.beside_build",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("other", type=Path, help="the other build's folder of rank programs")
    parser.add_argument("--mpi", default="", help="the MPI that starts the ranks")
    parser.add_argument("--transport", default="", help="only this transport")
    parser.add_argument("--test", nargs="*", default=(), help="only these tests")
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=(8, 65536, 1048576), help="message sizes in B"
    )
    parser.add_argument("--rounds", type=int, default=7, help="how often (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
