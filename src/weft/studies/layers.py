"""The layers of a record stacked by what they use, as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.layers import layers_of
from weft.analysis.summary import summarise
from weft.charts import Chart
from weft.sources.records import record_named
from weft.tables import Table
from weft.topics.layers import layer_charts, layer_table, to_json

if TYPE_CHECKING:
    from pathlib import Path


class LayersShown(msgspec.Struct, frozen=True, kw_only=True):
    """What each layer adds to the one below: a table, a chart a variant, and plain data."""

    table: Table
    charts: tuple[Chart, ...]
    plain: list[dict[str, Any]]


def layers_shown(record: Path, order: str = "") -> LayersShown:
    """The layers over each medium; `order` has transports with commas between, lowest first.

    Raises WeftError.
    """
    run = record_named(record)
    found = layers_of(run, summarise(run), tuple(name for name in order.split(",") if name))
    return LayersShown(
        table=layer_table(found), charts=tuple(layer_charts(found)), plain=to_json(found)
    )
