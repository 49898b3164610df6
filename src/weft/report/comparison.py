"""A comparison as tables in a terminal and as one HTML page. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.analysis.compare.compared_rows import in_the_tables, outcomes_of
from weft.analysis.compare.sessions import measured_in_words
from weft.analysis.stats.ratios import ratio_in_words
from weft.charts import SizeCurve, chart_over_ranks, chart_over_sizes
from weft.outputs import write_output
from weft.report.comparison_cards import comparison_cards
from weft.report.html import Page, Section, Verdict, render
from weft.report.table import FittedTable
from weft.tables import Table
from weft.units import format_bandwidth, format_time
from weft.wording import NO_INTERVAL, options_in_words, size_in_words, with_half

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from weft.analysis.compare.comparison import Comparison, Single, SizeTable
    from weft.analysis.compare.sides import Side
    from weft.analysis.stats.ratios import Figure, Ratio
    from weft.analysis.stats.ratios import Verdict as Answer
    from weft.charts import Chart, Metric


# Columns of a side that is compared: its figure, the ratio and the verdict.
_OF_A_SIDE = 3
BARS_OF_BOTH = "Bars are 95 % intervals; of published figures, their rounding."


def comparison_tables(comparison: Comparison) -> RenderableType:
    """Unlike conditions first, then each test with its outcome, that of all of them, and notes."""
    titles = [side.title for side in comparison.sides]
    parts: list[RenderableType] = []
    if comparison.unlike:
        unlike = Grid(box=None)
        for head in ("unlike", *titles):
            unlike.add_column(head, overflow="fold")
        for name, texts in comparison.unlike.items():
            unlike.add_row(name, *map(Text, texts))
        parts += [unlike, Text("")]
    for one in _laid_out(comparison):
        parts += [Text(one["title"], style="bold"), FittedTable(_table(one))]
        parts += [*(Text(line) for line in one["words"]), Text("")]
    parts += [Text(f"{one.word} {one.sentence}", style="bold") for one in outcomes_of(comparison)]
    parts.append(Text(_legend(comparison)))
    parts += [Text(f"note: {line}") for line in comparison.notes]
    return Group(*parts)


def write_comparison(comparison: Comparison, path: Path, command: str = "") -> None:
    """Write the page; `command` made it. Raises WeftError where it cannot be written."""
    titles = [side.title for side in comparison.sides]
    laid_out = _laid_out(comparison)
    unlike = Table(
        name="unlike",
        caption="What else differs: a difference in speed may come from any of these.",
        head=("condition", *titles),
        rows=tuple((name, *texts) for name, texts in comparison.unlike.items()),
        left=tuple(range(len(titles) + 1)),
    )
    none = () if comparison.unlike else ("None that the records tell of.",)
    charts = comparison_charts(comparison)
    sections = (
        Section(
            name="unlike",
            title="Unlike conditions",
            tables=(unlike,) if comparison.unlike else (),
            notes=none,
        ),
        Section(
            name="outcome",
            title="Outcome in words",
            findings=tuple(f"{one['title']}: {line}" for one in laid_out for line in one["words"]),
        ),
        Section(name="curves", title="Curves", charts=tuple(charts)),
        Section(
            name="figures",
            title="Figures in numbers",
            tables=tuple(map(_table, laid_out)),
            notes=(_legend(comparison),),
        ),
    )
    page = Page(
        title=f"weft: {', '.join(titles[1:])} beside {titles[0]}",
        heading=f"{', '.join(titles[1:])} beside {titles[0]}",
        kind="weft comparison",
        facts=tuple(filter(None, map(_fact_of, comparison.sides))),
        commands=(command,) if command else (),
        verdicts=tuple(
            Verdict(word=one.word, sentence=one.sentence, mood=one.mood)
            for one in outcomes_of(comparison)
        ),
        cards=comparison_cards(comparison),
        warnings=tuple(comparison.notes),
        sections=sections,
    )
    write_output(path, render(page))


def _fact_of(side: Side) -> str:
    nodes = side.conditions.facts.get("nodes", "")
    return measured_in_words(side.title, nodes, side.measured, side.sessions)


def _table(laid_out: dict[str, Any]) -> Table:
    head = (laid_out["corner"], *laid_out["heads"])
    return Table(
        name="compared",
        caption=laid_out["title"],
        head=head,
        rows=tuple((row["head"], *row["cells"]) for row in laid_out["rows"]),
        left=(),
        in_each=2,
        together=_OF_A_SIDE,
    )


def comparison_charts(comparison: Comparison) -> list[Chart]:
    """The curves of all sides over each other, a chart a table."""
    return [
        msgspec.structs.replace(_chart(comparison, table, number), note=BARS_OF_BOTH)
        for number, table in enumerate(comparison.tables)
    ]


def _laid_out(comparison: Comparison) -> list[dict[str, Any]]:
    titles = [side.title for side in comparison.sides]
    some_rest_on_less = 0 < _on_less(comparison) < len(_ratios(comparison))
    heads = [titles[0]]
    for title in titles[1:]:
        heads += [title, "speed ratio", "verdict"]
    tables = [
        {
            "title": _title(table),
            "corner": table.along,
            "heads": heads,
            "words": [
                f"{title}: {words}" if len(titles) > 2 else words
                for title, words in zip(titles[1:], table.words, strict=True)
            ],
            "rows": [
                {
                    "head": str(row.ranks) if row.ranks else size_in_words(table.test, row.bytes),
                    "cells": _cells(
                        row.figures,
                        row.ratios,
                        row.verdicts,
                        row.seen,
                        table.quantity,
                        marks=some_rest_on_less,
                    ),
                }
                for row in table.rows
            ],
        }
        for table in comparison.tables
    ]
    if comparison.singles:
        rows = [
            {"head": s.what, "cells": _single_cells(s, marks=some_rest_on_less)}
            for s in comparison.singles
        ]
        title = "Single figures, published without a message size"
        tables.append(
            {"title": title, "corner": "figure", "heads": heads, "words": [], "rows": rows}
        )
    return tables


def _title(table: SizeTable) -> str:
    directions = "both ways" if table.directions == 2 else "one way"
    over = f" over {table.transport}" if table.transport else ""
    variant = f", {options_in_words(table.variant)}" if table.variant else ""
    if table.along == "ranks":
        return f"{table.test}{over}: time of an iteration{variant}"
    return f"{table.test}{over}: {table.quantity} {directions}{variant}"


def _single_cells(single: Single, *, marks: bool) -> list[str]:
    quantity = "latency" if single.si_unit == "ns" else "bandwidth"
    return _cells(
        single.figures, single.ratios, single.verdicts, single.seen, quantity, marks=marks
    )


def _cells(
    figures: Sequence[Figure | None],
    ratios: Sequence[Ratio | None],
    verdicts: Sequence[Answer | None],
    seen: Sequence[Answer | None],
    quantity: str,
    *,
    marks: bool,
) -> list[str]:
    """A row's cells; with marks a verdict that rests on less than launches has a star."""
    cells = [_value(figures[0], quantity)]
    for figure, found, verdict, here in zip(figures[1:], ratios, verdicts, seen, strict=True):
        cells += [_value(figure, quantity), _ratio(found), in_the_tables(verdict, found, here)]
        if marks and found and not found.is_of_both and verdict:
            cells[-1] += "*"
    return cells


