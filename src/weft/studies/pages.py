"""The page of a record or several: their results, the models of their times, and prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.analysis.fabric_value import values_of
from weft.analysis.summary import summarise
from weft.report.html import Section
from weft.report.page import report_path, write_report
from weft.sources.fabrics import delivered_or_why, options_of
from weft.sources.named import split_source
from weft.sources.records import each_record, records_named
from weft.sources.series import models_of
from weft.studies.links import with_link
from weft.studies.maps import check_are_maps
from weft.topics import TOPICS, results_of
from weft.topics.fabric_cost import cost_table
from weft.topics.fabric_value import value_charts, value_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.analysis.diagnosis.measured import FabricOf
    from weft.topics.base import Results


def page_of_records(
    records: Sequence[Path],
    output: Path | None = None,
    link: str = "",
    prices: Path | None = None,
    fabric_of: FabricOf | None = None,
) -> Path:
    """Write the page of all records beside the first, or to `output`, and give its path.

    It has the names of all records and parts, so that the page of one of them stays. `prices` is
    a file of fabrics, priced with what the first record delivers, and `fabric_of` gives the
    topology of maps where it is known. Raises WeftError.
    """
    words = each_record(records)
    runs = records_named(words)
    check_are_maps(runs, fabric_of)
    parts = [split_source(word)[1] for word in words]
    named = [(run.path, part) for run, part in zip(runs, parts, strict=True)]
    page = output or report_path(*named[0], *named[1:])
    found = with_link(
        link,
        lambda known: [
            results_of(run, summarise(run, known), known, fabric_of=fabric_of) for run in runs
        ],
        lambda every: [[topic.plain(one.of(topic)) for topic in TOPICS] for one in every],
    )
    write_page(found, page, [_priced(prices, runs[0].path)] if prices else [])
    return page


def write_page(results: Sequence[Results], page: Path, more: Sequence[Section] = ()) -> None:
    """Write the page of these results with the models of their times, and `more` below them."""
    write_report(results, page, models_of([one.run for one in results]), more)


def _priced(path: Path, record: Path) -> Section:
    """What the fabrics of a price list cost, and what the money buys with the record's figures."""
    usual, why = delivered_or_why(record)
    options = options_of([path], None, usual)
    values = values_of(options)
    return Section(
        name="price",
        title="What it costs",
        charts=tuple(value_charts(values)) if len(values) > 1 else (),
        tables=(value_table(values), *(cost_table(one.built, one.cost) for one in options)),
        findings=(why,) if why else (),
    )
