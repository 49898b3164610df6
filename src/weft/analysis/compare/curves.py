"""Two machines' curves laid beside each other: which launches and sizes can be used. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.levels import connected, levels
from weft.analysis.stats.slowdown import Slowdown, judged_over, slowdown_between
from weft.estimate import Unit
from weft.plan.case import Case
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.analysis.compare.pool import Pooled

    # A launch of a side: its record and its number.
    Launch = tuple[int, int]


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """All sizes of one way to measure: what of them both sides have, and how they differ.

    `whole` is of the geometric mean over `sizes`, `single` of each size by its case's key; None
    where one launch a side, or one session, leaves nothing to judge by. `sessions` are those that
    measured any of its sizes, mine and theirs; `units` are the numbers of
    launches or sessions behind `whole`, mine and theirs, and `levels` their logarithms. `used` says
    what was omitted, `assumed` what is not measured.
    """

    case: Case
    sizes: tuple[int, ...]
    sessions: tuple[int, int]
    unit: Unit
    units: tuple[int, int]
    whole: Slowdown | None
    single: dict[str, Slowdown | None]
    levels: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    used: str = ""
    assumed: str = ""

    @property
    def name(self) -> str:
        """The key of its cases with a star for the size."""
        transport, test, _, *variant = self.case.key.split("/")
        return "/".join((transport, test, "*", *variant))


def curves_of(cases: Mapping[str, Pooled], reference: Mapping[str, Pooled]) -> tuple[Curve, ...]:
    """The curves that both sides have, in the reference's order.

    A case takes part where both measured it in the same variant and neither failed.
    """
    groups: dict[Case, dict[str, tuple[Pooled, Pooled]]] = {}
    asked: dict[Case, int] = {}
    for key, theirs in reference.items():
        mine = cases.get(key)
        place = theirs.case.but_for("bytes")
        asked[place] = asked.get(place, 0) + bool(_usable(theirs))
        if mine is not None and mine.case == theirs.case and _usable(mine) and _usable(theirs):
            groups.setdefault(place, {})[key] = (mine, theirs)
    return tuple(_curve(pairs, asked[place]) for place, pairs in groups.items())


def _usable(pooled: Pooled) -> bool:
    return not pooled.failed and any(pooled.paces)


def _curve(pairs: Mapping[str, tuple[Pooled, Pooled]], asked: int) -> Curve:
    sides = [{key: pair[at] for key, pair in pairs.items()} for at in (0, 1)]
    made = [len({at for at, _ in _by_launch(side)}) for side in sides]
    unit: Unit = "session" if max(made) > 1 else "launch"
    assumed = [max(one.assumed for one in side.values()) if unit == "launch" else 0.0
               for side in sides]  # fmt: skip
    found = [_levels(side, unit) for side in sides]
    # A level is a mean over the sizes, and so is what the clocks may have moved it by.
    bounds = [mine.known.bound + theirs.known.bound for mine, theirs in pairs.values()]
    left = [f"{len(pairs)} of {counted(asked, 'size')}, the others are not on both sides"]
    left = left if len(pairs) < asked else []
    left += [
        f"{lost} of {whose} launches skipped: no size in common with the others"
        for whose, (_, lost) in zip(("its", "the reference's"), found, strict=True)
        if lost
    ]
    return Curve(
        case=next(iter(pairs.values()))[1].case,
        sizes=tuple(theirs.case.bytes for _, theirs in pairs.values()),
        sessions=(made[0], made[1]),
        unit=unit,
        units=(len(found[0][0]), len(found[1][0])),
        whole=judged_over(
            unit,
            found[0][0],
            found[1][0],
            math.fsum(bounds) / len(bounds),
            (assumed[0], assumed[1]),
        ),
        single={
            key: slowdown_between(mine.known, theirs.known) for key, (mine, theirs) in pairs.items()
        },
        levels=(tuple(found[0][0]), tuple(found[1][0])),
        used="; ".join(left),
        assumed=assumed_in_words(max(assumed)),
    )


def assumed_in_words(scatter: float) -> str:
    """What is taken for known of other programs' tables; empty of nothing."""
    return f"launches are assumed to scatter by {100 * scatter:.3g} %" if scatter else ""


def _by_launch(side: Mapping[str, Pooled]) -> dict[Launch, dict[str, float]]:
    """For each launch of a side its times by case."""
    tables: dict[Launch, dict[str, float]] = {}
    for key, pooled in side.items():
        for record, paces in enumerate(pooled.paces):
            for launch, pace in paces.items():
                tables.setdefault((record, launch), {})[key] = pace
    return tables


def _levels(side: Mapping[str, Pooled], unit: Unit) -> tuple[list[float], int]:
    """The level of each launch or session over all sizes, and how many launches are omitted."""
    tables = _by_launch(side)
    launches = [sorted(tables)[at] for at in connected([tables[name] for name in sorted(tables)])]
    found = levels([tables[name] for name in launches])
    lost = len(tables) - len(launches)
    if unit == "launch":
        return found, lost
    sessions: dict[int, list[float]] = {}
    for (record, _), level in zip(launches, found, strict=True):
        sessions.setdefault(record, []).append(level)
    return [math.fsum(own) / len(own) for own in sessions.values()], lost
