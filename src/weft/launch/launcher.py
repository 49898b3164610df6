"""What starts ranks: the protocol that measuring depends on, and what a launcher must know.

A launcher is a file of its own in this folder, and a line in all.py. Where a site's starter gives
rank 0's standard input and output (mpirun, srun, ssh), it is a command line for `PipedLaunch`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import msgspec

from weft.plan.allocation import Allocation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from weft.launch.protocol import Answer, Bye, Hello

# How long ranks may take until they have started, and how much longer for each: where a thousand
# share two cores they need minutes (docs/validation/many-ranks.md).
START_DEADLINE_S = 40.0
START_OF_A_RANK_S = 0.5
_LEAST_START_S = 10.0
_FEW_RANKS = 64
# How long hosts may take to say what they are.
ASK_DEADLINE_S = 60.0


def start_deadline_s(ranks: int, budget_s: float = math.inf) -> float:
    """How long `ranks` ranks may take to start.

    Up to 64 ranks: half of the budget, at least 10 s and at most 40 s.
    """
    if ranks > _FEW_RANKS:
        return START_DEADLINE_S + START_OF_A_RANK_S * ranks
    return min(max(budget_s / 2, _LEAST_START_S), START_DEADLINE_S)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One launch: so many ranks of a program under an MPI, each with the same `arguments`.

    `environment` is set for the ranks beside what they have from the launcher's own.
    """

    program: Path
    mpi: str
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    allocation: Allocation = Allocation()


class RunningLaunch(Protocol):
    """Ranks that were started. However its `with` block ends, none of them is left behind it."""

    def __enter__(self) -> Self:
        """Start the ranks."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End what is left of them."""
        ...

    def hello(self, deadline_s: float = START_DEADLINE_S) -> Hello:
        """Wait for the ranks. Raises LaunchError."""
        ...

    def run(self, case: Mapping[str, Any], deadline_s: float) -> Answer:
        """Have one case measured. Raises LaunchError; the launch is over then."""
        ...

    def finish(self, deadline_s: float = START_DEADLINE_S) -> Bye:
        """End the input, take the last calibration. Raises LaunchError."""
        ...


class Launcher(Protocol):
    """A way to start ranks. `name` is what --launcher takes."""

    @property
    def name(self) -> str:
        """Its name, in small letters."""
        ...

    @property
    def summary(self) -> str:
        """Where it starts ranks, in a few words."""
        ...

    def refuses(self, allocation: Allocation) -> str:
        """Why it cannot start ranks there; empty where it can."""
        ...

    def starts(self, mpi: str) -> bool:
        """Whether it has what it takes to start programs of this MPI."""
        ...

    def manifests(
        self, allocation: Allocation, deadline_s: float = ASK_DEADLINE_S
    ) -> dict[str, dict[str, Any]]:
        """What each host is, by its name: the manifest that the record keeps.

        Raises WeftError for a host that does not answer in time.
        """
        ...

    def start(self, job: Job) -> RunningLaunch:
        """A launch, which begins with its `with` block. Raises WeftError for what it lacks."""
        ...
