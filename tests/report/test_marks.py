"""Where a mark's line and words are: on the axis, on a longer one, or as words at its edge."""

import base64
import re
from math import inf
from typing import Any, Literal

import pytest

from weft.charts import Chart, ChartAxis, Mark, Track
from weft.report.drawing import EDGE, MOST_LONGER, canvas_of, draw_for_page
from weft.report.html import Picture
from weft.report.inline import inline_svg

Ends = tuple[float, float]


def drawn(at: float, y: tuple[float, ...] = (2.0, 3.0, 4.0), ends: Ends = (0.0, 10.0)) -> Any:
    """The axes of a curve over x from 0 to 8, on an axis with these ends, with one mark."""
    axis = ChartAxis("y", is_log=False, ends=ends)
    track = Track(label="", x=(0.0, 4.0, 8.0), y=y, style="line")
    chart = Chart(
        name="a", title="a", alt="a", x=ChartAxis("x", is_log=False), y=axis, tracks=(track,),
        marks=(Mark(axis="y", at=at, text="limit"),),
    )  # fmt: skip
    [axes] = canvas_of(chart).axes
    return axes


@pytest.mark.parametrize(
    ("at", "ends"),
    [
        (5.0, (0.0, 10.0)),
        # A line at the very end would not be seen.
        (10.0, (0.0, 10 * (1 + EDGE))),
        (20.0, (0.0, 20 * (1 + EDGE))),
        (29.9, (0.0, 29.9 * (1 + EDGE))),
        (-10.0, (-10 * (1 + EDGE), 10.0)),
        (-19.9, (-19.9 * (1 + EDGE), 10.0)),
        (0.0, (0.0, 10.0)),
    ],
)
def test_an_axis_becomes_as_long_as_a_mark_needs(at: float, ends: Ends) -> None:
    axes = drawn(at)
    assert axes.get_ylim() == pytest.approx(ends)
    _, line = axes.get_lines()
    assert list(line.get_ydata()) == [at, at]
    [words] = axes.texts
    assert words.get_text() == "limit"
    assert words.xy[1] == at


@pytest.mark.parametrize(
    ("at", "text", "edge", "side", "away"),
    [
        (10 * (1 + MOST_LONGER), "limit (above)", 1, "top", -2),
        (1000.0, "limit (above)", 1, "top", -2),
        (-10 * MOST_LONGER, "limit (below)", 0, "bottom", 2),
        (-1000.0, "limit (below)", 0, "bottom", 2),
    ],
)
def test_a_mark_far_beyond_the_axis_is_words_at_its_edge(
    at: float, text: str, edge: int, side: str, away: int
) -> None:
    axes = drawn(at)
    assert axes.get_ylim() == (0.0, 10.0)
    assert len(axes.get_lines()) == 1
    [words] = axes.texts
    assert (words.get_text(), words.xy, words.get_va()) == (text, (0.02, edge), side)
    assert words.get_position() == (0, away)


@pytest.mark.parametrize(
    ("y", "side", "x"),
    [
        # The curve is at the mark on the left, on the right, or as far away on both sides.
        ((5.0, 3.0, 1.0), "right", 0.98),
        ((1.0, 3.0, 5.0), "left", 0.02),
        ((1.0, 5.0, 1.0), "left", 0.02),
    ],
)
def test_words_of_a_mark_stand_where_the_curves_are_farther(
    y: tuple[float, ...], side: str, x: float
) -> None:
    [words] = drawn(5.0, y).texts
    assert (words.get_ha(), words.xy[0]) == (side, x)


@pytest.mark.parametrize("axis", ["x", "y"])
def test_words_of_a_mark_are_read_where_a_curve_crosses_them(axis: Literal["x", "y"]) -> None:
    """A dashed line through letters of 6 points makes them unreadable; points stay to be seen."""
    level = ChartAxis("x", is_log=False)
    track = Track(label="", x=(0.0, 8.0), y=(1.0, 9.0), style="line")
    mark = Mark(axis=axis, at=4.0, text="limit")
    chart = Chart(name="a", title="a", alt="a", x=level, y=level, tracks=(track,), marks=(mark,))
    drawing = draw_for_page(chart)
    [words] = canvas_of(chart).axes[0].texts
    assert words.get_zorder() > max(line.get_zorder() for line in canvas_of(chart).axes[0].lines)
    [box] = re.findall(r'<path d="([^"]*)" style="fill: #ffffff; opacity: 0.8"', drawing.svg)
    assert drawing.svg.index(box) > drawing.svg.index("#0072b2")
    assert "fill: var(--page, #ffffff)" in inline_svg(drawing.svg, "a")


def test_bars_stand_on_their_base_and_have_their_places() -> None:
    track = Track(label="parts", x=(1.0, 2.0), y=(5.0, 9.0), base=(2.0, 3.0), style="bar", group=1)
    axis = ChartAxis("x", is_log=False)
    chart = Chart(name="a", title="a", alt="a", x=axis, y=axis, tracks=(track,))
    axes: Any = canvas_of(chart).axes[0]
    places = [one.get_x() + one.get_width() / 2 for one in axes.patches]
    assert places == pytest.approx([1.0, 2.0])
    boxes = [(one.get_y(), one.get_height()) for one in axes.patches]
    assert boxes == [(2.0, 3.0), (3.0, 6.0)]
    assert [one.get_width() for one in axes.patches] == pytest.approx([0.7, 0.7])
    [label] = axes.get_legend().get_texts()
    assert label.get_text() == "parts"


def test_a_bar_stands_where_an_interval_is_known_and_in_no_legend_of_a_curve_without_one() -> None:
    one = Track(label="one launch", x=(1.0, 2.0), y=(5.0, 9.0), low=(-inf, -inf), high=(inf, inf))
    some = Track(label="some", x=(1.0, 2.0), y=(6.0, 8.0), low=(-inf, 7.0), high=(inf, 9.0))
    exact = Track(label="exact", x=(1.0, 2.0), y=(1.0, 2.0), low=(1.0, -inf), high=(1.0, inf))
    axis = ChartAxis("x", is_log=False)
    chart = Chart(name="a", title="a", alt="a", x=axis, y=axis, tracks=(one, some, exact))
    axes: Any = canvas_of(chart).axes[0]
    samples, labels = axes.get_legend_handles_labels()
    assert [(label, sample.has_yerr) for label, sample in zip(labels, samples, strict=True)] == [
        ("one launch", False),
        ("some", True),
        ("exact", False),
    ]
    bars = [part for own in axes.containers for part in own[2]]
    reaches = [line for own in bars for line in own.get_segments() if len(line)]
    assert [[end for _, end in line] for line in reaches] == [[7, 9]]


def test_a_picture_is_a_files_address_that_has_all_of_it() -> None:
    svg = "<svg>µ</svg>"
    kind, _, data = Picture(name="p", title="t", svg=svg).data.partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == svg
