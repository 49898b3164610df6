"""Whole runs of the command over the scripted rank of tests/support/fake-rank."""

import contextlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import weft
from support.in_process import weft_here
from support.words import with_usual
from weft.launch.piped import PipedLaunch
from weft.launch.protocol import Answer

WEFT = Path(sys.prefix) / "bin" / "weft"
FAKE_RANK = Path(__file__).with_name("fake-rank")
# Of a case that hangs: what its samples may take is waited for too.
FEW_SAMPLES = "20"
# For a case that does not hang, on a busy machine.
PATIENCE_S = 60.0


def lay_out_rank(engine: Path, mpi: str = "openmpi", version: str = weft.__version__) -> Path:
    """The scripted rank as a program of a version of weft, under an MPI in a folder of programs."""
    program = engine / mpi / "rank-fake"
    program.parent.mkdir(parents=True)
    program.write_text(FAKE_RANK.read_text().replace('"laid_out"', f'"{version}"'))
    program.chmod(0o755)
    return program


def run(
    machine: dict[str, str],
    folder: Path,
    *words: str,
    script: str = "",
    test: str = "ping_pong",
    is_started: bool = False,
) -> subprocess.CompletedProcess[str]:
    """How `weft run` ends; where `is_started` it is a process of its own."""
    # Only what hangs is waited for in vain: all others have what they may need on a busy machine.
    deadline = "1s" if "hang" in script else "20s"
    usual = ("--sizes", "8,16", "--budget", "20s", "--launches", "2", "--deadline", deadline)
    asked = ("run", test, *with_usual(usual, words), "--no-report", "-o", folder / "r.jsonl")
    env = {**machine, "FAKE_RANK": script}
    if not is_started:
        with patience_but_for(script):
            return weft_here(asked, env)
    return subprocess.run(
        [WEFT, *map(str, asked)], env=env, capture_output=True, text=True, timeout=600, check=False
    )


@contextlib.contextmanager
def patience_but_for(script: str) -> Iterator[None]:
    """Cases that the script has hang are waited for as long as is asked, others longer."""
    told = dict(word.split("=") for word in script.split())
    usual = PipedLaunch.run
    tried: Counter[PipedLaunch] = Counter()

    def run(launch: PipedLaunch, case: Mapping[str, Any], deadline_s: float) -> Answer:
        number, size = tried[launch], case["bytes"]
        tried[launch] += 1
        hangs = (
            told.get("hang") == str(number)
            or told.get("hang_at") == str(size)
            or size >= int(told.get("hang_from", 1 << 62))
        )
        return usual(launch, case, deadline_s + (0 if hangs else PATIENCE_S))

    with mock.patch.object(PipedLaunch, "run", run):
        yield


def resume(machine: dict[str, str], path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """It has the deadline of the run that it resumes, though nothing hangs now."""
    with patience_but_for(""):
        return weft_here(("run", "--resume", path, "--no-report", *words), machine)
