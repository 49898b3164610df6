"""Figures and tables for papers: sizes, letters, and text that LaTeX and Markdown can read."""

import re
import zlib
from pathlib import Path

import msgspec
import numpy as np
import pytest

from support.builders import make_cases, synthetic_record
from support.shown import paper_tables, render_page
from weft.analysis.fits.linear import fit_line
from weft.analysis.fits.sweeps import series_of_times
from weft.analysis.summary import summarise
from weft.charts import ChartAxis, ChartPoint, Mark, chart_of, track_of
from weft.errors import WeftError
from weft.record.run import load
from weft.report.drawing import canvas_of, draw
from weft.report.fits import line_rows
from weft.report.markup import to_latex, to_markdown
from weft.report.models import model_tables
from weft.report.paper import LAYOUTS, SERIF, paper_of
from weft.report.signatures import signature_chart
from weft.sources.series import models_of
from weft.tables import Table
from weft.units import format_bandwidth, format_time
from weft.wording import is_determined, step_of

SIZES = (0, *(1 << exponent for exponent in range(16)))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cases = make_cases(("ping_pong", "stream"), ("tcp",), SIZES)
    return synthetic_record(tmp_path_factory.mktemp("paper") / "r.jsonl", cases)


def words(latex: str) -> list[list[str]]:
    """The cells of every row of LaTeX tables."""
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    return [[cell.strip() for cell in row[:-2].split(" & ")] for row in rows]


@pytest.mark.parametrize("layout", [layout.name for layout in LAYOUTS])
@pytest.mark.parametrize("wide", [False, True])
def test_a_drawing_is_as_wide_as_its_column_or_page(path: Path, layout: str, wide: bool) -> None:
    chart = signature_chart(models_of([load(path)]).signatures)
    paper = paper_of(layout, wide=wide)
    svg, pdf = draw(chart, ("svg", "pdf"), paper)
    box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", pdf)
    assert box
    assert float(box[1]) == pytest.approx(72 * paper.width_inches, abs=0.1)
    assert float(box[2]) == pytest.approx(72 * paper.height_inches, abs=0.1)
    assert b'width="%.6gpt"' % (72 * paper.width_inches) in svg


@pytest.mark.parametrize(
    ("height", "points", "fits"),
    [(0.5, 0, True), (11, 0, True), (0.4, 0, False), (11.1, 0, False), (-1, 0, False),
     (0, 4, True), (0, 24, True), (0, 3.9, False), (0, 24.1, False)],
)  # fmt: skip
def test_a_height_and_letters_are_printed_up_to_their_ends(
    height: float, points: float, *, fits: bool
) -> None:
    if fits:
        paper = paper_of("ieee", height_inches=height, points=points)
        assert paper.height_inches == height or not height
        assert paper.points == points or not points
        return
    with pytest.raises(WeftError, match="cannot be printed") as refused:
        paper_of("ieee", height_inches=height, points=points)
    assert refused.value.fix == "choose 0.5 to 11 inches and 4 to 24 points"


def test_a_column_has_the_shape_of_the_screen_and_a_page_is_half_as_high_as_wide() -> None:
    column, page = paper_of("ieee"), paper_of("ieee", wide=True)
    assert (column.width_inches, column.height_inches) == pytest.approx((3.5, 2.6))
    assert (page.width_inches, page.height_inches) == pytest.approx((7.16, 3.58))
    assert paper_of("ieee", wide=True, height_inches=2.0).height_inches == 2.0


def test_letters_are_embedded_as_fonts_and_have_the_asked_size(path: Path) -> None:
    chart = signature_chart(models_of([load(path)]).signatures)
    [pdf] = draw(chart, ("pdf",), paper_of("ieee", points=9))
    assert SERIF.encode() in pdf
    assert b"/FontFile2" in pdf
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    text = b"".join(zlib.decompress(s) for s in streams if s.startswith(b"x\x9c"))
    assert re.search(rb"/F\d+ 9 Tf", text)


@pytest.mark.parametrize(
    ("layout", "change", "says"),
    [
        ("nature", {}, "choose one of ieee, acm, elsevier"),
        ("ieee", {"height_inches": 40.0}, "cannot be printed"),
        ("ieee", {"points": 1.0}, "cannot be printed"),
    ],
)
def test_what_cannot_be_printed_is_refused(
    layout: str, change: dict[str, float], says: str
) -> None:
    with pytest.raises(WeftError, match=says):
        paper_of(layout, **change)  # type: ignore[arg-type]


def test_the_table_of_figures_has_a_row_a_size(path: Path) -> None:
    run = load(path)
    latex = to_latex(paper_tables(run, summarise(run)))
    assert r"\usepackage{booktabs}" in latex
    head, *rows = words(latex)
    assert head == ["size", "Latency, tcp", "Bandwidth, tcp"]
    assert len(rows) == len(SIZES)
    assert rows[0][0] == "0 B"
    assert rows[0][1].startswith(r"1.00 $\mu$s $\pm$0.4\%")
    assert rows[0][2] == ""
    markdown = to_markdown(paper_tables(run, summarise(run)))
    assert len([line for line in markdown.splitlines() if line.startswith("| ")]) == 2 + len(SIZES)


