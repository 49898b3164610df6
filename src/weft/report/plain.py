"""A record's figures as plain data: the rows of `weft show --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.analysis.summary import to_json_rows
from weft.stages import counted_off
from weft.topics import TOPICS

if TYPE_CHECKING:
    from weft.topics.base import Results


def json_rows(results: Results) -> list[dict[str, Any]]:
    """One row per case: its summary, and what each topic has beside it."""
    rows = to_json_rows(results.summaries)
    by_case = {row["case"]: row for row in rows}
    for topic in counted_off(TOPICS, "making rows"):
        for case, fields in topic.of_cases(results.of(topic)).items():
            if case in by_case:
                by_case[case].update(fields)
    return rows
