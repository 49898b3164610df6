"""Where nobody names sizes and the budget is short: fewer of them, each measured whole. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.plan.budget import RESERVE, round_without_samples_s
from weft.plan.case import Case
from weft.plan.costs import Costs, RankGroup, group_of
from weft.plan.pattern import Pattern
from weft.units import format_bytes, format_duration
from weft.wording import counted, in_a_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Latency is of the least size, bandwidth of the greatest.
FEWEST = 2


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    case: Case
    pattern: Pattern

    @property
    def group(self) -> RankGroup:
        """The ranks that measure it."""
        return group_of(self.case)


def whole_sizes(
    cases: tuple[Case, ...],
    patterns: Mapping[str, Pattern],
    launches: int,
    left_s: float,
    say: Callable[[str], None],
) -> tuple[Case, ...]:
    """The cases of as many sizes as can have all launches in the time, and a line where some lack.

    The least and the greatest size stay whatever they take, others as far apart as can be.
    """
    sizes = sorted({case.bytes for case in cases})
    kept, chosen = tuple(sizes), cases
    while len(kept) > FEWEST and _takes_s(chosen, patterns, launches) > RESERVE * left_s:
        kept = spread(sizes, len(kept) - 1)
        chosen = tuple(case for case in cases if case.bytes in kept)
    if len(chosen) < len(cases):
        more_s = _takes_s(cases, patterns, launches) / RESERVE - left_s
        say(_in_words(kept, len(sizes), launches, more_s))
    return chosen


def _takes_s(cases: Sequence[Case], patterns: Mapping[str, Pattern], launches: int) -> float:
    # What no engine knows here is refused later.
    asked = [
        _Asked(case=case, pattern=patterns[case.test]) for case in cases if case.test in patterns
    ]
    return launches * round_without_samples_s(asked, Costs(), is_first=True)


def spread(sizes: Sequence[int], count: int) -> tuple[int, ...]:
    """So many of the sizes, with both ends, as far apart as can be."""
    last = len(sizes) - 1
    return tuple(sizes[round(at * last / (count - 1))] for at in range(count))


def _in_words(kept: Sequence[int], of: int, launches: int, lacking_s: float) -> str:
    names = in_a_row([format_bytes(size) for size in kept], "and")
    return (
        f"measuring {len(kept)} of {counted(of, 'size')}, {names}: with"
        f" {counted(launches, 'launch')} each, all take about {format_duration(lacking_s)} more"
        " than the --budget; --sizes chooses others"
    )
