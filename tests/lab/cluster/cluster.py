"""The lab for whoever starts it: up, commands on its hosts, hosts that die, down."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from lab.cluster import host as host_program
from lab.cluster import switch
from lab.cluster.layout import FOLDER, HEAD, STRANGER, all_hosts, cable, compute_hosts
from lab.cluster.neighbours import make_room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TESTS = Path(__file__).resolve().parents[2]
CHECKOUT = TESTS.parent
PROGRAMS = ("slurmctld", "slurmd", "munged", "sshd", "ip", "nsenter", "unshare", "setpriv")
INSTALL = "type: scripts/install-system-packages test"
NAMESPACES = ("--mount", "--net", "--uts", "--ipc", "--pid")
# In namespaces of its own, and ended by the kernel with whoever started it.
LASTING = (
    "setpriv", "--pdeathsig", "KILL",
    "unshare", *NAMESPACES, "--fork", "--kill-child=KILL", "--mount-proc",
)  # fmt: skip
DEADLINE_S = 600.0
POLL_S = 0.05
ENTER = ("-m", "-u", "-i", "-n", "-p")
# What the programs of a run are called, as far as the kernel keeps names.
STARTED = ("rank-", "weft", "srun", "mpi", "hydra", "orted", "prte")
_SBIN = "/usr/local/sbin:/usr/sbin:/sbin"


class ClusterError(Exception):
    """The lab did not come up; the text says why and what to type."""


def missing() -> str:
    """Why the lab cannot be built here; empty when it can."""
    if os.geteuid() != 0:
        return "the lab of several hosts needs root: sudo make lab"
    path = f"{os.environ.get('PATH', os.defpath)}:{_SBIN}"
    lacking = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if lacking:
        return f"{', '.join(lacking)} not installed; {INSTALL}"
    tried = subprocess.run(["unshare", *NAMESPACES, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        return f"no namespaces here ({tried.stderr.decode().strip()}); use a machine of your own"
    return ""


class Cluster:
    """So many compute hosts, a head and a stranger, for a `with` block.

    `shared` are folders below /tmp that all hosts see. Raises ClusterError.
    """

    def __init__(self, count: int, shared: Sequence[Path] = ()) -> None:
        self.count = count
        self.hosts = compute_hosts(count)
        folders = [CHECKOUT, Path(sys.prefix), *(path.resolve() for path in shared)]
        self._shared = [str(path) for path in folders if path.is_relative_to("/tmp")]
        self._switch: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> Self:
        make_room(self.count)
        self._switch = subprocess.Popen(
            [*LASTING, sys.executable, "-m", switch.__name__, str(self.count), *self._shared],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=_environment(HEAD),
        )
        try:
            self._wait(self._has_started, "the hosts did not start")
            self._wait(lambda: self.idle() == self.count, "Slurm did not find its nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End process 1 of the lab; the kernel ends and removes the rest before it is gone."""
        if self._switch is not None:
            first = self._first()
            if first:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(first, 9)
            self._switch.kill()
            self._switch.wait()
            self._switch = None
            _wait_for_end(first)
        self._errors.close()

    def words(self, host: str, command: Sequence[str], folder: Path | None = None) -> list[str]:
        """A command line that runs another on a host and ends it when it is ended itself."""
        where = f"--wd={folder}" if folder else "--wd=/"
        pid = self.pid(host)
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(pid))))
        start = ["taskset", "-c", cpus, "nsenter", "-t", str(pid), *ENTER, "-r", where]
        return [*start, "setpriv", "--pdeathsig", "TERM", *command]

    def run(
        self,
        *command: str,
        host: str = HEAD,
        folder: Path | None = None,
        deadline_s: float = 120.0,
        more: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a host to its end."""
        return subprocess.run(
            self.words(host, command, folder),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=deadline_s,
            env={**_environment(host), **(more or {})},
        )

    def start(
        self, *command: str, host: str = HEAD, folder: Path | None = None, **how: Any
    ) -> subprocess.Popen[str]:
        """Start a command on a host; `how` goes to Popen."""
        words = self.words(host, command, folder)
        return subprocess.Popen(words, text=True, env=_environment(host), **how)

    def kill(self, host: str) -> None:
        """The host dies: no process of it says a word more."""
        pid = self.pid(host)
        os.kill(pid, 9)
        _wait_for_end(pid)

    def boot(self, host: str) -> None:
        """Start a host that died, until its services are up."""
        self._in_switch(sys.executable, "-m", switch.__name__, "boot", host, *self._shared)
        self._wait(lambda: host in self._ready(), f"{host} did not start")

    def cut(self, host: str) -> None:
        """Pull the host's cables."""
        for network in (0, 1):
            self._in_switch("ip", "link", "set", cable(host, network), "down")

    def join(self, host: str) -> None:
        """Put the host's cables back."""
        for network in (0, 1):
            self._in_switch("ip", "link", "set", cable(host, network), "up")

    @contextlib.contextmanager
    def pinned(self, host: str, cpus: set[int]) -> Iterator[None]:
        """All of a host's processes, and what these start, run on these CPUs alone meanwhile."""
        # Its own again after that: ranks of hosts that may run anywhere all take the first CPU.
        own = os.sched_getaffinity(self.pid(host))
        self._pin(host, cpus)
        try:
            yield
        finally:
            self._pin(host, own)

    @contextlib.contextmanager
    def waiting_its_turn(self, host: str) -> Iterator[None]:
        """What wakes on a host waits until the program that has its CPU has used up its slice."""
        # A usual program is let in at once where it slept for long enough: a rank between programs
        # that only compute was seen undelayed in one of some hundred maps.
        self._schedule(host, os.SCHED_BATCH)
        try:
            yield
        finally:
            self._schedule(host, os.SCHED_OTHER)

    def _pin(self, host: str, cpus: set[int]) -> None:
        self._for_threads(host, lambda thread: os.sched_setaffinity(thread, cpus))

    def _schedule(self, host: str, policy: int) -> None:
        usual = os.sched_param(0)
        self._for_threads(host, lambda thread: os.sched_setscheduler(thread, policy, usual))

    def _for_threads(self, host: str, change: Callable[[int], None]) -> None:
        pid = self.pid(host)
        for one in (pid, *(below for below, _ in _below(pid))):
            with contextlib.suppress(OSError):
                for thread in Path(f"/proc/{one}/task").iterdir():
                    change(int(thread.name))

    def idle(self) -> int:
        """How many nodes wait for a job."""
        found = self.run("sinfo", "-h", "-N", "-t", "idle", "-p", "lab", "-o", "%N")
        return len(set(found.stdout.split()))

    def left_behind(self, host: str) -> list[str]:
        """The processes on a host that a run or its starter began, with their numbers."""
        found = self.run("ps", "-eo", "comm=,pid=", host=host).stdout.splitlines()
        return [line for line in found if line.startswith(STARTED)]

    def settle(self) -> None:
        """Return once nothing of a run is left on any host and all nodes wait for a job.

        Raises ClusterError with what does not end.
        """
        self._wait(lambda: not self._remains(), "a run left something behind")
        try:
            self._wait(self._is_free, "Slurm did not get its nodes back")
        except ClusterError:
            # Slurm's own process of a step sometimes does not end after a cable was pulled, though
            # the step's tasks are gone; its administrator would do the same.
            for host in self.hosts:
                self.run("pkill", "-KILL", "slurmstepd", host=host)
            self._wait(self._is_free, "Slurm did not get its nodes back without its steps")

    def _is_free(self) -> bool:
        """All nodes wait for a job, and no step's process of Slurm is left."""
        steps = [self.run("pgrep", "slurmstepd", host=host).stdout for host in self.hosts]
        return not any(steps) and self.idle() == self.count

    def _remains(self) -> str:
        left = {host: self.left_behind(host) for host in [HEAD, *self.hosts]}
        return ", ".join(f"{host}: {found}" for host, found in left.items() if found)

    def pid(self, host: str) -> int:
        """A host's process 1, as this machine numbers it. Raises ClusterError."""
        for pid, words in _below(self._first()):
            is_host = words[1:4] == ["-m", host_program.__name__, host]
            if is_host and _numbers(pid)[-1:] == ["1"]:
                return pid
        raise ClusterError(f"{host} is down; {self._why()}")

    def _first(self) -> int:
        """The lab's process 1, as this machine numbers it; 0 while there is none."""
        children = _children(self._switch.pid) if self._switch else []
        return children[0] if children else 0

    def _in_switch(self, *command: str) -> None:
        words = ["nsenter", "-t", str(self._first()), *ENTER, "-r", "--wd=/", *command]
        subprocess.run(words, check=True, env=_environment(HEAD))

    def _ready(self) -> list[str]:
        folder = Path(f"/proc/{self._first()}/root{FOLDER}/ready")
        return [path.name for path in folder.iterdir()] if folder.is_dir() else []

    def _has_started(self) -> bool:
        wanted = set(all_hosts(self.count)) - {STRANGER}
        return wanted <= set(self._ready())

    def _wait(self, is_so: Any, late: str) -> None:
        end = time.monotonic() + DEADLINE_S
        while not is_so():
            if self._switch is None or self._switch.poll() is not None:
                raise ClusterError(f"the lab ended: {self._why()}")
            if time.monotonic() > end:
                raise ClusterError(f"{late} in {DEADLINE_S:g} s: {self._remains()}\n{self._why()}")
            threading.Event().wait(POLL_S)

    def _why(self) -> str:
        """The last lines that the switch, the hosts and Slurm wrote."""
        self._errors.seek(0)
        texts = [self._errors.read().decode(errors="replace")]
        folder = Path(f"/proc/{self._first()}/root{FOLDER}/log")
        if folder.is_dir():
            texts += [path.read_text(errors="replace") for path in sorted(folder.iterdir())]
        lines = [line for text in texts for line in text.splitlines()[-3:]]
        return "\n".join(lines) or "nothing was written"


def _environment(host: str) -> dict[str, str]:
    """This environment on a host: the checkout's programs first, no job of another Slurm."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    path = f"{Path(sys.prefix) / 'bin'}:{kept.get('PATH', os.defpath)}:{_SBIN}"
    python_path = f"{TESTS}:{kept.get('PYTHONPATH', '')}".rstrip(":")
    return {**kept, "PATH": path, "HOSTNAME": host, "PYTHONPATH": python_path}


def _wait_for_end(pid: int) -> None:
    """Return once a killed process is gone; process 1 of a namespace goes last."""
    with contextlib.suppress(ProcessLookupError, ValueError):
        handle = os.pidfd_open(pid)
        select.select([handle], [], [])
        os.close(handle)


def _numbers(pid: int) -> list[str]:
    """A process's numbers in its namespaces, the innermost last."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return line.split()[1:]
    return []


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _below(pid: int) -> Iterator[tuple[int, list[str]]]:
    """All processes below one, with their words."""
    for child in _children(pid):
        with contextlib.suppress(OSError):
            yield child, Path(f"/proc/{child}/cmdline").read_text().split("\0")
        yield from _below(child)
