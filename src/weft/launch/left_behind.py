"""Folders for the temporary files of a launch: the launch removes them, or the next one does.

Starters and libraries leave files if they are killed. A launch holds a lock on its folders, so
that folders without a lock belong to nobody.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weft.host.shared_memory import SHARED_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = "weft-launch-"
_RANKS = "ranks"
# A younger folder may be about to be locked.
_LEAST_AGE_S = 60.0
# Open MPI makes sockets below it, whose paths have 107 characters at most.
_LONGEST_PATH = 40


class LaunchFiles:
    """The folders of one launch."""

    def __init__(self) -> None:
        self._held: dict[Path, int] = {}

    def folder(self, parent: Path) -> Path | None:
        """A new folder in `parent`, removed with the launch; None if it cannot be made."""
        with contextlib.suppress(OSError):
            path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            self._held[path] = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(self._held[path], fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path
        return None

    def environment(self) -> dict[str, str]:
        """Variables that make a starter, Open MPI and the ranks use these folders."""
        found = {}
        temporary = self.folder(Path(tempfile.gettempdir()))
        if temporary is not None and len(str(temporary)) <= _LONGEST_PATH:
            found["TMPDIR"] = str(temporary)
        shared = self.folder(SHARED_MEMORY)
        if shared is not None:
            found["OMPI_MCA_btl_vader_backing_directory"] = str(shared)
            found["OMPI_MCA_btl_sm_backing_directory"] = str(shared)
        return found

    def note_ranks(self, processes: Iterable[int]) -> None:
        """Keep the numbers of the ranks, which the names of some of their files have."""
        for folder in list(self._held)[:1]:
            with contextlib.suppress(OSError):
                (folder / _RANKS).write_text(" ".join(map(str, processes)))

    def remove(self) -> None:
        """Remove the folders with all that is in them."""
        for path, held in self._held.items():
            shutil.rmtree(path, ignore_errors=True)
            os.close(held)
        self._held.clear()


def remove_left(parents: Iterable[Path] | None = None) -> None:
    """Remove the folders of this user's launches that were killed, and the files of their ranks."""
    now_s = time.time()
    for parent in parents or (Path(tempfile.gettempdir()), SHARED_MEMORY):
        for path in parent.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError, ValueError):
                own = path.lstat()
                is_own = stat.S_ISDIR(own.st_mode) and own.st_uid == os.geteuid()
                if is_own and now_s - own.st_mtime > _LEAST_AGE_S:
                    _remove_unheld(path)


def _remove_unheld(path: Path) -> None:
    """Raises OSError if its launch still runs."""
    held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ranks = path / _RANKS
        if ranks.is_file():
            clear_shared_memory(map(int, ranks.read_text().split()))
        shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(held)


def clear_shared_memory(processes: Iterable[int]) -> None:
    """Remove the files of libfabric's shm that killed ranks left; their names have the process."""
    for process in processes:
        for path in SHARED_MEMORY.glob(f"{process}:*"):
            with contextlib.suppress(OSError):
                path.unlink()
