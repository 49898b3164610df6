"""Charts as matplotlib figures that one can change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.report.drawing import canvas_of
from weft.report.paper import paper_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure as Canvas

    from weft.charts import Chart


def plot_of(chart: Chart, layout: str, *, wide: bool) -> Canvas:
    """The chart as a journal's layout has it; its axes are `figure.axes[0]`.

    Raises WeftError for an unknown layout.
    """
    return canvas_of(chart, paper_of(layout, wide=wide))


def nth_plot(
    charts: Sequence[Chart], number: int, of: str, if_none: str, layout: str, *, wide: bool
) -> Canvas:
    """The plot of a chart by its number.

    Raises WeftError beyond the last: `of` is like "this trend, it has", and `if_none` the fix if
    there are no charts.
    """
    if number not in range(len(charts)):
        raise WeftError(
            f"there is no plot {number} of {of} {len(charts)}",
            "count from 0" if charts else if_none,
        )
    return plot_of(charts[number], layout, wide=wide)
