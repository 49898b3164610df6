"""What the checks in the lab's machine share: starting programs there, each with a deadline."""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.launch.local import command
from weft.launch.programs import engine_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEADLINE_S = 600.0
# A server says nowhere that it listens: its client is started again until it does.
PATIENCE_S = 200.0


def run(*words: str, until_works: bool = False, text: str = "") -> subprocess.CompletedProcess[str]:
    """A program's output; started again for a while if it may fail at first."""
    end = time.monotonic() + PATIENCE_S
    while True:
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, timeout=DEADLINE_S, input=text
        )
        if done.returncode == 0 or not until_works or time.monotonic() > end:
            return done


@contextmanager
def beside(words: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A program that runs while something else does; it is ended afterwards."""
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


# MPICH starts fastest here once its own network layers need not look at the RDMA devices.
MPI = "mpich"
PLAIN_MPI = {"FI_PROVIDER": "tcp", "UCX_TLS": "self,sm"}
Case = dict[str, Any]


@dataclass(frozen=True)
class Answers:
    """What ranks said: their lines of the protocol, and their errors."""

    status: int
    lines: list[dict[str, Any]]
    errors: str

    @property
    def batches(self) -> list[dict[str, Any]]:
        """The answers to cases."""
        return [line for line in self.lines if line["kind"] == "batch"]

    def own_lines(self) -> list[str]:
        """The errors that the ranks wrote themselves, each once."""
        return sorted({line for line in self.errors.splitlines() if line.startswith("rank-")})


def rank_program(transport: str) -> Path:
    """The rank program that runs in the guest."""
    return engine_folder() / MPI / f"rank-{transport}"


def start_of(
    transport: str,
    words: Sequence[str],
    before: Sequence[str] = (),
    starter: Sequence[str] = (),
    ranks: int = 2,
) -> list[str]:
    """The command line of the ranks; `before` stands before each, `starter` are its own words."""
    rank = [*before, str(rank_program(transport)), *words]
    start = command(Path(rank[0]), MPI, ranks, rank[1:])
    at = start.index("-bind-to")
    return ["env", *(f"{name}={value}" for name, value in PLAIN_MPI.items()),
            *start[:at], *starter, *start[at:]]  # fmt: skip


def drive(
    transport: str,
    *cases: Case,
    words: Sequence[str] = (),
    before: Sequence[str] = (),
    deadline_s: float = DEADLINE_S,
    ranks: int = 2,
) -> Answers:
    """Ranks, given cases."""
    return _answers(start_of(transport, words, before, ranks=ranks), cases, deadline_s)


def drive_alone(transport: str, *words: str) -> Answers:
    """One rank without a starter, which is the fastest way to see it refuse something."""
    return _answers([str(rank_program(transport)), *words], ())


def _answers(
    start: Sequence[str], cases: Sequence[Case], deadline_s: float = DEADLINE_S
) -> Answers:
    try:
        done = subprocess.run(
            start, input="".join(json.dumps(case) + "\n" for case in cases), capture_output=True,
            text=True, check=False, timeout=deadline_s, env={**os.environ, **PLAIN_MPI},
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        answered = (late.stdout or b"").count(b'"kind":"batch"')
        late.add_note(f"{answered} of {len(cases)} cases were answered; {late.stderr!r}")
        raise
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Answers(done.returncode, lines, done.stderr)
