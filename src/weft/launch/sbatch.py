"""A run or a map as a batch job of Slurm: the file that sbatch takes, and submitting it."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.host.programs import answer
from weft.launch.causes import reason_in
from weft.launch.job_time import WARNING_S, warning_s
from weft.launch.launcher import start_deadline_s

if TYPE_CHECKING:
    from collections.abc import Mapping

DEADLINE_S = 60.0
# Slurm counts in minutes, and starting, asking the hosts and drawing the report take time too.
MARGIN_S = 120.0
MARGIN_SHARE = 0.1
# The last launch may take its time until it has started, but a job that waits long for that waits
# long in the queue too: whoever has more ranks types --time.
MOST_FOR_A_START_S = 600.0
_SUBMITTED = re.compile(r"^(\d+)(?:;\S+)?$", re.MULTILINE)
# A partition, a node and its state; and the states in which a node starts no job.
_SINFO_WORDS = 3
_LOST = re.compile(r"(down|drain(ed|ing)?|fail(ed|ing)?|error)\*?")
MOST_SHOWN = 4
# Variables of Slurm's that are about the site and not about a job.
_OF_THE_SITE = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_TIME_FORMAT")


class SiteJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a site is asked for; what is empty or 0 is the site's own choice.

    `words` follow `weft COMMAND` in the job. `budget_s` is what a job is given time for where
    `time_limit_s` is 0, and so is a start of its `ranks`.
    """

    command: str
    words: tuple[str, ...]
    nodes: int
    hosts: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    partition: str = ""
    account: str = ""
    constraint: str = ""
    time_limit_s: float = 0.0
    budget_s: float = 0.0
    ranks: int = 0
    folder: Path = Path()

    @property
    def minutes(self) -> int:
        """The time limit in whole minutes."""
        start_s = min(start_deadline_s(self.ranks), MOST_FOR_A_START_S)
        beside_s = max(MARGIN_S, MARGIN_SHARE * self.budget_s, start_s + WARNING_S)
        usual_s = self.budget_s + beside_s
        return max(1, math.ceil((self.time_limit_s or usual_s) / 60))


def script_of(job: SiteJob, environment: Mapping[str, str] = os.environ) -> str:
    """The sbatch file of a job. Whoever submits it has the modules loaded that are loaded here."""
    asked = {
        "job-name": "weft",
        "nodes": str(job.nodes),
        "nodelist": ",".join(job.hosts),
        "exclude": ",".join(job.excluded),
        "partition": job.partition,
        "account": job.account,
        "constraint": job.constraint,
        "time": str(job.minutes),
        "chdir": str(job.folder.absolute()),
        "output": "weft-%j.log",
        "signal": f"B:TERM@{warning_s(60 * job.minutes)}",
        "export": "ALL",
    }
    for name, text in asked.items():
        if any(not char.isprintable() or char in '"\\' for char in text):
            fix = "go to another folder" if name == "chdir" else f"use another --{name}"
            raise WeftError(f"{text} cannot be the {name} of a job", fix)
    lines = ["#!/bin/bash"]
    lines += [f"#SBATCH --{name}={_quoted(text)}" for name, text in asked.items() if text]
    # Measured nodes are shared with nobody; what was measured when one is lost is not lost with it.
    lines += [f"#SBATCH --{name}" for name in ("exclusive", "no-kill", "no-requeue")]
    modules = [name for name in environment.get("LOADEDMODULES", "").split(":") if name]
    if modules:
        lines += ["", f"module load {shlex.join(modules)}"]
    command = shlex.join([program(), job.command])
    if not {"-o", "--output", "--resume"} & {word.partition("=")[0] for word in job.words}:
        # Before the user's own, where tests may follow that begin with no option.
        command += ' --output "weft-${SLURM_JOB_ID}.jsonl.zst"'
    return "\n".join([*lines, "", f"exec {command} {shlex.join(job.words)}".rstrip(), ""])


def submit(job: SiteJob) -> int:
    """Submit a job; the number of its job. Raises WeftError with what Slurm said."""
    if shutil.which("sbatch") is None:
        raise WeftError("sbatch is not installed here", "submit from a login node of the cluster")
    check_nodes(job)
    # What Slurm says of the job that weft runs in is not true of the new one, which would get it.
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SLURM_", "SLURMD_")) or name in _OF_THE_SITE
    }
    done = answer(["sbatch", "--parsable"], DEADLINE_S, script_of(job), own)
    if done is None:
        raise WeftError(
            f"sbatch did not answer in {DEADLINE_S:g} s", "look whether Slurm works: sinfo"
        )
    number = _SUBMITTED.search(done.stdout)
    if done.returncode != 0 or number is None:
        why = reason_in(done.stderr, done.returncode)
        why = re.sub(r"^sbatch: (error: )?", "", why).rstrip(".")
        raise WeftError(f"Slurm did not take the job: {why}", "see what there is: sinfo")
    return int(number[1])


def check_nodes(job: SiteJob) -> None:
    """Raises WeftError where no node could ever start the job: Slurm would let it wait.

    Whatever Slurm itself refuses is left to sbatch, and a node that only sleeps can be woken.
    """
    done = answer(["sinfo", "--Node", "--noheader", "--format=%P %N %T"], DEADLINE_S)
    lines = [line.split() for line in done.stdout.splitlines()] if done else []
    asked = job.partition.split(",")
    states = {
        node: state
        for partition, node, state in (line for line in lines if len(line) == _SINFO_WORDS)
        if (partition.rstrip("*") in asked if job.partition else partition.endswith("*"))
    }
    states = {node: states[node] for node in job.hosts or states if node in states}
    if not states or not all(_LOST.fullmatch(state) for state in states.values()):
        return
    where = f"partition {job.partition}" if job.partition else "the usual partition"
    shown = ", ".join(f"{node}: {state}" for node, state in list(states.items())[:MOST_SHOWN])
    raise WeftError(
        f"every node of {where} is down ({shown}{', ...' if len(states) > MOST_SHOWN else ''})",
        "choose another --partition, or see why: sinfo --list-reasons",
    )


def program() -> str:
    """The weft that runs here, by its whole path: the job's shell may have another."""
    beside = Path(sys.executable).with_name("weft")
    return str(beside) if beside.exists() else (shutil.which("weft") or "weft")


def _quoted(text: str) -> str:
    """As sbatch reads its lines: a word with a space or a bar needs quotes."""
    return text if re.fullmatch(r"[\w.,:@%/+-]*", text) else f'"{text}"'