def test_the_tables_of_models_hold_every_model(path: Path) -> None:
    tables = model_tables(models_of([load(path)]))
    names = [table.name for table in tables]
    assert names == ["line", "piecewise", "whole", "loggp", "errors", "signature"]
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)
    latex = to_latex(tables)
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 6
    assert r"n$_{1/2}$" in latex
    assert r"o\_s" in latex


def test_no_text_is_read_as_a_command() -> None:
    table = Table(name="x", caption="50 % of $x_1$", head=("a|b", r"\c"), rows=(("<d>", "{e}"),))
    latex = to_latex([table])
    assert r"50 \% of \$x\_1\$" in latex
    assert r"a|b & \textbackslash{}c \\" in latex
    assert r"$<$d$>$ & \{e\} \\" in latex
    markdown = to_markdown([table])
    assert r"| a\|b | \\c |" in markdown
    assert "| &lt;d> | {e} |" in markdown


@pytest.mark.usefixtures("undrawn")
def test_the_report_has_a_part_about_models(path: Path) -> None:
    run = load(path)
    page = render_page([(run, summarise(run))], models_of([run]))
    assert ">Models</a></h2>" in page
    assert 'id="plot-signature"' in page
    assert "Piecewise model, tcp/ping_pong" in page
    assert ">Models</a></h2>" not in render_page([(run, summarise(run))])


@pytest.mark.usefixtures("undrawn")
def test_a_record_that_cannot_be_modelled_says_why(tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), (8, 1024))
    run = load(synthetic_record(tmp_path / "few.jsonl", cases))
    found = models_of([run])
    assert not found.models
    page = render_page([(run, summarise(run))], found)
    assert "no model: tcp/ping_pong has 2 sizes" in page


def test_models_of_two_records_are_told_apart(path: Path, tmp_path: Path) -> None:
    cases = make_cases(("ping_pong",), ("tcp",), SIZES)
    other = synthetic_record(tmp_path / "other.jsonl", cases)
    names = [one.name for one in models_of([load(path), load(other)]).models]
    assert names == ["r.jsonl: tcp/ping_pong", "other.jsonl: tcp/ping_pong"]


def test_each_line_stands_under_its_own_head() -> None:
    sizes = np.repeat(np.arange(1, 41) * 10_000, 5)
    times = (2000 + 0.1 * sizes) * np.random.default_rng(2).normal(1, 0.005, len(sizes))
    times[::9] *= 3
    fit = fit_line(series_of_times("spikes", sizes, times))
    lines = (fit.least_squares, fit.median_line)
    rows = {name: cells for name, *cells in line_rows(fit)}
    for name, cells in (("bandwidth", rows["bandwidth"]), ("latency", rows["latency"])):
        shape = format_bandwidth if name == "bandwidth" else format_time
        part = "bandwidth_bytes_per_s" if name == "bandwidth" else "latency_ns"
        found = [getattr(line, part) for line in lines]
        wanted = [
            shape(one.value, step_of(one))
            if is_determined(one)
            else "not determined by these sizes"
            for one in found
        ]
        assert wanted[0] != wanted[1]
        assert [re.split(r" \[|[,:]", cell)[0] for cell in cells] == wanted


def test_a_label_wider_than_the_chart_is_in_several_lines() -> None:
    """A legend that is wider leaves the axes no room, and matplotlib warns (an error here)."""
    long = " ".join(["sim 8ranks/single"] * 6)
    points = [ChartPoint(x, y, y, y, "") for x, y in ((1.0, 2.0), (2.0, 3.0))]
    axes = (ChartAxis("x", is_log=False), ChartAxis("y", is_log=False))
    [svg] = draw(chart_of("long", "long", *axes, [track_of(long, points, 0)]), ("svg",))
    assert svg.startswith(b"<?xml")


@pytest.mark.parametrize(("at", "told"), [(5.0, ""), (1e4, " (above)")])
def test_a_limit_near_is_a_line_and_one_far_away_its_words(at: float, told: str) -> None:
    points = [ChartPoint(x, y, y, y, "") for x, y in ((1.0, 2.0), (2.0, 3.0))]
    axes = (ChartAxis("x", is_log=False), ChartAxis("y", is_log=False))
    plain = chart_of("limit", "limit", *axes, [track_of("tcp", points, 0)])
    marked = msgspec.structs.replace(plain, marks=(Mark(axis="y", at=at, text="at most"),))
    canvas = canvas_of(marked)
    [shown] = canvas.axes
    assert [one.get_text() for one in shown.texts] == [f"at most{told}"]
    assert len(shown.lines) == len(canvas_of(plain).axes[0].lines) + (not told)
    low, high = shown.get_ylim()
    assert low <= 2.0 < 3.0 < high < 4 * 3.0
    assert bool(told) or at < high


def test_each_layout_has_the_widths_of_its_class() -> None:
    """Those of IEEEtran, acmart and elsarticle: columns and pages in inches."""
    assert [(one.name, one.column_inches, one.page_inches, one.points) for one in LAYOUTS] == [
        ("ieee", 3.5, 7.16, 8), ("acm", 3.33, 7.0, 8), ("elsevier", 3.5, 7.2, 8),
    ]  # fmt: skip
    assert {one.family for one in LAYOUTS} == {SERIF}
