"""Whole runs of the command over the scripted rank of tests/support/fake-rank."""

import subprocess
import sys
from pathlib import Path

import weft
from support.in_process import weft_here
from support.words import with_usual

WEFT = Path(sys.prefix) / "bin" / "weft"
FAKE_RANK = Path(__file__).with_name("fake-rank")
# Of a case that hangs: what its samples may take is waited for too.
FEW_SAMPLES = "20"


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
    # Ranks without a script do not hang: they have what they may need on a busy machine.
    deadline = "1s" if script else "20s"
    usual = ("--sizes", "8,16", "--budget", "20s", "--launches", "2", "--deadline", deadline)
    asked = ("run", test, *with_usual(usual, words), "--no-report", "-o", folder / "r.jsonl")
    env = {**machine, "FAKE_RANK": script}
    if not is_started:
        return weft_here(asked, env)
    return subprocess.run(
        [WEFT, *map(str, asked)], env=env, capture_output=True, text=True, timeout=60, check=False
    )


def resume(machine: dict[str, str], path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return weft_here(("run", "--resume", path, "--no-report", *words), machine)
