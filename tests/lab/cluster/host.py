"""Process 1 of a host: gives it what is its own, starts its services, and stays.

`python -m lab.cluster.host NAME [FOLDER...]`, in namespaces of its own; the folders are those below
/tmp that all hosts share.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import uuid
from pathlib import Path

from lab.cluster import mounts
from lab.cluster.first import reap
from lab.cluster.layout import FOLDER, HEAD, READY, STRANGER, etc

_RUN = Path("/run")
_TMP = Path("/tmp")
# What bash reads as it starts, by login or by ssh.
START_FILES = (".bashrc", ".bash_profile", ".bash_login", ".profile")


def main() -> None:
    """Become a host."""
    name, shared = sys.argv[1], sys.argv[2:]
    socket.sethostname(name)
    _own_cpus(name)
    mounts.system("proc", Path("/proc"))
    mounts.system("sysfs", Path("/sys"))
    mounts.in_memory(Path("/dev/shm"), "1777")
    ready = READY / name
    _own_etc(etc(name))
    _own_run(name)
    _own_tmp(shared)
    _own_start_files()
    _own_boot()
    if name != STRANGER:
        _start_services(name)
        ready.touch()
    reap()


def _own_cpus(name: str) -> None:
    """The hosts take this machine's CPUs in turn: two ranks that poll need one each."""
    cpus = sorted(os.sched_getaffinity(0))
    if name[1:].isdigit():
        os.sched_setaffinity(0, {cpus[int(name[1:]) % len(cpus)]})


def _own_etc(folder: Path) -> None:
    for path in folder.iterdir():
        if (Path("/etc") / path.name).exists():
            mounts.over(path, Path("/etc") / path.name)


def _own_run(name: str) -> None:
    """The lab's folder stays where it is, except that the stranger never sees it again."""
    stage = FOLDER / "stage"
    mounts.in_memory(stage)
    if name != STRANGER:
        (stage / FOLDER.name).mkdir()
        mounts.over(FOLDER, stage / FOLDER.name)
    mounts.move(stage, _RUN)


def _own_tmp(shared: list[str]) -> None:
    stage = _RUN / "stage"
    stage.mkdir()
    mounts.in_memory(stage, "1777")
    for folder in shared:
        at = stage / Path(folder).relative_to(_TMP)
        at.mkdir(parents=True, exist_ok=True)
        mounts.over(Path(folder), at)
    mounts.move(stage, _TMP)


def _own_start_files() -> None:
    """ssh's shell reads none of this machine's: what they start may hold a lock when a host dies,
    and every later shell then waits for it.
    """
    empty = _RUN / "start-file"
    empty.touch()
    for name in START_FILES:
        if (Path.home() / name).exists():
            mounts.over(empty, Path.home() / name)


def _own_boot() -> None:
    """Libraries take ranks of one boot for ranks of one host."""
    boot_id = _RUN / "boot_id"
    boot_id.write_text(f"{uuid.uuid4()}\n")
    mounts.over(boot_id, Path("/proc/sys/kernel/random/boot_id"))


def _start_services(name: str) -> None:
    for folder in ("sshd", "slurmd", "slurmctld", "munge", "munge-state"):
        (_RUN / folder).mkdir()
    for folder in ("munge", "munge-state"):
        shutil.chown(_RUN / folder, "munge", "munge")
    (_RUN / "munge-state").chmod(0o711)
    as_munge = ["setpriv", "--reuid", "munge", "--regid", "munge", "--clear-groups"]
    files = ["--key-file=/etc/munge/munge.key", "--pid-file=/run/munge/munged.pid"]
    files += ["--seed-file=/run/munge-state/seed", "--log-file=/run/munge-state/log"]
    for words in (
        [*as_munge, "munged", *files],
        ["/usr/sbin/sshd", "-f", "/etc/ssh/sshd_config"],
        ["slurmctld" if name == HEAD else "slurmd"],
    ):
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
