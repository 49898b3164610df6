"""How a command line of MPI's own starter begins, for ranks here and on other hosts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.launch.programs import install_mpi, starter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The kernel ends the starter with weft. TERM lets it end ranks on other hosts.
_GUARD = ("setpriv", "--pdeathsig", "TERM")
# Even a stopped starter; the ranks of this machine end with it.
_GUARD_HERE = ("setpriv", "--pdeathsig", "KILL")
# Ranks bind themselves, and there may be more of them than cores.
_USUAL = {
    "openmpi": ("--bind-to", "none", "--oversubscribe", "--mca", "orte_base_help_aggregate", "0"),
    "mpich": ("-bind-to", "none"),
}


def starting(mpi: str, ranks: int, words: Sequence[str], *, here: bool = False) -> list[str]:
    """The starter of an MPI with `words` of its own and the number of ranks; a program follows.

    `setpriv` has the kernel end it with this process, by KILL if all ranks are `here`. Raises
    WeftError if the starter is missing.
    """
    return [*_begin(mpi, _GUARD_HERE if here else _GUARD), *words, "-n", str(ranks)]


def one_on_each(
    mpi: str, commands: Mapping[str, Sequence[str]], passed_on: Sequence[str] = ()
) -> list[str]:
    """The command line that starts one command on each of some hosts, by the hosts' names.

    `passed_on` are Open MPI's options that pass on variables. Raises WeftError if the starter is
    missing.
    """
    parts = []
    for host, command in commands.items():
        # MPICH gives the hosts of its list to the commands in turn.
        own = ["--host", f"{host}:1", *passed_on] if mpi == "openmpi" else []
        parts.append([*own, "-n", "1", *command])
    listed = ["-hosts", ",".join(f"{host}:1" for host in commands)] if mpi == "mpich" else []
    [first, *others] = parts
    begin = _begin(mpi)
    # mpirun of Debian's Open MPI 5 crashes if it gets several commands (open-mpi/ompi 13303).
    prterun = Path(begin[len(_GUARD)]).with_name("prterun")
    if mpi == "openmpi" and prterun.exists():
        begin = [*_GUARD, str(prterun), "--bind-to", "none"]
    return [*begin, *listed, *first, *(word for part in others for word in (":", *part))]


def _begin(mpi: str, guard: Sequence[str] = _GUARD) -> list[str]:
    mpirun = starter(mpi)
    if mpirun is None:
        raise WeftError(f"mpirun of {mpi} is missing", install_mpi(mpi))
    return [*guard, mpirun, *_USUAL[mpi]]
