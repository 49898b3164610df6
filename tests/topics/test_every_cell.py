"""Every shown cell is the field that its head names, in every topic and every output.

The record is support/unlike.py's, in which no two figures are alike: a swapped column shows. A
topic that is new is in these tests: its heads are its fields' names, or stand in support/heads.py.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from support.cells import Shown, faults_of, flat, joined, shown_of, shows, swapped, units_of
from support.heads import BOOK, POINTS, place_of, size_of
from support.points import faults_of_chart, figures_of
from support.unlike import unlike_record
from weft.analysis.summary import to_json_rows
from weft.charts import Chart
from weft.fabric.peaks import parse_link
from weft.record.run import Run
from weft.tables import Table
from weft.topics import TOPICS, charts_of_topic, results_among, topic_called
from weft.topics.base import Results, Topic

# Tables of a size a row and a case a column.
FIGURES, PAPER = "figures", "paper"


@pytest.fixture(scope="module")
def results(unlike: Run) -> Results:
    return results_among(unlike, link=parse_link("Ethernet 100G"))


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The same of a suite that the paper's topic lays out."""
    return results_among(unlike_record(tmp_path_factory.mktemp("unlike") / "paper", "paper"))


def as_json(rows: object) -> list[dict[str, Any]]:
    """Rows as --json prints them."""
    found: list[dict[str, Any]] = json.loads(msgspec.json.encode(rows))
    return found


def tables_of(topic: Topic[Any], results: Results) -> list[Table]:
    """Every table of a topic that is made row by row of its rows."""
    rows = results.of(topic)
    kinds = (topic.tables(rows), topic.wide(rows), topic.for_paper(rows))
    found = [table for kind in kinds for table in joined(kind)]
    crossed = topic.name in (FIGURES, PAPER)
    return [table for table in found if not crossed or table.name == "tails"]


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_each_cell_is_the_field_that_its_head_names(topic: Topic[Any], results: Results) -> None:
    plain = as_json(topic.plain(results.of(topic)))
    for table in tables_of(topic, results):
        assert faults_of(table, plain, BOOK) == []
        for wrong in swapped(table):
            assert faults_of(wrong, plain, BOOK), table.name
        upside_down = msgspec.structs.replace(table, rows=table.rows[::-1])
        assert faults_of(upside_down, plain, BOOK) or len(table.rows) == 1


def test_every_topic_with_rows_of_figures_is_held_to_them(results: Results) -> None:
    """A record that says nothing to a topic would pass for one whose cells are right."""
    held = {topic.name for topic in TOPICS if tables_of(topic, results)}
    drawn = {topic.name for topic in TOPICS if charts_of_topic(topic, [results])}
    said = {topic.name for topic in TOPICS if results.of(topic)}
    # A calm compute loop, the paper without its suite, launches without a drift, a network without
    # faults; a map wants rounds of four ranks or more (test_pair_map.py).
    calm = {"compute_loop", "paper", "drift", "map", "network_counters"}
    assert {topic.name for topic in TOPICS} - said <= calm
    sentences = {"queue_depth", "pages", "rails"}
    assert said - held - drawn <= sentences | {"drift"}


def figure_in(row: Mapping[str, Any]) -> tuple[str, Shown] | None:
    """The figure that a table of sizes shows of a case."""
    field = "latency_ns" if row.get("latency_ns") else "bandwidth_bytes_per_s"
    found = shown_of(field, row.get(field))
    return (field, found) if isinstance(found, Shown) else None


def says_case(cell: str, row: Mapping[str, Any]) -> bool:
    """Whether a cell is a case's figure, with its share of the peak and its status."""
    found = figure_in(row)
    if found is None:
        return cell == str(row["status"])
    if row["status"] != "ok":
        if not cell.endswith(f" {row['status']}"):
            return False
        cell = cell.removesuffix(f" {row['status']}")
    share = row.get("percent_of_peak")
    if share is not None and found[0] != "latency_ns":
        cell, _, behind = cell.removesuffix(" of peak)").rpartition(" (")
        if not shows(behind, Shown(value=share, units=units_of("x_percent"))):
            return False
    return shows(cell, found[1])


