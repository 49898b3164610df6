"""Ranks that a test drives by hand, without weft."""

import json
import subprocess
from collections.abc import Sequence

from weft.launch.environment import environment_of_ranks
from weft.launch.local import command
from weft.launch.programs import engine_folder


def drive(
    mpi: str,
    transport: str,
    *cases: dict[str, object],
    ranks: int = 2,
    words: tuple[str, ...] = (),
    within: Sequence[str] = (),
) -> tuple[subprocess.CompletedProcess[str], list[dict[str, object]]]:
    """Start ranks by hand, by a command `within` that they run; give them cases, read answers."""
    program = engine_folder() / mpi / f"rank-{transport}"
    done = subprocess.run(
        [*within, *command(program, mpi, ranks, words)],
        input="".join(json.dumps(case) + "\n" for case in cases),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env=environment_of_ranks({}, "lo"),
    )
    return done, [json.loads(line) for line in done.stdout.splitlines()]


# Each transport in each of its ways: over what it takes by itself and over what it can be told.
