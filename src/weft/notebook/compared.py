"""`weft.compare`: records and published platforms beside each other, as tables."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.compared_rows import compared_figures, verdicts_of_sides
from weft.errors import WeftError
from weft.notebook.plots import nth_plot
from weft.notebook.tables import table_of_rows
from weft.notebook.typed import each_of, share_of
from weft.report.comparison import comparison_charts
from weft.studies.comparisons import compared
from weft.topics.pair_map import PAIR_ROUNDS
from weft.wording import NO_INTERVAL

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure as Canvas

    from weft.analysis.compare.compared_rows import ComparedFigure
    from weft.analysis.compare.comparison import Comparison
    from weft.analysis.stats.ratios import Verdict
    from weft.notebook.typed import Source


def compare(first: Source, *others: Source, test: str = "", same: float = 0.02) -> ComparedSides:
    """The others beside the first, as `weft compare` does it: the same ratios and verdicts.

    A side is a record's path, a Run or a part of one (`run.only`), or a published platform's name;
    "a.jsonl,b.jsonl" are two sessions of one side, "run.jsonl@tcp" is one transport. `test` has
    those that count, with commas between; speeds within the share `same` of the first are called
    the same. Of maps the pairs are compared, which `weft.check` does. Raises WeftError.
    """
    sides = each_of((first, *others))
    found = compared(sides, test, share_of("same", same))
    if any(own.test == PAIR_ROUNDS for own in found.tables):
        raise WeftError(
            "these are maps: of a round only the median of all is a case, and a slow node is not"
            " seen in it",
            "call weft.check(after, against=before), or run weft compare BEFORE AFTER in a shell",
        )
    return ComparedSides(found)


class ComparedSides:
    """What `weft compare` found. `found` has all of it, typed."""

    def __init__(self, found: Comparison) -> None:
        self.found = found

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per size and side: reference, figure (ns or bytes/s), speed, each with _low and
        _high, and the verdict. `side` counts the sides behind the first from 1.
        """
        return table_of_rows(msgspec.to_builtins(self._rows))

    @cached_property
    def _rows(self) -> list[ComparedFigure]:
        return compared_figures(self.found)

    @property
    def verdicts(self) -> dict[str, dict[Verdict, int]]:
        """By each side's title how often it is "better", "worse", "same" or "cannot tell"."""
        titles = [side.title for side in self.found.sides[1:]]
        return dict(zip(titles, verdicts_of_sides(self.found, self._rows), strict=True))

    @property
    def unlike(self) -> dict[str, tuple[str, ...]]:
        """The conditions that the sides do not share, with each side's."""
        return self.found.unlike

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the verdicts, and what would tell more."""
        return self.found.notes

    def plot(self, number: int = 0, *, layout: str = "ieee", wide: bool = False) -> Canvas:
        """The curves of all sides in one test, as a matplotlib figure.

        Raises WeftError beyond the last.
        """
        charts = comparison_charts(self.found)
        return nth_plot(
            charts, number, "this comparison, it has", "see .table for why", layout, wide=wide
        )

    def _counts_in_words(self, side: int, counts: dict[Verdict, int]) -> str:
        """How often each verdict; what has no interval is no open question and stands apart."""
        own = [row.speed for row in self._rows if row.side == side and row.speed]
        untested = sum(not speed.has_interval for speed in own)
        shown: dict[str, int] = dict(counts.items())
        shown["cannot tell"] -= untested
        shown[NO_INTERVAL] = untested
        return ", ".join(f"{name} {count}" for name, count in shown.items() if count)

    def __repr__(self) -> str:
        """Each side's verdicts and what differs beside the figures."""
        first = self.found.sides[0].title
        lines = [
            f"{title} beside {first}: {self._counts_in_words(side, counts)}"
            for side, (title, counts) in enumerate(self.verdicts.items(), 1)
        ]
        lines += [f"unlike: {name}: {' / '.join(texts)}" for name, texts in self.unlike.items()]
        return "\n".join(lines)
