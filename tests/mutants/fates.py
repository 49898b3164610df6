"""What becomes of drawn mutants: each runs only the tests that reach its line."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Literal

from mutants.drawn import equivalents, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mutants.drawn import Drawn
    from mutants.reached import Reached
    from mutants.tree import Copy

Fate = Literal["noticed", "lived", "equivalent"]
# A loop without an end is noticed by then.
MOST_S = 240.0
FATES: tuple[Fate, ...] = ("noticed", "lived", "equivalent")


def fates_of(
    copy: Copy, mutants: Sequence[Drawn], reached: Reached, say: Callable[[str], None]
) -> dict[Drawn, Fate]:
    """By mutant what became of it, told as it goes on; the copy is whole again after each.

    One that no test reaches lives.
    """
    known = equivalents()
    fates: dict[Drawn, Fate] = {}
    for number, mutant in enumerate(mutants, start=1):
        start = time.monotonic()
        tests = reached.by(copy.tree / mutant.path, mutant.line)
        if reason_of(mutant, known):
            fates[mutant] = "equivalent"
        else:
            fates[mutant] = "noticed" if _is_noticed(copy, mutant, tests) else "lived"
        took = f"{number}/{len(mutants)} {time.monotonic() - start:.1f} s, {len(tests)} tests"
        say(f"{took}: {fates[mutant].upper()} {mutant.title}")
    return fates


def _is_noticed(copy: Copy, mutant: Drawn, tests: Sequence[str]) -> bool:
    if not tests:
        return False
    copy.plant(mutant)
    try:
        return bool(copy.noticed_by(tests, (), (), MOST_S))
    finally:
        copy.restore(mutant)


def table_of(fates: Mapping[Drawn, Fate]) -> list[str]:
    """By folder: drawn, noticed, lived, equivalent, and the share noticed of what could be."""
    counts: dict[str, Counter[Fate]] = {}
    for mutant, fate in fates.items():
        counts.setdefault(mutant.folder, Counter())[fate] += 1
    whole: Counter[Fate] = Counter(fates.values())
    lines = [
        "| folder | drawn | noticed | lived | equivalent | share |",
        "|---|---|---|---|---|---|",
    ]
    for folder, own in (*sorted(counts.items()), ("all", whole)):
        could = own["noticed"] + own["lived"]
        share = f"{own['noticed'] / could:.0%}" if could else "-"
        cells = " | ".join(str(own[fate]) for fate in FATES)
        lines.append(f"| {folder} | {own.total()} | {cells} | {share} |")
    return lines
