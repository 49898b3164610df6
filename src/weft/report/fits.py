"""Fits in words, tables and charts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from weft.report.charts import Axis, Chart, Track
from weft.report.figures import ZERO_BYTES_AT, size_ticks
from weft.units import format_bandwidth, format_bytes, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType

    from weft.analysis.linear import Line, LinearFit
    from weft.analysis.parameters import Parameter
    from weft.analysis.sweeps import Series

# Sizes spread wider than this are shown on logarithmic axes.
WIDE_SPREAD = 1000
MOST_POINTS = 4000
LINE_POINTS = 65


def in_words(parameter: Parameter | None, shape: Callable[[float], str]) -> str:
    """A parameter with its interval: "5.94 GB/s [5.92 GB/s, 5.96 GB/s]"."""
    if parameter is None:
        return "-"
    ends = [
        shape(end) if math.isfinite(end) else "no bound" for end in (parameter.low, parameter.high)
    ]
    return f"{shape(parameter.value)} [{ends[0]}, {ends[1]}]"


def signed_time(nanoseconds: float) -> str:
    """A time that may be below zero, as an intercept may."""
    return f"-{format_time(-nanoseconds)}" if nanoseconds < 0 else format_time(nanoseconds)


def line_rows(fit: LinearFit) -> list[tuple[str, str, str]]:
    """Rows of name, least squares and median line, in words."""

    def row(name: str, shape: Callable[[float], str], part: str) -> tuple[str, str, str]:
        both = (fit.least_squares, fit.median_line)
        cells = [in_words(getattr(line, part), shape) for line in both]
        return name, cells[0], cells[1]

    return [
        row("bandwidth", format_bandwidth, "bandwidth_bytes_per_s"),
        row("latency", signed_time, "latency_ns"),
        row("R²", lambda share: f"{share:.5f}", "r_squared"),
    ]


def facts_of(fit: LinearFit) -> str:
    """What the lines rest on, a sentence."""
    launches = f" in {fit.launches} launches" if fit.launches > 1 else ""
    return (
        f"{fit.samples} samples{launches}, {format_bytes(fit.smallest_bytes)} to"
        f" {format_bytes(fit.largest_bytes)}; half of the sizes are within"
        f" {fit.misfit_percent:.2g} % of the median line"
    )


def render_line(fit: LinearFit) -> RenderableType:
    """Both lines for a terminal."""
    table = Table(box=None)
    table.add_column("")
    table.add_column("least squares, as published", no_wrap=True)
    table.add_column("median line", no_wrap=True)
    for row in line_rows(fit):
        table.add_row(*map(Text, row))
    parts: list[RenderableType] = [Text(f"{fit.name}: {facts_of(fit)}", style="bold"), table]
    return Group(*parts, *(Text(f"note: {note}") for note in fit.notes))


def line_chart(series: Series, fit: LinearFit) -> Chart:
    """Times against sizes with both trend lines; a point a sample as far as they can be told."""
    largest, smallest = fit.largest_bytes, fit.smallest_bytes
    is_log = largest > WIDE_SPREAD * max(smallest, 1)
    unit, factor = time_unit(float(series.medians_ns().max()), is_log=is_log)
    places, times = _points(series)
    lines = [
        _trend(line, f"{name}: {format_bandwidth(line.bandwidth_bytes_per_s.value)}",
               group, fit, is_log=is_log, factor=factor)
        for group, (name, line) in enumerate(
            (("least squares", fit.least_squares), ("median line", fit.median_line)), start=1
        )
    ]  # fmt: skip
    sizes = tuple(int(size) for size in series.sizes_bytes)
    axis = (
        Axis("message size", ticks=tuple(size_ticks(sizes)))
        if is_log
        else Axis("message size in MB", is_log=False)
    )
    return Chart(
        name="fit",
        title=f"Transfer time, {fit.name}",
        alt=f"times of {fit.name} against message size with two trend lines",
        x=axis,
        y=Axis(f"time in {unit}", is_log=is_log),
        tracks=(
            Track(
                label="measured",
                x=tuple(place_of(size, is_log=is_log) for size in places),
                y=tuple(time * factor for time in times),
                style="points",
            ),
            *lines,
        ),
        note="A point is a sample; of many samples of a size their quantiles.",
    )


def time_unit(longest_ns: float, *, is_log: bool) -> tuple[str, float]:
    """The unit of a time axis and what a nanosecond is in it."""
    if is_log or longest_ns < 1e6:
        return "µs", 1e-3
    return ("ms", 1e-6) if longest_ns < 1e9 else ("s", 1e-9)


def place_of(size: float, *, is_log: bool) -> float:
    """Where a size stands on the axis: bytes on a logarithmic one, else MB."""
    return (size or ZERO_BYTES_AT) if is_log else size / 1e6


def _points(series: Series) -> tuple[list[float], list[float]]:
    """Samples spread over the quantiles of each size, at most MOST_POINTS in all."""
    each = max(1, MOST_POINTS // (len(series.launches) * len(series.sizes_bytes)))
    places: list[float] = []
    times: list[float] = []
    for sweep in series.launches:
        for size, kept in zip(sweep.sizes_bytes, sweep.kept_ns, strict=True):
            step = max(1, math.ceil(len(kept) / each))
            some = sorted(kept)[step // 2 :: step]
            places += [float(size)] * len(some)
            times += [float(time) for time in some]
    return places, times


def _trend(
    line: Line, label: str, group: int, fit: LinearFit, *, is_log: bool, factor: float
) -> Track:
    sizes = line_sizes(fit.smallest_bytes, fit.largest_bytes, is_log=is_log)
    pairs = [(size, line.time_ns(size) * factor) for size in sizes]
    shown = [(size, time) for size, time in pairs if time > 0 or not is_log]
    return Track(
        label=label,
        x=tuple(place_of(size, is_log=is_log) for size, _ in shown),
        y=tuple(time for _, time in shown),
        style="line",
        group=group,
    )


def line_sizes(smallest: int, largest: int, *, is_log: bool) -> Sequence[float]:
    """Sizes at which a line is drawn: from zero on a linear axis, evenly on either."""
    if not is_log:
        return [0.0, float(largest)]
    first = smallest or ZERO_BYTES_AT
    ratio = largest / first
    inside = [first * ratio ** (step / (LINE_POINTS - 1)) for step in range(LINE_POINTS)]
    return [0.0 if not smallest and step == 0 else size for step, size in enumerate(inside)]
