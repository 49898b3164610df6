"""Charts as vector drawings for paper: SVG and PDF, one column wide, the same each time."""

from __future__ import annotations

import io
import math
import textwrap
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weft.colours import DASHES, MARKERS, PAPER, shaded
from weft.errors import WeftError
from weft.report.axes import keep_apart, shape_axes
from weft.report.paper import SANS, SCREEN, SERIF, SMALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure as Canvas

    from weft.charts import Chart, Mark, Matrix, Track
    from weft.report.paper import Paper

# An odd number: the middle one is that of no difference.
MATRIX_COLOURS = 25
# Names along one side of a matrix.
MOST_NAMES = 32
# A line of a legend, in characters; and what a further line of it takes of a drawing's height.
LEGEND_CHARACTERS = 40
LEGEND_LINE_INCHES = 0.17
# So much longer, in times its length, an axis becomes for a mark beyond it; and the room behind it.
MOST_LONGER = 2.0
EDGE = 0.12
# Behind the words of a mark there is paper, which the page has in its own colour.
BEHIND_WORDS = MappingProxyType(
    {"facecolor": PAPER, "alpha": 0.8, "edgecolor": "none", "boxstyle": "square,pad=0.1"}
)
OVER_CURVES = 4


def load_library() -> None:
    """Load what drawing needs, which takes longer than a drawing."""
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401


def draw(chart: Chart, kinds: Sequence[str], paper: Paper = SCREEN) -> list[bytes]:
    """The chart in each of the kinds "svg" and "pdf": fonts embedded, no time stamp inside.

    Raises WeftError for a family of letters that is not on this machine.
    """
    with _laid_out(chart, paper) as (canvas, _):
        return [_saved(canvas, kind) for kind in kinds]


class PageDrawing(NamedTuple):
    """A chart for a page: SVG without paper whose words are text, PDF, and where its points are.

    `places` has for each track x and y of each point in the SVG's units; none for one that a
    logarithmic axis has not.
    """

    svg: str
    pdf: bytes
    places: list[list[tuple[float, float] | None]]


def draw_for_page(chart: Chart, paper: Paper = SCREEN) -> PageDrawing:
    """The chart for a page, which draws it in its own colours and knows where each value is."""
    with _laid_out(chart, paper, letters="none") as (canvas, axes):
        pdf = _saved(canvas, "pdf")
        canvas.patch.set_visible(False)
        axes.patch.set_visible(False)
        svg = _saved(canvas, "svg").decode()
        moving = () if chart.is_static else chart.tracks
        return PageDrawing(svg, pdf, [_places(canvas, axes, track) for track in moving])


def _places(canvas: Any, axes: Any, track: Track) -> list[tuple[float, float] | None]:
    """Where the points of a track are in a drawing, from its upper left corner, in points."""
    scale = 72 / canvas.dpi
    height = float(canvas.bbox.height)
    found: list[tuple[float, float] | None] = []
    for x, y in zip(track.x, track.y, strict=True):
        across, up = map(float, axes.transData.transform((x, y)))
        is_there = math.isfinite(across) and math.isfinite(up)
        found.append(
            (round(across * scale, 1), round((height - up) * scale, 1)) if is_there else None
        )
    return found


@contextmanager
def _laid_out(chart: Chart, paper: Paper, letters: str = "path") -> Iterator[tuple[Any, Any]]:
    """The chart on a canvas with its axes, everything at its place; `letters` are those of SVG."""
    import matplotlib as mpl

    with mpl.rc_context(_style(paper) | {"svg.fonttype": letters}):
        canvas = canvas_of(chart, paper)
        axes = canvas.axes[0]
        # Laid out once for all kinds: that takes as long as drawing.
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        keep_apart(canvas, axes, axes.texts)
        yield canvas, axes


