"""The layers of a record stacked by what they use, as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.compare.sessions import measured_in_words
from weft.analysis.layers import layers_of
from weft.analysis.stats.launches import launches_of
from weft.analysis.summary import summarise
from weft.charts import Chart
from weft.sources.records import record_named
from weft.tables import Table
from weft.topics.layers import layer_charts, layer_table, to_json
from weft.wording import hosts_in_words

if TYPE_CHECKING:
    from pathlib import Path

    from weft.record.run import Run


class PlainLayers(msgspec.Struct, frozen=True, kw_only=True):
    """The layers as plain data: a row per test, pair of layers and size, and the notes."""

    rows: list[dict[str, Any]]
    notes: tuple[str, ...]


class LayersShown(msgspec.Struct, frozen=True, kw_only=True):
    """What each layer adds to the one below: a table, a chart a variant, and plain data.

    `measured` says on what, when and how much the record was.
    """

    table: Table
    charts: tuple[Chart, ...]
    plain: PlainLayers
    measured: str = ""


def layers_shown(record: str | Path | Run, order: str = "") -> LayersShown:
    """The layers over each medium; `order` has transports with commas between, lowest first.

    Raises WeftError.
    """
    run = record_named(record)
    found = layers_of(run, summarise(run), tuple(name for name in order.split(",") if name))
    table = layer_table(found)
    return LayersShown(
        table=table,
        charts=tuple(layer_charts(found)),
        plain=PlainLayers(rows=to_json(found), notes=table.notes),
        measured=measured_in_words(
            run.path.name,
            hosts_in_words(run.header.hosts),
            (run.header.created_utc,),
            launches_of([run]),
        ),
    )
