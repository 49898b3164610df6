"""Runs of weft on the lab's hosts: short ones, their records, and jobs of Slurm to their end."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any

import weft
from support.words import with_usual

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from lab.cluster.cluster import Cluster
    from weft.record.run import Run

# What every short run has, whatever it measures.
FEW = (
    "--launches", "1", "--samples", "20", "--precision", "100%", "--budget", "5min", "--no-report",
)  # fmt: skip
# One launch of a fixed number of samples: the shortest whole run there is. Its ranks sleep while
# they wait: hosts share the cores here, and ranks that poll take turns with whatever else computes.
SHORT = ("ping_pong", "--transport", "tcp", "--wait", "block", "--sizes", "8", *FEW)
JOB_DEADLINE_S = 900.0
POLL_S = 0.2
OVER = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL")


def run_short(cluster: Cluster, folder: Path, *words: str, **how: Any) -> Any:
    """A short run with these options too, to its end."""
    return cluster.run("weft", "run", *with_usual(SHORT, words), folder=folder, **how)


def hosts_of(run: Run) -> list[tuple[str, ...]]:
    """Of each launch the hosts of its ranks, in their order."""
    return [tuple(rank.host for rank in launch.ranks) for launch in run.lines.launches]


def record_in(folder: Path, name: str = "r.jsonl") -> Run:
    return weft.load(folder / name)


def job_of(done: subprocess.CompletedProcess[str]) -> int:
    """The number of the job that was submitted."""
    match = re.search(r"^job (\d+) is submitted", done.stdout, re.MULTILINE)
    assert match, done
    return int(match[1])


def end_of_job(cluster: Cluster, number: int, deadline_s: float = JOB_DEADLINE_S) -> str:
    """Wait for a job's end; the state that Slurm gives it."""
    return _shown_at_the_end(cluster, number, deadline_s)["JobState"]


def status_of_job(
    cluster: Cluster, *words: str, folder: Path, deadline_s: float = JOB_DEADLINE_S, **how: Any
) -> int:
    """Submit these words of sbatch and wait for the job's end; its exit status.

    `sbatch --wait` itself looks 2, 10 and 42 s after it was submitted, and then every 32 s.
    """
    done = cluster.run("sbatch", "--parsable", *words, folder=folder, **how)
    assert done.returncode == 0, done
    shown = _shown_at_the_end(cluster, int(done.stdout), deadline_s)
    assert shown["JobState"] in OVER, shown
    status, signal = map(int, shown["ExitCode"].split(":"))
    return -signal or status


def _shown_at_the_end(cluster: Cluster, number: int, deadline_s: float) -> dict[str, str]:
    """What Slurm shows of a job once it has ended, or when it has not by the deadline."""
    end = time.monotonic() + deadline_s
    while True:
        text = cluster.run("scontrol", "show", "job", str(number)).stdout
        shown = dict(re.findall(r"(JobState|ExitCode)=(\S+)", text))
        assert len(shown) == 2, text
        if shown["JobState"] in OVER or time.monotonic() > end:
            return shown
        threading.Event().wait(POLL_S)


def end_of_jobs(cluster: Cluster, deadline_s: float = JOB_DEADLINE_S) -> None:
    """Wait until no job is pending or running."""
    end = time.monotonic() + deadline_s
    while queue := cluster.run("squeue", "--noheader").stdout:
        assert time.monotonic() < end, queue
        threading.Event().wait(POLL_S)
