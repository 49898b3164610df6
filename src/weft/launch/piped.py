"""Ranks behind a starter whose standard input and output are rank 0's; it leaves none behind.

Every launcher that has such a starter shares it: mpirun, srun, or a program of a test.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar

import psutil

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
# MPICH's starter writes to a rank that is gone, and ends before it knows how the rank ended.
_LOST_IN = "HYDU_sock_write"
# MPICH's library ends its rank: the number of the rank, then what failed in which call.
_ABORT = re.compile(r"Abort\(-?\d+\) on node (\d+) ")
# What ssh says of a host that is gone.
_CUT = " closed by remote host."
EXIT_STRING = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING:"

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
            start_new_session=True,
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
                    raise LaunchError("timeout", self._with_why(late))
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
        self._errors.seek(0)
        lines = self._errors.read(1 << 20).decode(errors="replace").splitlines()
        lines = [line.strip() for line in lines if line.strip(" -=\t")]
        own = [line for line in lines if line.startswith(("rank-", "rank:"))]
        # MPICH's starter fails itself where it has lines for a rank that is gone.
        lines = [*self._ends_not_read(), *lines]
        # Open MPI's own starter may crash of it, and that is no rank's end.
        cut = [line for line in lines if line.endswith(_CUT)]
        signals = [*_crashes(lines), *(line for line in lines if "signal" in line.lower())]
        signals += [f"a rank ended: {line}" for line in lines if _LOST_IN in line]
        errors = [line for line in lines if "error" in line.lower()]
        reported = own or cut or signals or _aborts(lines, errors) or errors or lines
        if own:
            return own[0]
        code = self._running().returncode
        silent = f"the ranks ended without a message (exit status {code})"
        return self._with_why(reported[0] if reported else silent)

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
        lines = b"".join(parts).decode(errors="replace").splitlines()
        return [_end_of_rank(line) for line in lines if line.startswith(EXIT_STRING)]

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


def _crashes(lines: Sequence[str]) -> list[str]:
    """What Open MPI says of each rank that crashed: host, signal and the innermost calls."""
    crashes = []
    for line in lines:
        if found := re.fullmatch(r"(\[(\S+):\d+\]) Signal: (.+)", line):
            sender, host, name = found.groups()
            said = " ".join(other for other in lines if other.startswith(sender))
            # Call 0 is the kernel's way into the signal's handler.
            calls = re.findall(r"\[ *[123]\] ([^\s\[]+)", said)
            crashes.append(f"a rank on {host} crashed: {', in '.join([name, *calls])}")
    return crashes


def _aborts(lines: Sequence[str], errors: Sequence[str]) -> list[str]:
    """Each rank that MPICH's library ended, with the first error of all, else what MPICH says.

    A rank whose peer is gone may fail in what they shared before its starter notices the end.
    """
    return [
        f"rank {found[1]} aborted: {(*errors, line)[0]}"
        for line in lines
        if (found := _ABORT.match(line))
    ]


def _end_of_rank(line: str) -> str:
    return f"a rank ended: {line.removeprefix(EXIT_STRING).strip()}"


def _family(pid: int) -> list[psutil.Process]:
    """The starter and all below it; MPICH puts its ranks in sessions of their own."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return []
