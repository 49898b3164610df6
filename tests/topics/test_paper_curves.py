"""Curves as a paper has them: room beside the figures, and places in words."""

import pytest

from weft.charts import MOST_CURVES, SIZE, Chart, ChartAxis, Track, axis_over_sizes, ends_of
from weft.estimate import Estimate
from weft.topics.osu_paper import _RATE, _brief_row
from weft.topics.osu_paper.curves import (
    BARS,
    PaperPoint,
    chart_of_curves,
    over_sizes,
    place_on,
    point_at,
)


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


def test_an_axis_has_the_sizes_of_all_curves() -> None:
    figure = Estimate(value=1.0, low=0.9, high=1.1, coverage=0.95, method="m", launches=5)
    curves = {
        name: [point_at(size, figure, 1.0) for size in sizes]
        for name, sizes in (("tcp", (64.0, 8.0)), ("mpi", (1024.0, 8.0)))
    }
    chart = over_sizes("n", "t", curves, ChartAxis("y"))
    assert chart is not None
    assert chart.x == axis_over_sizes([8, 64, 1024])


@pytest.mark.parametrize(
    ("name", "x", "y", "told"),
    [
        ("osu-1", SIZE, "latency in µs", ("8 B", "first")),
        ("osu-2", SIZE, _RATE.label, ("64 B", "last")),
        ("osu-9", "Q", "latency in µs", ("64", "last")),
        ("osu-12", "Q", "latency in µs", ("8", "first")),
    ],
)
def test_a_brief_row_is_at_the_least_size_of_times_and_at_the_last_place_else(
    name: str, x: str, y: str, told: tuple[str, str]
) -> None:
    track = Track(label="tcp", x=(8.0, 64.0), y=(1.0, 2.0), cells=("first", "last"))
    chart = Chart(
        name=name, title="Figure 1", alt="a", x=ChartAxis(x), y=ChartAxis(y), tracks=(track,)
    )
    assert _brief_row(chart, ["tcp", "mpi"]) == ("1", *told, "")
