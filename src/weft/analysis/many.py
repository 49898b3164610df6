"""What records of many ranks and of load add to the rows of `--json`. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.exchange import exchanges_of
from weft.analysis.load import loads_of
from weft.analysis.streams import streams_of
from weft.analysis.summary import to_json_rows

if TYPE_CHECKING:
    from weft.analysis.exchange import ExchangeRow
    from weft.analysis.load import LoadRow
    from weft.analysis.streams import StreamsRow
    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run


def json_rows(run: Run, summaries: tuple[CaseSummary, ...]) -> list[dict[str, Any]]:
    """The rows of the summaries; `many` is a row of streams, loads or exchanges, `knee` a knee."""
    loads, knees = loads_of(run, summaries)
    more: list[StreamsRow | LoadRow | ExchangeRow] = [
        *streams_of(run, summaries),
        *loads,
        *exchanges_of(run),
    ]
    by_case = {row.case: msgspec.to_builtins(row) for row in more}
    knee_of = {case: msgspec.to_builtins(knee) for knee in knees for case in knee.cases}
    rows = to_json_rows(summaries)
    for row in rows:
        if row["case"] in by_case:
            row["many"] = by_case[row["case"]]
        if row["case"] in knee_of:
            row["knee"] = knee_of[row["case"]]
    return rows
