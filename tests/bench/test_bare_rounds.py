"""The rounds by bare MPI that a map is held against: all pairs meet, and no rank waits for ever."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from weft.launch.environment import environment_of_ranks
from weft.launch.local import command

pytestmark = pytest.mark.engine
SOURCE = Path(__file__).parents[2] / "bench" / "bare_rounds.c"


@pytest.mark.parametrize("agreements", ["0", "3"])
def test_rounds_of_four_ranks_end_and_say_what_they_took(tmp_path: Path, agreements: str) -> None:
    program = tmp_path / "bare_rounds"
    subprocess.run(["mpicc.openmpi", "-O1", "-Werror", "-o", program, SOURCE], check=True)
    done = subprocess.run(
        [*command(program, "openmpi", 4, ("5", agreements))],
        capture_output=True, text=True, timeout=600, check=True, env=environment_of_ranks({}, "lo"),
    )  # fmt: skip
    said = re.fullmatch(r"rounds (\S+) s, pairs (\S+) s, over them (\S+)\n", done.stdout)
    assert said, done.stdout
    whole_s, pairs_s, over = map(float, said.groups())
    assert whole_s >= pairs_s >= 0
    assert over >= 1
