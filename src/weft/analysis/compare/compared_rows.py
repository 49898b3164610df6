"""A comparison as flat rows: one for each size and each side beside the first."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from weft.analysis.stats.ratios import HERE, Here, Quantity, Ratio, Verdict
from weft.estimate import Estimate
from weft.wording import NO_INTERVAL, NOT_SIGNIFICANT, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.analysis.compare.comparison import Comparison, Row, Single
    from weft.analysis.stats.ratios import Figure


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a side beside the reference, in a word and in numbers.

    `mood` is good, bad or open.
    """

    word: str
    mood: Literal["good", "bad", "open"]
    sentence: str


class ComparedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A side's figure beside the reference's: latency in ns or bandwidth in bytes/s.

    `side` counts the sides behind the reference from 1; `seen` is the verdict on these runs alone,
    without an allowance for other days. Of an application a row is one number of
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
    seen: Verdict | None


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
    others = zip(row.figures[1:], row.ratios, row.verdicts, row.seen, strict=True)
    for side, (figure, speed, verdict, seen) in enumerate(others, start=1):
        yield {
            "side": side,
            "reference": first,
            "figure": _estimate(figure),
            "speed": speed,
            "verdict": verdict,
            "seen": seen,
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


def outcomes_of(comparison: Comparison) -> list[Outcome]:
    """Of each side behind the first whether it is better, worse, both in places or the same."""
    rows = compared_figures(comparison)
    counts = verdicts_of_sides(comparison, rows)
    first, *others = [side.title for side in comparison.sides]
    return [
        outcome_in_words(
            f"{title} against {first}",
            own,
            comparison.same,
            sum(
                row.side == side and bool(row.speed and not row.speed.has_interval) for row in rows
            ),
            Counter(
                HERE[row.seen]
                for row in rows
                if row.side == side and row.verdict == "cannot tell" and row.seen in HERE
            ),
        )
        for side, (title, own) in enumerate(zip(others, counts, strict=True), start=1)
    ]


def outcome_in_words(
    who: str,
    counts: Mapping[Verdict, int],
    same: float,
    untested: int = 0,
    here: Mapping[Here, int] = MappingProxyType({}),
) -> Outcome:
    """Of one side by how often it has each verdict.

    Only what is within the margin `same` is the same: what is not significant could be anything.
    So many of "cannot tell" are `untested`: they have no interval; so many are seen `here`, in
    these runs alone.
    """
    most_first = sorted((one for one in counts if counts[one]), key=lambda one: -counts[one])
    if "cannot tell" in most_first and "same" not in most_first:
        # How many are known to be the same is said where none is too.
        most_first.append("same")
    tested = counts.get("cannot tell", 0) - untested - sum(here.values())
    parts = [
        f"{_with_margin(one, same)} {counts.get(one, 0)}"
        for one in most_first
        if one != "cannot tell"
    ]
    open_parts = [f"{one} {here[one]}" for one in HERE.values() if here.get(one)]
    open_parts += [f"{NOT_SIGNIFICANT} {tested}"] if tested else []
    open_parts += [f"{NO_INTERVAL} {untested}"] if untested else []
    if open_parts:
        at = most_first.index("cannot tell")
        parts[at:at] = open_parts
    words = ", ".join(parts) or "none in common"
    total = counted(sum(counts.values()), "figure")
    word, mood = _word(counts, here)
    caution = " here: in these runs, whatever other days bring." if here else ""
    if tested:
        caution += (
            " Not significant does not mean equal: such figures may differ within their intervals."
        )
    return Outcome(
        word=word,
        mood=mood,
        sentence=f"{who}, of {total}: {words}.{caution}",
    )


def _word(
    counts: Mapping[Verdict, int], here: Mapping[Here, int]
) -> tuple[str, Literal["good", "bad", "open"]]:
    given = {one for one, count in counts.items() if count}
    if given >= {"better", "worse"}:
        return "Mixed.", "open"
    if "better" in given:
        return "Better.", "good"
    if "worse" in given:
        return "Worse.", "bad"
    if "cannot tell" not in given:
        return ("The same." if given else "Nothing in common."), "open"
    seen = [one for one in (HERE["better"], HERE["worse"]) if here.get(one)]
    if not seen and sum(here.values()) == counts.get("cannot tell"):
        seen = [HERE["same"]]
    if seen and "same" not in given:
        word = seen[0].removesuffix(" here") if len(seen) == 1 else "mixed"
        return f"{word.capitalize()} in these runs.", "open"
    return ("In part the same." if "same" in given else "Cannot tell."), "open"


def _with_margin(verdict: Verdict, same: float) -> str:
    return f"same within {100 * same:g} %" if verdict == "same" else verdict


def in_the_tables(verdict: Verdict | None, speed: Ratio | None, seen: Verdict | None = None) -> str:
    """A verdict as readers have it; empty for none. `seen` is that on these runs alone."""
    if verdict != "cannot tell":
        return verdict or ""
    if seen in HERE:
        return HERE[seen]
    return NOT_SIGNIFICANT if speed and speed.has_interval else NO_INTERVAL


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
        "outcomes": msgspec.to_builtins(outcomes_of(comparison)),
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
