"""From the arguments of a command to sides: paths of records and names of platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.sides import Side, side_of_platform, side_of_run, side_of_runs
from weft.analysis.published import with_shares
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.names import as_typed
from weft.plan.other_suites import choose_tests
from weft.record.reader import stem_of
from weft.record.run import Run
from weft.sources.named import split_records
from weft.sources.platforms import platform_named
from weft.sources.records import record_named
from weft.stages import counted_off
from weft.wording import few_or_ends

if TYPE_CHECKING:
    from collections.abc import Sequence


def load_sides(sources: Sequence[str | Run], tests: Sequence[str] = ()) -> tuple[Side, ...]:
    """The sides that these names and records mean, with only these tests if any are named.

    "run.jsonl@tcp" is a record's part over tcp, "a.jsonl,b.jsonl" are two records as one side.
    Sides of one name are distinguished by their paths, their transports or a number. Raises
    WeftError for what is neither record nor platform.
    """
    sides = [_side(source) for source in counted_off(sources, "reading records")]
    if tests:
        known = tuple(dict.fromkeys(place.test for side in sides for place in side.curves))
        wanted = choose_tests(tests, known)
        sides = [
            msgspec.structs.replace(
                side, curves={p: rows for p, rows in side.curves.items() if p.test in wanted}
            )
            for side in sides
        ]
    return _with_own_titles(sides)


def _side(source: str | Run) -> Side:
    if isinstance(source, Run):
        return _side_of([source])
    platform = platform_named(source)
    if platform is not None:
        shares = with_shares(platform)
        return side_of_platform(platform, shares.link.name if shares.link else "")
    words = split_records(source)
    for one in words if len(words) > 1 else ():
        if platform_named(one) is not None:
            raise WeftError(
                f"{one} is a published platform, and only records are sessions of one side",
                f"use it as a side of its own: {' '.join(map(as_typed, words))}",
            )
    return _side_of([record_named(one) for one in words])


def _side_of(runs: Sequence[Run]) -> Side:
    title = _title_of(runs)
    if len(runs) > 1:
        return side_of_runs(runs, title)
    return side_of_run(runs[0], summarise(runs[0], with_shapes=False), title)


def _title_of(runs: Sequence[Run]) -> str:
    """The names of records, with what is meant of each: of all in the end."""
    names = [stem_of(run.path) for run in runs]
    parts = [f" {run.part}" if run.part else "" for run in runs]
    if len(set(parts)) == 1:
        return few_or_ends(names, "record") + parts[0]
    return few_or_ends([name + part for name, part in zip(names, parts, strict=True)], "record")


def _with_own_titles(sides: Sequence[Side]) -> tuple[Side, ...]:
    """No two sides under one title: paths where names are the same, then numbers."""
    titles = [side.title for side in sides]
    if len(set(titles)) < len(titles):
        titles = [side.title if titles.count(side.title) == 1 else side.name for side in sides]
    seen: dict[str, int] = {}
    named = []
    for side, title in zip(sides, titles, strict=True):
        seen[title] = seen.get(title, 0) + 1
        own = f"{title} ({seen[title]})" if titles.count(title) > 1 else title
        named.append(msgspec.structs.replace(side, title=own))
    return tuple(named)
