"""What a study of scaling is where nobody says: on how many ranks, over which transport. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.cases import RANKS, Experiment, on_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.plan.pattern import Pattern

# As many as Fermilab's curves have.
MOST_RANKS = 16
# What applications are written for.
TRANSPORT = "mpi"


def is_study(experiments: Sequence[Experiment], patterns: Mapping[str, Pattern]) -> bool:
    """Whether these are applications and nothing else."""
    tests = [test for experiment in experiments for test in experiment.tests]
    return bool(tests) and all(
        test in patterns and patterns[test].figure == "iteration" for test in tests
    )


def transports_of_study(
    experiments: Sequence[Experiment], patterns: Mapping[str, Pattern], usable: Sequence[str]
) -> tuple[str, ...]:
    """MPI alone where it is usable; empty where any transport is as good, or this is no study."""
    return (TRANSPORT,) if TRANSPORT in usable and is_study(experiments, patterns) else ()


def ranks_of_study(
    experiment: Experiment, patterns: Mapping[str, Pattern], places: int
) -> tuple[int, ...]:
    """Numbers of ranks that double, from one to what has a place of its own, or to MOST_RANKS.

    One rank is omitted where a test exchanges its faces and does nothing else.
    """
    asked = experiment.variants.application
    computes = all(asked.computes_on(patterns[test].application) for test in experiment.tests)
    first = 1 if computes else RANKS
    most = max(min(places, MOST_RANKS), first)
    return tuple(2**power for power in range(most.bit_length()) if first <= 2**power <= most)


def experiments_of_study(
    experiments: Sequence[Experiment], patterns: Mapping[str, Pattern], places: int
) -> list[Experiment]:
    """The experiments on the numbers of ranks that are usual where so many ranks have room."""
    return [
        one
        for experiment in experiments
        for one in on_ranks(experiment, ranks_of_study(experiment, patterns, places))
    ]
