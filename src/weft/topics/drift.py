"""Launches in time: whether they drift, or hang together with their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.stats.trend import not_looked_for, trends_in_words
from weft.topics.base import Topic
from weft.topics.rows import FindingRow

if TYPE_CHECKING:
    from weft.topics.base import Results


class Drift(Topic[tuple[FindingRow, ...]]):
    """Whether launches follow each other by chance."""

    name = "drift"
    title = "Trend over launches"

    def rows(self, results: Results) -> tuple[FindingRow, ...]:
        """What of drifts was seen, or could not be."""
        sentences = (*trends_in_words(results.run), not_looked_for(results.run))
        return tuple(FindingRow(sentence=one) for one in sentences if one)

    def findings(self, rows: tuple[FindingRow, ...]) -> list[str]:
        """One sentence per transport."""
        return [row.sentence for row in rows]
