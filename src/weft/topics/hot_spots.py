"""Hot spots and random pairs: one rank against many, beside pairs that all stream at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.analysis.stats.ratios import ratio_in_words
from weft.tables import Table
from weft.topics.base import Topic, as_plain
from weft.topics.groups import by_key
from weft.topics.streams import (
    HOT_SPOTS,
    REFERENCE,
    StreamsRows,
    each_in_words,
    fairness_in_words,
    streams_among,
    streams_chart,
    with_host_pairs,
)
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import half_or_none, middle_or_none

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.topics.base import Results
    from weft.topics.streams import StreamsRow
    from weft.units import Shape


_HOW = {"hot_spot_send": "send", "hot_spot_receive": "receive", REFERENCE: "pairs"}


class HotSpots(Topic[StreamsRows]):
    """What a rank that many send to, or that sends to many, gives each of them."""

    name = "hot_spots"
    title = "Hot spots and random pairs"

    def rows(self, results: Results) -> StreamsRows:
        """One row per test, transport, variant, size and number of peers."""
        return streams_among(results, (*HOT_SPOTS, REFERENCE))

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Hot spots are shown against their peers."""
        del run
        return pattern.name in HOT_SPOTS

    def tables(self, rows: StreamsRows) -> list[Table]:
        """One row per case."""
        return [_table(rows.streams)] if rows.streams else []

    def charts(self, rows: StreamsRows) -> list[Chart]:
        """The time of a message against the number of peers (figures 14 and 15)."""
        found = (streams_chart(rows, test, "peers") for test in HOT_SPOTS)
        return [chart for chart in found if chart is not None]

    def plain(self, rows: StreamsRows) -> list[dict[str, Any]]:
        """One row per case."""
        return as_plain(rows.streams)

    def of_cases(self, rows: StreamsRows) -> dict[str, dict[str, Any]]:
        """Beside a case's summary, its row."""
        return by_key("many", rows.streams)


def _table(rows: Sequence[StreamsRow]) -> Table:
    def bandwidth(row: StreamsRow) -> Shape:
        def shape(rate: float, step: float | None = None, /) -> str:
            return format_bandwidth(rate * row.bytes, step and step * row.bytes)

        return shape

    table = Table(
        name="hot_spots",
        caption="Hot spots: time of a message of any peer, bandwidth of all, and of each by itself",
        head=("", "size", "peers", "time", "bandwidth", "each", "Jain", "of a pair"),
        rows=tuple(
            (
                f"{row.over} {_HOW[row.test]}",
                format_bytes(row.bytes),
                str(row.streams),
                middle_or_none(row.time_ns, format_time),
                half_or_none(row.bandwidth_bytes_per_s, format_bandwidth),
                each_in_words(row, bandwidth(row)),
                fairness_in_words(row),
                ratio_in_words(row.of_reference) if row.of_reference else "-",
            )
            for row in rows
        ),
        notes=(
            "Jain's index: 1 where all peers get the same, 1/n where one of n gets all.",
            "Of a pair: the bandwidth over one pair's of random_pairs, all pairs at once.",
        ),
    )
    return with_host_pairs(table, rows, "time")
