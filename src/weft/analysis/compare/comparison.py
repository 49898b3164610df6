"""Sides laid beside each other: ratios, verdicts, where they change places, unlike conditions."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.compare.conditions import unlike
from weft.analysis.compare.notes import WithoutVerdict, not_on_both, notes_of
from weft.analysis.compare.sessions import one_a_side
from weft.analysis.compare.sides import Place, Side
from weft.analysis.stats.ratios import (
    HERE,
    SAME,
    Figure,
    Here,
    Quantity,
    Ratio,
    Verdict,
    needed,
    ratio,
    ratios,
    seen,
    verdict,
)
from weft.errors import WeftError
from weft.names import as_typed
from weft.stages import counted_off
from weft.units import format_bytes, format_ratio
from weft.wording import NO_INTERVAL, WITHOUT_SIZE, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    _Word = Verdict | Here | Literal["no interval"]

# Larger ratios are printed as "times" and not in per cent.
_TIMES = 1.5

# Facts that a record tells in further detail by the transport.
_IN_KINDS = ("network", "software")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One message size: the figures of all sides, ratio and verdict of each after the first.

    `seen` is the verdict on these runs alone, where that on the machines allows for other days.
    None where a side has no figure at this size. Of an application it is one number of `ranks`, and
    the size is among the table's options; 0 of others.
    """

    bytes: int
    ranks: int = 0
    figures: tuple[Figure | None, ...]
    ratios: tuple[Ratio | None, ...]
    verdicts: tuple[Verdict | None, ...]
    seen: tuple[Verdict | None, ...]


class SizeTable(msgspec.Struct, frozen=True, kw_only=True):
    """One test's latency or bandwidth on every side, and the outcome in words."""

    test: str
    transport: str
    quantity: Quantity
    directions: int
    variant: str
    along: Literal["size", "ranks"] = "size"
    rows: tuple[Row, ...]
    words: tuple[str, ...]


