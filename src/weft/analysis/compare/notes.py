"""What stands below a comparison: what its verdicts rest on, and what would tell more. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weft.analysis.compare.sessions import said_with_names, sessions_in_words
from weft.analysis.compare.sides import sides_within_a_host
from weft.analysis.stats.launches import what_would_tell
from weft.analysis.stats.needed import half_of
from weft.plan.cases import LAUNCHES
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.compare.sides import Place, Side
    from weft.analysis.stats.needed import Needed
    from weft.analysis.stats.ratios import Figure, Ratio

MOST_LEFT_OUT = 6


class WithoutVerdict(NamedTuple):
    """How many rows of a side have no verdict, and what would give each of them one."""

    side: Side
    rows: int
    needed: tuple[Needed, ...]


def notes_of(
    sides: Sequence[Side], ratios: Sequence[Ratio], missing: Sequence[WithoutVerdict] = ()
) -> tuple[str, ...]:
    """The basis of the verdicts, what is missing from them, and what would tell more."""
    bases = {ratio.basis for ratio in ratios}
    # First what to do.
    notes = [_what_would_tell(sides[0], one) for one in missing if one.needed]
    is_advised = bool(notes)
    if "as published" in bases:
        notes.append(
            "published figures have no interval: a verdict between two of them only says which is"
            " better beyond its rounding; chance is not ruled out"
        )
    if "published on one side" in bases:
        notes.append(
            "a published figure has no interval: the ratio's interval is that of the record alone,"
            " and the verdict is against the figure as published"
        )
    if any(side.is_simulated for side in sides):
        notes.append(
            "a simulation repeats itself and has no interval, so there is no verdict on it; weft"
            " predict gives the differences of simulated fabrics an interval"
        )
    elif "one launch" in bases:
        notes.append(
            "one launch does not show the variation between launches, so there is no verdict; run"
            f" {' and '.join(_more_launches(sides))}"
        )
    notes += [
        f"{side.title}: each launch is one figure as {side.stated_by} states it, a mean as a rule,"
        " and weft's are medians: a tail raises the one and not the other"
        for side in sides
        if side.stated_by
    ]
    notes += sides_within_a_host(
        ((side.title, side.is_within_a_host) for side in sides),
        "the ratio is not that of two fabrics",
    )
    measured = [side for side in sides if not side.is_simulated]
    further = {
        side.title: side.next_sessions[-1]
        for side in measured
        if side.next_sessions and not is_advised
    }
    notes += sessions_in_words({s.title: s.sessions for s in measured}, further=further)
    notes += said_with_names((side.title, side.in_time) for side in sides)
    for side in sides:
        notes += [f"{side.title}: skipped: {line}" for line in side.left_out[:MOST_LEFT_OUT]]
        if len(side.left_out) > MOST_LEFT_OUT:
            more = len(side.left_out) - MOST_LEFT_OUT
            notes.append(
                f"{side.title}: skipped: {counted(more, 'more case')} without a good figure"
            )
    return tuple(notes)


def _what_would_tell(first: Side, missing: WithoutVerdict) -> str:
    middle, words = half_of(missing.needed)
    purpose = f"tell {words} {counted(missing.rows, 'row')} without a verdict"
    again = [side.next_sessions[-1] for side in (first, missing.side) if side.next_sessions]
    return f"{missing.side.title}: {what_would_tell(middle, purpose, again)}"


def _more_launches(sides: Sequence[Side]) -> list[str]:
    """A command for each record of one launch, to have as many as are usual.

    Records that were imported from the same files have the same one.
    """
    commands = (
        again.command(max(LAUNCHES, again.launches))
        for side in sides
        for again in side.next_sessions
        if again.made == 1
    )
    return list(dict.fromkeys(commands))


def not_on_both(
    sides: Sequence[Side], curves: Sequence[dict[Place, dict[int, Figure]]]
) -> list[str]:
    """How many figures a record has that the first side lacks, or the other way round."""
    held = [{(place, size) for place, rows in own.items() for size in rows} for own in curves]
    notes = []
    for side, own in zip(sides[1:], held[1:], strict=True):
        if side.is_published or sides[0].is_published:
            continue
        for lacking, lost in ((side, held[0] - own), (sides[0], own - held[0])):
            if lost:
                notes.append(
                    f"{lacking.title} lacks {len(lost)} of the"
                    f" {counted(len(held[0] | own), 'figure')} of"
                    " both: they are not compared"
                )
    return notes
