"""Starts ranks on this machine with MPI's own starter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import msgspec

from weft.host.manifest import collect
from weft.launch.alone import (
    ALONE,
    DETAIL,
    is_reached_by_strangers,
    network_of_host,
    words_alone,
)
from weft.launch.environment import LOOPBACK, environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S, START_DEADLINE_S
from weft.launch.left_behind import LaunchFiles, clear_shared_memory, remove_left
from weft.launch.nodes import is_this_machine
from weft.launch.piped import PipedLaunch
from weft.launch.programs import has_starter
from weft.launch.starters import starting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from weft.launch.launcher import Job
    from weft.launch.protocol import Hello
    from weft.plan.allocation import Allocation


class LocalLauncher:
    """This machine alone. Its ranks share the cores, and their messages stay on the loopback.

    Where possible so do the sockets of the starter, which otherwise listen on every interface.
    """

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
        remove_left()
        words = command(job.program, job.mpi, job.ranks, job.arguments)
        return _LocalLaunch(words, job)


class _LocalLaunch(PipedLaunch):
    """Ranks here, with temporary files of their own, and where possible a network."""

    def __init__(self, words: Sequence[str], job: Job) -> None:
        asked = (job.program, job.arguments, job.environment)
        self._reached = network_of_host(*asked)
        self._job = job
        self._files = LaunchFiles()
        super().__init__([*words_alone(*asked), *words], {}, self._clean, self._strangers)

    def __enter__(self) -> Self:
        files = self._files.environment()
        kept = {"TMPDIR": files["TMPDIR"]} if "TMPDIR" in files else {}
        usual = environment_of_ranks({**kept, **self._job.environment}, LOOPBACK)
        self._environment = {**files, **usual}
        return super().__enter__()

    def hello(self, deadline_s: float = START_DEADLINE_S) -> Hello:
        """Wait for the ranks. Raises LaunchError."""
        hello = super().hello(deadline_s)
        self._files.note_ranks(rank.pid for rank in hello.ranks)
        network = f"that of the host: {self._reached}" if self._reached else ALONE
        return msgspec.structs.replace(hello, details={**hello.details, DETAIL: network})

    def _clean(self, processes: Iterable[int]) -> None:
        clear_shared_memory(processes)
        self._files.remove()

    def _strangers(self) -> str:
        """Who may have stalled the starter."""
        if self._reached and self._process and is_reached_by_strangers(self._process.pid):
            return f"somebody is connected to mpirun ({self._reached}): run ss -tnp"
        return ""


def command(program: Path, mpi: str, ranks: int, words: Sequence[str]) -> list[str]:
    """The command line that starts the ranks, each with `words` of its own.

    Raises WeftError when the MPI's starter is missing.
    """
    # Daemons and ranks meet on the loopback; their sockets listen on every interface there is.
    # Open MPI gets its interface by the environment of ranks.
    start = ["-hosts", "127.0.0.1", "-iface", "lo"] if mpi == "mpich" else []
    return [*starting(mpi, ranks, start, here=True), str(program), *words]
