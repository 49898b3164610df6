"""Where a collective operation switches its algorithm: which is best from which size. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.sim.algorithms import LIBRARIES
from weft.sim.answers import notes_of
from weft.sim.assumptions import PARTS, AssumedPart
from weft.tables import Table
from weft.units import format_bytes, format_time
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.simulated import SimulatedPlatform
    from weft.sim.answers import Certainty, PredictedFabric

# AlgorithmTimes that differ by less than this are those of one algorithm.
_SAME = 1e-3
BEST = " *"
# How far to believe times that stand in a table without their intervals.
OF_TIMES = "a time above may be off by as much"
# A library that loses less than this chooses well enough to be left alone.
_LOSS = 0.01


class AlgorithmTimes(msgspec.Struct, frozen=True, kw_only=True):
    """AlgorithmTimes of each algorithm and library at each size, ns, which ascend."""

    bytes: tuple[int, ...]
    algorithms: dict[str, tuple[float, ...]]
    libraries: dict[str, tuple[float, ...]]

    def best(self, at: int) -> str:
        """The algorithm that is fastest at a size; the first of several."""
        return min(self.algorithms, key=lambda name: self.algorithms[name][at])


class AlgorithmSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """From this size on another algorithm is the best, until the next switch.

    With the platform moved within the calibration's errors, and with assumptions at their ends,
    that is from `earliest` to `latest`; `latest` is None where it is not the best at any size then,
    and both are 0 without moves. `depends` are the assumptions that alone move it.
    """

    algorithm: str
    from_bytes: int
    earliest: int = 0
    latest: int | None = 0
    depends: tuple[AssumedPart, ...] = ()


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """A library's choice over sizes: what it takes (empty: none that was asked for), what is best,
    and the largest fraction by which it is slower, at `worst_bytes`."""

    library: str
    taken: tuple[tuple[int, str], ...]
    worst: float
    worst_bytes: int


def is_of_algorithms(answers: Sequence[PredictedFabric]) -> bool:
    """Whether the variants differ in their algorithms."""
    return len(answers) > 1 and len({one.algorithm for one in answers}) == len(answers)


def times_of(
    answers: Sequence[PredictedFabric], move: int | None = None, end: int | None = None
) -> AlgorithmTimes:
    """Of the platform as it is, moved so, or with assumptions at such an end."""
    found: dict[str, tuple[float, ...]] = {}
    for one in answers:
        figures = one.figures if move is None else one.moved[move]
        figures = figures if end is None else one.assumed[end].figures
        ordered = sorted(figures, key=lambda figure: figure.bytes)
        found[one.algorithm] = tuple(figure.value for figure in ordered)
    return AlgorithmTimes(
        bytes=tuple(sorted(figure.bytes for figure in answers[0].figures)),
        algorithms={name: own for name, own in found.items() if name not in LIBRARIES},
        libraries={name: own for name, own in found.items() if name in LIBRARIES},
    )


def switches_of(answers: Sequence[PredictedFabric]) -> tuple[AlgorithmSwitch, ...]:
    """The best algorithm from each size on, the smallest first; none of libraries alone."""
    times = times_of(answers)
    if not times.algorithms:
        return ()
    moves = min(len(one.moved) for one in answers)
    ends = range(min(len(one.assumed) for one in answers))
    of_moves = [_firsts(times_of(answers, move)) for move in range(moves)]
    of_ends = [_firsts(times_of(answers, end=end)) for end in ends]
    found = []
    for at, name in _firsts(times):
        starts = [_start_near(one, name, at) for one in (*of_moves, *of_ends)]
        changed = [
            tuple(answers[0].assumed[end].assumed_ns)
            for end in ends
            if _start_near(of_ends[end], name, at) != at
        ]
        known = [start for start in starts if start is not None]
        found.append(
            AlgorithmSwitch(
                algorithm=name,
                from_bytes=times.bytes[at],
                earliest=times.bytes[min(known, default=at)] if starts else 0,
                latest=(times.bytes[max(known)] if len(known) == len(starts) else None)
                if starts
                else 0,
                depends=tuple(part for part in PARTS if (part,) in changed),
            )
        )
    return tuple(found)


def _firsts(times: AlgorithmTimes) -> list[tuple[int, str]]:
    """Places at which another algorithm becomes the best."""
    best = [times.best(at) for at in range(len(times.bytes))]
    return [(at, name) for at, name in enumerate(best) if at == 0 or best[at - 1] != name]


def _start_near(firsts: Sequence[tuple[int, str]], name: str, at: int) -> int | None:
    starts = [start for start, own in firsts if own == name]
    return min(starts, key=lambda start: abs(start - at), default=None)


def losses_of(answers: Sequence[PredictedFabric]) -> tuple[Loss, ...]:
    """Each library against the best of the algorithms; none where there are none."""
    times = times_of(answers)
    if not times.algorithms:
        return ()
    found = []
    for library, own in times.libraries.items():
        losses = [
            own[at] / times.algorithms[times.best(at)][at] - 1 for at in range(len(times.bytes))
        ]
        worst = max(range(len(losses)), key=losses.__getitem__)
        found.append(
            Loss(
                library=library,
                taken=_taken(times, own),
                worst=losses[worst],
                worst_bytes=times.bytes[worst],
            )
        )
    return tuple(found)


def _taken(times: AlgorithmTimes, own: Sequence[float]) -> tuple[tuple[int, str], ...]:
    """What a library takes from which size, by its times."""
    names = [
        next(
            (
                name
                for name, known in times.algorithms.items()
                if abs(known[at] / own[at] - 1) < _SAME
            ),
            "",
        )
        for at in range(len(own))
    ]
    return tuple(
        (times.bytes[at], name) for at, name in enumerate(names) if at == 0 or names[at - 1] != name
    )


def switches_table(
    base: SimulatedPlatform,
    answers: Sequence[PredictedFabric],
    certainty: Certainty | None,
) -> Table:
    """One row for each size, one column for each algorithm; below it what follows in words."""
    times = times_of(answers)
    columns = {**times.algorithms, **times.libraries}
    rows = tuple(
        (
            format_bytes(size),
            *(
                format_time(own[at]) + (BEST if times.algorithms and name == times.best(at) else "")
                for name, own in columns.items()
            ),
        )
        for at, size in enumerate(times.bytes)
    )
    test = answers[0].figures[0].case.partition(" ")[0]
    fabric = answers[0].variant.removesuffix(answers[0].algorithm).strip()
    aside = ", libraries' rules aside" if times.libraries else ""
    return Table(
        name="algorithms",
        caption=f"{test} predicted on {counted(answers[0].nodes, 'node')}, {fabric}, with links"
        " and hosts of"
        f" {base.name}: simulated, not measured;{BEST} the fastest algorithm{aside}",
        head=("size", *columns),
        rows=rows,
        notes=(*in_words(answers), *notes_of(base, answers, certainty, OF_TIMES)),
    )


def in_words(answers: Sequence[PredictedFabric]) -> list[str]:
    """Where the best algorithm changes, and where the libraries' rules do and what they lose."""
    switches = switches_of(answers)
    named = ", ".join(map(_switch_in_words, switches))
    lines = [f"the fastest of these: {named}"] if switches else []
    reasons = ["the calibration's error"] * all(one.moved for one in answers)
    reasons += ["the assumptions"] * all(one.assumed for one in answers)
    if switches and reasons:
        is_moved = any(one.earliest != one.latest for one in switches)
        lines[0] += "; in brackets where that begins by" if is_moved else ", whatever"
        lines[0] += f" {' and '.join(reasons)}"
    return [*lines, *(_loss_in_words(one) for one in losses_of(answers))]


def _switch_in_words(one: AlgorithmSwitch) -> str:
    words = f"{one.algorithm} from {format_bytes(one.from_bytes)}"
    depends = f"; depends on the assumed {' and '.join(one.depends)}" if one.depends else ""
    if one.latest is None:
        return f"{words} [perhaps at no size{depends}]"
    if one.earliest == one.latest:
        return words
    return f"{words} [{format_bytes(one.earliest)} to {format_bytes(one.latest)}{depends}]"


def _loss_in_words(one: Loss) -> str:
    taken = ", ".join(
        f"{name or 'another algorithm'} from {format_bytes(size)}" for size, name in one.taken
    )
    words = f"{one.library}'s rules take {taken}"
    if one.worst < _LOSS:
        return f"{words}: never {100 * _LOSS:g} % slower than the best of these"
    return (
        f"{words}: slower than the best of these by up to {100 * one.worst:.0f} %, at"
        f" {format_bytes(one.worst_bytes)}"
    )
