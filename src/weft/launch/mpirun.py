"""Starts ranks on named hosts with MPI's own starter, which reaches them by ssh or the site."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Any

import psutil

from weft.errors import WeftError
from weft.host.environment import steering
from weft.launch.asking import ask_hosts, command_on_nodes
from weft.launch.environment import environment_of_ranks
from weft.launch.nodes import hosts_of_site, is_this_machine
from weft.launch.piped import PipedLaunch
from weft.launch.programs import INSTALL_MPI, MPIS, has_starter
from weft.launch.starters import starting
from weft.plan.allocation import Seats, seats_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation

# What the ranks and libraries elsewhere need of this environment, beside what steers messaging.
_PASSED_ON = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LOADEDMODULES", "MODULEPATH")
_ANY_PORT = 9


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

    def manifests(self, allocation: Allocation) -> dict[str, dict[str, Any]]:
        """What each host is, by its name; one launch, one process a host. Raises WeftError."""
        nodes = allocation.chosen(hosts_of_site())
        mpi = next((mpi for mpi in MPIS if has_starter(mpi)), "")
        if not mpi:
            raise WeftError("no mpirun is installed", INSTALL_MPI)
        start = _start(mpi, nodes, Seats(nodes=len(nodes), each=1), len(nodes), is_spread=True)
        return ask_hosts([*start, *command_on_nodes()], environment_of_ranks({}), nodes)

    def start(self, job: Job) -> PipedLaunch:
        """A launch of a rank program. Raises WeftError where the ranks do not fit the hosts."""
        nodes = job.allocation.chosen(hosts_of_site())
        seats = seats_of(job.ranks, len(nodes), job.allocation)
        is_spread = job.allocation.placement == "spread"
        start = _start(
            job.mpi, nodes, seats, job.ranks, is_spread=is_spread, passed_on=job.environment
        )
        words = [*start, str(job.program), *job.arguments]
        return PipedLaunch(words, environment_of_ranks(job.environment))


def _start(
    mpi: str,
    nodes: Sequence[str],
    seats: Seats,
    ranks: int,
    *,
    is_spread: bool,
    passed_on: Sequence[str] | dict[str, str] = (),
) -> list[str]:
    """The beginning of the starter's command line; it has names of variables, never values."""
    taken = nodes[: seats.nodes]
    if mpi == "mpich":
        counts = [f"{node}:{1 if is_spread else seats.each}" for node in taken]
        return starting(mpi, ranks, ["-hosts", ",".join(counts)])
    words = ["--host", ",".join(f"{node}:{seats.each}" for node in taken)]
    words += ["--map-by", "node" if is_spread else "slot"]
    network = network_of(taken)
    if network:
        # Its daemons and its ranks meet on the network that joins the hosts, and on no other.
        words += ["--mca", "oob_tcp_if_include", network, "--mca", "btl_tcp_if_include", network]
    known = environment_of_ranks(dict.fromkeys(passed_on, ""))
    for name in sorted({*_PASSED_ON, *steering(known), *passed_on}):
        if name in known:
            words += ["-x", name]
    return starting(mpi, ranks, words)


def network_of(hosts: Sequence[str]) -> str:
    """The network of this machine's in which all hosts are, as 10.0.0.0/24; empty where none is."""
    others = [host for host in hosts if not is_this_machine(host)]
    try:
        addresses = [ipaddress.ip_address(socket.gethostbyname(host)) for host in others]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect((str(addresses[0]), _ANY_PORT))  # chooses its own address; sends nothing
            own = way.getsockname()[0]
    except (OSError, IndexError, ValueError):
        return ""
    for found in (found for card in psutil.net_if_addrs().values() for found in card):
        if found.address == own and found.netmask:
            network = ipaddress.ip_network(f"{own}/{found.netmask}", strict=False)
            return str(network) if all(one in network for one in addresses) else ""
    return ""
