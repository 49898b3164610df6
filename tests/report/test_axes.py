"""Axes that can be read: ticks, ends, and words that do not lie over each other."""

import re
from itertools import combinations, pairwise
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.charts import Chart, ChartAxis, Mark, Track, axis_over_sizes
from weft.report.axes import FEWEST_TICKS, log_ticks, tick_in_words
from weft.report.drawing import canvas_of, draw_for_page
from weft.report.paper import SCREEN


def chart_of(track: Track, x: ChartAxis, y: ChartAxis, marks: tuple[Mark, ...] = ()) -> Chart:
    return Chart(name="a", title="a", alt="a", x=x, y=y, tracks=(track,), marks=marks)


@given(low=st.floats(1e-5, 1e6), factor=st.floats(1.02, 1e9))
def test_a_logarithmic_axis_has_two_ticks_or_more_inside_its_ends(
    low: float, factor: float
) -> None:
    ticks = log_ticks(low, low * factor)
    assert len(ticks) >= FEWEST_TICKS
    assert all(low * 0.999 <= tick <= low * factor * 1.001 for tick in ticks)
    assert all(one < other for one, other in pairwise(ticks))
    assert len(ticks) <= 20


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.46, 0.595, [0.5, 0.55]),
        (0.605, 0.745, [0.65, 0.7]),
        (102.0, 131.0, [110.0, 120.0, 130.0]),
        (3.31, 3.38, [3.32, 3.34, 3.36, 3.38]),
    ],
)
def test_an_axis_over_little_has_round_ticks(low: float, high: float, ticks: list[float]) -> None:
    """They were 0.49 and 0.56."""
    assert log_ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("value", "words"), [(0.1, "0.1"), (20.0, "20"), (1e4, "10000"), (0.002, "0.002")]
)
def test_a_tick_is_a_plain_number(value: float, words: str) -> None:
    assert tick_in_words(value) == words


@pytest.mark.parametrize(
    ("sizes", "labels"),
    [
        ((8,), ["8 B"]),
        ((8, 16), ["8 B", "16 B"]),
        ((65536, 131072), ["64 KiB", "128 KiB"]),
        ((0,), ["0 B"]),
        ((0, 8), ["0 B", "8 B"]),
        ((8, 65536), ["16 B", "256 B", "4 KiB", "64 KiB"]),
    ],
)
def test_an_axis_of_few_sizes_names_them(sizes: tuple[int, ...], labels: list[str]) -> None:
    """At 8 B alone it had 1, 2, 5 and 10, as if these were bytes that somebody measured."""
    assert [words for _, words in axis_over_sizes(sizes).ticks] == labels


def test_a_tick_of_many_digits_is_a_power_of_ten() -> None:
    assert "10^{6}" in tick_in_words(1e6)
    assert "2 · 10^{7}" in tick_in_words(2e7)


