"""Algorithms of collective operations by the names of the field, and the simulator's for them.

The names are those of Thakur, Rabenseifner and Gropp (IJHPCA 19 (1), 2005) and of Open MPI's tuned
component; the simulator's are values of SimGrid's smpi/allreduce and the like (SimGrid 3.32). The
name of a library means its own rules, as SMPI has them: which algorithm at which size and number of
ranks.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.names import choose
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

# Libraries whose rules choose an algorithm.
LIBRARIES: Mapping[str, str] = MappingProxyType(
    {"openmpi": "ompi", "mpich": "mpich", "mvapich2": "mvapich2"}
)
# What the parts of an operation are made of: MVAPICH2's rules do not end with their own.
_PARTS: Mapping[str, str] = MappingProxyType({"mvapich2": "mpich"})
_SELECTOR = "smpi/coll-selector"
# Operations that an algorithm is made of, which the simulator would choose by Open MPI's rules. A
# ring of fewer numbers than ranks is a reduction and a broadcast too.
_TREES: Mapping[str, str] = MappingProxyType(
    {"smpi/reduce": "binomial", "smpi/bcast": "binomial_tree"}
)
_INSIDE: Mapping[tuple[str, str], Mapping[str, str]] = MappingProxyType(
    {("allreduce", "reduce-broadcast"): _TREES, ("allreduce", "ring"): _TREES}
)
# By test: the setting, and its values. Each gave right results on 2 to 24 ranks, but where it says
# that it wants a power of two.
_ALGORITHMS: Mapping[str, tuple[str, Mapping[str, str]]] = MappingProxyType(
    {
        "allreduce": (
            "smpi/allreduce",
            {
                "recursive-doubling": "rdb",
                "rabenseifner": "rab_rdb",
                "reduce-broadcast": "redbcast",
                "ring": "lr",
            },
        ),
        "broadcast": (
            "smpi/bcast",
            {
                "binomial": "binomial_tree",
                "linear": "flattree",
                "pipeline": "ompi_pipeline",
                "scatter-ring": "scatter_LR_allgather",
                "scatter-doubling": "scatter_rdb_allgather",
            },
        ),
        "alltoall": (
            "smpi/alltoall",
            {
                "linear": "basic_linear",
                "bruck": "bruck",
                "ring": "ring",
                "scattered": "mvapich2_scatter_dest",
                "pairwise": "pair",
            },
        ),
        "allgather": (
            "smpi/allgather",
            {
                "recursive-doubling": "rdb",
                "bruck": "bruck",
                "ring": "ring",
                "neighbour-exchange": "ompi_neighborexchange",
                "linear": "spreading_simple",
            },
        ),
        "barrier": (
            "smpi/barrier",
            {
                "recursive-doubling": "ompi_recursivedoubling",
                "dissemination": "ompi_bruck",
                "tree": "ompi_tree",
                "linear": "ompi_basic_linear",
                "double-ring": "ompi_doublering",
            },
        ),
    }
)
# Of an allreduce of fewer than four ranks, from a size on, bytes, by Open MPI 4.1's tuned component
# (of two ranks a ring in segments is a ring).
_FOUR_ONE = "Open MPI v4.1."
_OF_FEW_RANKS = (
    (0, "ring"),
    (8, "recursive-doubling"),
    (4096, "ring"),
    (8192, "recursive-doubling"),
    (16_384, "ring"),
    (262_144, "rabenseifner"),
)
_FEW_RANKS = 3
# Below so many bytes Open MPI doubled recursively before 4.1.
_DOUBLED_BYTES = 10_000
# What the simulator gets wrong: where a node has one rank it takes recursive doubling at any size.
_WRONG = (("allreduce", "mpich"),)
# MPICH's rules take the pairwise exchange for long messages.
_OF_POWERS_OF_TWO = (("alltoall", "pairwise"), ("alltoall", "mpich"))


def taken_by(library: str, test: str, ranks: int, size_bytes: int) -> str:
    """The algorithm that an MPI library of this name and version takes; empty where not known."""
    if not library.startswith(_FOUR_ONE) or test != "allreduce" or ranks > _FEW_RANKS:
        return ""
    return next(name for first, name in reversed(_OF_FEW_RANKS) if size_bytes >= first)


def exchanges_all(size_bytes: int) -> bool:
    """Whether two ranks exchange all numbers of an allreduce once, by Open MPI 4.1 and before."""
    name = taken_by(_FOUR_ONE, "allreduce", 2, size_bytes)
    return name == "recursive-doubling" and size_bytes < _DOUBLED_BYTES


def algorithms_of(test: str, text: str, ranks: int) -> dict[str, dict[str, str]]:
    """The simulator's settings of each algorithm of a list with commas; "all" are all of the test.

    A library's rules come as its name. Raises WeftError for a test without any, an unknown one and
    one that so many ranks cannot run.
    """
    tests = tuple(_ALGORITHMS)
    if test not in tests:
        raise WeftError(
            f"{test} is no collective operation, so it has no --algorithm",
            f"choose one of {', '.join(tests)}",
        )
    setting, own = _ALGORITHMS[test]
    if (test, text) in _WRONG:
        raise WeftError(
            f"the simulator's rules of {text} for {test} are not the library's",
            "choose openmpi, mvapich2 or one algorithm",
        )
    known = tuple(name for name in (*own, *LIBRARIES) if (test, name) not in _WRONG)
    is_power = ranks & (ranks - 1) == 0
    usable = [name for name in known if is_power or (test, name) not in _OF_POWERS_OF_TWO]
    words = usable if text == "all" else [word for word in text.split(",") if word]
    found = {}
    for name in choose("algorithm", words, known):
        if name not in usable:
            raise WeftError(
                f"{name} wants a power of two and not {counted(ranks, 'rank')}",
                "choose other --nodes, or another --algorithm",
            )
        found[name] = (
            {_SELECTOR: _PARTS.get(name, LIBRARIES[name]), setting: LIBRARIES[name]}
            if name in LIBRARIES
            else {setting: own[name], **_INSIDE.get((test, name), {})}
        )
    return found