def canvas_of(chart: Chart, paper: Paper = SCREEN) -> Canvas:
    """The chart as matplotlib has it, for who wants to change it. Raises WeftError as `draw`."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    _check_family(paper)
    chart = _literal(chart)
    columns, lines = _legend_shape(chart)
    extra = LEGEND_LINE_INCHES * max(0, lines - 1) if paper is SCREEN else 0
    with mpl.rc_context(_style(paper)):
        canvas = Figure(
            figsize=(paper.width_inches, paper.height_inches + extra), layout="constrained"
        )
        axes = canvas.add_subplot()
        for track in chart.tracks:
            _draw_track(axes, track)
        if chart.matrix is not None:
            _draw_matrix(canvas, axes, chart.matrix)
        shape_axes(axes, chart)
        if lines and paper is not SMALL:
            axes.legend(
                frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns,
                borderpad=0, columnspacing=1.2, handlelength=2.2,
            )  # fmt: skip
        for mark in chart.marks:
            # Words of marks would cover a small chart.
            _draw_mark(axes, mark, is_silent=paper is SMALL)
        return canvas


def _literal(value: Any) -> Any:
    """The chart with escaped dollar signs: names of files may look like formulas."""
    if isinstance(value, str):
        return value.replace("$", r"\$")
    if isinstance(value, tuple | list):
        found = map(_literal, value)
        return value._make(found) if hasattr(value, "_make") else type(value)(found)
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return msgspec.structs.replace(value, **{n: _literal(getattr(value, n)) for n in names})
    return value


def _style(paper: Paper) -> Any:
    return {
        "font.size": paper.points,
        "font.family": paper.family,
        "mathtext.fontset": "stix" if paper.family == SERIF else "dejavusans",
        "svg.hashsalt": "weft",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }


def _legend_shape(chart: Chart) -> tuple[int, int]:
    """Columns and lines of the legend above the axes; none for a matrix or without labels."""
    labels = list(dict.fromkeys(track.label for track in chart.tracks if track.label))
    if chart.matrix is not None or not labels:
        return 0, 0
    columns = max(1, min(len(labels), LEGEND_CHARACTERS // (max(map(len, labels)) + 6)))
    if columns > 1:
        return columns, -(-len(labels) // columns)
    return 1, sum(_wrapped(label).count("\n") + 1 for label in labels)


def _wrapped(label: str) -> str:
    """A label in lines that fit the chart: a legend that is wider leaves the axes no room."""
    return "\n".join(textwrap.wrap(label, LEGEND_CHARACTERS))


def _check_family(paper: Paper) -> None:
    from matplotlib import font_manager

    try:
        font_manager.findfont(paper.family, fallback_to_default=False)
    except ValueError:
        raise WeftError(
            f"there is no font {paper.family} here", f"install it or choose {SERIF} or {SANS}"
        ) from None


def _saved(canvas: Any, kind: str) -> bytes:
    output = io.BytesIO()
    stamp = {"Date": None} if kind == "svg" else {"CreationDate": None, "ModDate": None}
    canvas.savefig(output, format=kind, metadata=stamp)
    return output.getvalue()


def _draw_track(axes: Any, track: Track) -> None:
    colour = shaded(track.group, track.shade)
    # Variants of a transport share its colour: what differs is the marker and the dash.
    look = track.group + track.shade
    if track.style == "bar":
        axes.bar(
            track.x,
            track.heights,
            bottom=track.base,
            label=_wrapped(track.label) or None,
            color=colour,
            width=0.7,
            zorder=3,
        )
        return
    x, y, bars = _in_order(track)
    axes.errorbar(
        x,
        y,
        yerr=bars,
        label=_wrapped(track.label) or None,
        color=colour,
        marker="" if track.style == "line" else MARKERS[look % len(MARKERS)],
        linestyle="" if track.style == "points" else DASHES[look % len(DASHES)],
        markersize=3 if track.style == "both" else 2,
        linewidth=1,
        capsize=2,
        elinewidth=0.7,
        alpha=0.5 if track.style == "points" else None,
        zorder=2 if track.style == "points" else 3,
    )


def _in_order(track: Track) -> tuple[list[float], list[float], tuple[list[float], ...] | None]:
    """Places, values and bars of a curve from left to right, as a line joins them.

    One without a bar of any length has none, or its sample in the legend had one. A point whose
    interval is not known has none either, for the caps of a bar of no length would be seen.
    """
    bars = track.bars()
    if bars and not any(map(any, bars)):
        bars = None
    order = sorted(range(len(track.x)), key=lambda at: track.x[at])
    reach = (
        tuple([side[at] if track.has_bar_at(at) else math.nan for at in order] for side in bars)
        if bars
        else None
    )
    return [track.x[at] for at in order], [track.y[at] for at in order], reach


def _freer_side(axes: Any, at: float) -> str:
    """Where the words of a horizontal line have more room: curves of either third are farther."""
    import numpy as np

    in_axes = axes.transData + axes.transAxes.inverted()
    points = [line.get_xydata() for line in axes.get_lines() if len(line.get_xydata())]
    if not points:
        return "left"
    x, y = in_axes.transform(np.concatenate(points)).T
    height = in_axes.transform((axes.get_xlim()[0], at))[1]
    away = [min(np.abs(y[third] - height), default=1.0) for third in (x < 1 / 3, x > 2 / 3)]
    return "left" if away[0] >= away[1] else "right"


def _draw_mark(axes: Any, mark: Mark, *, is_silent: bool) -> None:
    """The line of a mark, and its words."""
    colour = shaded(mark.group, 0)
    line = {"color": colour, "linewidth": 0.7, "linestyle": (0, (4, 3))}
    if is_silent:
        if mark.axis == "x":
            axes.axvline(mark.at, **line)
        elif _has_room(axes, mark.at):
            axes.axhline(mark.at, **line)
        return
    # Words that are too long are shortened once all is laid out: they take no room from the axes.
    words = {"color": colour, "fontsize": 6, "textcoords": "offset points", "in_layout": False}
    # They are read where a curve or another mark's line crosses them, which shows through.
    words |= {"bbox": BEHIND_WORDS, "zorder": OVER_CURVES}
    if mark.axis == "x":
        axes.axvline(mark.at, **line)
        if not mark.text:
            return
        place = {"xy": (mark.at, 0.03), "xycoords": ("data", "axes fraction")}
        axes.annotate(mark.text, **place, xytext=(2, 0), rotation=90, va="bottom", **words)
        return
    if _has_room(axes, mark.at):
        side = _freer_side(axes, mark.at)
        axes.axhline(mark.at, **line)
        at = 0.02 if side == "left" else 0.98
        place = {"xy": (at, mark.at), "xycoords": ("axes fraction", "data")}
        axes.annotate(mark.text, **place, xytext=(0, 2), ha=side, va="bottom", **words)
        return
    # Its line would leave all curves no height: its words alone stand at the edge.
    is_above = mark.at > max(axes.get_ylim())
    edge = (0.02, int(is_above))
    above = ("above", "top", -2) if is_above else ("below", "bottom", 2)
    text, side, away = f"{mark.text} ({above[0]})", above[1], above[2]
    axes.annotate(
        text, xy=edge, xycoords="axes fraction", xytext=(0, away), ha="left", va=side, **words
    )


def _has_room(axes: Any, at: float) -> bool:
    """Whether a value along y is on the axis, once that is as much longer as it may become."""
    ends = axes.get_ylim()
    _, up = axes.transAxes.inverted().transform(axes.transData.transform((0, at)))
    if not -MOST_LONGER < up < 1 + MOST_LONGER:
        return False
    # A line on the edge would not be seen, nor its words above it.
    places = (min(0.0, up * (1 + EDGE)), max(1.0, up * (1 + EDGE)))
    shown = [axes.transAxes.transform((0, place)) for place in places]
    _, low = axes.transData.inverted().transform(shown[0])
    _, high = axes.transData.inverted().transform(shown[1])
    axes.set_ylim(ends[0] if places[0] == 0 else low, ends[1] if places[1] == 1 else high)
    return True


def _draw_matrix(canvas: Any, axes: Any, matrix: Matrix) -> None:
    """A square of colours for each value; few colours, for scatter would fill the file."""
    import matplotlib as mpl

    colours = mpl.colormaps["RdBu_r" if matrix.is_signed else "viridis"].resampled(MATRIX_COLOURS)
    low, high = matrix.ends
    image = axes.imshow(matrix.values, cmap=colours, vmin=low, vmax=high, interpolation="none")
    canvas.colorbar(
        image, ax=axes, label=matrix.label, extend="both" if matrix.is_signed else "max"
    )
    every = -(-len(matrix.names) // MOST_NAMES)
    places = matrix.begins if every > 1 and 0 < len(matrix.begins) < MOST_NAMES else ()
    places = (0, *places) if places else tuple(range(0, len(matrix.names), every))
    axes.set_xticks(places, [matrix.names[at] for at in places], rotation=90)
    axes.set_yticks(places, [matrix.names[at] for at in places])
    axes.tick_params(labelsize="x-small", length=2)
