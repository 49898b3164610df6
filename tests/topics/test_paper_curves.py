"""Curves as a paper has them: room beside the figures, and places in words."""

import pytest

from weft.charts import MOST_CURVES, ChartAxis, ends_of
from weft.estimate import Estimate
from weft.topics.osu_paper.curves import BARS, PaperPoint, chart_of_curves, place_on


@pytest.mark.parametrize(
    ("figures", "ends"),
    [
        ((4.0, 8.0), (0.0, 10.0)),
        ((-4.0, 4.0), (-6.0, 6.0)),
        # One that is all below 0 has room above it too.
        ((-8.0, -4.0), (-10.0, 2.0)),
        ((0.0, 0.0), (0.0, 1.0)),
    ],
)
def test_an_axis_begins_at_nothing_and_has_a_quarter_more(
    figures: tuple[float, ...], ends: tuple[float, float]
) -> None:
    assert ends_of(figures) == ends


def test_a_place_is_a_size_or_a_number() -> None:
    assert place_on(2048.0, ChartAxis(label="message size")) == "2 KiB"
    assert place_on(2048.0, ChartAxis(label="queue depth")) == "2048"
    assert place_on(12.34567, ChartAxis(label="load")) == "12.35"


def test_of_too_many_curves_the_first_are_drawn_and_the_others_counted() -> None:
    figure = Estimate(value=1.0, low=0.9, high=1.1, coverage=0.95, method="none")
    curves = {f"c{at}": [PaperPoint(1.0, figure)] for at in range(MOST_CURVES + 2)}
    axis = ChartAxis(label="load")
    chart = chart_of_curves("name", "title", curves, axis, axis)
    assert chart is not None
    assert [track.label for track in chart.tracks] == list(curves)[:MOST_CURVES]
    assert chart.note == f"{BARS} 2 more are omitted."
