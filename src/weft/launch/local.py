"""Starts ranks on this machine with MPI's own starter."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from weft.host.manifest import collect
from weft.host.shared_memory import SHARED_MEMORY
from weft.launch.environment import LOOPBACK, environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.nodes import is_this_machine
from weft.launch.piped import PipedLaunch
from weft.launch.programs import has_starter
from weft.launch.starters import starting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation


class LocalLauncher:
    """This machine alone. Its ranks share the cores, and their messages stay on the loopback."""

    name = "local"
    summary = "this machine, by MPI's own starter"

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there: another host was named, or several were asked for."""
        others = [host for host in allocation.hosts if not is_this_machine(host)]
        if others:
            return f"{others[0]} is not this machine"
        return f"this machine is not {allocation.nodes} nodes" if allocation.nodes > 1 else ""

    def starts(self, mpi: str) -> bool:
        """Whether the MPI's starter is installed."""
        return has_starter(mpi)

    def manifests(
        self,
        allocation: Allocation,  # noqa: ARG002
        deadline_s: float = ASK_DEADLINE_S,  # noqa: ARG002
    ) -> dict[str, dict[str, Any]]:
        """What this machine is, by its name."""
        manifest = collect()
        return {manifest["host"]: manifest}

    def start(self, job: Job) -> PipedLaunch:
        """A launch of a rank program. Raises WeftError when the MPI's starter is missing."""
        words = command(job.program, job.mpi, job.ranks, job.arguments)
        environment = environment_of_ranks(job.environment, LOOPBACK)
        return PipedLaunch(words, environment, _clear_shared_memory)


def _clear_shared_memory(processes: Iterable[int]) -> None:
    """Remove the files of libfabric's shm that killed ranks left; their names have the process."""
    for process in processes:
        for path in SHARED_MEMORY.glob(f"{process}:*"):
            with contextlib.suppress(OSError):
                path.unlink()


def command(program: Path, mpi: str, ranks: int, words: Sequence[str]) -> list[str]:
    """The command line that starts the ranks, each with `words` of its own.

    Raises WeftError when the MPI's starter is missing.
    """
    # Daemons and ranks meet on the loopback. Their sockets listen on every interface all the same.
    # Open MPI gets its interface by the environment of ranks.
    start = ["-hosts", "127.0.0.1", "-iface", "lo"] if mpi == "mpich" else []
    return [*starting(mpi, ranks, start), str(program), *words]
