"""Starts ranks on named hosts with MPI's own starter, which reaches them by ssh or the site."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.host.environment import steering
from weft.launch.asking import ask_hosts, command_on_nodes
from weft.launch.environment import environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.nodes import (
    check_known,
    hosts_of_site,
    is_this_machine,
    names_for_mpi,
    network_of,
    user_of,
)
from weft.launch.piped import PipedLaunch
from weft.launch.programs import MPIS, has_starter, install_mpi
from weft.launch.starters import one_on_each, starting
from weft.plan.allocation import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation, RankLayout

# What the ranks and libraries elsewhere need of this environment, beside what steers messaging.
_PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LOADEDMODULES", "MODULEPATH")
# Options of ssh for the daemons of Open MPI 4 and 5.
_SSH_WORDS = ("OMPI_MCA_plm_rsh_args", "PRTE_MCA_plm_ssh_args")


class MpirunLauncher:
    """Hosts by name: those asked for, or those of the job that PBS or LSF started."""

    name = "mpirun"
    summary = "named hosts (--hosts, --hostfile, PBS, LSF), by MPI's own starter"

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there: no hosts, or no other than this machine."""
        hosts = allocation.hosts or hosts_of_site()
        if not hosts:
            return "no hosts are named; add --hosts n1,n2"
        if all(is_this_machine(host) for host in hosts):
            return f"{hosts[0]} is this machine"
        return ""

    def starts(self, mpi: str) -> bool:
        """Whether the MPI's starter is installed."""
        return has_starter(mpi)

    def manifests(
        self, allocation: Allocation, deadline_s: float = ASK_DEADLINE_S
    ) -> dict[str, dict[str, Any]]:
        """What each host is, by its name; one launch, one process a host. Raises WeftError."""
        nodes = allocation.chosen(hosts_of_site())
        check_known(allocation.hosts)
        mpi = next((mpi for mpi in MPIS if has_starter(mpi)), "")
        if not mpi:
            raise WeftError("no mpirun is installed", install_mpi())

        def starting(some: Sequence[str]) -> list[str]:
            names = names_for_mpi(mpi, some)
            commands = {
                name: command_on_nodes(node) for name, node in zip(names, some, strict=True)
            }
            return one_on_each(mpi, commands, _passed_on())

        environment = _environment({}, mpi, nodes)
        return ask_hosts(starting, environment, nodes, deadline_s)

    def start(self, job: Job) -> PipedLaunch:
        """A launch of a rank program. Raises WeftError where the ranks do not fit the hosts."""
        nodes = job.allocation.chosen(hosts_of_site())
        layout = layout_of(job.ranks, len(nodes), job.allocation)
        start = _start(
            job.mpi, nodes, layout, job.ranks,
            is_spread=job.allocation.takes_turns, passed_on=job.environment,
        )  # fmt: skip
        words = [*start, str(job.program), *job.arguments]
        environment = _environment(job.environment, job.mpi, nodes[: layout.nodes])
        return PipedLaunch(words, environment)


def _environment(more: Mapping[str, str], mpi: str, nodes: Sequence[str]) -> dict[str, str]:
    """The environment of ranks on these nodes, which Open MPI reaches as the user of the list."""
    user = user_of(nodes) if mpi == "openmpi" else ""
    as_user = {name: f"{os.environ.get(name, '')} -l {user}".strip() for name in _SSH_WORDS if user}
    return {**environment_of_ranks(more, network_of(nodes)), **as_user}


def _start(
    mpi: str,
    nodes: Sequence[str],
    layout: RankLayout,
    ranks: int,
    *,
    is_spread: bool,
    passed_on: Sequence[str] | dict[str, str] = (),
) -> list[str]:
    """The beginning of the starter's command line; it has names of variables, never values."""
    taken = names_for_mpi(mpi, nodes[: layout.nodes])
    if mpi == "mpich":
        counts = [f"{node}:{1 if is_spread else layout.each}" for node in taken]
        return starting(mpi, ranks, ["-hosts", ",".join(counts)])
    words = ["--host", ",".join(f"{node}:{layout.each}" for node in taken)]
    words += ["--map-by", "node" if is_spread else "slot"]
    return starting(mpi, ranks, [*words, *_passed_on(passed_on)])


def _passed_on(more: Iterable[str] = ()) -> list[str]:
    """Open MPI's options that pass on variables of this environment, and `more`, by name."""
    known = environment_of_ranks(dict.fromkeys(more, ""))
    names = sorted({*_PASSED_ON, *steering(known), *more})
    return [word for name in names if name in known for word in ("-x", name)]
