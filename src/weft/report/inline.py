"""A drawing as a part of a page: in the page's colours, small, with names of its own."""

from __future__ import annotations

import base64
import math
import re
from typing import TYPE_CHECKING, Any

from weft.colours import COLOURS, PAPER, SHADES, shaded

if TYPE_CHECKING:
    from weft.charts import Chart, Track
    from weft.report.drawing import PageDrawing

_HEAD = re.compile(r"^.*?(?=<svg )|<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", re.S)
_SIZE = re.compile(r' (?:width|height)="[\d.]+pt"| xmlns(?::xlink)?="[^"]*"| version="[^"]*"')
_LETTERS = "font-family: 'DejaVu Sans'"
_LONG = re.compile(r"(\d\.\d\d)\d+")
_NAMED = re.compile(r' id="([^"]*)"')
_USED = re.compile(r'(?:url\(#|href="#)([^")]*)')
_GREY = "#dddddd"
_BLACK = "#000000"


def figure_of(chart: Chart, drawing: PageDrawing) -> dict[str, Any]:
    """What the page's template shows of a chart."""
    return {
        "name": chart.name,
        "title": chart.title,
        "alt": chart.alt,
        "note": chart.words,
        "is_static": chart.is_static,
        "svg": inline_svg(drawing.svg, chart.name),
        "pdf": "data:application/pdf;base64," + base64.b64encode(drawing.pdf).decode(),
    }


def inline_svg(text: str, name: str) -> str:
    """The drawing as an element of a page: colours are the page's, or as drawn outside of one.

    What other parts refer to is named after the chart, for a page has several drawings.
    """
    text = _SIZE.sub("", _HEAD.sub("", text))
    used = set(_USED.findall(text))
    text = _NAMED.sub(lambda at: f' id="{name}-{at[1]}"' if at[1] in used else "", text)
    text = _USED.sub(lambda at: f"{at[0].removesuffix(at[1])}{name}-{at[1]}", text)
    text = text.replace("xlink:href", "href").replace(_LETTERS, "font-family: var(--letters, sans)")
    text = _LONG.sub(r"\1", re.sub(r"\s*\n\s*", " ", text))
    for shade in range(SHADES):
        for group, _ in enumerate(COLOURS):
            drawn = shaded(group, shade)
            if drawn != _BLACK:
                text = text.replace(drawn, f"var(--s{group}-{shade}, {drawn})")
    text = text.replace(_GREY, f"var(--grid, {_GREY})").replace(_BLACK, f"var(--ink, {_BLACK})")
    text = text.replace(PAPER, f"var(--page, {PAPER})")
    # Text has no colour of its own in SVG.
    return text.replace("<svg ", '<svg fill="currentColor" ', 1).strip()


def plot(chart: Chart, drawing: PageDrawing | None = None) -> dict[str, Any]:
    """The values of a chart for the page's script: what each point says, and where it is.

    `down` and `up` are how far its bars reach; `at` its places in the drawing.
    """
    places = drawing.places if drawing else [()] * len(chart.tracks)
    return {
        "x": chart.x.label,
        "y": chart.y.label,
        "tracks": [
            _values(track) | {"at": list(own)}
            for track, own in zip(chart.tracks, places, strict=True)
        ],
        "marks": [
            {"axis": mark.axis, "at": mark.at, "text": mark.text} for mark in chart.marks
        ],
    }  # fmt: skip


def _values(track: Track) -> dict[str, Any]:
    bars = track.bars()
    return {
        "label": track.label,
        "style": track.style,
        "x": list(track.x),
        "y": [y if math.isfinite(y) else None for y in track.y],
        "down": bars[0] if bars else [],
        "up": bars[1] if bars else [],
        "base": list(track.base),
        "texts": list(track.texts),
    }
