"""The thread level that weft requests from the MPI it measures. Pure.

Most MPI programs call MPI_Init, which is level single, so that is the default. Ranks that compute
in several threads need level funneled and get launches of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.case import Case
    from weft.plan.variations import Variation

OPTION = "mpi.thread_level"
LEVELS = ("single", "funneled", "serialized", "multiple")
SINGLE = LEVELS[0]
# With threads that compute while one thread calls MPI. Before the option all launches had it.
FUNNELED = LEVELS[1]
# What a launch reports: the level that was requested, and the one that MPI provided.
REQUESTED, PROVIDED = "requested thread level", "provided thread level"


def measures_mpi(transport: str) -> bool:
    """Whether MPI carries the measured messages."""
    return transport.partition(":")[0] == "mpi"


def needs_threads(case: Case) -> bool:
    """Whether MPI must allow the ranks of a case further threads."""
    return measures_mpi(case.transport) and case.threads > 1


def with_level(options: Mapping[str, str], *, threaded: bool) -> dict[str, str]:
    """The options of a launch: a level that the user chose takes precedence."""
    return {OPTION: FUNNELED, **options} if threaded else dict(options)


def check_threads(
    cases: Sequence[Case], options: Mapping[str, str], variations: Mapping[str, Variation]
) -> None:
    """Raises WeftError for several threads with an MPI that was asked to allow none."""
    for case in cases:
        variation = variations.get(case.transport)
        chosen = {**options, **(variation.options if variation else {})}
        if needs_threads(case) and chosen.get(OPTION) == SINGLE:
            raise WeftError(
                f"{OPTION}={SINGLE} allows no threads, and --threads {case.threads} needs them",
                f"use {OPTION}={FUNNELED}, or omit one of them",
            )
