"""What each layer adds to the one below: a table, charts, sentences and JSON.

`weft layers` alone asks for it, for the order of the layers is an option of that command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weft.charts import (
    Chart,
    ChartAxis,
    ChartPoint,
    axis_over_sizes,
    axis_place,
    chart_of,
    ends_of,
    track_of,
)
from weft.tables import Table
from weft.units import format_bytes, format_time
from weft.wording import (
    NO_INTERVAL,
    NOT_SIGNIFICANT,
    counted,
    ends,
    in_a_row,
    verb_of,
    who_says,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weft.analysis.layers import Apart, LayerPair, Layers, Step

HEAD = ("test", "size", "layer", "its latency", "below it", "added", "95 % interval")


def _added(step: Step) -> str:
    if step.verdict != "cannot tell":
        return format_time(step.added_ns.value)
    return NOT_SIGNIFICANT if step.has_interval else NO_INTERVAL


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
            ends(step.added_ns.low, step.added_ns.high, format_time),
        )
        for pair in pairs
        for step in pair.steps
    ]


def layer_notes(found: Layers) -> list[str]:
    """Each pair's outcome in words, then what stands apart and why."""
    lines = [f"{_test(pair)}: {pair_in_words(pair)}, over {pair.medium}" for pair in found.pairs]
    return [*lines, *_apart_in_words(found.apart), *found.advice]


def _apart_in_words(apart: Sequence[Apart]) -> list[str]:
    """Why transports stand apart, once for all of them and all tests that it is said of."""
    of_tests = who_says((one.transport, f"{_test(one)}: {one.why}") for one in apart)
    said: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for words, transports in of_tests.items():
        test, _, why = words.partition(": ")
        said.setdefault((why, tuple(transports)), []).append(test)
    return [
        f"{', '.join(tests)}: {in_a_row(transports, 'and')}"
        f" {verb_of(len(transports), 'stand')} apart: {why}"
        for (why, transports), tests in said.items()
    ]


def pair_in_words(pair: LayerPair) -> str:
    """What the upper layer adds at the least size where that is known."""
    clear = [step for step in pair.steps if step.verdict != "cannot tell"]
    if not any(step.has_interval for step in pair.steps):
        return f"what {pair.above} adds to {pair.below} has {NO_INTERVAL} at any size"
    if not clear:
        return f"{pair.above} and {pair.below} do not differ significantly at any size"
    least = min(clear, key=lambda step: step.bytes)
    unclear = len(pair.steps) - len(clear)
    rest = f"; cannot tell at {unclear} of {counted(len(pair.steps), 'size')}" if unclear else ""
    return (
        f"{pair.above} {least.verdict} {format_time(abs(least.added_ns.value))}"
        f" at {format_bytes(least.bytes)} over {pair.below}{rest}"
    )


def layer_charts(found: Layers) -> list[Chart]:
    """A chart for each variant: what each layer adds against message size, with intervals."""
    tests = dict.fromkeys(map(_test, found.pairs))
    return [_chart(test, [pair for pair in found.pairs if _test(pair) == test]) for test in tests]


def _chart(test: str, pairs: Sequence[LayerPair]) -> Chart:
    return chart_of(
        "layers-" + re.sub(r"\W+", "-", test),
        f"What each layer adds: {test}",
        axis_over_sizes([step.bytes for pair in pairs for step in pair.steps]),
        ChartAxis("added latency in µs", is_log=False, ends=ends_of(list(_shown_us(pairs)))),
        (
            track_of(f"{one.above} over {one.below}", map(_point, one.steps), group, is_signed=True)
            for group, one in enumerate(pairs)
        ),
        note="Bars are 95 % intervals that hold at all sizes together, cut at the axis; one that"
        " crosses zero is not significant.",
    )


def _shown_us(pairs: Sequence[LayerPair]) -> Iterator[float]:
    """What the axis has room for: each difference, and the intervals of those that are clear."""
    for step in (step for pair in pairs for step in pair.steps):
        added = step.added_ns
        ends = () if step.verdict == "cannot tell" else (added.low, added.high)
        yield from (one / 1e3 for one in (added.value, *ends))


def _point(step: Step) -> ChartPoint:
    added, low, high = (
        one / 1e3 for one in (step.added_ns.value, step.added_ns.low, step.added_ns.high)
    )
    text = f"{format_bytes(step.bytes)}: {_added(step)}"
    return ChartPoint(axis_place(step.bytes), added, low, high, text)


def layer_table(found: Layers) -> Table:
    """Every layer at every size, and what the layers add in words."""
    return Table(
        name="layers",
        caption="weft: what each layer adds",
        head=HEAD if found.pairs else (),
        left=tuple(range(len(HEAD))),
        rows=tuple(layer_rows(found.pairs)),
        notes=tuple(layer_notes(found)),
    )


def to_json(found: Layers) -> list[dict[str, Any]]:
    """The rows of `weft layers --json`: one per test, variant, pair and size; then the rest.

    What is not stacked has the verdict "apart" and a `why`; its `added_ns` and `below` are null.
    """
    rows: list[dict[str, Any]] = [
        {
            "test": pair.test,
            "variant": pair.variant,
            "medium": pair.medium,
            "below": pair.below,
            "above": pair.above,
            "bytes": step.bytes,
            "below_ns": msgspec.to_builtins(step.below_ns),
            "above_ns": msgspec.to_builtins(step.above_ns),
            "added_ns": msgspec.to_builtins(step.added_ns),
            "by_itself_ns": [step.by_itself_ns.low, step.by_itself_ns.high],
            "verdict": step.verdict,
        }
        for pair in found.pairs
        for step in pair.steps
    ]
    rows += [
        {
            "test": one.test,
            "variant": one.variant,
            "below": None,
            "above": one.transport,
            "bytes": size,
            "above_ns": msgspec.to_builtins(latency),
            "added_ns": None,
            "verdict": "apart",
            "why": one.why,
        }
        for one in found.apart
        for size, latency in sorted(one.latencies_ns.items())
    ]
    return rows
