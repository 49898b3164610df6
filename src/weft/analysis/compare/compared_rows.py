"""A comparison as flat rows: one for each size and each side beside the first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from weft.analysis.stats.ratios import Quantity, Ratio, Verdict
from weft.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.analysis.compare.comparison import Comparison, Row, Single
    from weft.analysis.stats.ratios import Figure


class ComparedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A side's figure beside the reference's: latency in ns or bandwidth in bytes/s.

    `side` counts the sides behind the reference from 1. Of an application a row is one number of
    `ranks`, 0 of others. A published single figure has its `key`, and no size. None: one of the
    two has no figure here.
    """

    test: str
    transport: str
    variant: str
    bytes: int
    ranks: int
    quantity: Quantity
    directions: int
    along: Literal["size", "ranks", ""]
    key: str = ""
    side: int
    reference: Estimate | None
    figure: Estimate | None
    speed: Ratio | None
    verdict: Verdict | None


def compared_figures(comparison: Comparison) -> list[ComparedFigure]:
    """All figures of all sides but the first, in the order of the tables, side by side."""
    return [*_of_tables(comparison), *_of_singles(comparison)]


def _of_tables(comparison: Comparison) -> Iterator[ComparedFigure]:
    for table in comparison.tables:
        shared = {
            name: getattr(table, name)
            for name in ("test", "transport", "variant", "quantity", "directions", "along")
        }
        for row in table.rows:
            for answer in _answers(row):
                yield ComparedFigure(**shared, bytes=row.bytes, ranks=row.ranks, **answer)


def _of_singles(comparison: Comparison) -> Iterator[ComparedFigure]:
    for single in comparison.singles:
        quantity: Quantity = "latency" if single.si_unit == "ns" else "bandwidth"
        for answer in _answers(single):
            yield ComparedFigure(
                test="", transport="", variant="", bytes=0, ranks=0, quantity=quantity,
                directions=1, along="", key=single.key, **answer,
            )  # fmt: skip


def _answers(row: Row | Single) -> Iterator[dict[str, Any]]:
    first = _estimate(row.figures[0])
    others = zip(row.figures[1:], row.ratios, row.verdicts, strict=True)
    for side, (figure, speed, verdict) in enumerate(others, start=1):
        yield {
            "side": side,
            "reference": first,
            "figure": _estimate(figure),
            "speed": speed,
            "verdict": verdict,
        }


def _estimate(figure: Figure | None) -> Estimate | None:
    return figure.estimate if figure else None


def verdicts_of_sides(
    comparison: Comparison, rows: Sequence[ComparedFigure]
) -> list[dict[Verdict, int]]:
    """How often its rows give each verdict to each side behind the first; 0 where never."""
    counts = [Counter(row.verdict for row in rows if row.side == side)
              for side in range(1, len(comparison.sides))]  # fmt: skip
    return [{name: count[name] for name in get_args(Verdict)} for count in counts]


def to_json(comparison: Comparison) -> dict[str, Any]:
    """What `weft compare --json` prints: plain data, in the order of the tables."""
    rows = compared_figures(comparison)
    return {
        "sides": [
            {
                "name": side.name,
                "title": side.title,
                "published": side.is_published,
                "launches_of_sessions": side.sessions,
                "conditions": side.conditions.facts,
                "details": side.conditions.kinds,
            }
            for side in comparison.sides
        ],
        "unlike": comparison.unlike,
        "same_margin": comparison.same,
        "verdicts": verdicts_of_sides(comparison, rows),
        "rows": msgspec.to_builtins(rows),
        "words": [
            {
                "test": table.test,
                "transport": table.transport,
                "variant": table.variant,
                "quantity": table.quantity,
                "sentences": table.words,
            }
            for table in comparison.tables
        ],
        "notes": comparison.notes,
    }