class Single(msgspec.Struct, frozen=True, kw_only=True):
    """One single figure that published platforms share, without a message size."""

    key: str
    what: str
    si_unit: str
    figures: tuple[Figure | None, ...]
    ratios: tuple[Ratio | None, ...]
    verdicts: tuple[Verdict | None, ...]
    seen: tuple[Verdict | None, ...]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Every side against the first. `unlike`: condition, then its value on each side."""

    sides: tuple[Side, ...]
    unlike: dict[str, tuple[str, ...]]
    tables: tuple[SizeTable, ...]
    singles: tuple[Single, ...]
    same: float
    notes: tuple[str, ...]


def compare(sides: Sequence[Side], same: float = SAME) -> Comparison:
    """Compare the sides with the first of them.

    `same` is the margin of speeds that count as the same. Raises WeftError where the sides have no
    test and size in common, or several transports each and none in common.
    """
    if len(sides) < 2:
        raise WeftError("a comparison needs two sides or more", "use two records or platforms")
    if not 0 <= same < 1:
        raise WeftError(f"a margin of {same:.0%} is out of range", "use --same 2%")
    shared = _shared_transports(sides)
    curves = [_by_shared_place(side, shared) for side in sides]
    tables = _tables(sides, curves, same)
    singles = _singles(sides, same)
    known = [r for t in tables for row in t.rows for r in row.ratios if r]
    known += [r for single in singles for r in single.ratios if r]
    if not tables and not singles:
        raise _nothing_in_common(sides, curves)
    return Comparison(
        sides=tuple(sides),
        unlike=_unlike(sides, shared),
        tables=tables,
        singles=singles,
        same=same,
        notes=(
            *notes_of(sides, known, _without_verdict(sides, tables, same)),
            *not_on_both(sides, curves),
        ),
    )


def _without_verdict(
    sides: Sequence[Side], tables: Sequence[SizeTable], same: float
) -> list[WithoutVerdict]:
    """The sizes without a verdict of each side but the first, with what would give them one."""
    found = []
    for at, side in enumerate(sides[1:]):
        without = [
            (row.figures, sum(other.ratios[at] is not None for other in table.rows))
            for table in tables
            for row in table.rows
            if row.verdicts[at] == "cannot tell"
        ]
        is_one = side.name == sides[0].name
        every = [
            needed(one, other, same, same_session=is_one, together=count)
            for (one, *others), count in without
            if one and (other := others[at])
        ]
        known = tuple(one for one in every if one is not None)
        found.append(WithoutVerdict(side=side, rows=len(without), needed=known))
    return found


def _shared_transports(sides: Sequence[Side]) -> set[str]:
    """The transports that all sides with curves have; empty where each has another single one.

    Raises WeftError where one has several and they share none.
    """
    with_curves = [side for side in sides if side.curves]
    shared = set.intersection(*(set(s.transports) for s in with_curves)) if with_curves else set()
    if shared:
        return shared
    many = next((s for s in with_curves if len(s.transports) > 1), None)
    if many is not None:
        lists = "; ".join(f"{s.title}: {', '.join(s.transports)}" for s in with_curves)
        raise WeftError(
            f"the sides have no transport in common ({lists})",
            f"use one transport of each, e.g. {as_typed(f'{many.name}@{many.transports[0]}')}",
        )
    return set()


def _by_shared_place(side: Side, shared: set[str]) -> dict[Place, dict[int, Figure]]:
    """A side's curves under places that the others share.

    Shared transports are compared each with itself. Without one, sides of a single transport each
    are compared as they are, which is an unlike condition.
    """
    if shared:
        return {place: rows for place, rows in side.curves.items() if place.transport in shared}
    return {msgspec.structs.replace(p, transport=""): rows for p, rows in side.curves.items()}


def _tables(
    sides: Sequence[Side], curves: Sequence[dict[Place, dict[int, Figure]]], same: float
) -> tuple[SizeTable, ...]:
    tables = []
    for place in counted_off(curves[0], "comparing curves"):
        held = [curve.get(place, {}) for curve in curves]
        sizes = [size for size in sorted(held[0]) if any(size in rows for rows in held[1:])]
        if not sizes or _is_told_by_latency(place, sizes, curves):
            continue
        rows = _rows(sides, [[h.get(size) for h in held] for size in sizes], sizes, place, same)
        tables.append(
            SizeTable(
                test=place.test,
                transport=place.transport,
                quantity=place.quantity,
                directions=place.directions,
                variant=place.variant,
                along=place.along,
                rows=rows,
                words=tuple(
                    in_words(
                        sides[0].title,
                        side.title,
                        [(r.ranks or r.bytes, _word(r, i)) for r in rows],
                        _places_of(place),
                        sessions=[_sessions(held[0]), _sessions(held[i + 1])],
                        most=_most_seen(rows, i),
                    )
                    for i, side in enumerate(sides[1:])
                ),
            )
        )
    return tuple(tables)


def _sessions(figures: Mapping[int, Figure]) -> int:
    """How many sessions measured any size of a curve; 0 where that is not known."""
    known = (one.paces for one in figures.values())
    return max((len(paces.sessions) for paces in known if paces), default=0)


def _is_told_by_latency(
    place: Place, sizes: Sequence[int], curves: Sequence[dict[Place, dict[int, Figure]]]
) -> bool:
    """Bandwidth and latency of one test are the same times; one of them is enough."""
    if place.quantity != "bandwidth":
        return False
    latency = [c.get(msgspec.structs.replace(place, quantity="latency"), {}) for c in curves]
    return all(all(size in rows for size in sizes) for rows in latency)


def _rows(
    sides: Sequence[Side],
    figures: Sequence[Sequence[Figure | None]],
    sizes: Sequence[int],
    place: Place,
    same: float,
) -> tuple[Row, ...]:
    """One row per size; the intervals of all sizes of one side hold together."""
    by_side = [
        ratios(
            [(own[0], own[at]) for own in figures],
            place.quantity,
            same_session=side.name == sides[0].name,
        )
        for at, side in enumerate(sides[1:], start=1)
    ]
    of_sizes = list(zip(*by_side, strict=True))
    is_on_ranks = place.along == "ranks"
    return tuple(
        Row(
            bytes=0 if is_on_ranks else size,
            ranks=size if is_on_ranks else 0,
            figures=tuple(own),
            ratios=of_size,
            **_answers(of_size, same),
        )
        for size, own, of_size in zip(sizes, figures, of_sizes, strict=True)
    )


def _answers(found: Sequence[Ratio | None], same: float) -> dict[str, tuple[Verdict | None, ...]]:
    return {
        "verdicts": tuple(verdict(one, same) if one else None for one in found),
        "seen": tuple(seen(one, same) if one else None for one in found),
    }


def _singles(sides: Sequence[Side], same: float) -> tuple[Single, ...]:
    found = []
    for key, (what, unit, first) in sides[0].singles.items():
        held = [side.singles.get(key) for side in sides]
        figures = tuple(single[2] if single else None for single in held)
        if not any(figures[1:]):
            continue
        quantity: Quantity = "latency" if unit == "ns" else "bandwidth"
        own = tuple(ratio(first, one, quantity) if one else None for one in figures[1:])
        found.append(
            Single(
                key=key,
                what=what,
                si_unit=unit,
                figures=figures,
                ratios=own,
                **_answers(own, same),
            )
        )
    return tuple(found)


def _places_of(place: Place) -> Callable[[int], str]:
    """How a figure's place on a curve is called."""
    if place.test in WITHOUT_SIZE:
        return lambda _: f"every {place.test}"
    return _on_ranks if place.along == "ranks" else format_bytes


def _on_ranks(count: int) -> str:
    return counted(count, "rank")


def _word(row: Row, side: int) -> _Word | None:
    """A row's verdict on a side, or the difference that these runs alone show."""
    found, answer, in_runs = row.ratios[side], row.verdicts[side], row.seen[side]
    if found and not found.has_interval:
        return NO_INTERVAL
    return HERE.get(in_runs, answer) if in_runs and answer == "cannot tell" else answer


