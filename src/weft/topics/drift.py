"""Launches in time: whether they drift, or hang together with their neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.trend import not_looked_for, trends_in_words
from weft.topics.base import Topic

if TYPE_CHECKING:
    from weft.topics.base import Results


class DriftFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence about the launches of a record in time."""

    sentence: str


class Drift(Topic[tuple[DriftFinding, ...]]):
    """Whether launches follow each other by chance."""

    name = "drift"
    title = "Launches in time"

    def rows(self, results: Results) -> tuple[DriftFinding, ...]:
        """What of drifts was seen, or could not be."""
        sentences = (*trends_in_words(results.run), not_looked_for(results.run))
        return tuple(DriftFinding(sentence=one) for one in sentences if one)

    def findings(self, rows: tuple[DriftFinding, ...]) -> list[str]:
        """One sentence per transport."""
        return [row.sentence for row in rows]
