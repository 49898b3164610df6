"""Starts ranks as steps of a Slurm job that this process runs in (srun)."""

from __future__ import annotations

import functools
import os
import re
import secrets
import shutil
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.host.programs import answer
from weft.launch.asking import ask_hosts, command_on_nodes
from weft.launch.environment import environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.nodes import components_of_slurm, hosts_of_slurm, network_of, without_user
from weft.launch.piped import PipedLaunch
from weft.plan.allocation import layout_of
from weft.plan.case import USUAL_RANKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation

DEADLINE_S = 20.0
NAME_BYTES = 6
# What each MPI's ranks can be started by, best first, as `srun --mpi=list` names them.
_PLUGINS = {"openmpi": ("pmix", "pmi2"), "mpich": ("pmi2", "pmix")}
# How ompi_info names Open MPI's part for PMI-2, which a build may lack and version 5 has not.
_OPENMPI_PMI2 = "mca:pmix:s2:"


class SlurmLauncher:
    """The nodes of this Slurm job, each launch a step of it."""

    name = "slurm"
    summary = "the nodes of this Slurm job, by srun"

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there: no job, or other hosts than the job's."""
        if "SLURM_JOB_ID" not in os.environ:
            hosts = ",".join(allocation.hosts)
            nodes = f"nodelist={hosts}" if hosts else f"nodes={allocation.nodes or USUAL_RANKS}"
            if shutil.which("salloc") is None:
                return "not inside a Slurm job, and Slurm is not installed here"
            return f"this is no Slurm job; put salloc --{nodes} before the command"
        if shutil.which("srun") is None:
            return "srun is not installed"
        own = hosts_of_slurm()
        others = [host for host in map(without_user, allocation.hosts) if host not in own]
        if others:
            return f"{others[0]} is not of job {os.environ['SLURM_JOB_ID']} ({', '.join(own)})"
        return "" if _plugins() else "srun --mpi=list has neither pmix nor pmi2"

    def starts(self, mpi: str) -> bool:
        """Whether srun has what ranks of this MPI are started by."""
        return _plugin(mpi) != ""

    def manifests(
        self, allocation: Allocation, deadline_s: float = ASK_DEADLINE_S
    ) -> dict[str, dict[str, Any]]:
        """What each node is, by its name; one step, one process a node. Raises WeftError."""
        nodes = _nodes_of(allocation)

        def starting(some: Sequence[str]) -> list[str]:
            return _srun("weft-hosts", some, "none", (len(some), 1), command_on_nodes())

        return ask_hosts(starting, os.environ, nodes, deadline_s)

    def start(self, job: Job) -> PipedLaunch:
        """A launch, which is a step. Raises WeftError where the ranks do not fit the nodes."""
        nodes = _nodes_of(job.allocation)
        layout = layout_of(job.ranks, len(nodes), job.allocation)
        step = f"weft-{secrets.token_hex(NAME_BYTES)}"
        taken = nodes[: layout.nodes]
        turns = job.allocation.takes_turns
        if turns and layout.each > 1 and len(_by_component(taken)) > 1:
            raise WeftError(
                "nodes of several components of a job cannot take ranks in turn",
                "use --placement pack, or --ranks-per-node 1",
            )
        more = (
            f"--distribution={'cyclic' if turns else 'block'}", "--kill-on-bad-exit=1"
        )  # fmt: skip
        command = [str(job.program), *job.arguments]
        return PipedLaunch(
            _srun(step, taken, _plugin(job.mpi), (job.ranks, layout.each), command, more),
            environment_of_ranks(job.environment, network_of(taken)),
            lambda _: _cancel(step),
            lambda: _lost(nodes),
        )


def _nodes_of(allocation: Allocation) -> tuple[str, ...]:
    """The job's nodes that were asked for; Slurm needs no user."""
    return tuple(map(without_user, allocation.chosen(hosts_of_slurm())))


