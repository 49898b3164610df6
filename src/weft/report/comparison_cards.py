"""What a comparison's page shows large: each side's speed over the first at the sizes that tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.compare.compared_rows import in_the_tables
from weft.analysis.stats.ratios import estimate_of
from weft.large import LargeFigure, parted
from weft.plan.cases import BANDWIDTH, LATENCY
from weft.report.curve_cards import cards_of_curves
from weft.units import format_ratio
from weft.wording import counted, size_in_words, with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.analysis.compare.comparison import Comparison, Row, Single, SizeTable
    from weft.report.html import Card

# Cards on the first screen, and figures on one: the tables have them all.
MOST_CARDS, MOST_FIGURES = 6, 4
# What a test that is usual is asked for.
_USUAL = {(LATENCY, "latency"), (BANDWIDTH, "bandwidth")}


def comparison_cards(comparison: Comparison) -> tuple[Card, ...]:
    """A card a transport: latencies at the smallest size, bandwidths at the largest, as ratios.

    Those of the usual tests stand first. Of an application the figure is that on the most ranks.
    """
    tables = sorted(comparison.tables, key=lambda one: (one.test, one.quantity) not in _USUAL)
    figures = [one for table in tables for one in _of_table(comparison, table)]
    figures += [one for single in comparison.singles for one in _of_single(comparison, single)]
    kept: dict[tuple[str, str], list[LargeFigure]] = {}
    for one in figures:
        kept.setdefault((one.transport, one.variant), []).append(one)
    first = [one for own in list(kept.values())[:MOST_CARDS] for one in own[:MOST_FIGURES]]
    return cards_of_curves(first, tuple(dict.fromkeys(one.transport for one in figures)))


def _of_table(comparison: Comparison, table: SizeTable) -> Iterator[LargeFigure]:
    is_usual = (table.test, table.quantity) in _USUAL
    named = table.quantity if is_usual else f"{table.test} {table.quantity}"
    if table.along == "ranks":
        named = table.test
    for at in range(len(comparison.sides) - 1):
        rows = [row for row in table.rows if row.ratios[at] is not None]
        if not rows:
            continue
        is_first = table.along == "size" and table.quantity == "latency"
        row = rows[0] if is_first else rows[-1]
        place = counted(row.ranks, "rank") if row.ranks else size_in_words(table.test, row.bytes)
        what = named if place == "-" else f"{named}, {place}"
        yield _figure(comparison, row, at, what, table.transport, table.variant)


def _of_single(comparison: Comparison, single: Single) -> Iterator[LargeFigure]:
    for at in range(len(comparison.sides) - 1):
        if single.ratios[at] is not None:
            yield _figure(comparison, single, at, single.what)


def _figure(
    comparison: Comparison,
    row: Row | Single,
    at: int,
    what: str,
    transport: str = "",
    variant: str = "",
) -> LargeFigure:
    """How many times as fast a side is as the first one, with its interval and verdict."""
    found = row.ratios[at]
    assert found is not None  # noqa: S101 - the callers look
    titles = [side.title for side in comparison.sides[1:]]
    whose = f"{titles[at]}: " if len(titles) > 1 else ""
    if found.basis == "as published":
        # Its interval is its rounding.
        value, interval = format_ratio(found.speed), ""
    else:
        value, interval = parted(estimate_of(found), format_ratio, with_ends)
    verdict = in_the_tables(row.verdicts[at], found, row.seen[at])
    below = " ".join(filter(None, (interval, "times as fast")))
    return LargeFigure(
        transport or ", ".join(titles),
        variant,
        f"{whose}{what}",
        value,
        f"{below}: {verdict}" if verdict else below,
    )
