"""Fits in words, tables and charts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from weft.charts import (
    ZERO_BYTES_AT,
    Chart,
    ChartAxis,
    ChartPoint,
    Track,
    axis_over_sizes,
    chart_of,
    track_of,
)
from weft.units import (
    format_bandwidth,
    format_bytes,
    format_change,
    format_computed_bytes,
    format_number,
    format_time,
)
from weft.wording import counted, is_determined, parameter_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weft.analysis.fits.linear import Line, LinearFit
    from weft.analysis.fits.loggp import LogGP
    from weft.analysis.fits.models import Models
    from weft.analysis.fits.segments import Piecewise, Segment, Switch
    from weft.analysis.fits.sweeps import Series
    from weft.estimate import Estimate
    from weft.units import Shape


# Sizes spread wider than this are shown on logarithmic axes.
WIDE_SPREAD = 1000
MOST_POINTS = 4000
LINE_POINTS = 65
# An interval of R² that bears out no fourth decimal is none of what it leaves out either.
_SMALL_STEP = 5e-4
# From so many per cent on three digits are whole.
_WHOLE_FROM = 999.5
PREDICTION_HEAD = ("model", "median error", "largest error", "the model is")


def in_words(parameter: Estimate | None, shape: Shape, measure: str = "more sizes") -> str:
    """A parameter with its interval: "5.94 GB/s [5.92 GB/s, 5.96 GB/s]"; or what determines it."""
    return "-" if parameter is None else parameter_in_words(parameter, shape, measure)


def line_rows(fit: LinearFit) -> list[tuple[str, str, str]]:
    """Rows of name, least squares and median line, in words."""

    def row(name: str, shape: Shape, part: str, measure: str = "") -> tuple[str, str, str]:
        both = (fit.least_squares, fit.median_line)
        cells = [in_words(getattr(line, part), shape, measure) for line in both]
        return name, cells[0], cells[1]

    return [
        row("bandwidth", format_bandwidth, "bandwidth_bytes_per_s", "larger messages"),
        row("latency", format_time, "latency_ns", "smaller messages"),
        row("R²", _of_one, "r_squared"),
    ]


def _of_one(share: float, step: float | None = None, /) -> str:
    """A share of one to five decimals, for what R² leaves out is small; fewer where it is not."""
    return format_number(share, step if step and step > _SMALL_STEP else 1e-5)


def _error_in_percent(percent: float) -> str:
    """How far a model is off: "0.0123 %", "637 %", "1650 %"."""
    return f"{percent:.0f} %" if percent >= _WHOLE_FROM else f"{percent:.3g} %"


def _step_in_percent(times: float, step: float | None = None, /) -> str:
    """By how much the times step: "+27 %"."""
    return format_change(100 * (times - 1), step and 100 * step)


def facts_of(fit: LinearFit) -> str:
    """The basis of the lines, one sentence."""
    launches = f" in {counted(fit.launches, 'launch')}" if fit.launches > 1 else ""
    return (
        f"{counted(fit.samples, 'sample')}{launches}, {format_bytes(fit.smallest_bytes)} to"
        f" {format_bytes(fit.largest_bytes)}; median error of the median line:"
        f" {fit.misfit_percent:.2g} %"
    )


def render_line(fit: LinearFit) -> RenderableType:
    """Both lines for a terminal."""
    table = Grid(box=None)
    table.add_column("")
    table.add_column("least squares, as published")
    table.add_column("median line")
    for row in line_rows(fit):
        table.add_row(*map(Text, row))
    parts: list[RenderableType] = [Text(f"{fit.name}: {facts_of(fit)}", style="bold"), table]
    return Group(*parts, *(Text(f"note: {note}") for note in fit.notes))


def render_models(models: Models) -> RenderableType:
    """Every model of a series for a terminal."""
    parts = [render_line(models.line)]
    if models.piecewise is not None:
        parts.append(render_piecewise(models.piecewise))
    if models.loggp is not None:
        parts.append(_render_loggp(models.loggp))
    table = Grid(box=None)
    for head in PREDICTION_HEAD:
        table.add_column(head)
    for row in prediction_rows(models):
        table.add_row(*map(Text, row))
    return Group(*parts, table)


def in_a_sentence(models: Models) -> str:
    """Latency and bandwidth by the model that follows switches, or else by the median line."""
    line, model = models.line.median_line, models.piecewise
    by, latency, bandwidth = "median line", line.latency_ns, line.bandwidth_bytes_per_s
    if model is not None:
        by, latency = "piecewise model", model.latency_ns
        bandwidth = model.asymptotic_bandwidth_bytes_per_s
    return (
        f"By the {by}: latency {in_words(latency, format_time, 'smaller messages')}, bandwidth"
        f" {in_words(bandwidth, format_bandwidth, 'larger messages')}."
    )


def prediction_rows(models: Models) -> list[tuple[str, ...]]:
    """A row a model: how far it is off the sizes' medians."""
    return [
        (
            found.model,
            _error_in_percent(found.median_error_percent),
            f"{largest} at {format_bytes(found.largest_at_bytes)}",
            found.basis,
        )
        for found in models.predictions
        for largest in (_error_in_percent(found.largest_error_percent),)
    ]


