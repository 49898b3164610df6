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
_ROUNDS = 200
_CLOSE = 1e-12


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
    so that a launch that only has the long cases is not called a slow one. The launches must be
    `connected`.
    """
    logs = [{case: math.log(time) for case, time in table.items()} for table in tables]
    cases = dict.fromkeys(case for table in logs for case in table)
    by_launch = [0.0] * len(logs)
    by_case = dict.fromkeys(cases, 0.0)
    for _ in range(_ROUNDS):
        for case in cases:
            own = [log[case] - by_launch[at] for at, log in enumerate(logs) if case in log]
            by_case[case] = math.fsum(own) / len(own)
        moved = 0.0
        for at, log in enumerate(logs):
            new = math.fsum(value - by_case[case] for case, value in log.items()) / len(log)
            moved = max(moved, abs(new - by_launch[at]))
            by_launch[at] = new
        if moved < _CLOSE:
            break
    # Only the sum of a launch's and a case's part is determined: the launches' mean is taken as 0.
    middle = math.fsum(by_launch) / len(by_launch)
    base = math.fsum(by_case.values()) / len(by_case) + middle
    return [base + own - middle for own in by_launch]
