"""Starts ranks on a simulated platform: all of them are in one process of the simulator's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.host.manifest import collect
from weft.host.programs import answer
from weft.launch.environment import environment_of_ranks
from weft.launch.launcher import ASK_DEADLINE_S
from weft.launch.left_behind import LaunchFiles, remove_left
from weft.launch.piped import PipedLaunch
from weft.launch.programs import SIMULATOR, check_engine, engine_folder, omitted
from weft.wording import counted

if TYPE_CHECKING:
    from weft.launch.launcher import Job
    from weft.plan.allocation import Allocation
    from weft.plan.simulated import SimulatedPlatform

# To read a file that anyone may have written.
READ_DEADLINE_S = 60.0


class SimLauncher:
    """A rank on each of the first nodes of a simulated platform, in virtual time."""

    name = "sim"
    summary = "a simulated platform (--platform), in one process here"

    def __init__(self, platform: SimulatedPlatform) -> None:
        check_engine()
        if not any((engine_folder() / SIMULATOR).glob("rank-*")):
            what = f"no program for simulated platforms in {engine_folder()}"
            usual = "; use apt-get install libsimgrid-dev, then make build"
            reason, _, fix = next((one.reason for one in omitted(SIMULATOR)), usual).partition("; ")
            raise WeftError(f"{what}{reason and ': '}{reason}", fix)
        self._platform = platform
        if platform.kind != "predicted":
            _check(platform)

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there: hosts that exist were named."""
        return f"{allocation.hosts[0]} is no simulated node" if allocation.hosts else ""

    def starts(self, mpi: str) -> bool:
        """Whether the MPI is the simulator's."""
        return mpi == SIMULATOR

    def manifests(
        self,
        allocation: Allocation,  # noqa: ARG002
        deadline_s: float = ASK_DEADLINE_S,  # noqa: ARG002
    ) -> dict[str, dict[str, Any]]:
        """What this machine is, whose memory the simulated ranks share."""
        manifest = collect()
        return {manifest["host"]: manifest}

    def start(self, job: Job) -> PipedLaunch:
        """A launch. Raises WeftError where the platform has fewer nodes than there are ranks."""
        nodes = self._platform.nodes
        most = nodes * self._platform.ranks_per_node
        if job.ranks > most:
            raise WeftError(
                f"{self._platform.name} has {counted(nodes, 'node')} for"
                f" {counted(job.ranks, 'rank')}",
                f"use --ranks {most}, or weft calibrate with more --nodes",
            )
        # setpriv has the kernel end the simulator with this process, however that ends.
        begin = ["setpriv", "--pdeathsig", "TERM", str(job.program)]
        remove_left()
        files = LaunchFiles()
        file = _written(self._platform, files)
        words = ["--platform", str(file), "--ranks", str(job.ranks), *job.arguments]
        if not self._platform.checks_messages:
            words.append("--heads")
        return PipedLaunch(
            [*begin, *words],
            environment_of_ranks(job.environment),
            lambda _: files.remove(),
        )


def _check(platform: SimulatedPlatform) -> None:
    """Raises WeftError for a platform that the simulator cannot read: a file may be anyone's."""
    [program, *_] = (engine_folder() / SIMULATOR).glob("rank-*")
    files = LaunchFiles()
    file = _written(platform, files)
    try:
        words = [str(program), "--platform", str(file), "--ranks", "1"]
        tried = answer(words, READ_DEADLINE_S, environment=environment_of_ranks({}))
    finally:
        files.remove()
    if tried is None:
        raise WeftError(
            f"SimGrid did not read {platform.name} in {READ_DEADLINE_S:g} s", "use fewer --nodes"
        )
    if tried.returncode != 0:
        said = (tried.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        reason = said.replace(str(file), "line ").replace("line :", "line ").rstrip(".")
        raise WeftError(
            f"SimGrid cannot simulate {platform.name}: {reason}",
            "correct its file, or write one with weft calibrate escher -o FILE",
        )


def _written(platform: SimulatedPlatform, files: LaunchFiles) -> Path:
    """The platform's file for the simulator. Raises WeftError if no folder takes it."""
    parent = Path(tempfile.gettempdir())
    file = (files.folder(parent) or parent / "none") / "weft-sim.xml"
    try:
        file.write_text(platform.xml, encoding="utf-8")
    except OSError as error:
        files.remove()
        raise WeftError(f"cannot write {file}: {error.strerror}", "set TMPDIR") from None
    return file
