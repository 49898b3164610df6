"""mount(2) and umount(2), without a process for each."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# From <sys/mount.h>.
_BIND = 0x1000
_MOVE = 0x2000


def in_memory(at: Path, mode: str = "755") -> None:
    """An empty file system in memory. Raises OSError, as all here do."""
    _mount("tmpfs", at, "tmpfs", 0, f"mode={mode}")


def system(kind: str, at: Path) -> None:
    """The kernel's proc or sysfs, as the namespaces of this process show it."""
    _mount(kind, at, kind, 0, "")


def over(source: Path, at: Path) -> None:
    """Show a file or a folder in place of another."""
    _mount(str(source), at, "", _BIND, "")


def move(source: Path, at: Path) -> None:
    """Move a mount to where it is to be seen."""
    _mount(str(source), at, "", _MOVE, "")


def _mount(source: str, at: Path, kind: str, flags: int, data: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [text.encode() or None for text in (source, str(at), kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(at))
