"""Kernel, libraries, limits, and the environment variables that steer messaging."""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
from typing import TYPE_CHECKING, Any

from weft.host.files import text

if TYPE_CHECKING:
    from pathlib import Path

# Variables that change what is measured; no others are recorded, for they may hold secrets.
_STEERING = re.compile(
    r"(OMPI|OPAL|ORTE|PMIX|PRTE|MPICH|MPIR|HYDRA|I_MPI|UCX|FI|MLX4|MLX5|IBV|RDMAV|PSM2|PSM3|OMP|KMP"
    r"|GOMP|SLURM_(CPU|MEM|NTASKS|NNODES|JOB_NUM|DISTRIBUTION))_?.*"
    r"|LD_PRELOAD|LD_LIBRARY_PATH|MALLOC_.*|GLIBC_TUNABLES"
)
_LIBRARIES = {
    "openmpi": ("libopenmpi3", "openmpi-bin"),
    "mpich": ("libmpich12", "mpich"),
    "ucx": ("libucx0",),
    "libfabric": ("libfabric1",),
    "rdma-core": ("libibverbs1",),
    "hwloc": ("libhwloc15",),
    "glibc": ("libc6",),
}


def collect_software(root: Path) -> dict[str, Any]:
    """Kernel, distribution, Python, and the versions of the libraries that carry messages."""
    release = text(root, "etc/os-release") or ""
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)', release, re.MULTILINE)
    return {
        "kernel": text(root, "proc/sys/kernel/osrelease") or platform.release(),
        "kernel_command_line": text(root, "proc/cmdline"),
        "distribution": name[1] if name else None,
        "python": platform.python_version(),
        "libraries": _library_versions(),
    }


def collect_limits() -> dict[str, int]:
    """Locked memory and open files, the soft limits; -1 is unlimited."""
    return {
        "memlock_bytes": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
        "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    }


def collect_environment() -> dict[str, str]:
    """The variables that steer MPI, UCX, libfabric, verbs, OpenMP and the loader."""
    return {key: value for key, value in sorted(os.environ.items()) if _STEERING.fullmatch(key)}


def _library_versions() -> dict[str, str]:
    """Versions as the package system knows them; a library that it does not know is left out."""
    packages = [package for names in _LIBRARIES.values() for package in names]
    try:
        done = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages],
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    known = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    found = {}
    for library, names in _LIBRARIES.items():
        version = next((known[name] for name in names if known.get(name)), None)
        if version:
            found[library] = version
    return found
