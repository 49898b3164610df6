"""How fast a launch was, over all of its cases together. Pure.

A launch's error (placement, memory, a neighbour) moves all of its cases together, so a curve has as
many independent values as there were launches, whatever the number of its sizes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

Name = TypeVar("Name", bound="Hashable")


def connected(tables: Sequence[Mapping[Name, float]]) -> list[int]:
    """Which launches can be laid beside each other: the largest set linked by shared cases.

    A table a launch: a positive time by case.
    """
    left = [at for at, table in enumerate(tables) if table]
    best: list[int] = []
    while left:
        found = [left.pop(0)]
        cases = set(tables[found[0]])
        grew = True
        while grew:
            more = [at for at in left if cases & set(tables[at])]
            grew = bool(more)
            for at in more:
                cases |= set(tables[at])
                found.append(at)
                left.remove(at)
        best = max(best, found, key=len)
    return sorted(best)


def levels(tables: Sequence[Mapping[Name, float]]) -> list[float]:
    """For each launch the logarithm of the geometric mean of its times over all cases.

    Where every launch has every case it is just that. Where some are missing a launch is compared
    with the others on the cases that both have: the least-squares fit of log time = launch + case,
    so that a launch that only has the long cases is not called a slow one. It is solved exactly:
    a chain of launches of which each shares a case with the next takes an iteration very long. The
    launches must be `connected`.
    """
    import numpy as np

    cases = {case: at for at, case in enumerate(dict.fromkeys(c for t in tables for c in t))}
    logs, there = np.zeros((2, len(tables), len(cases)))
    for at, table in enumerate(tables):
        for case, time in table.items():
            logs[at, cases[case]], there[at, cases[case]] = math.log(time), 1.0
    # Without the cases' parts, of which each is the mean of what its launches leave, the normal
    # equations are those of a graph whose edges are shared cases. They fix the differences of
    # connected launches; the ones fix their mean at 0.
    shared = there / there.sum(axis=0)
    normal = np.diag(there.sum(axis=1)) - shared @ there.T
    left = logs - (shared * logs).sum(axis=0) * there
    by_launch = np.linalg.solve(normal + 1.0, left.sum(axis=1))
    by_case = (shared * (logs - by_launch[:, None])).sum(axis=0)
    return [float(level) for level in by_case.mean() + by_launch]
