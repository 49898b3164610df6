"""What is shown reaches every output as it is: each cell in its own place, each point at its own.

The tables and charts are all topics' of support/unlike.py; that their cells are right is
tests/topics/test_every_cell.py's.
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from support.cells import UNKNOWN
from support.drawn import page_plots
from support.pages import Cells, tables_in
from weft.analysis.summary import to_json_rows
from weft.charts import Chart
from weft.cli.main import app
from weft.record.run import Run
from weft.report.inline import plot
from weft.report.markup import to_latex, to_markdown
from weft.report.page import render_page
from weft.report.table import FittedTable
from weft.report.turned import for_page
from weft.tables import Table
from weft.topics import TOPICS, charts_of, results_among
from weft.topics.base import Results

# No table of the record is as wide.
WIDE = 4000
# LaTeX's words for single characters, longest first.
TEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"$_{1/2}$": "½", r"$\mu$": "µ", r"$\pm$": "±", r"$^2$": "²", r"$<$": "<", r"$>$": ">",
}  # fmt: skip


@pytest.fixture(scope="module")
def results(unlike: Run) -> Results:
    return results_among(unlike)


@pytest.fixture(scope="module")
def tables(results: Results) -> list[Table]:
    """All that is shown row by row, and the pages' tables of sizes."""
    found = [
        table
        for topic in TOPICS
        for kind in (topic.tables, topic.wide)
        for table in kind(results.of(topic))
    ]
    assert len(found) > 30
    return found


def cells_of(table: Table) -> Cells:
    return [list(table.head), *map(list, table.rows)]


def test_markdown_has_each_cell_in_its_place(tables: Sequence[Table]) -> None:
    for table in tables:
        _, *lines = to_markdown([table]).strip().split("\n\n")[-1].splitlines()
        first, *_ = to_markdown([table]).strip().split("\n\n")[-1].splitlines()
        read = [first, *lines[1:]]
        found = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in read]
        assert found == [[cell.strip() for cell in row] for row in cells_of(table)], table.name


def without_tex(text: str) -> str:
    for words, character in TEX.items():
        text = text.replace(words, character)
    return re.sub(r"\\([&%$#_{}])", r"\1", text).strip()


def test_latex_has_each_cell_in_its_place(tables: Sequence[Table]) -> None:
    for table in tables:
        body = to_latex([table]).partition(r"\toprule")[2].partition(r"\bottomrule")[0]
        lines = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r"\\")]
        found = [[without_tex(cell) for cell in re.split(r"(?<!\\)&", line)] for line in lines]
        assert found == [[cell.strip() for cell in row] for row in cells_of(table)], table.name


def test_a_terminal_has_each_cell_under_its_head(tables: Sequence[Table]) -> None:
    for table in tables:
        screen = Console(file=io.StringIO(), width=WIDE, highlight=False)
        screen.print(FittedTable(table))
        assert isinstance(screen.file, io.StringIO)
        lines = screen.file.getvalue().splitlines()
        widths = [
            max(len(line) for row in cells_of(table) for line in row[at].split("\n"))
            for at in range(len(table.head))
        ]
        at = 0
        for column, width in enumerate(widths):
            found = [line[at : at + width].strip() for line in lines]
            wanted = [line.strip() for row in cells_of(table) for line in row[column].split("\n")]
            assert [cell for cell in found if cell] == [cell for cell in wanted if cell]
            at += width + 2


@pytest.mark.usefixtures("undrawn")
def test_a_page_has_each_cell_and_each_point_in_its_place(results: Results) -> None:
    page = render_page([results])
    found = tables_in(page)
    for topic in TOPICS:
        for table in topic.wide(results.of(topic)):
            for part in for_page(table):
                wanted = [[" ".join(cell.split()) for cell in row] for row in cells_of(part)]
                assert wanted in found, table.name
    plots = page_plots(page)
    for chart in charts_of([results]):
        if chart.has_course and not chart.is_static:
            assert_drawn(chart, plots[chart.name])
        assert chart.has_course or chart.name not in plots


def test_a_drawing_for_the_screen_has_each_point_where_its_track_has_it(results: Results) -> None:
    charts = charts_of([results])
    for chart in charts:
        assert_drawn(chart, plot(chart))
    assert len(charts) > 20


def assert_drawn(chart: Chart, drawn: dict[str, Any]) -> None:
    assert (drawn["x"], drawn["y"]) == (chart.x.label, chart.y.label)
    for track, values in zip(chart.tracks, drawn["tracks"], strict=True):
        assert (values["label"], values["x"]) == (track.label, list(track.x))
        assert (values["y"], values["texts"]) == (list(track.y), list(track.texts))
        assert values["base"] == list(track.base)
        if track.style == "bar":
            continue
        for y, low, high, down, up in zip(
            track.y, track.low, track.high, values["down"], values["up"], strict=True
        ):
            # An interval over a factor of a thousand has no bar.
            ends = (y, y) if high > UNKNOWN * low > 0 else (low, high)
            assert (y - down, y + up) == pytest.approx(ends)


def test_csv_has_each_figure_under_the_name_that_json_gives_it(
    results: Results, tmp_path: Path
) -> None:
    target = tmp_path / "summary.csv"
    words = ["export", str(results.run.path), "--table", "summary", "--csv", str(target)]
    assert CliRunner().invoke(app, words).exit_code == 0
    rows = list(csv.DictReader(target.read_text().splitlines()))
    plain = json.loads(msgspec.json.encode(to_json_rows(results.summaries)))
    for row, known in zip(rows, plain, strict=True):
        for column, cell in row.items():
            assert_cell(column, cell, known)


def assert_cell(column: str, cell: str, known: dict[str, Any]) -> None:
    """A column is a field, or a figure's field and a part of the figure."""
    if column in known:
        wanted = known[column]
        # The median of an estimate; its ends have columns of their own.
        wanted = wanted["value"] if isinstance(wanted, dict) else wanted
    elif found := re.fullmatch(r"latency_ns_tail([\d.]+?)(?:_(\w+))?", column):
        wanted = known["tails_latency_ns"].get(found[1], {}).get(found[2] or "value")
    elif found := re.fullmatch(r"latency_(of_means_)?ns_p([\d.]+)", column):
        wanted = known[f"percentiles_{found[1] or ''}latency_ns"].get(found[2])
    else:
        field = next((one for one in known if column.startswith(f"{one}_")), "")
        wanted = known[field].get(column.removeprefix(f"{field}_")) if field else None
    if isinstance(wanted, list):
        assert cell == "; ".join(map(str, wanted)), column
    elif isinstance(wanted, int | float) and not isinstance(wanted, bool):
        assert float(cell) == pytest.approx(wanted), column
    elif isinstance(wanted, bool):
        assert cell == str(wanted).lower()
    else:
        assert cell == (wanted or ""), column
