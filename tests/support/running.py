"""Programs that a test started: which are still there, and how far a run has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil

from weft.launch.launcher import Job
from weft.launch.local import LocalLauncher

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable
    from pathlib import Path

    from weft.launch.launcher import RunningLaunch


def started(program: Path, mpi: str, words: Iterable[str] = ()) -> RunningLaunch:
    """Two ranks of a program on this machine, for a `with` block."""
    return LocalLauncher().start(Job(program=program, mpi=mpi, ranks=2, arguments=tuple(words)))


def processes_of(folder: Path) -> list[psutil.Process]:
    """The processes whose command line names something in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if any(f"{folder}/" in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def wait_for_round(process: subprocess.Popen[str]) -> None:
    """Return once the ranks of a `weft run` are up."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("round"):
            break


def left_behind(folder: Path) -> list[psutil.Process]:
    """What of a folder's processes does not end by itself in a moment."""
    alive: list[psutil.Process] = psutil.wait_procs(processes_of(folder), timeout=600)[1]
    return alive