def _most_seen(rows: Sequence[Row], side: int) -> str:
    """Where these runs alone differ most: "130 times slower at 64 KiB"; empty where none does."""
    found = [
        (one.speed, row)
        for row in rows
        if (one := row.ratios[side]) and _word(row, side) in (HERE["better"], HERE["worse"])
    ]
    if not found:
        return ""
    speed, row = max(found, key=lambda one: abs(math.log(one[0])))
    place = counted(row.ranks, "rank") if row.ranks else format_bytes(row.bytes)
    return f"{times_in_words(speed)} at {place}"


def times_in_words(speed: float) -> str:
    """A ratio of speeds as people say it: "130 times slower", "5 % faster"."""
    word = "faster" if speed > 1 else "slower"
    times = max(speed, 1 / speed)
    if times >= _TIMES:
        return f"{format_ratio(times)} times {word}"
    return f"{100 * (times - 1):.2g} % {word}"


def in_words(
    first: str,
    second: str,
    verdicts: Sequence[tuple[int, _Word | None]],
    shape: Callable[[int], str] = format_bytes,
    *,
    sessions: Sequence[int] = (),
    most: str = "",
) -> str:
    """Which side is faster from which size to which, and the sizes of the crossovers.

    Where one is it says so of sides with one of `sessions` each; `most` is the largest difference
    of those that are seen in these runs alone.
    """
    known = [(size, found) for size, found in verdicts if found is not None]
    parts = [_run_in_words(first, second, run, shape) for run in _runs(known)]
    decided = [(size, found) for size, found in known if found in ("better", "worse")]
    turns = [
        f"{shape(before)} and {shape(after)}"
        for (before, one), (after, other) in pairwise(decided)
        if one != other
    ]
    places = f"; crossover between {', '.join(turns)}" if turns else ""
    if most:
        places += f"; most: {most}; whether it holds on other days is not known"
    limits = one_a_side(sessions, decides=bool(decided or most))
    rests_on = f" ({limits})" if limits else ""
    return "; ".join(parts) + places + rests_on + "." if parts else "no size in common."


def _runs(known: Sequence[tuple[int, _Word]]) -> list[tuple[_Word, list[int]]]:
    """Neighbouring sizes with the same verdict."""
    runs: list[tuple[_Word, list[int]]] = []
    for size, found in known:
        if runs and runs[-1][0] == found:
            runs[-1][1].append(size)
        else:
            runs.append((found, [size]))
    return runs


def _run_in_words(
    first: str, second: str, run: tuple[_Word, list[int]], shape: Callable[[int], str]
) -> str:
    found, sizes = run
    where = f"at {shape(sizes[0])}"
    if len(sizes) > 1:
        where = f"from {shape(sizes[0])} to {shape(sizes[-1])}"
    if found == "same":
        return f"the same {where}"
    if found in ("cannot tell", NO_INTERVAL):
        return f"{found} {where}"
    if found in HERE.values():
        return f"{second} is {found.removesuffix(' here')} in these runs {where}"
    return f"{second if found == 'better' else first} is faster {where}"


def _unlike(sides: Sequence[Side], shared: set[str]) -> dict[str, tuple[str, ...]]:
    """The conditions that the sides do not share, in the order of the conditions."""
    conditions = []
    for side in sides:
        facts = {"transport": "" if shared else ", ".join(side.transports)} | side.conditions.facts
        conditions.append(msgspec.structs.replace(side.conditions, facts=facts))
    found = unlike(conditions)
    if shared and all(side.conditions.kinds for side in sides):
        # The details of each transport are compared one by one.
        found = {name: texts for name, texts in found.items() if name not in _IN_KINDS}
    return found


def _nothing_in_common(
    sides: Sequence[Side], curves: Sequence[dict[Place, dict[int, Figure]]]
) -> WeftError:
    """Which tests or sizes each side has, so that the reader sees what to measure."""
    tests = [dict.fromkeys(place.test for place in curve) for curve in curves]
    shared = set(tests[0]).intersection(*tests[1:])
    if shared:
        test = next(name for name in tests[0] if name in shared)
        if variants := _unlike_variants(test, sides, curves):
            return WeftError(
                f"the sides have {test} in common but in no variant ({variants})",
                "measure it as the other side did: --single, --queue-depth, --buffers, --wait",
            )
        return WeftError(
            f"the sides have {test} in common but no size of it",
            "measure the same sizes: --sizes 0..4MiB",
        )
    lists = "; ".join(
        f"{side.title}: {', '.join(names) or 'single figures only'}"
        for side, names in zip(sides, tests, strict=True)
    )
    return WeftError(
        f"the sides have no test in common ({lists})", "measure a test that the other side has"
    )


def _unlike_variants(
    test: str, sides: Sequence[Side], curves: Sequence[dict[Place, dict[int, Figure]]]
) -> str:
    """The variants of each side, where it is they that keep a size from being compared."""
    mine = [{p: rows for p, rows in curve.items() if p.test == test} for curve in curves]
    sizes = [{size for rows in own.values() for size in rows} for own in mine]
    if not set.intersection(*sizes):
        return ""
    named = [dict.fromkeys(place.variant or "the usual one" for place in own) for own in mine]
    return "; ".join(f"{s.title}: {', '.join(own)}" for s, own in zip(sides, named, strict=True))
