"""Charts as matplotlib figures that one can change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.report.drawing import canvas_of
from weft.report.paper import paper_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from weft.charts import Chart


def plot_of(chart: Chart, layout: str, *, wide: bool) -> Canvas:
    """The chart as a journal's layout has it; its axes are `figure.axes[0]`.

    Raises WeftError for an unknown layout.
    """
    return canvas_of(chart, paper_of(layout, wide=wide))
