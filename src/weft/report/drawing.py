"""Figures as vector drawings for paper: SVG and PDF, one column wide, the same each time."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from weft.report.figures import axis_place, byte_ticks

if TYPE_CHECKING:
    from weft.report.figures import Figure

# Okabe and Ito's colours, which colour-blind readers can tell apart; shape and dash differ too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", "-", "--", "-.")
COLUMN_INCHES = (3.5, 2.6)


def draw(figure: Figure, kind: str) -> bytes:
    """The figure as "svg" or "pdf": fonts embedded, no time stamp inside."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to start
    from matplotlib.figure import Figure as Canvas  # noqa: PLC0415

    style = {
        "font.size": 8,
        "font.family": "DejaVu Sans",
        "svg.hashsalt": "weft",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):  # type: ignore[arg-type] # its keys are literals
        canvas = Canvas(figsize=COLUMN_INCHES, layout="constrained")
        axes = canvas.add_subplot()
        for index, curve in enumerate(figure.curves):
            factor = figure.unit_factor
            middle = [e.median * factor for e in curve.estimates]
            errors = [
                [max(0.0, (e.median - e.low) * factor) for e in curve.estimates],
                [max(0.0, (e.high - e.median) * factor) for e in curve.estimates],
            ]
            axes.errorbar(
                [axis_place(size) for size in curve.bytes],
                middle,
                yerr=errors,
                label=curve.label,
                color=COLOURS[index % len(COLOURS)],
                marker=MARKERS[index % len(MARKERS)],
                linestyle=DASHES[index % len(DASHES)],
                markersize=3,
                linewidth=1,
                capsize=2,
                elinewidth=0.7,
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        ticks = byte_ticks(figure)
        axes.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
        axes.minorticks_off()
        axes.set_xlabel("message size")
        axes.set_ylabel(figure.axis)
        axes.grid(visible=True, color="#dddddd", linewidth=0.5)
        axes.legend(frameon=False)
        output = io.BytesIO()
        stamp = {"Date": None} if kind == "svg" else {"CreationDate": None, "ModDate": None}
        canvas.savefig(output, format=kind, metadata=stamp)
    return output.getvalue()
