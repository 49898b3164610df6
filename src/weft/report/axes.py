"""Axes of a drawing: ticks that can be read, and words that do not lie over each other."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.charts import Chart, ChartAxis

# Fewer ticks say nothing of a scale.
FEWEST_TICKS = 2
# A logarithmic axis over fewer decades has ticks between their ends.
FEW_DECADES = 2.0
# From here on a tick is a power of ten.
PLAIN_BELOW = 1e6
# Figures that differ by less than this share are one; an axis has so much room beside it.
ALIKE, ROOM_BESIDE = 1e-6, 0.05
_STEPS = ((1.0, 2.0, 5.0), tuple(map(float, range(1, 10))))
_EVEN_STEPS = (5, 2, 1)
_LEVEL = ("x", "y")


def shape_axes(axes: Any, chart: Chart) -> None:
    """Scales, ends, ticks and titles of both axes."""
    for letter, axis in zip(_LEVEL, (chart.x, chart.y), strict=True):
        base = 2 if letter == "x" and axis.ticks else 10
        if axis.is_log:
            getattr(axes, f"set_{letter}scale")("log", base=base)
        if axis.ticks:
            getattr(axes, f"set_{letter}ticks")(*zip(*axis.ticks, strict=True))
    if chart.y.ends is not None:
        axes.set_ylim(*chart.y.ends)
    elif not chart.y.is_log and chart.matrix is None and _is_never_negative(chart):
        axes.set_ylim(bottom=0)
    for letter, axis in zip(_LEVEL, (chart.x, chart.y), strict=True):
        if not axis.is_log and axis.ends is None and chart.matrix is None:
            _widen(axes, letter)
    axes.minorticks_off()
    axes.set_xlabel(chart.x.label)
    axes.set_ylabel(chart.y.label)
    if chart.matrix is not None:
        return
    _label_powers(axes.xaxis, chart.x, axes.get_xlim())
    _label_powers(axes.yaxis, chart.y, axes.get_ylim())
    axes.grid(visible=True, color="#dddddd", linewidth=0.5)


def _widen(axes: Any, letter: str) -> None:
    """Of figures that are alike but for rounding: their ticks would be an offset and its parts."""
    low, high = sorted(getattr(axes, f"get_{letter}lim")())
    middle = (low + high) / 2
    if high - low < ALIKE * abs(middle):
        getattr(axes, f"set_{letter}lim")(
            sorted((middle * (1 - ROOM_BESIDE), middle * (1 + ROOM_BESIDE)))
        )


def _is_never_negative(chart: Chart) -> bool:
    """Whether all values are of what has no sign: an axis of theirs begins at zero."""
    values = [y for track in chart.tracks for y in (*track.y, *track.base)]
    signed = any(track.is_signed for track in chart.tracks)
    return bool(values) and not signed and min(values) >= 0


def _label_powers(drawn: Any, axis: ChartAxis, ends: tuple[float, float]) -> None:
    """Ticks of a logarithmic axis that has none of its own, in plain numbers."""
    if not axis.is_log or axis.ticks:
        return
    ticks = log_ticks(*sorted(ends))
    drawn.set_ticks(ticks, [tick_in_words(one) for one in ticks])


def log_ticks(low: float, high: float) -> list[float]:
    """At least two places between both ends: powers of ten, or over few decades steps between."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    wide = math.log10(high / low) >= FEW_DECADES
    for steps in ((1.0,), *_STEPS) if wide else _STEPS:
        found = [step * 10.0**power for power in powers for step in steps]
        inside = [one for one in found if low <= one <= high]
        if len(inside) >= FEWEST_TICKS:
            return inside
    return _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> list[float]:
    """Multiples of the largest of 1, 2 and 5 times a power of ten that has two between the ends."""
    power = math.floor(math.log10(high - low))
    for digits in (-power, 1 - power, 2 - power):
        for step in _EVEN_STEPS:
            width = step * 10.0**-digits
            first, last = math.ceil(low / width), math.floor(high / width)
            if last > first:
                return [round(at * width, digits) for at in range(first, last + 1)]
    return [low, high]


def tick_in_words(value: float) -> str:
    """A plain number, and a power of ten where that is shorter."""
    if 1 / PLAIN_BELOW < value < PLAIN_BELOW:
        return f"{value:.12g}" if value >= 1e-4 else f"{value:.7f}".rstrip("0")
    power = math.floor(math.log10(value) + 1e-9)
    share = f"{value / 10**power:.3g}"
    return f"$\\mathdefault{{{'' if share == '1' else share + ' · '}10^{{{power}}}}}$"


def keep_apart(canvas: Any, axes: Any, marks: Iterable[Any]) -> None:
    """Leave out tick labels that would lie over their neighbour, and move words of marks apart."""
    renderer = canvas.canvas.get_renderer() if hasattr(canvas.canvas, "get_renderer") else None
    for axis in (axes.xaxis, axes.yaxis):
        _thin(axis, renderer)
    placed: list[Any] = []
    for words in marks:
        _shorten(words, axes, renderer)
        _move_off(words, placed, axes, renderer)
        placed.append(words.get_window_extent(renderer))


def _thin(axis: Any, renderer: Any) -> None:
    """Drop every second label until none touches the next."""
    labels = [one for one in axis.get_ticklabels() if one.get_text() and one.get_visible()]
    while len(labels) > FEWEST_TICKS and _touch(labels, renderer):
        for one in labels[1::2]:
            one.set_visible(False)
        labels = labels[::2]


def _touch(labels: Sequence[Any], renderer: Any) -> bool:
    boxes = [one.get_window_extent(renderer) for one in labels]
    return any(one.overlaps(other) for one, other in pairwise(boxes))


def _shorten(words: Any, axes: Any, renderer: Any) -> None:
    """Words of a mark that are longer than its line end in an ellipsis: a page has them whole."""
    room = axes.get_window_extent(renderer)
    whole = words.get_text()
    for kept in range(len(whole) - 1, 0, -1):
        box = words.get_window_extent(renderer)
        if box.height <= room.height and box.width <= room.width:
            return
        words.set_text(f"{whole[:kept].rstrip(' ;,:')}…")


def _move_off(words: Any, placed: Sequence[Any], axes: Any, renderer: Any) -> None:
    """Along its own line a mark's words have room: they go on until they lie over no others."""
    room = axes.get_window_extent(renderer)
    is_upright = bool(words.get_rotation())
    for _ in range(len(placed)):
        box = words.get_window_extent(renderer)
        hit = next((one for one in placed if box.overlaps(one)), None)
        if hit is None:
            return
        across, up = words.xyann
        scale = 72 / axes.figure.dpi
        if is_upright:
            moved = (across, up + (hit.y1 - box.y0) * scale + 2)
        else:
            moved = (across + (hit.x1 - box.x0) * scale + 4, up)
        words.xyann = moved
        box = words.get_window_extent(renderer)
        if box.x1 > room.x1 or box.y1 > room.y1:
            # No room along the line: beside it.
            height = min(box.height, box.width) * scale
            words.xyann = (across + height, up) if is_upright else (across, up - height - 3)