def axis_words(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def test_times_do_not_begin_below_zero_and_differences_may() -> None:
    linear = ChartAxis("time", is_log=False)
    times = Track(label="", x=(1.0, 2.0), y=(0.1, 9.0), low=(-3.0, 1.0), high=(0.2, 30.0))
    signs = Track(label="", x=(1.0, 2.0), y=(-4.0, 9.0), is_signed=True)
    # No tick is below zero, and neither is the axis' own end.
    assert canvas_of(chart_of(times, linear, linear)).axes[0].get_ylim()[0] == 0
    drawn = axis_words(draw_for_page(chart_of(times, linear, linear)).svg)
    assert not [word for word in drawn if word.startswith(("−", "-"))]
    drawn = axis_words(draw_for_page(chart_of(signs, linear, linear)).svg)
    assert [word for word in drawn if word.startswith("−")]


def test_figures_that_are_alike_but_for_rounding_have_plain_ticks() -> None:
    """Of a simulated bisection the axis said 1.0 to 4.0 and, over its title, 1e-7 + 6.85e2."""
    linear = ChartAxis("bandwidth", is_log=False)
    track = Track(label="", x=(685.3, 685.3 + 3e-7), y=(0.0, 100.0), style="line")
    [axes] = canvas_of(chart_of(track, linear, linear)).axes
    assert axes.get_xlim() == pytest.approx((0.95 * 685.3, 1.05 * 685.3))
    words = axis_words(draw_for_page(chart_of(track, linear, linear)).svg)
    assert not [word for word in words if "e" in word and any(map(str.isdigit, word))]
    apart = Track(label="", x=(1.0, 1.001), y=(0.0, 100.0), style="line")
    assert canvas_of(chart_of(apart, linear, linear)).axes[0].get_xlim()[1] < 1.01


def test_a_line_joins_neighbours_on_its_axis() -> None:
    track = Track(label="", x=(1.0, 100.0, 10.0), y=(1.0, 2.0, 3.0))
    svg = draw_for_page(chart_of(track, ChartAxis("x"), ChartAxis("y"))).svg
    paths = re.findall(r'<path d="([^"]*)"[^>]*stroke: #0072b2', svg)
    longest = max(paths, key=lambda path: path.count("L"))
    across = [float(point.split()[0]) for point in re.split("[ML]", longest) if point.strip()]
    assert across == sorted(across)
    assert len(across) == 3


def test_a_page_knows_where_each_point_is_from_the_upper_left() -> None:
    """As its picture has them: the line's own path, which begins and ends with these."""
    track = Track(label="", x=(1.0, 10.0, 100.0), y=(1.0, 30.0, 2.0))
    drawing = draw_for_page(chart_of(track, ChartAxis("x"), ChartAxis("y")))
    paths = re.findall(r'<path d="([^"]*)"[^>]*stroke: #0072b2', drawing.svg)
    longest = max(paths, key=lambda path: path.count("L"))
    drawn = [tuple(map(float, one.split())) for one in re.split("[ML]", longest) if one.strip()]
    [places] = drawing.places
    assert len(places) == len(drawn) == 3
    for place, (across, down) in zip(places, drawn, strict=True):
        assert place == pytest.approx((across, down), abs=0.1)


def test_no_tick_lies_over_the_next_one() -> None:
    ticks = tuple((float(at), f"{at} ranks") for at in range(1, 40))
    track = Track(label="", x=(1.0, 39.0), y=(1.0, 2.0))
    axis = ChartAxis("x", is_log=False, ticks=ticks)
    svg = draw_for_page(chart_of(track, axis, ChartAxis("y"))).svg
    found = re.findall(r'<text [^>]*x="([\d.]+)"[^>]*>(\d+ ranks)</text>', svg)
    places = [(float(x), len(words)) for x, words in found]
    assert len(places) >= FEWEST_TICKS
    # A letter of 8 points is over 4 points wide.
    for (first, length), (second, _) in pairwise(places):
        assert second - first > 4 * length


@pytest.mark.parametrize(
    ("labels", "further"), [((), 0), (("tcp",), 0), (("tcp", "mpi"), 0), (tuple("abcdefgh"), 1)]
)
def test_a_drawing_is_higher_by_each_further_line_of_its_legend(
    labels: tuple[str, ...], further: int
) -> None:
    tracks = [Track(label=label, x=(1.0, 9.0), y=(1.0, 20.0)) for label in labels or ("",)]
    linear = ChartAxis("x", is_log=False)
    chart = msgspec.structs.replace(chart_of(tracks[0], linear, linear), tracks=tuple(tracks))
    canvas = canvas_of(chart)
    higher = canvas.get_size_inches()[1] - SCREEN.height_inches
    assert higher == pytest.approx(further * 0.17)


def test_words_of_marks_stand_apart() -> None:
    marks = tuple(
        Mark(axis="y", at=10.0 + at / 100, text=f"limit number {at}", group=at) for at in range(3)
    )
    track = Track(label="", x=(1.0, 9.0), y=(1.0, 20.0))
    linear = ChartAxis("x", is_log=False)
    svg = draw_for_page(chart_of(track, linear, linear, marks)).svg
    found = re.findall(r'<text [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>limit number', svg)
    places = [(float(x), float(y)) for x, y in found]
    assert len(places) == 3
    for (x, y), (other_x, other_y) in combinations(places, 2):
        assert abs(y - other_y) > 5 or abs(x - other_x) > 14 * 3


@pytest.mark.parametrize("axis", ["x", "y"])
def test_words_of_a_mark_longer_than_its_line_end_in_an_ellipsis(axis: Literal["x", "y"]) -> None:
    marks = tuple(Mark(axis=axis, at=5.0, text=text, group=1) for text in ("short", 40 * "long; "))
    track = Track(label="", x=(1.0, 9.0), y=(1.0, 20.0))
    linear = ChartAxis("x", is_log=False)
    svg = draw_for_page(chart_of(track, linear, linear, marks)).svg
    words = re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    assert "short" in words
    [long] = [one for one in words if one.startswith("long")]
    assert re.fullmatch(r"(long; )*(long|lon|lo|l)…", long)
    assert 3 < long.count("long") < 30
