"""From the arguments of a command to sides: paths of records and names of platforms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.sides import Side, side_of_platform, side_of_run, side_of_runs
from weft.analysis.published import with_shares
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.names import choose
from weft.record.run import load
from weft.reference.library import only, platform_or_none
from weft.sources.named import split_records, split_source
from weft.sources.records import record_named
from weft.stages import counted_off

if TYPE_CHECKING:
    from collections.abc import Sequence


def load_sides(names: Sequence[str], tests: Sequence[str] = ()) -> tuple[Side, ...]:
    """The sides that these names mean, with only these tests if any are named.

    "run.jsonl@tcp" is a record's part over tcp, "a.jsonl,b.jsonl" are two records as one side.
    Sides of one name are distinguished by their paths, their transports or a number. Raises
    WeftError for what is neither record nor platform.
    """
    sides = [_side(name) for name in counted_off(names, "reading records")]
    if tests:
        known = tuple(dict.fromkeys(place.test for side in sides for place in side.curves))
        wanted = choose("test", tests, known)
        sides = [
            msgspec.structs.replace(
                side, curves={p: rows for p, rows in side.curves.items() if p.test in wanted}
            )
            for side in sides
        ]
    return _with_own_titles(sides)


def _side(name: str) -> Side:
    path, transport = split_source(name)
    platform = platform_or_none(path)
    if platform is None and len(several := split_records(path)) > 1:
        runs = [record_named(one) for one in several]
        names = [run.path.name.removesuffix(".zst").removesuffix(".jsonl") for run in runs]
        title = " and ".join(names) + (f" over {transport}" if transport else "")
        return side_of_runs(runs, title, transport)
    if platform is None:
        run = load(path)
        title = Path(path).name.removesuffix(".zst").removesuffix(".jsonl")
        title += f" over {transport}" if transport else ""
        return side_of_run(run, summarise(run, with_shapes=False), title, transport)
    if transport:
        there = tuple(dict.fromkeys(s.transport for s in platform.series))
        if transport not in there:
            fix = f"type one of {', '.join(there)}" if there else "it has single figures only"
            raise WeftError(f"{platform.name} has nothing over {transport}", fix)
        platform = only(platform, {series.test for series in platform.series}, {transport})
    shares = with_shares(platform)
    return side_of_platform(platform, shares.link.name if shares.link else "")


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
