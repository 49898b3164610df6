"""The environment variables that steer messaging, and no others: they may hold secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEERING = re.compile(
    r"(OMPI|OPAL|ORTE|PMIX|PMI|PRTE|MPICH|MPIR|HYDRA|I_MPI|UCX|FI|MLX[0-9]*|IBV|RDMAV|PSM2|PSM3"
    r"|OMP|KMP|GOMP|MALLOC)_.+"
    r"|SLURM_(CPUS?|MEM|NTASKS|NPROCS|TASKS|NNODES|THREADS|DISTRIBUTION|HINT)(_.+)?"
    r"|SLURM_JOB_(NUM_NODES|CPUS_PER_NODE)"
    r"|LD_PRELOAD|LD_LIBRARY_PATH|GLIBC_TUNABLES"
)
# Where a launcher listens and what it trusts; it steers nothing and tells of the network.
_PRIVATE = re.compile(
    r"(^|_)(URI[0-9]*|URL|KEYS?|TOKEN|SECRET|PASS(WORD|WD)?|CREDENTIALS?|COOKIE|JWT|UUID)(_|$)"
    r"|_PORT$",
    re.IGNORECASE,
)

# With these a library loads code, starts a program, or reads and writes a file of that name.
_LOADS_CODE = re.compile(
    r"LD_.+|GLIBC_TUNABLES|.*_MCA_(.*agent.*|mca_.*)"
    r"|(.*_)?(\w*EXEC|[A-Z]*PATH|PREFIX|ROOT|LIBRARY|LIBRARIES|TOOL|DRIVERS|[A-Z]*DIR|FILES?"
    r"|COMPONENTS?|LAUNCHER|CMD|COMMAND|SCRIPT|DEST|OUTPUT|DUMP|ENV)(_.*)?",
    re.IGNORECASE,
)


def only_steers_messaging(name: str) -> bool:
    """Whether a variable may be set for a stranger, whatever its value is."""
    return bool(_STEERING.fullmatch(name)) and not _LOADS_CODE.fullmatch(name)


def steering(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that steer MPI, UCX, libfabric, verbs, OpenMP, placement and the loader."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if _STEERING.fullmatch(name) and not _PRIVATE.search(name)
    }
