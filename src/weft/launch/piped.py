"""Ranks behind a starter whose standard input and output are rank 0's; it leaves none behind.

Every launcher that has such a starter shares it: mpirun, srun, or a program of a test.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

import psutil

from weft.launch.causes import cause_in, ends_in, reason_of_end
from weft.launch.file_limits import allow_many, with_fix
from weft.launch.launcher import START_DEADLINE_S
from weft.launch.protocol import (
    Answer,
    Bye,
    Hello,
    LaunchError,
    UnknownLineError,
    answer_to,
    decode,
    encode,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

END_DEADLINE_S = 5.0

_T = TypeVar("_T")


class PipedLaunch:
    """One launch by a starter's command line; use it with `with`.

    `clear` is called at the end with the numbers of all processes that were ended here. `why` says
    what the site knows of a failure that the ranks did not explain themselves, or nothing.

    Reads block in the kernel, so this process takes no core from the ranks while they measure.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        clear: Callable[[Iterable[int]], None] = lambda _: None,
        why: Callable[[], str] = lambda: "",
    ) -> None:
        self._command = command
        self._environment = environment
        self._clear = clear
        self._why = why
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._has_left = False
        self._ranks: tuple[int, ...] = ()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> Self:
        allow_many()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # Its own group: an interrupt at the terminal reaches weft alone, which ends the launch.
            process_group=0,
            bufsize=0,
            env=self._environment,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._end()
        finally:
            self._errors.close()

    def hello(self, deadline_s: float = START_DEADLINE_S) -> Hello:
        """Wait for the ranks. Raises LaunchError."""
        hello = self._receive(
            lambda line: decode(line, Hello), deadline_s, "the ranks did not start"
        )
        self._ranks = tuple(rank.pid for rank in hello.ranks)
        return hello

    def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:
        """Have one case measured. Raises LaunchError; the launch is over then."""
        self._send(encode(case, deadline_s))
        return self._receive(lambda line: answer_to(case, line), deadline_s, "the case did not end")

    def finish(self, deadline_s: float = START_DEADLINE_S) -> Bye:
        """End the input, take the last calibration. Raises LaunchError."""
        process = self._running()
        if process.stdin:
            process.stdin.close()
        bye = self._receive(lambda line: decode(line, Bye), deadline_s, "the ranks did not end")
        self._has_left = True
        return bye

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise LaunchError("failed", "the launch was not started")
        return self._process

    def _send(self, line: bytes) -> None:
        pipe = self._running().stdin
        try:
            if pipe:
                pipe.write(line)
        except OSError:
            raise LaunchError("failed", self._last_words()) from None

    def _receive(self, read: Callable[[bytes], _T], deadline_s: float, late: str) -> _T:
        words = f"{late} in {float(f'{deadline_s:.3g}'):g} s"
        line = self._read_line(time.monotonic() + deadline_s, words)
        try:
            return read(line)
        except UnknownLineError as error:
            if error.is_bye or not line.strip():
                # The starter lost a rank and has ended rank 0's input; it reports why itself.
                raise LaunchError("failed", self._last_words()) from None
            raise LaunchError("failed", str(error)) from None

    def _read_line(self, end: float, late: str) -> bytes:
        pipe = self._running().stdout
        if pipe is None:
            raise LaunchError("failed", "the launch has no output")
        parts = [self._pending]
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while b"\n" not in parts[-1]:
                left = end - time.monotonic()
                if left <= 0 or not selector.select(left):
                    cause = cause_in(self._written())
                    raise LaunchError("timeout", self._with_why(f"{late}{cause and ': '}{cause}"))
                data = os.read(pipe.fileno(), 1 << 20)
                if not data:
                    raise LaunchError("failed", self._last_words())
                parts.append(data)
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    def _last_words(self) -> str:
        """Why the ranks ended: the engine's own line if there is one, else the starter's."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running().wait(END_DEADLINE_S)
        code = self._running().returncode
        reason, is_own = reason_of_end(self._written(), self._ends_not_read(), code)
        return reason if is_own else self._with_why(reason)

    def _written(self) -> str:
        """What the ranks and their starter wrote to standard error so far."""
        self._errors.seek(0)
        return self._errors.read(1 << 20).decode(errors="replace")

    def _ends_not_read(self) -> list[str]:
        """Ranks' ends that the starter reported where answers come, and that nobody has read."""
        pipe = self._running().stdout
        if pipe is None:
            return []
        parts = [self._pending]
        os.set_blocking(pipe.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(pipe.fileno(), 1 << 20):
                parts.append(data)
        return ends_in(b"".join(parts).decode(errors="replace"))

    def _with_why(self, reason: str) -> str:
        why = self._why()
        return f"{reason}; {why}" if why else with_fix(reason)

    def _end(self) -> None:
        """End the starter and whatever it started, waiting no longer than a bound."""
        process = self._process
        if process is None:
            return
        family = _family(process.pid)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                # Ranks that said bye end by themselves, and much faster than a starter that is
                # terminated: it gives them time to react.
                if process.poll() is None and not self._has_left:
                    process.terminate()
                process.wait(END_DEADLINE_S)
        finally:  # Whoever interrupts a second time does not wait, and leaves no rank either.
            for member in family:
                with contextlib.suppress(psutil.Error):
                    member.kill()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(END_DEADLINE_S)
        psutil.wait_procs(family, timeout=END_DEADLINE_S)
        self._clear({*self._ranks, *(member.pid for member in family)})


def _family(pid: int) -> list[psutil.Process]:
    """The starter and all below it; MPICH puts its ranks in sessions of their own."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return []
