"""How curves, points and lines look in a drawing, and what a line of progress says."""

import re
from math import nan

import pytest

from weft.charts import BARS, NO_BAR, Chart, ChartAxis, Style, Track
from weft.report.drawing import draw_for_page

AXIS = ChartAxis("x", is_log=False)


@pytest.mark.parametrize(
    ("style", "markers", "lines"), [("both", 3, 1), ("points", 3, 0), ("line", 0, 1)]
)
def test_a_line_has_no_markers_and_points_have_no_line(
    style: Style, markers: int, lines: int
) -> None:
    track = Track(label="", x=(1.0, 2.0, 3.0), y=(1.0, 3.0, 2.0), style=style)
    chart = Chart(name="a", title="a", alt="a", x=AXIS, y=AXIS, tracks=(track,))
    svg = draw_for_page(chart).svg
    assert len(re.findall(r"<use [^>]*stroke: #0072b2", svg)) == markers
    paths = re.findall(r'<path d="([^"]*)"[^>]*fill: none; stroke[^>]*#0072b2', svg)
    assert sum(path.count("L") == 2 for path in paths) == lines


def test_what_is_said_of_bars_is_of_any_curve_that_has_some() -> None:
    """And that points without a bar have no interval, where any has none."""
    known = Track(label="a", x=(1.0, 2.0), y=(1.0, 2.0), low=(0.9, 1.9), high=(1.1, 2.1))
    some = Track(label="b", x=(1.0, 2.0), y=(1.0, 2.0), low=(0.9, nan), high=(1.1, nan))
    none = Track(label="c", x=(1.0, 2.0), y=(1.0, 2.0), low=(nan, nan), high=(nan, nan))
    assert [one.has_bar for one in (known, some, none)] == [True, True, False]
    assert [one.has_unknown for one in (known, some, none)] == [False, True, True]
    axis = ChartAxis("x")
    for tracks, has_bars, lacks in (
        ((known,), True, False), ((some,), True, True), ((none,), False, True),
        ((known, none), True, True), ((none, known), True, True),
    ):  # fmt: skip
        chart = Chart(name="a", title="a", alt="a", x=axis, y=axis, tracks=tracks, note=BARS)
        assert (BARS in chart.words, NO_BAR in chart.words) == (has_bars, lacks)
