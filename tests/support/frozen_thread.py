"""Stops one thread of another process, as no signal can, until that process ends.

    python tests/support/frozen_thread.py THREAD

By ptrace(2), of which this is the whole use: nothing of the process is read or changed. Ends with
0 once the thread is gone, and with NOT_ALLOWED where this system lets nobody trace.
"""

import ctypes
import os
import sys

NOT_ALLOWED = 77
_SEIZE, _INTERRUPT = 0x4206, 0x4207
_ALL = 0x40000000  # __WALL: threads too


def main() -> int:
    thread = int(sys.argv[1])
    for request in (_SEIZE, _INTERRUPT):
        if error := _ptrace(request, thread):
            sys.stderr.write(f"cannot stop a thread by ptrace: {os.strerror(error)}\n")
            return NOT_ALLOWED
    _, status = os.waitpid(thread, _ALL)
    while os.WIFSTOPPED(status):
        _, status = os.waitpid(thread, _ALL)
    return 0


def _ptrace(request: int, thread: int) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    library.ptrace.restype = ctypes.c_long
    return ctypes.get_errno() if library.ptrace(request, thread, None, None) == -1 else 0


if __name__ == "__main__":
    sys.exit(main())
