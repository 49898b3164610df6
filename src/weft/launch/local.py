"""Starts ranks on this machine with MPI's own starter, and leaves none behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import psutil

from weft.errors import WeftError
from weft.launch.programs import starter
from weft.record.model import Clock, RankFacts, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

START_DEADLINE_S = 40.0
END_DEADLINE_S = 5.0
LONGEST_LINE = 1 << 30
EXIT_STRING = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING:"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - where libfabric puts it


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's first line: where its ranks run and what its clock is worth."""

    transport: str
    mpi: str
    ranks: tuple[RankFacts, ...]
    clock: Clock
    details: dict[str, str] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's answer to a case; with `ended_launch` its link is gone and it gives no other."""

    id: int
    status: Status
    reason: str = ""
    warmup: int = 0
    ops_per_sample: int = 1
    verified_bytes: int = 0
    elapsed_ns: int = 0
    timed_ns: int = 0
    cpu_ns: tuple[int, ...] = ()
    memory_bytes: int = 0
    huge_bytes: int = 0
    queue_held: int | None = None
    ticks: tuple[int, ...] = ()
    parts: dict[str, tuple[int, ...]] = {}
    ended_launch: bool = False


class Bye(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's last line."""

    clock: Clock


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_T = TypeVar("_T", Hello, Answer, Bye)


class LaunchError(Exception):
    """The ranks are gone or did not answer; `status` is failed or timeout.

    `is_recorded`: they said so themselves, in an answer that is in the record.
    """

    def __init__(self, status: Status, reason: str, *, is_recorded: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.is_recorded = is_recorded


class LocalLauncher:
    """One launch of a rank program on this machine; use it with `with`.

    Reads block in the kernel, so this process takes no core from the ranks while they measure.
    """

    def __init__(self, program: Path, mpi: str, ranks: int, words: Sequence[str]) -> None:
        self._command = command(program, mpi, ranks, words)
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._has_left = False
        self._ranks: tuple[int, ...] = ()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> LocalLauncher:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            bufsize=0,
            env=_environment(),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._errors.close()

    def hello(self, deadline_s: float = START_DEADLINE_S) -> Hello:
        """Wait for the ranks. Raises LaunchError."""
        hello = self._receive(Hello, deadline_s, "the ranks did not start")
        self._ranks = tuple(rank.pid for rank in hello.ranks)
        return hello

    def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:
        """Have one case measured. Raises LaunchError; the launch is over then."""
        self._send({**case, "deadline_s": int(deadline_s) + 2})
        answer = self._receive(Answer, deadline_s, "the case did not end")
        if answer.id != case["id"]:
            raise LaunchError("failed", f"answer {answer.id} came for case {case['id']}")
        return answer

    def finish(self, deadline_s: float = START_DEADLINE_S) -> Bye:
        """End the input, take the last calibration. Raises LaunchError."""
        process = self._running()
        if process.stdin:
            process.stdin.close()
        bye = self._receive(Bye, deadline_s, "the ranks did not end")
        self._has_left = True
        return bye

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise LaunchError("failed", "the launch was not started")
        return self._process

    def _send(self, message: Mapping[str, Any]) -> None:
        pipe = self._running().stdin
        try:
            if pipe:
                pipe.write(msgspec.json.encode(message) + b"\n")
        except OSError:
            raise LaunchError("failed", self._last_words()) from None

    def _receive(self, kind: type[_T], deadline_s: float, late: str) -> _T:
        line = self._read_line(time.monotonic() + deadline_s, f"{late} in {deadline_s:g} s")
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            if _is_farewell(line):
                # The starter lost a rank and has ended rank 0's input; it tells why itself.
                raise LaunchError("failed", self._last_words()) from None
            if not line.strip():
                raise LaunchError("failed", self._words_of_hydra()) from None
            shown = line[:80].decode(errors="replace")
            raise LaunchError(
                "failed", f"the engine said what is not its protocol: {shown}"
            ) from None

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
                    raise LaunchError("timeout", late)
                data = os.read(pipe.fileno(), 1 << 20)
                if not data:
                    raise LaunchError("failed", self._last_words())
                parts.append(data)
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    def _words_of_hydra(self) -> str:
        """MPICH's starter tells of a rank that is gone where the engine's answers go."""
        end = time.monotonic() + END_DEADLINE_S
        while True:
            try:
                line = self._read_line(end, "").decode(errors="replace")
            except LaunchError:
                return self._last_words()
            if line.startswith(EXIT_STRING):
                return f"a rank ended: {line.removeprefix(EXIT_STRING).strip()}"

    def _last_words(self) -> str:
        """Why the ranks ended: the engine's own line if there is one, else the starter's."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running().wait(END_DEADLINE_S)
        self._errors.seek(0)
        lines = self._errors.read(1 << 20).decode(errors="replace").splitlines()
        lines = [line.strip() for line in lines if line.strip(" -=\t")]
        own = [line for line in lines if line.startswith(("rank-", "rank:"))]
        told = own or [line for line in lines if "signal" in line.lower()] or lines
        code = self._running().returncode
        return told[0] if told else f"the ranks ended without a word (exit status {code})"

    def _end(self) -> None:
        """End the starter and whatever it started, waiting no longer than a bound."""
        process = self._process
        if process is None:
            return
        family = _family(process.pid)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Ranks that took their leave end by themselves, and much faster than a starter that is
            # told to end them: it gives them time to listen.
            if process.poll() is None and not self._has_left:
                process.terminate()
            process.wait(END_DEADLINE_S)
        for member in family:
            with contextlib.suppress(psutil.Error):
                member.kill()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(END_DEADLINE_S)
        psutil.wait_procs(family, timeout=END_DEADLINE_S)
        _clear_shared_memory({*self._ranks, *(member.pid for member in family)})


def _clear_shared_memory(processes: Iterable[int]) -> None:
    """Remove what libfabric's shm leaves of ranks that were killed; the process is in the name."""
    for process in processes:
        for path in SHARED_MEMORY.glob(f"{process}:*"):
            with contextlib.suppress(OSError):
                path.unlink()


def _is_farewell(line: bytes) -> bool:
    """Whether a line is the engine's last one."""
    try:
        return msgspec.json.decode(line, type=_Kind).kind == "bye"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _family(pid: int) -> list[psutil.Process]:
    """The starter and all below it; MPICH puts its ranks in sessions of their own."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return []


def command(program: Path, mpi: str, ranks: int, words: Sequence[str]) -> list[str]:
    """The command line that starts the ranks, each with `words` of its own.

    `setpriv` has the kernel end it with this process.

    Raises WeftError when the MPI's starter is missing.
    """
    mpirun = starter(mpi)
    if mpirun is None:
        raise WeftError(f"mpirun of {mpi} is missing", "apt-get install openmpi-bin or mpich")
    count = ["-n", str(ranks)]
    if mpi == "openmpi":
        # Its own daemons and its TCP stay on loopback: no socket may listen for strangers.
        start = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        start += ["--mca", "oob_tcp_if_include", "lo", "--mca", "btl_tcp_if_include", "lo"]
        start += ["--mca", "orte_base_help_aggregate", "0"]
    else:
        start = ["-bind-to", "none", "-hosts", "127.0.0.1", "-iface", "lo"]
    return ["setpriv", "--pdeathsig", "TERM", mpirun, *start, *count, str(program), *words]


def _environment() -> dict[str, str]:
    """This environment; Open MPI as root in a container asks for these two words."""
    return {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