def _value(figure: Figure | None, quantity: str) -> str:
    if figure is None:
        return ""
    if figure.kind == "published":
        si = figure.estimate.value
        shown = f"{si / 1e3:.2f} µs" if quantity == "latency" else f"{si / 1e6:.1f} MB/s"
        return f"{figure.published.rpartition(' ')[0]} {shown}".strip()
    shape = format_time if quantity == "latency" else format_bandwidth
    return with_half(figure.estimate, shape)


def _ratio(found: Ratio | None) -> str:
    if found is None:
        return ""
    return f"{found.speed:.3f}" if found.basis == "as published" else ratio_in_words(found)


def _legend(comparison: Comparison) -> str:
    first = comparison.sides[0].title
    words = (
        f"The speed ratio is against {first}, of the geometric means of launches; over 1 is faster."
        " The 95 % intervals hold at all sizes together, and allow for other days where each side"
        f" has one session. same: the whole interval is within {100 * comparison.same:g} %."
        " not significant: it holds both sides of 1."
    )
    if not all(found.has_interval for found in _ratios(comparison)):
        words += f" {NO_INTERVAL}: how far another launch would be from it is not known."
    on_less, all_of_them = _on_less(comparison), len(_ratios(comparison))
    if on_less and on_less == all_of_them:
        return words + " What all of them rest on: see the notes."
    return words + (" *: see the notes." if on_less else "")


def _ratios(comparison: Comparison) -> list[Ratio]:
    found = [r for table in comparison.tables for row in table.rows for r in row.ratios if r]
    return found + [r for single in comparison.singles for r in single.ratios if r]


def _on_less(comparison: Comparison) -> int:
    """How many ratios do not rest on several launches of both sides."""
    return sum(not found.is_of_both for found in _ratios(comparison))


def _chart(comparison: Comparison, table: SizeTable, number: int) -> Chart:
    """The curves of all sides over each other, at the sizes that are compared."""
    curves = []
    for index, side in enumerate(comparison.sides):
        points = [
            (r.ranks or r.bytes, f.estimate)
            for r in table.rows
            if (f := r.figures[index]) is not None
        ]
        if points:
            sizes, estimates = zip(*points, strict=True)
            curves.append(SizeCurve(side.title, tuple(sizes), tuple(estimates)))
    name = f"{table.test}-{table.quantity}-{number}"
    if table.along == "ranks":
        return chart_over_ranks(name, _title(table), curves)
    metric: Metric = "latency" if table.quantity == "latency" else "bandwidth"
    return chart_over_sizes(name, _title(table), metric, curves)
