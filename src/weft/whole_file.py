"""Writes a file whole or not at all: under another name first, in the same folder."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

_NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow further (ulimit -f)",
}
# A name may have 255 bytes, and the other name is longer than this.
_KEPT_OF_NAME = 60


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place once it is whole and on the disk.

    Until then an older file of that name stands. However this ends, even killed, nothing half
    written has the name. Raises OSError.
    """
    mode = _mode(target)
    # Beside the target by the name that was given: the path of the working folder may lead
    # elsewhere, where a host has mounts of its own.
    partial = target.with_name(f".{target.name[:_KEPT_OF_NAME]}.{secrets.token_hex(8)}.partial")
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def why(error: OSError) -> str:
    """Why a file could not be written, in words."""
    return _NO_ROOM.get(error.errno or 0) or error.strerror or str(error)


def _mode(target: Path) -> int:
    """Whom the file is for: as the one that it replaces, else as any new file."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