def loggp_rows(model: LogGP) -> list[tuple[str, str]]:
    """The parameters of LogGP and PLogP in words."""
    rows = [("L + o_s + o_r", in_words(model.transfer_ns, format_time))]
    if model.latency_ns is not None:
        rows.append(("L", in_words(model.latency_ns, format_time)))
    rows += [
        ("g", in_words(model.gap_ns, format_time)),
        ("G per byte", in_words(model.gap_ns_per_byte, format_time)),
        ("L of PLogP", in_words(model.plogp_latency_ns, format_time)),
    ]
    for overhead in model.overheads:
        size = format_bytes(overhead.bytes)
        rows.append((f"o_s({size})", in_words(overhead.send_ns, format_time)))
        rows.append((f"o_r({size})", in_words(overhead.receive_ns, format_time)))
    return rows


def _render_loggp(model: LogGP) -> RenderableType:
    words = [Text(f" {name}: {value}") for name, value in loggp_rows(model)]
    curve = ", ".join(
        f"{format_bytes(gap.bytes)} {format_time(gap.gap_ns.value)}" for gap in model.gaps
    )
    words.append(Text(f" g(s) of PLogP: {curve}"))
    return Group(Text(" LogGP and PLogP"), *words, *(Text(f"note: {n}") for n in model.notes))


def segment_rows(model: Piecewise) -> list[tuple[str, str, str]]:
    """One row per segment: sizes, the line's time at zero bytes, its bandwidth."""
    return [
        (
            f"{format_bytes(segment.first_bytes)} to {format_bytes(segment.last_bytes)}",
            in_words(segment.latency_ns, format_time),
            in_words(segment.bandwidth_bytes_per_s, format_bandwidth),
        )
        for segment in model.segments
    ]


def whole_rows(model: Piecewise) -> list[tuple[str, str]]:
    """What the whole model says, and each switch in words."""
    rows = [
        (
            f"time at {format_bytes(model.segments[0].first_bytes)}",
            in_words(model.latency_ns, format_time),
        ),
        (
            "asymptotic bandwidth",
            in_words(model.asymptotic_bandwidth_bytes_per_s, format_bandwidth),
        ),
        ("n½", in_words(model.half_bandwidth_bytes, format_computed_bytes)),
    ]
    return rows + [("switch", switch_in_words(switch)) for switch in model.switches]


def switch_in_words(switch: Switch) -> str:
    """Where a switch is and by how much the times step there."""
    outer = f"{format_bytes(switch.above_bytes)} and {format_bytes(switch.up_to_bytes)}"
    place = f"at {format_bytes(switch.at_bytes)} (between {outer})"
    step = in_words(switch.step, _step_in_percent)
    if not is_determined(switch.step):
        return f"{place}, the step of the time is {step}"
    words = f"{place}, the time steps by {step}"
    is_significant = not switch.step.low <= 1 <= switch.step.high
    return words if is_significant else f"{words}: a change of slope, or none that is significant"


