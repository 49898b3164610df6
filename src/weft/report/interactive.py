"""Charts for the screen, with values under the pointer (plotly)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weft.report.drawing import COLOURS

if TYPE_CHECKING:
    from weft.charts import Chart, ChartAxis, Mark, Track

SYMBOLS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x")
DASHES = ("solid", "dash", "dashdot", "dot", "solid", "dash", "dashdot")


def plot(chart: Chart) -> dict[str, Any]:
    """The chart as plotly's JSON: `data` has a trace a track, in the chart's order."""
    return {
        "data": [_trace(track) for track in chart.tracks],
        "layout": {
            "xaxis": _axis(chart.x),
            "yaxis": _axis(chart.y) | ({"dtick": 1} if chart.y.is_log else {}),
            "shapes": [_line(mark) for mark in chart.marks],
            "annotations": [_words(chart, mark) for mark in chart.marks],
            "margin": {"l": 70, "r": 15, "t": 10, "b": 55},
            "legend": {"orientation": "h", "y": 1.12},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#222"},
            "hoverlabel": {"bgcolor": "white"},
            "height": 380,
            "barmode": "overlay",
        },
    }


def _axis(axis: ChartAxis) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "type": "log" if axis.is_log else "linear",
        "title": {"text": axis.label},
        "gridcolor": "#e5e5e5",
        "linecolor": "#444",
        "ticks": "outside",
        "showline": True,
    }
    if axis.ends is not None:
        shape["range"] = list(axis.ends)
    if axis.ticks:
        shape["tickvals"] = [place for place, _ in axis.ticks]
        shape["ticktext"] = [name.replace("\n", "<br>") for _, name in axis.ticks]
        shape["tickangle"] = 0
        # A place among named ticks is no zero.
        shape["zeroline"] = False
    return shape


def _trace(track: Track) -> dict[str, Any]:
    return _bar(track) if track.style == "bar" else _curve(track)


def _bar(track: Track) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": track.label,
        "x": [*track.x],
        "y": track.heights,
        "base": list(track.base),
        "marker": {"color": COLOURS[track.group % len(COLOURS)]},
        "text": list(track.texts),
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _curve(track: Track) -> dict[str, Any]:
    colour = COLOURS[track.group % len(COLOURS)]
    modes = {"both": "lines+markers", "points": "markers", "line": "lines"}
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": modes[track.style],
        "name": track.label,
        "showlegend": bool(track.label),
        "x": list(track.x),
        "y": list(track.y),
        "line": {"color": colour, "dash": DASHES[track.group % len(DASHES)]},
        "marker": {
            "symbol": SYMBOLS[track.group % len(SYMBOLS)],
            "size": 7 if track.style == "both" else 5,
            "color": colour,
        },
    }
    if (bars := track.bars()) is not None:
        trace["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": bars[1],
            "arrayminus": bars[0],
            "color": colour,
            "thickness": 1.2,
        }
    if track.texts:
        trace["text"] = list(track.texts)
        trace["hovertemplate"] = "%{text}<extra>%{fullData.name}</extra>"
    return trace


def _line(mark: Mark) -> dict[str, Any]:
    along, across = ("x", "y") if mark.axis == "x" else ("y", "x")
    return {
        "type": "line",
        f"{along}0": mark.at,
        f"{along}1": mark.at,
        f"{across}0": 0,
        f"{across}1": 1,
        f"{across}ref": "paper",
        "line": {"color": COLOURS[mark.group % len(COLOURS)], "dash": "dash", "width": 1},
    }


def _words(chart: Chart, mark: Mark) -> dict[str, Any]:
    """The mark's words beside its line; on a log axis plotly wants the exponent for these."""
    axis = chart.x if mark.axis == "x" else chart.y
    at = math.log10(mark.at) if axis.is_log else mark.at
    colour = COLOURS[mark.group % len(COLOURS)]
    words: dict[str, Any] = {"text": mark.text, "showarrow": False, "font": {"color": colour}}
    if mark.axis == "x":
        return words | {"x": at, "y": 0.02, "yref": "paper", "textangle": -90, "xanchor": "left",
                        "yanchor": "bottom"}  # fmt: skip
    return words | {
        "x": 0.02 + 0.15 * (mark.group % 4),
        "xref": "paper",
        "y": at,
        "xanchor": "left",
        "yanchor": "bottom",
    }
