"""How a command line of MPI's own starter begins, for ranks here and on other hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.programs import install_mpi, starter

if TYPE_CHECKING:
    from collections.abc import Sequence

# Ranks bind themselves, and there may be more of them than cores.
_USUAL = {
    "openmpi": ("--bind-to", "none", "--oversubscribe", "--mca", "orte_base_help_aggregate", "0"),
    "mpich": ("-bind-to", "none"),
}


def starting(mpi: str, ranks: int, words: Sequence[str]) -> list[str]:
    """The starter of an MPI with `words` of its own and the number of ranks; a program follows.

    `setpriv` has the kernel end it with this process. Raises WeftError where it is missing.
    """
    mpirun = starter(mpi)
    if mpirun is None:
        raise WeftError(f"mpirun of {mpi} is missing", install_mpi(mpi))
    begin = ["setpriv", "--pdeathsig", "TERM", mpirun]
    return [*begin, *_USUAL[mpi], *words, "-n", str(ranks)]
