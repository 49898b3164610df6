"""A job of Slurm for one command: salloc waits for the nodes, runs it and gives them back."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, NoReturn

from weft.launch.nodes import is_in_a_job
from weft.launch.sbatch import check_nodes, program
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.launch.sbatch import SiteJob


def is_needed(nodes: int, launcher: str = "", environment: Mapping[str, str] = os.environ) -> bool:
    """Whether so many nodes, of which none is named, can come from Slurm only: this is no job."""
    if nodes <= 1 or launcher not in ("", "slurm") or is_in_a_job(environment):
        return False
    return all(shutil.which(name) for name in ("salloc", "srun"))


def words_of(job: SiteJob) -> list[str]:
    """The command line that runs the job's command with its words in an allocation."""
    asked = {
        "nodes": str(job.nodes),
        "nodelist": ",".join(job.hosts),
        "exclude": ",".join(job.excluded),
        "partition": job.partition,
        "account": job.account,
        "constraint": job.constraint,
        "time": str(job.minutes),
    }
    options = [f"--{name}={text}" for name, text in asked.items() if text]
    # Measured nodes are shared with nobody; a command whose job has ended writes what it has.
    fixed = ["--job-name=weft", "--exclusive", "--no-kill", "--kill-command=TERM"]
    return ["salloc", *fixed, *options, program(), job.command, *job.words]


def become(job: SiteJob) -> NoReturn:
    """Go on as that command line. Raises WeftError where no node could ever start the job."""
    check_nodes(job)
    sys.stderr.write(
        f"asking Slurm for {counted(job.nodes, 'node')} for at most {job.minutes} min, since this"
        " is no job; Ctrl-C gives up\n"
    )
    sys.stderr.flush()
    words = words_of(job)
    os.execvp(words[0], words)  # noqa: S606 - words, and no shell wanted