def _srun(
    step: str,
    nodes: Sequence[str],
    plugin: str,
    ranks: tuple[int, int],
    command: Sequence[str],
    more: Sequence[str] = (),
) -> list[str]:
    """A step's command line, for so many ranks and at most so many on a node.

    weft binds its ranks itself, and measures what shares a core too, so Slurm does neither.
    `--overlap`: an interactive shell of the job is a step as well and must not be waited for. Each
    component of a heterogeneous job gets a part of the line, with the ranks of its nodes.
    """
    left, each = ranks
    parts: list[list[str]] = []
    for component, own in _by_component(nodes):
        tasks = min(left, each * len(own))
        left -= tasks
        group = [] if component is None else [f"--het-group={component}"]
        # Each component with an input would take lines from the others.
        source = "none" if parts else "0"
        parts.append([
            *group, f"--job-name={step}", f"--mpi={plugin}",
            f"--nodes={len(own)}", f"--nodelist={','.join(own)}", f"--ntasks={tasks}",
            f"--ntasks-per-node={each}", "--overlap", "--overcommit", "--cpu-bind=none",
            "--export=ALL", *more, f"--input={source}", *command,
        ])  # fmt: skip
    first, *others = parts
    words = ["setpriv", "--pdeathsig", "TERM", "srun", *first]
    return [*words, *(word for part in others for word in (":", *part))]


def _by_component(nodes: Sequence[str]) -> list[tuple[int | None, list[str]]]:
    """The nodes by the components of the job that they are of; None for a job without components.

    Raises WeftError for nodes in another order than their components, which srun keeps.
    """
    components = components_of_slurm()
    if len(components) < 2:
        return [(None, list(nodes))]
    found = [
        (number, [node for node in nodes if node in part]) for number, part in enumerate(components)
    ]
    taken: list[tuple[int | None, list[str]]] = [(one, own) for one, own in found if own]
    if [node for _, own in taken for node in own] != list(nodes):
        raise WeftError(
            "srun starts the components of a heterogeneous job in their order",
            "list the hosts in the order of the components, or leave out --hosts",
        )
    return taken


def _plugin(mpi: str) -> str:
    listed = _plugins()
    found = next((name for name in _PLUGINS[mpi] if name in listed), "")
    return "" if (mpi, found) == ("openmpi", "pmi2") and not _openmpi_has_pmi2() else found


@functools.cache
def _openmpi_has_pmi2() -> bool:
    """Without it ranks end in MPI_Init, or each is alone."""
    return _OPENMPI_PMI2 in _output(["ompi_info", "--parsable"])


def _plugins() -> frozenset[str]:
    """The ways of starting MPI that this srun has; newer ones name a version too (pmix_v4)."""
    srun = shutil.which("srun")
    return _plugins_of(srun) if srun else frozenset()


@functools.cache
def _plugins_of(srun: str) -> frozenset[str]:
    """ApplicationsAsked once, however many launches a run has."""
    return frozenset(
        "pmix" if word.startswith("pmix") else word
        for word in re.findall(r"\w+", _output([srun, "--mpi=list"]))
        if word == "pmi2" or word.startswith("pmix")
    )


def _lost(nodes: tuple[str, ...]) -> str:
    """Which of the nodes Slurm has lost: those that are down, or do not answer (*)."""
    asked = ["sinfo", "--Node", "--noheader", f"--nodes={','.join(nodes)}", "--format=%N %T"]
    states = dict(line.split(maxsplit=1) for line in _output(asked).splitlines() if " " in line)
    lost = [node for node in nodes if re.search(r"down|fail|\*", states.get(node, ""))]
    return f"Slurm reports that {', '.join(lost)} went down" if lost else ""


def _cancel(step: str) -> None:
    """End what is left of a step whose srun had to be killed: Slurm itself does not look."""
    job = os.environ.get("SLURM_JOB_ID", "")
    listed = _output(["squeue", "--steps", "--noheader", f"--jobs={job}", "--format=%i %j"])
    for line in listed.splitlines():
        number, _, name = line.strip().partition(" ")
        if name.strip() == step:
            _output(["scancel", "--signal=KILL", number])


def _output(command: list[str]) -> str:
    """What a program of Slurm's writes, errors too; nothing where it does not answer."""
    done = answer(command, DEADLINE_S)
    return done.stdout + done.stderr if done else ""
