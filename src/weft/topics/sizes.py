"""Which curves a report draws: summaries grouped into figures. Computes no number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.availability import BUSY
from weft.analysis.host_time import OVERLAPS
from weft.analysis.stats.intervals import Estimate
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run

Metric = Literal["latency", "bandwidth"]
# A log axis has no zero: the zero-byte point stands where a quarter byte would.
ZERO_BYTES_AT = 0.25
# Work beside transfers: what they show is in tables of its own, and not a curve over sizes.
WITHOUT_FIGURE = (BUSY, *OVERLAPS)


class Curve(msgspec.Struct, frozen=True):
    """One series: message sizes in bytes, ascending, and the figure at each."""

    label: str
    bytes: tuple[int, ...]
    estimates: tuple[Estimate, ...]


class Figure(msgspec.Struct, frozen=True):
    """One diagram. `unit_factor` turns the estimates into the axis's unit."""

    name: str
    title: str
    metric: Metric
    axis: str
    unit_factor: float
    curves: tuple[Curve, ...]


def figures_of(runs: Sequence[tuple[Run, Sequence[CaseSummary]]]) -> tuple[Figure, ...]:
    """A figure a test, in the order of the first record's plan; a curve a way and record."""
    figures = []
    tests = dict.fromkeys(s.test for _, summaries in runs for s in summaries)
    for test in (test for test in tests if test not in WITHOUT_FIGURE):
        owner = next(run for run, _ in runs if test in run.patterns)
        pattern = owner.patterns[test]
        metric: Metric = "latency" if pattern.latency_divisor else "bandwidth"
        curves = tuple(
            curve
            for run, summaries in runs
            for curve in _curves(run, [s for s in summaries if s.test == test], metric, len(runs))
        )
        if not curves:
            continue
        figures.append(
            Figure(
                name=test,
                title=pattern.title,
                metric=metric,
                axis="latency in µs" if metric == "latency" else "bandwidth in MB/s",
                unit_factor=1e-3 if metric == "latency" else 1e-6,
                curves=curves,
            )
        )
    return tuple(figures)


def _curves(
    run: Run, summaries: Sequence[CaseSummary], metric: Metric, records: int
) -> list[Curve]:
    curves = []
    for way in dict.fromkeys(s.way for s in summaries):
        points = _points(summaries, way, metric)
        if points:
            label = way if records == 1 else f"{way} ({run.path.name})"
            sizes, estimates = zip(*points, strict=True)
            curves.append(Curve(label, tuple(sizes), tuple(estimates)))
    return curves


def _points(
    summaries: Sequence[CaseSummary], way: str, metric: Metric
) -> list[tuple[int, Estimate]]:
    points = []
    for summary in summaries:
        estimate = summary.latency_ns if metric == "latency" else summary.bandwidth_bytes_per_s
        if summary.way == way and estimate is not None:
            points.append((summary.bytes, estimate))
    return sorted(points, key=lambda point: point[0])


def axis_place(size: int) -> float:
    """Where a size stands on the logarithmic axis of bytes."""
    return float(size) if size else ZERO_BYTES_AT


def byte_ticks(figure: Figure) -> list[tuple[float, str]]:
    """Places and labels of a figure's size axis."""
    return size_ticks([size for curve in figure.curves for size in curve.bytes])


def size_ticks(all_sizes: Sequence[int]) -> list[tuple[float, str]]:
    """Places and labels of a size axis: zero, and every fourth power of two in the range."""
    sizes = set(all_sizes)
    largest = max(sizes)
    ticks = [(axis_place(0), "0 B")] if 0 in sizes else []
    step = 2 if largest <= 1 << 10 else 4
    smallest = min((size for size in sizes if size), default=1)
    powers = [1 << exponent for exponent in range(0, largest.bit_length() + 1, step)]
    inside = [size for size in powers if smallest <= size <= largest]
    ticks += [(float(size), format_bytes(size)) for size in inside]
    return ticks
