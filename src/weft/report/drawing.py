"""Charts as vector drawings for paper: SVG and PDF, one column wide, the same each time."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from weft.errors import WeftError
from weft.report.paper import SANS, SCREEN, SERIF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure as Canvas

    from weft.charts import Chart, Mark, Matrix, Track
    from weft.report.paper import Paper

# Okabe and Ito's colours, which colour-blind readers can tell apart; shape and dash differ too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MATRIX_COLOURS = 24
# Names along one side of a matrix.
MOST_NAMES = 32
DASHES = ("-", "--", "-.", ":", "-", "--", "-.")


def load_library() -> None:
    """Load what drawing needs, which takes longer than a drawing."""
    import matplotlib.backends.backend_pdf
    import matplotlib.backends.backend_svg
    import matplotlib.figure  # noqa: F401


def draw(chart: Chart, kinds: Sequence[str], paper: Paper = SCREEN) -> list[bytes]:
    """The chart in each of the kinds "svg" and "pdf": fonts embedded, no time stamp inside.

    Raises WeftError for a family of letters that is not on this machine.
    """
    import matplotlib as mpl

    with mpl.rc_context(_style(paper)):
        canvas = canvas_of(chart, paper)
        # Laid out once for all kinds: that takes as long as drawing.
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        return [_saved(canvas, kind) for kind in kinds]


def canvas_of(chart: Chart, paper: Paper = SCREEN) -> Canvas:
    """The chart as matplotlib has it, for who wants to change it. Raises WeftError as `draw`."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    _check_family(paper)
    with mpl.rc_context(_style(paper)):
        canvas = Figure(figsize=(paper.width_inches, paper.height_inches), layout="constrained")
        axes = canvas.add_subplot()
        for track in chart.tracks:
            _draw_track(axes, track)
        for mark in chart.marks:
            _draw_mark(axes, mark)
        if chart.matrix is not None:
            _draw_matrix(canvas, axes, chart.matrix)
        _shape_axes(axes, chart)
        return canvas


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
    index = track.group
    if track.style == "bar":
        axes.bar(
            track.x,
            track.heights,
            bottom=track.base,
            label=track.label or None,
            color=COLOURS[index % len(COLOURS)],
            width=0.7,
            zorder=3,
        )
        return
    axes.errorbar(
        track.x,
        track.y,
        yerr=track.bars(),
        label=track.label or None,
        color=COLOURS[index % len(COLOURS)],
        marker="" if track.style == "line" else MARKERS[index % len(MARKERS)],
        linestyle="" if track.style == "points" else DASHES[index % len(DASHES)],
        markersize=3 if track.style == "both" else 2,
        linewidth=1,
        capsize=2,
        elinewidth=0.7,
        alpha=0.5 if track.style == "points" else None,
        zorder=2 if track.style == "points" else 3,
    )


def _draw_mark(axes: Any, mark: Mark) -> None:
    colour = COLOURS[mark.group % len(COLOURS)]
    line = {"color": colour, "linewidth": 0.7, "linestyle": (0, (4, 3))}
    words = {"color": colour, "fontsize": 6, "textcoords": "offset points"}
    if mark.axis == "x":
        axes.axvline(mark.at, **line)
        place = {"xy": (mark.at, 0.03), "xycoords": ("data", "axes fraction")}
        axes.annotate(mark.text, **place, xytext=(2, 0), rotation=90, va="bottom", **words)
    else:
        axes.axhline(mark.at, **line)
        # Side by side: marks of several groups are often near each other.
        place = {
            "xy": (0.02 + 0.2 * (mark.group % 4), mark.at),
            "xycoords": ("axes fraction", "data"),
        }
        axes.annotate(mark.text, **place, xytext=(0, 2), ha="left", va="bottom", **words)


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


def _shape_axes(axes: Any, chart: Chart) -> None:
    if chart.x.is_log:
        axes.set_xscale("log", base=2 if chart.x.ticks else 10)
    if chart.y.is_log:
        axes.set_yscale("log")
    if chart.x.ticks:
        axes.set_xticks([place for place, _ in chart.x.ticks], [name for _, name in chart.x.ticks])
    if chart.y.ends is not None:
        axes.set_ylim(*chart.y.ends)
    axes.minorticks_off()
    axes.set_xlabel(chart.x.label)
    axes.set_ylabel(chart.y.label)
    if chart.matrix is not None:
        return
    axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    if any(track.style == "bar" for track in chart.tracks):
        # Bars leave no room inside.
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=5)
    else:
        axes.legend(frameon=False)
