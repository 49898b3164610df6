"""Figures for the screen, with values under the pointer (plotly)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.report.drawing import COLOURS
from weft.report.figures import axis_place, byte_ticks
from weft.units import format_bandwidth, format_bytes, format_time

if TYPE_CHECKING:
    from weft.analysis.intervals import Estimate
    from weft.report.figures import Curve, Figure

SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x")
DASHES = ("solid", "dash", "dashdot", "dot", "solid", "dash", "dashdot")


def plot(figure: Figure) -> dict[str, Any]:
    """The figure as plotly's JSON: `data` has a trace a curve, in the figure's order."""
    ticks = byte_ticks(figure)
    grid = {"gridcolor": "#e5e5e5", "linecolor": "#444", "ticks": "outside", "showline": True}
    return {
        "data": [_trace(figure, curve, index) for index, curve in enumerate(figure.curves)],
        "layout": {
            "xaxis": {
                "type": "log",
                "title": {"text": "message size"},
                "tickvals": [place for place, _ in ticks],
                "ticktext": [name for _, name in ticks],
                "tickangle": 0,
                **grid,
            },
            "yaxis": {"type": "log", "title": {"text": figure.axis}, "dtick": 1, **grid},
            "margin": {"l": 70, "r": 15, "t": 10, "b": 55},
            "legend": {"orientation": "h", "y": 1.12},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#222"},
            "hoverlabel": {"bgcolor": "white"},
            "height": 380,
        },
    }


def _trace(figure: Figure, curve: Curve, index: int) -> dict[str, Any]:
    colour = COLOURS[index % len(COLOURS)]
    factor = figure.unit_factor
    shape = format_time if figure.metric == "latency" else format_bandwidth
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": curve.label,
        "x": [axis_place(size) for size in curve.bytes],
        "y": [e.median * factor for e in curve.estimates],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, (e.high - e.median) * factor) for e in curve.estimates],
            "arrayminus": [max(0.0, (e.median - e.low) * factor) for e in curve.estimates],
            "color": colour,
            "thickness": 1.2,
        },
        "text": [
            f"{format_bytes(size)}: {_words(e, shape)}"
            for size, e in zip(curve.bytes, curve.estimates, strict=True)
        ],
        "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
        "line": {"color": colour, "dash": DASHES[index % len(DASHES)]},
        "marker": {"symbol": SYMBOLS[index % len(SYMBOLS)], "size": 7},
    }


def _words(estimate: Estimate, shape: Any) -> str:
    return f"{shape(estimate.median)} [{shape(estimate.low)}, {shape(estimate.high)}]"
