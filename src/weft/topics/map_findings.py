"""What a map finds slow, in sentences, and what its page shows large."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.large import LargeFigure
from weft.units import format_bytes, format_share, format_time
from weft.wording import UNKNOWN, between, counted, few_of, in_a_row, in_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.diagnosis.diagnose import FoundCause, SlowPair
    from weft.analysis.diagnosis.matrix import PairMatrix
    from weft.plan.case import Case
    from weft.topics.rows import SizeRow

# Names, and pairs that show it.
_MOST_SHOWN = 3
# From ten times on a share beyond is said in times.
_MANY = 9.0
# No cause is said to be surer.
_MOST_SURE = 0.99


class Much(NamedTuple):
    """How a cause's ways are said to be beyond what is usual: by a share, or in times."""

    by_share: str
    in_times: str


SLOWER = Much("slower", "times as slow")
LONGER_BEFORE = Much("longer before", "times as long before")
ON_AVERAGE = Much("more on average than at its median", "times as much on average as at its median")


def usual_time(row: SizeRow, usual_ns: float, scatter: float) -> LargeFigure:
    """The median of all pairs, and how far a pair differs from visit to visit."""
    what = f"usual there and back, {format_bytes(row.bytes)}"
    below = f"scatter of a pair {scatter_in_words(scatter)}"
    return LargeFigure(row.transport, row.variant, what, format_time(usual_ns), below)


def slowest_way(row: SizeRow, worst: SlowPair, ways: int) -> LargeFigure:
    """The way whose messages take longest, beyond what is usual so far apart."""
    below = f"{worst.source} to {worst.target}, of {counted(ways, 'way')}"
    return LargeFigure(row.transport, row.variant, "slowest way", beyond(worst.slower, 0), below)


def who_is_slow(
    row: SizeRow | Case,
    findings: Sequence[FoundCause],
    dead: Sequence[str],
    *,
    is_told: bool,
    amount: str,
    what: str = "slow",
) -> LargeFigure:
    """The first of `what` is slow and by how much, or nobody, as far as that `is_told`."""
    if not findings:
        nobody = "nobody else" if dead else "nobody"
        below = f"{few_of(dead, _MOST_SHOWN)} did not answer" if dead else amount
        value = nobody if is_told else UNKNOWN
        return LargeFigure(row.transport, row.variant, what, value, below)
    first, *others = findings
    causes = [one.in_words for one in (*first.causes, *first.also)]
    below = f"{_size_of(first, SLOWER)} over {counted(first.pairs, 'way')}"
    if not first.is_certain:
        below = f"{few_of(causes, _MOST_SHOWN)}: {below}"
    if others:
        below += f"; {counted(len(others), 'more cause')}"
    value = causes[0] if first.is_certain else f"{counted(len(causes), 'cause')} fit"
    if first.others:
        value = counted(len(causes), "endpoint")
    return LargeFigure(row.transport, row.variant, what, value, below)


def ways_in_words(matrix: PairMatrix | None) -> str:
    """The fastest way and the slowest, which are all that can be said of a few endpoints."""
    if matrix is None or np.isnan(matrix.time_ns).all():
        return "no way was measured"
    times, names = matrix.time_ns, matrix.names
    ends = [np.unravel_index(find(times), times.shape) for find in (np.nanargmin, np.nanargmax)]
    fastest, slowest = (f"{names[one]} to {names[other]}" for one, other in ends)
    words = f"{fastest} takes {format_time(times[ends[0]])} there and back"
    return words if fastest == slowest else f"{words}, {slowest} {format_time(times[ends[1]])}"


def finding_in_words(found: FoundCause, does: str, tells: str = "", *, much: Much = SLOWER) -> str:
    """Who "is slow", by how much and with which pairs; of several causes what `tells` them."""
    causes = [*found.causes, *found.also]
    if causes[0].kind in ("between", "trunk") or found.others:
        does = does.replace("is ", "are ", 1)
    named = [one.in_words for one in causes[:_MOST_SHOWN]]
    size = f"{_size_of(found, much)} over {counted(found.pairs, 'way')}"
    pairs = ", ".join(
        f"{one.source} to {one.target} {beyond(one.slower, 0)}"
        for one in found.evidence[:_MOST_SHOWN]
    )
    if found.others:
        return (
            f"{_group_in_words(found, does, size)}, confidence {_sure(found.confidence)}; {pairs}"
        )
    if found.is_certain:
        return f"{named[0]} {does}: {size}, confidence {_sure(found.confidence)}; {pairs}"
    what = f"{counted(len(causes), 'cause')} fit: {in_a_row(named, 'or')}"
    return "; ".join(filter(None, (what, size, pairs, tells)))


def _group_in_words(found: FoundCause, does: str, size: str) -> str:
    """Which endpoints are slow together, and which are not."""
    names = [one.name for one in found.causes]
    count = len(found.others)
    if len(names) <= _MOST_SHOWN:
        return f"{in_a_row(names, 'and')} {does}: {size} than the other {count}"
    who = f"{len(names)} of {len(names) + count} endpoints {does} ({in_ranges(names)})"
    return f"{who}: {size} than the other {count} ({in_ranges(found.others)})"


def _sure(confidence: float) -> str:
    """A likelihood among causes; none is the whole, for others than these may be meant."""
    return f"over {_MOST_SURE:.0%}" if confidence > _MOST_SURE else f"{confidence:.0%}"


def beyond(share: float, digits: int) -> str:
    """How far a way is beyond what is usual: "+29%", and "479 times" where it is many times it."""
    return f"{share:+.{digits}%}" if share < _MANY else f"{_times(share)} times"


def scatter_in_words(scatter: float) -> str:
    """How far a pair differs from visit to visit: "2.9%", and "158 times" where it is many."""
    return f"{scatter:.1%}" if scatter < _MANY else f"{_times(scatter)} times"


def _size_of(found: FoundCause, much: Much) -> str:
    """By how much a cause's ways are slow, with its interval; many times as slow in times."""
    is_few = found.slower < _MANY
    shape, what = (_whole, much.by_share) if is_few else (_times, much.in_times)
    size = between(shape(found.slower), found.slower_low, found.slower_high, shape)
    return f"{size} {what}"


def _times(share: float, _: float | None = None, /) -> str:
    """A share beyond what is usual as how many times it."""
    return f"{1 + share:.3g}"


def _whole(share: float, _: float | None = None, /) -> str:
    """A share in whole per cents: causes differ by more."""
    return format_share(share, 0.01)