def crossed_cells(table: Table, run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Test, column, size and text of each cell of a table of sizes, whichever way it lies."""
    titles = {pattern.title: name for name, pattern in run.patterns.items()}
    for row in table.rows:
        if table.head == ("size", "variant", "figure"):
            yield table.name, row[1], row[0], row[2]
            continue
        for head, cell in zip(table.head[1:], row[1:], strict=True):
            title = next((one for one in titles if head.startswith(f"{one}, ")), "")
            column = head.removeprefix(f"{title}, ") if title else head
            if cell:
                yield titles[title] if title else table.name, column, row[0], cell


@pytest.mark.parametrize("kind", ["tables", "wide", "for_paper"])
def test_a_table_of_sizes_has_each_case_in_its_place(kind: str, results: Results) -> None:
    topic = topic_called(FIGURES)
    cases = {
        (one["test"], place_of(one), size_of(one)): one
        for one in as_json(to_json_rows(results.summaries))
    }
    seen = set()
    for table in getattr(topic, kind)(results.of(topic)):
        if table.name == "tails":
            continue
        for test, column, size, cell in crossed_cells(table, results.run):
            seen.add((test, column, size))
            assert says_case(cell, cases[test, column, size]), (table.name, column, size, cell)
    usual = {key for key in cases if key[0] != "milc" or kind == "for_paper"}
    assert seen == usual


def test_the_papers_tables_have_each_point_in_its_place(papers: Results) -> None:
    topic = topic_called(PAPER)
    charts = {chart.name: chart for chart in topic.charts(papers.of(topic))}
    tables = topic.tables(papers.of(topic))
    assert len(tables) > 12
    for table in tables:
        tracks = charts[table.name].tracks
        places = sorted({place for track in tracks for place in track.x})
        assert table.head[1:] == tuple(track.label for track in tracks)
        for place, row in zip(places, table.rows, strict=True):
            is_size = table.head[0] == "message size"
            assert row[0] == (size_of({"bytes": int(place)}) if is_size else f"{place:g}")
            for track, cell in zip(tracks, row[1:], strict=True):
                assert shows(cell, point_of(track, place)), (table.name, track.label, place, cell)


def point_of(track: Any, place: float) -> Shown | None:
    """A point of a chart in its axis's unit; nothing where the curve has none."""
    if place not in track.x:
        return None
    at = track.x.index(place)
    return Shown(value=track.y[at], low=track.low[at], high=track.high[at], units={"": 1.0})


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_each_point_is_the_figure_that_its_axes_name(topic: Topic[Any], results: Results) -> None:
    figures = figures_of(flat(as_json(topic.plain(results.of(topic)))))
    for chart in charts_of_topic(topic, [results]):
        if chart.tracks[0].style == "bar":
            assert_parts(chart, as_json(topic.plain(results.of(topic))))
        else:
            assert faults_of_chart(chart, figures, POINTS) == []
            for wrong in with_wrong_ends(chart):
                assert faults_of_chart(wrong, figures, POINTS)


def test_each_point_of_the_papers_figures_is_a_figure_of_its_topic(papers: Results) -> None:
    rows = [as_json(one.plain(papers.of(one))) for one in TOPICS if one.name != PAPER]
    every = [*as_json(to_json_rows(papers.summaries)), *(row for own in rows for row in own)]
    figures = figures_of(flat(every))
    charts = charts_of_topic(topic_called(PAPER), [papers])
    numbers = {int(chart.name.split("-")[1]) for chart in charts}
    # Figures 6 and 13 want more than the record has: both are of the forms of 3 and 11.
    assert numbers >= {*range(2, 6), *range(7, 13), 14, 15}
    assert {c.y.label for c in charts if c.name == "osu-12"} == {"time in µs"}
    for chart in charts:
        assert faults_of_chart(chart, figures, POINTS) == []
        first, *others = chart.tracks
        for label in ("", "Q = 2"):
            wrong = (msgspec.structs.replace(first, label=label), *others)
            assert faults_of_chart(msgspec.structs.replace(chart, tracks=wrong), figures, POINTS)


def with_wrong_ends(chart: Chart) -> Iterator[Chart]:
    """The chart with a curve whose ends are exchanged, or are its middle."""
    first, *others = chart.tracks
    if first.low and first.low != first.high:
        for changed in ({"low": first.high, "high": first.low}, {"low": first.y}):
            wrong = msgspec.structs.replace(first, **changed)
            yield msgspec.structs.replace(chart, tracks=(wrong, *others))


def assert_parts(chart: Chart, rows: Sequence[Mapping[str, Any]]) -> None:
    """Bars are the parts of an iteration in per cent of their sum, one upon the other."""
    places = dict(chart.x.ticks)
    parts = {
        f"{row['lattice']}\n{row['ranks']}": row["parts_ns"] for row in rows if "parts_ns" in row
    }
    for at, words in places.items():
        own = {name: one["value"] for name, one in parts[words].items()}
        top = 0.0
        for track in chart.tracks:
            place = track.x.index(at)
            share = 100 * own.get(track.label, 0.0) / sum(own.values())
            assert track.base[place] == pytest.approx(top)
            assert track.heights[place] == pytest.approx(share)
            top = track.y[place]
        assert top == pytest.approx(100)
