"""Starts ranks on named hosts with MPI's own starter, which reaches them by ssh or the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.host.environment import steering
from weft.launch.asking import ask_hosts, command_on_nodes
from weft.launch.environment import environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.nodes import check_known, hosts_of_site, is_this_machine, network_of
from weft.launch.piped import PipedLaunch
from weft.launch.programs import MPIS, has_starter, install_mpi
from weft.launch.starters import one_on_each, starting
from weft.plan.allocation import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation, RankLayout

# What the ranks and libraries elsewhere need of this environment, beside what steers messaging.
_PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LOADEDMODULES", "MODULEPATH")


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
            return one_on_each(mpi, {node: command_on_nodes(node) for node in some}, _passed_on())

        environment = environment_of_ranks({}, network_of(nodes))
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
        network = network_of(nodes[: layout.nodes])
        return PipedLaunch(words, environment_of_ranks(job.environment, network))


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
    taken = nodes[: layout.nodes]
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
