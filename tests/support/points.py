"""Charts held to the data that they draw: each point to one figure of one row, by its value.

No two figures of support/unlike.py are alike, so a point is its figure's and no other's. A curve
keeps to one field; the axes name it, and where a point stands along the other axis is a field of
the same row.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from support.cells import UNITS, Record, Shown, is_estimate, shown_of, shows, snake, stem, units_of
from support.heads import PLACES, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.charts import Chart, Track

# What an axis's unit is worth in that of the fields that it may show.
FACTORS = (
    ("in the paper's MB/s (2²⁰ B/s)", 2.0**20, "_bytes_per_s"),
    ("in MB/s", 1e6, "_bytes_per_s"),
    ("in µs", 1e3, "_ns"),
    ("MFlop/s per rank", 1e6, "flops_per_s"),
    ("million messages/s", 1e6, "_per_s"),
    ("offered, thousand messages/s", 1e3, "_per_s"),
    ("efficiency in %", 0.01, "efficiency"),
    ("in %", 1.0, "_percent"),
)
# Where no bytes stand on an axis of powers of two.
ZERO_BYTES_AT = 0.25
# Fields of figures whose unit the row says beside them.
FREE = ("figure",)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that a point may be: its row and field, and the value with its interval."""

    record: Record
    field: str
    shown: Shown


def figures_of(records: Sequence[Record]) -> list[Found]:
    """Every figure with an interval."""
    found = []
    for record in records:
        for field, leaf in record.items():
            shown = shown_of(field, leaf) if is_estimate(leaf) else None
            if isinstance(shown, Shown):
                found.append(Found(record=record, field=field, shown=shown))
        if record.get("efficiency", 1) is None:  # the smallest number of ranks
            whole = Shown(value=1.0, low=1.0, high=1.0, units=units_of("efficiency"))
            found.append(Found(record=record, field="efficiency", shown=whole))
    return found


def factor_of(label: str) -> tuple[float, str]:
    """What an axis's unit is worth, and how the fields end that it is the unit of."""
    for words, factor, ending in FACTORS:
        if words in label:
            return factor, ending
    return 1.0, ""


def is_near(one: float, other: float) -> bool:
    """Whether two figures are one, but for the rounding of sums."""
    if math.isnan(one) or math.isinf(other):
        return True
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def faults_of_chart(chart: Chart, figures: Sequence[Found], named: Mapping[str, str]) -> list[str]:
    """What in a chart is no figure of a row, or not the one that its axes and curves name.

    `named` has the fields of axes whose words are not their name, and of charts by a pattern.
    """
    tests = {one.record["test"] for one in figures if "test" in one.record}
    test = max((one for one in tests if chart.name.endswith(one)), key=len, default="")
    own = [one for one in figures if not test or one.record.get("test", test) == test]
    faults = [f for track in chart.tracks for f in _faults_of_track(chart, track, own, named)]
    factor, _ = factor_of(chart.x.label)
    known = [one.shown.value for one in figures]
    return faults + [
        f"{chart.name}: no figure is where {mark.text!r} stands"
        for mark in chart.marks
        if mark.axis == "x" and not any(is_near(mark.at * factor, one) for one in known)
    ]


def _faults_of_track(
    chart: Chart, track: Track, figures: Sequence[Found], named: Mapping[str, str]
) -> list[str]:
    factor, ending = factor_of(chart.y.label)
    place = f"{chart.name}, {track.label}"
    if not track.label:
        return [f"{chart.name}: a curve says not what it is of"]
    usable = [one for one in figures if _is_named(track.label, one.record)]
    found = [list(_at(track, at, usable, factor, ending)) for at in range(len(track.x))]
    shared = set.intersection(*({one.field for one in own} for own in found))
    fields = {one for one in shared if _is_meant(one, chart, track, named)}
    if not fields:
        return [f"{place}: the points are no field of its rows but {shared}"]
    faults = []
    for at, own in enumerate(found):
        rows = [one for one in own if one.field in fields]
        if not any(_stands_at(chart.x.label, track.x[at], one.record) for one in rows):
            faults.append(f"{place}: {track.x[at]} is no place of its row")
        if not any(_says(track, at, one, chart.y.label) for one in rows):
            faults.append(f"{place}: {track.texts[at]!r} is not what is drawn")
    return faults


def _is_meant(field: str, chart: Chart, track: Track, named: Mapping[str, str]) -> bool:
    """Whether the axis, or what is known of the chart, names this field."""
    for pattern, wanted in named.items():
        if re.fullmatch(pattern, chart.name) or pattern == chart.y.label:
            return field in wanted.format(label=track.label.split()[0]).split("|")
    words = snake(chart.y.label.partition(" in ")[0]).split("_")
    return stem(field) in words or field in FREE


def _is_named(label: str, record: Record) -> bool:
    """Whether each word of a curve's label is the row's."""
    leaves = [str(leaf) for leaf in record.values() if isinstance(leaf, str | int)]
    known = {word for leaf in leaves for word in leaf.split()}
    if "bytes" in record:
        known |= set(size_of(record).split())
    if queue := re.fullmatch(r"Q = (\d+)", label):
        return record.get("queue_depth") == int(queue[1])
    percentile = label.endswith(" %")
    # Ranks are two words of a label, and one of the case's variant.
    plain = re.sub(r", (\d+) ranks?\b", r" \1ranks", label)
    return percentile or all(word in known for word in plain.replace(",", " ").split())


def _at(
    track: Track, at: int, figures: Sequence[Found], factor: float, ending: str
) -> Iterator[Found]:
    for one in figures:
        if not (one.field.endswith(ending) or one.field in FREE or "." in one.field):
            continue
        ends = (track.low[at], track.high[at]) if track.low else (math.nan, math.nan)
        wanted = (one.shown.value, one.shown.low, one.shown.high)
        drawn = (track.y[at], *ends)
        if all(is_near(own * factor, value) for own, value in zip(drawn, wanted, strict=True)):
            yield one


def _stands_at(label: str, place: float, record: Record) -> bool:
    """Whether the place along the axis is the row's own; a field's name may be the axis's."""
    if label == "message size":
        return place == (record["bytes"] or ZERO_BYTES_AT)
    leaf = record.get(PLACES.get(label, snake(label)))
    shown = shown_of("", leaf) if is_estimate(leaf) or isinstance(leaf, int | float) else None
    return isinstance(shown, Shown) and is_near(place * factor_of(label)[0], shown.value)


def _says(track: Track, at: int, one: Found, label: str) -> bool:
    """Whether what stands under the pointer is the point's figure, in its unit or the axis's."""
    if not track.texts:
        return True
    factor, ending = factor_of(label)
    _, behind, words = track.texts[at].partition(": ")
    first = re.split(r"(?<=\]), |(?<=%), |(?<=n=\d), ", words if behind else track.texts[at])[0]
    units = {**UNITS.get(ending, one.shown.units), "": factor}
    return shows(first, msgspec.structs.replace(one.shown, units=units))
