"""Where ranks run: the options that `run`, `doctor` and `slurm script` take in the same way."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, cast

import msgspec
import typer

from weft.cli.options import with_options
from weft.errors import WeftError
from weft.plan.allocation import MOST_NODES, PLACEMENTS, Allocation, Placement
from weft.wording import counted

_Hosts = Annotated[
    str,
    typer.Option(
        help="Run on these hosts, separated by commas: n1,n2, n[1-4], me@n1, or n1:2,n2:2 with"
        " ranks per node.",
        rich_help_panel="Where",
    ),
]
_Hostfile = Annotated[
    Path | None,
    typer.Option(help="Run on the hosts of this file, one a line.", rich_help_panel="Where"),
]
_Nodes = Annotated[
    int,
    typer.Option(
        "--nodes",
        "-N",
        help="Number of nodes to use, of the job or the host list. 0: all.",
        rich_help_panel="Where",
    ),
]
_Each = Annotated[
    int,
    typer.Option(help="Start at most so many ranks on a node. 0: any.", rich_help_panel="Where"),
]
_Placement = Annotated[
    str,
    typer.Option(
        help="Give nodes their ranks in turn (spread), or fill one before the next (pack); put the"
        " ranks of a node on one socket (same-socket) or on its sockets in turn (other-socket), or"
        " each near the device that it uses (near-device).",
        rich_help_panel="Where",
    ),
]


_Launcher = Annotated[
    str,
    typer.Option(
        help="Start the ranks with slurm, mpirun or local. Default: the first that fits.",
        rich_help_panel="Where",
    ),
]
_LauncherCommand = Annotated[
    str,
    typer.Option(
        help="Start the ranks with this command, to which weft appends the program:"
        " 'flux run -n {ranks}', also {nodes} and {hosts}. It must pass standard input to rank 0,"
        " and standard output unchanged.",
        rich_help_panel="Where",
    ),
]
_Interface = Annotated[
    str,
    typer.Option(
        help="Use this network interface with tcp, ucx and ofi. Default: the one that joins the"
        " hosts.",
        rich_help_panel="Where",
    ),
]
_Device = Annotated[
    str,
    typer.Option(
        help="Use this RDMA device with verbs, ucx and ofi: mlx5_0. Default: the first that is up.",
        rich_help_panel="Where",
    ),
]


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where ranks run, and over which interface or device; empty is the transport's own choice."""

    allocation: Allocation = Allocation()
    launcher: str = ""
    interface: str = ""
    device: str = ""

    @property
    def usual_ranks(self) -> tuple[int, ...]:
        """The number of ranks where nobody names one."""
        return (self.allocation.usual_ranks,)


def takes_where(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it gets a `where` made of them."""
    return with_options(
        command, where_of, lambda where, given: command(where=where, **given), "where"
    )


def takes_hosts(command: Callable[..., None]) -> Callable[..., None]:
    """The same of a command that starts no ranks, and looks at hosts alone."""
    return with_options(
        command, hosts_of, lambda where, given: command(where=where, **given), "where"
    )


def hosts_of(
    hosts: _Hosts = "",
    hostfile: _Hostfile = None,
    nodes: _Nodes = 0,
    ranks_per_node: _Each = 0,
    launcher: _Launcher = "",
) -> Where:
    """What was asked for. Raises WeftError."""
    return where_of(hosts, hostfile, nodes, ranks_per_node, launcher=launcher)


def where_of(
    hosts: _Hosts = "",
    hostfile: _Hostfile = None,
    nodes: _Nodes = 0,
    ranks_per_node: _Each = 0,
    placement: _Placement = "spread",
    launcher: _Launcher = "",
    launcher_command: _LauncherCommand = "",
    interface: _Interface = "",
    device: _Device = "",
) -> Where:
    """What was asked for. Raises WeftError."""
    from weft.launch.by_command import CommandLauncher
    from weft.launch.nodes import hosts_of_file, hosts_of_list
    from weft.names import choose

    if hosts and hostfile:
        raise WeftError("--hosts and --hostfile both name hosts", "use one of them")
    for name, count in (("--nodes", nodes), ("--ranks-per-node", ranks_per_node)):
        if not 0 <= count <= MOST_NODES:
            raise WeftError(f"{name} {count} is out of range", f"use 1 to {MOST_NODES}")
    [chosen] = choose("placement", [placement], PLACEMENTS)
    listed = hosts_of_list(hosts)
    if listed.each and ranks_per_node not in (0, listed.each):
        raise WeftError(
            f"--hosts has {counted(listed.each, 'rank')} per host, and --ranks-per-node"
            f" {ranks_per_node}",
            "use one of them",
        )
    allocation = Allocation(
        hosts=hosts_of_file(hostfile) if hostfile else listed.hosts,
        nodes=nodes,
        ranks_per_node=listed.each or ranks_per_node,
        placement=cast("Placement", chosen),
        command=launcher_command,
    )
    if launcher_command:
        _check_command(allocation, launcher)
        launcher = CommandLauncher.name
    return Where(allocation=allocation, launcher=launcher, interface=interface, device=device)


def _check_command(allocation: Allocation, launcher: str) -> None:
    """Raises WeftError for a command that cannot be used, or beside a launcher."""
    from weft.launch.by_command import CommandLauncher, check_command

    if launcher not in ("", CommandLauncher.name):
        raise WeftError(
            f"--launcher {launcher} and --launcher-command both start ranks", "use one of them"
        )
    check_command(allocation.command, allocation.hosts)
