"""Message rate: all pairs of ranks together, and each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.tables import Table
from weft.topics.base import Topic, as_plain
from weft.topics.groups import by_key
from weft.topics.streams import (
    RATE,
    StreamsRows,
    each_in_words,
    fairness_in_words,
    streams_among,
    streams_chart,
    with_host_pairs,
)
from weft.units import format_bytes, format_rate
from weft.wording import half_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.topics.base import Results
    from weft.topics.streams import StreamsRow


class MessageRate(Topic[StreamsRows]):
    """How many messages pairs of ranks move in a second."""

    name = "message_rate"
    title = "Message rate"

    def rows(self, results: Results) -> StreamsRows:
        """One row per transport, variant, size and number of pairs."""
        return streams_among(results, (RATE,))

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Rates are shown against the number of pairs."""
        del run
        return pattern.name == RATE

    def tables(self, rows: StreamsRows) -> list[Table]:
        """One row per case."""
        return [_table(rows.streams)] if rows.streams else []

    def charts(self, rows: StreamsRows) -> list[Chart]:
        """The rate of all pairs against their number."""
        chart = streams_chart(rows, RATE, "pairs")
        return [] if chart is None else [chart]

    def plain(self, rows: StreamsRows) -> list[dict[str, Any]]:
        """One row per case."""
        return as_plain(rows.streams)

    def of_cases(self, rows: StreamsRows) -> dict[str, dict[str, Any]]:
        """Beside a case's summary, its row."""
        return by_key("many", rows.streams)


def _table(rows: Sequence[StreamsRow]) -> Table:
    table = Table(
        name="message_rate",
        caption="Message rate: all pairs together, and each by itself",
        head=("transport", "size", "pairs", "messages/s", "each pair", "Jain's index"),
        rows=tuple(
            (
                row.over,
                format_bytes(row.bytes),
                str(row.streams),
                half_or_none(row.rate_per_s, format_rate),
                each_in_words(row, format_rate),
                fairness_in_words(row),
            )
            for row in rows
        ),
    )
    return with_host_pairs(table, rows, "messages/s")
