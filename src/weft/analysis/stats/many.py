"""Verdicts on many sizes at once: one of 24 intervals misses the truth by chance in most tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# How often any of the differences that are looked at together is named though there is none.
LEVEL = 0.05


def named(chances: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Which of several differences may be named, none of them wrongly in 1 - `level` of tables.

    `chances` are their p-values. Step-up: where all are below the level all are named (Hochberg, A
    sharper Bonferroni procedure for multiple tests of significance, Biometrika 75, 1988). It holds
    for sizes that a launch moves together, as for independent ones.
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    falls = [False] * len(chances)
    for rank in range(len(order) - 1, -1, -1):
        if chances[order[rank]] <= level / (len(order) - rank):
            for at in order[: rank + 1]:
                falls[at] = True
            break
    return falls