def render_piecewise(model: Piecewise) -> RenderableType:
    """The piecewise model for a terminal."""
    table = Grid(box=None)
    # What names a row is whole; what says that nothing is determined is broken at blanks.
    table.add_column("piecewise", no_wrap=True)
    for head in ("time at 0 B", "bandwidth"):
        table.add_column(head)
    for row in segment_rows(model):
        table.add_row(*map(Text, row))
    words = [Text(f" {name}: {value}") for name, value in whole_rows(model)]
    return Group(table, *words, *(Text(f"note: {note}") for note in model.notes))


def line_chart(series: Series, fit: LinearFit, model: Piecewise | None = None) -> Chart:
    """Times against sizes with the trend lines; one point per sample, up to a limit."""
    largest, smallest = fit.largest_bytes, fit.smallest_bytes
    is_log = largest > WIDE_SPREAD * max(smallest, 1)
    unit, factor = time_unit(float(series.medians_ns().max()), is_log=is_log)
    places, times = _points(series)
    lines = [
        _trend(line, f"{name}: {_slope(line)}", group, fit, is_log=is_log, factor=factor)
        for group, (name, line) in enumerate(
            (("least squares", fit.least_squares), ("median line", fit.median_line)), start=1
        )
    ]  # fmt: skip
    sizes = tuple(int(size) for size in series.sizes_bytes)
    axis = axis_over_sizes(sizes) if is_log else ChartAxis("message size in MB", is_log=False)
    measured = (
        ChartPoint(place_of(size, is_log=is_log), time * factor)
        for size, time in zip(places, times, strict=True)
    )
    return chart_of(
        "fit",
        f"Transfer time, {fit.name}",
        axis,
        ChartAxis(f"time in {unit}", is_log=is_log),
        (
            track_of("measured", measured, style="points"),
            *lines,
            *(_pieces(model, is_log=is_log, factor=factor) if model else ()),
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


def _slope(line: Line) -> str:
    """A trend's bandwidth; times that do not grow with the size have none."""
    bandwidth = line.bandwidth_bytes_per_s.value
    return format_bandwidth(bandwidth) if math.isfinite(bandwidth) else "no bandwidth"


def _trend(
    line: Line, label: str, group: int, fit: LinearFit, *, is_log: bool, factor: float
) -> Track:
    sizes = line_sizes(fit.smallest_bytes, fit.largest_bytes, is_log=is_log)
    points = (
        ChartPoint(place_of(size, is_log=is_log), line.time_ns(size) * factor) for size in sizes
    )
    shown = (point for point in points if point.y > 0 or not is_log)
    return track_of(label, shown, group, style="line")


def _pieces(model: Piecewise, *, is_log: bool, factor: float) -> list[Track]:
    return [
        track_of(
            "piecewise" if number == 0 else "",
            (
                ChartPoint(place_of(size, is_log=is_log), max(_on(segment, size), 1e-3) * factor)
                for size in line_sizes(segment.first_bytes, segment.last_bytes, is_log=True)
            ),
            3,
            style="line",
        )
        for number, segment in enumerate(model.segments)
    ]


def _on(segment: Segment, size: float) -> float:
    return segment.latency_ns.value + segment.slope_ns_per_byte.value * size


def line_sizes(smallest: int, largest: int, *, is_log: bool) -> Sequence[float]:
    """Sizes at which a line is drawn: from zero on a linear axis, evenly on either."""
    if not is_log:
        return [0.0, float(largest)]
    first = smallest or ZERO_BYTES_AT
    ratio = largest / first
    inside = [first * ratio ** (step / (LINE_POINTS - 1)) for step in range(LINE_POINTS)]
    return [0.0 if not smallest and step == 0 else size for step, size in enumerate(inside)]
