"""What stands first on a page, and which charts it leaves out."""

from pathlib import Path

import pytest

import weft
from support.builders import make_cases, synthetic_record
from support.maps import map_record
from support.nights import nights
from support.shown import render_page
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.history import history
from weft.analysis.compare.sides import side_of_run, side_of_runs
from weft.analysis.summary import summarise
from weft.charts import ChartAxis, Style, Track, chart_of
from weft.plan.case import Case
from weft.report.comparison import write_comparison
from weft.report.history_charts import history_charts

AXIS = ChartAxis("x", is_log=False)


def words_of(page: str) -> str:
    return " ".join(page.split())


@pytest.mark.parametrize(
    ("places", "style", "says"),
    [((8.0,), "both", False), ((8.0, 64.0), "both", True), ((8.0,), "bar", True)],
)
def test_a_chart_of_one_place_shows_no_course(
    places: tuple[float, ...], style: Style, *, says: bool
) -> None:
    values = tuple(1.0 for _ in places)
    base = tuple(0.0 for _ in places) if style == "bar" else ()
    tracks = [
        Track(label=name, x=places, y=values, style=style, base=base) for name in ("tcp", "mpi")
    ]
    assert chart_of("a", "a", AXIS, AXIS, tracks).has_course is says


def test_a_bar_beside_a_point_shows_a_course() -> None:
    bar = Track(label="tcp", x=(8.0,), y=(1.0,), style="bar", base=(0.0,))
    point = Track(label="mpi", x=(8.0,), y=(1.0,))
    for tracks in ([bar, point], [point, bar]):
        assert chart_of("a", "a", AXIS, AXIS, tracks).has_course


@pytest.mark.usefixtures("undrawn")
def test_a_page_has_no_axis_with_one_tick_and_its_table_has_the_figures(tmp_path: Path) -> None:
    """Barrier, or a run of one size, was drawn as one point over the middle of an axis."""
    cases = make_cases(("ping_pong",), ("tcp", "mpi"), (8,))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    page = render_page([(run, summarise(run))])
    assert page.count('class="plot"') == 0
    assert page.count("<table") >= 1
    [only] = nights(tmp_path / "nights", (1.0,))
    assert history_charts(history([only])) == ((), (), ())


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_slow_node_stands_before_how_precisely_it_is_known(
    tmp_path: Path, *, is_slow: bool
) -> None:
    """The only verdict was a green "Settled." where a node was 70 % slower."""
    map_record(tmp_path / "map.jsonl", {"n3": 1.7} if is_slow else {}, sizes=(8,))
    run = weft.load(tmp_path / "map.jsonl")
    page = words_of(render_page([(run, summarise(run))]))
    first = page[page.index('<div class="verdict') :]
    if is_slow:
        assert first.startswith(
            '<div class="verdict bad"> <p><strong>Something is wrong.</strong> tcp 8 B, 7'
            " endpoints: n3 when it sends is slow"
        )
    else:
        assert first.startswith('<div class="verdict good"> <p><strong>Settled.</strong>')
    assert page.count("n3 when it sends is slow") == (2 if is_slow else 0)


@pytest.mark.usefixtures("undrawn")
def test_how_to_go_on_stands_once_beside_the_verdict(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 64))

    def of_the_last(case: Case, launch: int) -> list[float]:
        del launch
        return [1e3] * 9 if case == cases[-1] else []

    path = tmp_path / "r.jsonl"
    run = weft.load(synthetic_record(path, cases, times_ns=of_the_last, outcome="budget"))
    page = render_page([(run, summarise(run))])
    assert page.count("--resume") == 1


@pytest.mark.usefixtures("undrawn")
def test_a_comparison_says_on_what_and_when_each_side_was_measured(tmp_path: Path) -> None:
    first, second, third = nights(tmp_path, (1.0, 1.1, 1.1))
    sides = [
        side_of_run(first, summarise(first), "monday"),
        side_of_runs([second, third], "later"),
    ]
    write_comparison(compare(sides), tmp_path / "c.html")
    page = words_of((tmp_path / "c.html").read_text())
    assert (
        '<ul class="facts"> <li>monday: node1, 2026-11-01 02:00 UTC, 5 launches</li> <li>later:'
        " node1, 2026-11-02 02:00 to 2026-11-03 02:00 UTC, 10 launches</li> </ul>"
    ) in page
