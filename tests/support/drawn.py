"""What a page or a drawing shows, read back from it: curves, error bars, cells of tables."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Sequence

_SVG = "{http://www.w3.org/2000/svg}"
_PLOTS = "const plots = "


def page_plots(text: str) -> dict[str, Any]:
    """The curves that a page's script draws, by the figure's name, as its script has them."""
    start = text.index(_PLOTS) + len(_PLOTS)
    plots: dict[str, Any] = json.JSONDecoder().raw_decode(text, start)[0]
    return plots


def page_tables(text: str) -> list[list[list[str]]]:
    """The cells of every table of a page, row by row, the head first."""
    reader = _Tables()
    reader.feed(text)
    return reader.tables


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._is_cell = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self.tables[-1][-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.tables[-1][-1][-1] += data.strip().replace("\N{NO-BREAK SPACE}", " ")


def svg_points(text: str) -> list[tuple[float, float]]:
    """The marked points of a drawing with one curve, in the units of its axes, left to right."""
    drawing = _Drawing(text)
    points = drawing.points()
    return sorted((drawing.x(x), drawing.y(y)) for x, y in points)


def svg_curves(text: str) -> list[list[tuple[float, float]]]:
    """The points of each curve of a drawing whose y axis is linear, left to right."""
    drawing = _Drawing(text)
    return [[(drawing.x(x), drawing.even_y(y)) for x, y in curve] for curve in drawing.curves()]


def svg_bars(text: str) -> list[tuple[float, float]]:
    """Low and high end of each error bar of a drawing with one curve, left to right."""
    drawing = _Drawing(text)
    return [(drawing.y(max(ends)), drawing.y(min(ends))) for _, ends in sorted(drawing.bars())]


class _Drawing:
    """A drawing of matplotlib with logarithmic axes, read by the names that it gives its parts."""

    def __init__(self, text: str) -> None:
        tree = ElementTree.TreeBuilder(insert_comments=True)
        parser = ElementTree.XMLParser(target=tree)  # noqa: S314 - we drew it ourselves
        self._axes = next(
            group
            for group in ElementTree.fromstring(text, parser).iter(f"{_SVG}g")  # noqa: S314
            if group.get("id") == "axes_1"
        )
        self._x_scale = self._scale("xtick", "x")
        self._y_scale = self._scale("ytick", "y")

    def x(self, place: float) -> float:
        return _on_log_axis(self._x_scale, place)

    def y(self, place: float) -> float:
        return _on_log_axis(self._y_scale, place)

    def _scale(self, kind: str, attribute: str) -> list[tuple[float, float]]:
        """Place and value of an axis's ticks, from the text that stands beside each."""
        ticks = []
        for group in self._axes.iter(f"{_SVG}g"):
            if not re.fullmatch(rf"{kind}_\d+", group.get("id", "")):
                continue
            mark = next(use for use in group.iter(f"{_SVG}use") if use.get(attribute))
            words = [
                node.text or ""
                for node in group.iter()
                if cast("object", node.tag) is ElementTree.Comment
            ]
            value = _tick_value(words[0]) if words else None
            if value:
                ticks.append((float(mark.get(attribute, "nan")), value))
        return ticks

    def _paths(self, kind: str) -> list[list[float]]:
        """The numbers of the paths inside the axes that groups of a kind hold themselves."""
        return [
            [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
            for group in self._axes
            if group.get("id", "").startswith(kind)
            for path in group.findall(f"{_SVG}path")
            if path.get("clip-path")
        ]

    def even_y(self, place: float) -> float:
        (first, low), (last, high) = self._y_scale[0], self._y_scale[-1]
        return low + (high - low) * (place - first) / (last - first)

    def points(self) -> list[tuple[float, float]]:
        """Where the curve goes."""
        [points] = self.curves()
        return points

    def curves(self) -> list[list[tuple[float, float]]]:
        return [
            list(zip(numbers[::2], numbers[1::2], strict=True)) for numbers in self._paths("line2d")
        ]

    def bars(self) -> list[tuple[float, tuple[float, float]]]:
        """Place along x, and both ends along y, of every error bar."""
        return [(x, (first, last)) for x, first, _, last in self._paths("LineCollection")]


def _tick_value(words: str) -> float | None:
    """The number of a tick's text: "$\\mathdefault{10^{-1}}$", "4 KiB" or "100 B"."""
    power = re.search(r"10\^\{(−|-)?(\d+)\}", words)
    if power:
        return float(10.0 ** (int(power[2]) * (-1 if power[1] else 1)))
    size = re.fullmatch(r"\s*([\d.]+)(?: (B|KiB|MiB))?\s*", words)
    return float(size[1]) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[size[2] or "B"] if size else None


def _on_log_axis(ticks: Sequence[tuple[float, float]], place: float) -> float:
    (first, low), (last, high) = ticks[0], ticks[-1]
    assert first != last, "one tick is no scale"
    share = (place - first) / (last - first)
    return float(low * (high / low) ** share)
