"""Layers as tables and as a chart a test. Computes no number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.charts import Chart, ChartAxis, Track, axis_place, size_ticks
from weft.tables import Table
from weft.units import format_bytes, format_time
from weft.written import ends, signed_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.layers import Apart, LayerPair, Layers, Step

HEAD = ("test", "size", "layer", "its latency", "below it", "added", "95 % interval")


def _added(step: Step) -> str:
    return "not significant" if step.verdict == "cannot tell" else signed_time(step.added_ns)


def _test(one: LayerPair | Apart) -> str:
    """The test, and the options that differ from the usual."""
    return f"{one.test} {one.variant}".rstrip()


def layer_rows(pairs: Sequence[LayerPair]) -> list[tuple[str, ...]]:
    """One row per test, layer and size."""
    return [
        (
            _test(pair),
            format_bytes(step.bytes),
            pair.above,
            format_time(step.above_ns.value),
            f"{pair.below} {format_time(step.below_ns.value)}",
            _added(step),
            ends(step.low_ns, step.high_ns, signed_time),
        )
        for pair in pairs
        for step in pair.steps
    ]


def layer_notes(found: Layers) -> list[str]:
    """Each pair's outcome in words, then what stands apart and why."""
    lines = [f"{_test(pair)}: {pair.sentence}, over {pair.medium}" for pair in found.pairs]
    return lines + [f"{_test(one)}: {one.sentence}" for one in found.apart]


def render_layers(found: Layers) -> RenderableType:
    """The tables for a terminal, and each pair's outcome in words."""
    table = Grid(box=None)
    for head in HEAD:
        table.add_column(head)
    for row in layer_rows(found.pairs):
        table.add_row(*map(Text, row))
    shown = [table] if found.pairs else []
    return Group(*shown, *map(Text, layer_notes(found)))


def layer_charts(found: Layers) -> list[Chart]:
    """A chart for each variant: what each layer adds against message size, with intervals."""
    tests = dict.fromkeys(map(_test, found.pairs))
    return [_chart(test, [pair for pair in found.pairs if _test(pair) == test]) for test in tests]


def _chart(test: str, pairs: Sequence[LayerPair]) -> Chart:
    sizes = sorted({step.bytes for pair in pairs for step in pair.steps})
    tracks = [
        Track(
            label=f"{pair.above} over {pair.below}",
            x=tuple(axis_place(step.bytes) for step in pair.steps),
            y=tuple(step.added_ns / 1e3 for step in pair.steps),
            low=tuple(step.low_ns / 1e3 for step in pair.steps),
            high=tuple(step.high_ns / 1e3 for step in pair.steps),
            texts=tuple(f"{format_bytes(step.bytes)}: {_added(step)}" for step in pair.steps),
            group=group,
        )
        for group, pair in enumerate(pairs)
    ]
    return Chart(
        name="layers-" + re.sub(r"\W+", "-", test),
        title=f"What each layer adds: {test}",
        alt=f"time that each layer adds against message size for {test}",
        x=ChartAxis("message size", ticks=tuple(size_ticks(sizes))),
        y=ChartAxis("added latency in µs", is_log=False),
        tracks=tuple(tracks),
        note="Bars are intervals of the difference; one that crosses zero is not significant.",
    )


def layer_table(found: Layers) -> Table:
    """What stands beside the charts of a page."""
    return Table(
        name="layers",
        caption="weft: what each layer adds",
        head=HEAD,
        rows=tuple(layer_rows(found.pairs)),
        notes=tuple(layer_notes(found)),
    )
