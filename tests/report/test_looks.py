"""How curves, points and lines look in a drawing, and what a line of progress says."""

import re

import pytest

from weft.charts import Chart, ChartAxis, Style, Track
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
