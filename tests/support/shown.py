"""What outputs show of a run and its summaries, topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weft.report.page import render_page as page_of_results
from weft.report.plain import json_rows as rows_of_results
from weft.report.terminal import render_tables as tables_of_results
from weft.topics import TOPICS, charts_of_topic, results_of, topic_called

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.analysis.fits.modelled import Modelled
    from weft.analysis.summary import CaseSummary
    from weft.charts import Chart
    from weft.record.run import Run
    from weft.tables import Table

# Topics of many ranks and of load.
MANY = ("hot_spots", "message_rate", "load")
# What messages cost the host.
HOST = ("overhead", "overlap", "availability", "completion")

Pairs = Sequence[tuple["Run", "tuple[CaseSummary, ...]"]]


def render_page(pairs: Pairs, models: Modelled | None = None) -> str:
    """The page of these records."""
    return page_of_results([results_of(*pair) for pair in pairs], models)


def render_tables(run: Run, summaries: Sequence[CaseSummary]) -> RenderableType:
    """All that a terminal shows."""
    return tables_of_results(results_of(run, summaries))


def json_rows(run: Run, summaries: Sequence[CaseSummary]) -> list[dict[str, Any]]:
    """The rows of `weft show --json`."""
    return rows_of_results(results_of(run, summaries))


def findings_of(run: Run, summaries: Sequence[CaseSummary]) -> tuple[str, ...]:
    """The findings of all topics."""
    results = results_of(run, summaries)
    return tuple(line for topic in TOPICS for line in results.findings(topic))


def tables_of(run: Run, summaries: Sequence[CaseSummary], *names: str) -> list[Table]:
    """The tables of these topics."""
    results = results_of(run, summaries)
    topics = [topic_called(name) for name in names]
    return [table for topic in topics for table in topic.tables(results.of(topic))]


def charts_of(run: Run, summaries: Sequence[CaseSummary], *names: str) -> list[Chart]:
    """The charts of these topics."""
    results = results_of(run, summaries)
    return [chart for name in names for chart in charts_of_topic(topic_called(name), [results])]


def paper_tables(run: Run, summaries: Sequence[CaseSummary]) -> list[Table]:
    """What LaTeX and Markdown get unless asked otherwise."""
    results = results_of(run, summaries)
    return [
        table for topic in TOPICS if topic.is_usual for table in topic.for_paper(results.of(topic))
    ]


def size_charts(pairs: Pairs) -> list[Chart]:
    """The curves over sizes of these records."""
    return charts_of_topic(topic_called("figures"), [results_of(*pair) for pair in pairs])
