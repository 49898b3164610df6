"""The engine's programs: which are installed, under which MPI, and what they can measure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import msgspec

from weft.errors import WeftError
from weft.record.model import Pattern

MPIS = ("openmpi", "mpich")
DESCRIBE_DEADLINE_S = 20.0
INSTALL_MPI = "install one: apt-get install openmpi-bin, then make build"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One rank executable and what it says of itself; `reason` tells why it cannot run."""

    transport: str
    mpi: str
    path: Path
    summary: str = ""
    patterns: tuple[Pattern, ...] = ()
    reason: str = ""


class _Description(msgspec.Struct):
    transport: str
    summary: str
    patterns: tuple[Pattern, ...]


def engine_folder() -> Path:
    """Where the rank programs are: libexec/weft of this environment, or WEFT_ENGINE_DIR."""
    given = os.environ.get("WEFT_ENGINE_DIR")
    return Path(given) if given else Path(sysconfig.get_path("data")) / "libexec" / "weft"


def starter(mpi: str) -> str | None:
    """The program that starts ranks under an MPI, if it is installed.

    Debian installs both side by side under their own names; elsewhere a plain mpirun is asked.
    """
    named = shutil.which(f"mpirun.{mpi}")
    if named:
        return named
    plain = shutil.which("mpirun")
    if plain is None:
        return None
    told = _output([plain, "--version"]).lower()
    words = {"openmpi": "open mpi", "mpich": "hydra"}
    return plain if words[mpi] in told else None


def choose_mpi(asked: str = "") -> str:
    """The MPI to start ranks with: the one asked for, or the first that is whole.

    Raises WeftError when there is none.
    """
    if asked and asked not in MPIS:
        raise WeftError(f"there is no MPI called {asked}", f"choose one of {', '.join(MPIS)}")
    for mpi in (asked,) if asked else MPIS:
        if starter(mpi) and any((engine_folder() / mpi).glob("rank-*")):
            return mpi
    missing = asked or "MPI"
    if any(starter(mpi) for mpi in MPIS):
        raise WeftError(
            f"no rank programs for {missing} in {engine_folder()}", "build them: make build"
        )
    raise WeftError(f"no starter for {missing} is installed (mpirun)", INSTALL_MPI)


def programs(mpi: str) -> tuple[Program, ...]:
    """Every rank program of an MPI, described by itself, in the order of their names."""
    paths = sorted((engine_folder() / mpi).glob("rank-*"))
    return tuple(_describe(path, mpi) for path in paths)


def _describe(path: Path, mpi: str) -> Program:
    transport = path.name.removeprefix("rank-")
    try:
        done = subprocess.run(
            [path, "--describe"],
            capture_output=True,
            timeout=DESCRIBE_DEADLINE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        told = msgspec.json.decode(done.stdout, type=_Description)
    except subprocess.TimeoutExpired:
        return Program(transport=transport, mpi=mpi, path=path, reason="it gave no answer in time")
    except (OSError, msgspec.DecodeError) as error:
        said = done.stderr.decode(errors="replace").strip() if isinstance(error, ValueError) else ""
        reason = said.splitlines()[-1] if said else str(error)
        return Program(transport=transport, mpi=mpi, path=path, reason=reason)
    return Program(
        transport=transport, mpi=mpi, path=path, summary=told.summary, patterns=told.patterns
    )


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=DESCRIBE_DEADLINE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
