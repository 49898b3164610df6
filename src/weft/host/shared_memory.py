"""What ranks of one host need to exchange messages: shared memory, and one copy per message."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
from pathlib import Path

from weft.host.files import text, whole
from weft.host.memory import has_capability

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where MPI, UCX and libfabric put theirs
_CAP_SYS_PTRACE = 19
# Levels of yama: programs may ask to be read at the second, and need the capability at the third.
_NEEDS_CAPABILITY, _FORBIDS_ALL = 2, 3


def shared_memory_free_bytes() -> int | None:
    """What is free for the memory that ranks of this host share."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage(SHARED_MEMORY).free
    return None


def single_copy(root: Path) -> bool | None:
    """Whether a rank may read from the memory of another one (process_vm_readv); None: unknown.

    A container that blocks the call blocks it for a process's own memory too. Yama may forbid it
    for other processes only.
    """
    called = _reads_its_own_memory()
    level = whole(text(root, "proc/sys/kernel/yama/ptrace_scope"))
    if not called or level is None or level < _NEEDS_CAPABILITY:
        return called
    return level < _FORBIDS_ALL and bool(has_capability(root, _CAP_SYS_PTRACE))


class _Part(ctypes.Structure):
    """struct iovec."""

    _fields_ = (("start", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


def _reads_its_own_memory() -> bool | None:
    try:
        call = ctypes.CDLL(None).process_vm_readv
    except (AttributeError, OSError):
        return None
    call.restype = ctypes.c_ssize_t
    there, here = ctypes.create_string_buffer(b"weft"), ctypes.create_string_buffer(5)
    parts = [_Part(ctypes.addressof(one), len(one)) for one in (here, there)]
    number = ctypes.c_ulong(1)
    read = call(
        os.getpid(), ctypes.byref(parts[0]), number, ctypes.byref(parts[1]), number,
        ctypes.c_ulong(0),
    )  # fmt: skip
    return int(read) == len(there) and here.value == there.value
