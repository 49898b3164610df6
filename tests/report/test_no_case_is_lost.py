"""No table, row, curve, JSON key or export loses a case or shows it twice, whatever the record."""

import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from rich.console import Console

from support.records_of_any_kind import POINTS, TESTS, Planned, planned, record_of
from support.shown import (
    MANY,
    charts_of,
    json_rows,
    paper_tables,
    render_page,
    render_tables,
    size_charts,
    tables_of,
)
from weft.analysis.compare.comparison import compare
from weft.analysis.compare.pool import pool
from weft.analysis.compare.sides import side_of_run
from weft.analysis.summary import CaseSummary, summarise
from weft.charts import MOST_CURVES
from weft.plan.case import Case
from weft.record.run import Run
from weft.report.markup import to_latex, to_markdown
from weft.topics.availability import availabilities_of
from weft.topics.completion import completions_of
from weft.topics.frames import table_of
from weft.topics.offered_load import loads_of
from weft.topics.overhead import overheads_of
from weft.topics.overlap import overlaps_of
from weft.topics.rails import rail_ratios
from weft.topics.registration import registrations_of
from weft.topics.reuse import reuse_of
from weft.topics.sizes import format_estimate
from weft.topics.streams import streams_of

# Tests whose figures stand along their own axis.
ELSEWHERE = ("hot_spot_receive", "message_rate", "offered_load", "send_overlap", "busy_stream")
ANY = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def expected(summaries: Iterable[CaseSummary]) -> Counter[str]:
    """What a table of all cases must hold, each once."""
    return Counter(format_estimate(summary) for summary in summaries)


def only(cells: Iterable[str], wanted: Counter[str]) -> Counter[str]:
    """Those cells of a table that are figures of cases."""
    return Counter(cell for cell in cells if cell in wanted)


class Cells(HTMLParser):
    """The cells of each table of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "table":
            self.tables.append([])
        self._inside = tag == "td"
        if self._inside and self.tables:
            self.tables[-1].append("")

    def handle_data(self, data: str) -> None:
        if self._inside and self.tables:
            self.tables[-1][-1] += data.strip().replace("\N{NO-BREAK SPACE}", " ")


def terminal(run: Run, summaries: Sequence[CaseSummary]) -> list[str]:
    """The cells of the terminal's tables of tests, which come first, each under a bold title."""
    out = Console(file=io.StringIO(), width=2000, highlight=False)
    out.print(render_tables(run, summaries))
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    titles = {f"({name}): " for name in run.patterns}
    cells: list[str] = []
    is_of_test = False
    for line in text.splitlines():
        is_row = re.match(r" |size\b|\d+ ([KMG]i)?B\b", line)
        if line and not is_row:
            is_of_test = any(title in line for title in titles)
        if is_of_test:
            cells += re.split(r"\s{2,}", line.strip())
    return cells


@ANY
@given(found=planned())
def test_tables_hold_every_case_once(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    wanted = expected(summaries)
    table = paper_tables(run, summaries)
    assert only((cell for row in table[0].rows for cell in row), wanted) == wanted
    markdown = [
        cell.strip() for line in to_markdown(table).splitlines() for cell in line.split("|")
    ]
    assert only(markdown, wanted) == wanted
    latex = [
        cell.strip().removesuffix(r"\\").strip().replace(r"$\pm$", "±").replace(r"\%", "%")
        .replace(r"$\mu$", "µ")
        for line in to_latex(table).splitlines()
        for cell in line.split(" & ")
    ]  # fmt: skip
    assert only(latex, wanted) == wanted
    assert only(terminal(run, summaries), wanted) == wanted


@pytest.mark.usefixtures("undrawn")
@settings(ANY, max_examples=3)
@given(found=planned())
def test_the_page_holds_every_case_once(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    wanted = expected(summaries)
    page = Cells()
    text = render_page([(run, summaries)])
    page.feed(text.partition('<section id="figures">')[2].partition("</section>")[0])
    # The table of tails has the medians again.
    own = [cells for cells in page.tables if "p99" not in cells]
    assert sum((only(cells, wanted) for cells in own), Counter()) == wanted


@ANY
@given(found=planned())
def test_exports_and_json_hold_every_case_once(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    keys = [case.key for case, _ in found]
    assert len(set(keys)) == len(keys)
    frame = table_of(run, "summary")
    for kind in ("csv", "parquet"):
        path = tmp_path / f"s.{kind}"
        getattr(frame, f"write_{kind}")(path)
        read = pl.read_csv(path) if kind == "csv" else pl.read_parquet(path)
        assert read["case"].to_list() == keys
        columns = ["test", "transport", "bytes", "variant"]
        assert len(read.select(columns).unique()) == len(keys)
    measured = {case.key for case, status in found if status in ("ok", "failed")}
    for name in ("samples", "batches"):
        assert set(table_of(run, name)["case"].cast(pl.String)) >= measured
    summaries = summarise(run)
    rows = json_rows(run, summaries)
    assert [row["case"] for row in rows] == keys
    for row in rows:
        if "many" in row:
            assert row["many"]["case"] == row["case"]
        if "knee" in row:
            assert row["case"] in row["knee"]["cases"]
            alike = [run.cases[key].but_for("point") for key in row["knee"]["cases"]]
            assert set(alike) == {run.cases[row["case"]].but_for("point")}


@ANY
@given(found=planned())
def test_comparison_and_pool_hold_every_good_case_once(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    assert set(pool([run])) == {case.key for case, _ in found}
    good = [s for s in summaries if s.status == "ok"]
    if not any(s.latency_ns or s.bandwidth_bytes_per_s for s in good):
        return
    side = side_of_run(run, summaries, "a")
    rows = Counter(
        (table.test, table.transport, table.variant, row.bytes)
        for table in compare([side, side]).tables
        for row in table.rows
    )
    assert rows == Counter((s.test, s.transport, s.variant, s.bytes) for s in good)


@ANY
@given(found=planned())
def test_charts_hold_every_good_case_once(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    drawn = Counter(
        (chart.name, track.label, size)
        for chart in size_charts([(run, summaries)])
        for track in chart.tracks
        for size in track.x
    )
    # A failed case keeps the figures of the launches that went well.
    shown = [s for s in summaries if s.test not in ELSEWHERE and s.launches]
    assert drawn == Counter((s.test, s.measured_over, s.bytes) for s in shown)
    names = [chart.name for chart in charts_of(run, summaries, *MANY)]
    assert len(names) == len(set(names))
    for chart in charts_of(run, summaries, *MANY):
        labels = [track.label for track in chart.tracks]
        assert len(labels) == len(set(labels)) <= MOST_CURVES
        for track in chart.tracks:
            assert len(track.x) == len(set(track.x))


def good_cases(found: Planned, *tests: str) -> list[Case]:
    return [case for case, status in found if status == "ok" and case.test in tests]


def places(cases: Iterable[Case]) -> Counter[tuple[str, int, str]]:
    """Where a row of each case stands, whatever its point."""
    return Counter((case.transport, case.bytes, case.but_for("point").variant) for case in cases)


@ANY
@given(found=planned(("hot_spot_receive", "message_rate", "random_pairs", "offered_load")))
def test_tables_of_many_ranks_have_a_row_a_case(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    streams = [row.case for row in streams_of(run, summaries)]
    loads = [row.case for row in loads_of(run, summaries)[0]]
    assert len(streams) == len(set(streams))
    for tests, shown in (
        (("hot_spot_receive", "message_rate", "random_pairs"), streams),
        (("offered_load",), loads),
    ):
        assert {case.key for case in good_cases(found, *tests)} <= set(shown)
    leaves = tables_of(run, summaries, *MANY)
    assert sum(len(leaf.rows) for leaf in leaves) == len(streams) + len(loads)
    for chart in charts_of(run, summaries, *MANY):
        assert all(len(track.x) == len(set(track.x)) for track in chart.tracks)
        drawn = sum(len(track.x) for track in chart.tracks)
        test = chart.name.removeprefix("many-")
        if test in POINTS and "more" not in chart.note:
            rows = [row for row in streams_of(run, summaries) if row.test == test]
            assert drawn == len(rows)


@ANY
@given(found=planned(("offered_load",)))
def test_a_knee_is_of_loads_that_differ_in_nothing_else(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    knees = loads_of(run, summaries)[1]
    told = [key for knee in knees for key in knee.cases]
    loads = good_cases(found, "offered_load")
    groups = Counter(case.but_for("point") for case in loads)
    assert Counter(told) == Counter(case.key for case in loads if groups[case.but_for("point")] > 2)
    assert [row["case"] for row in json_rows(run, summaries) if "knee" in row] == [
        case.key for case, _ in found if case.key in told
    ]


@ANY
@given(found=planned(("host_overhead", "send_overlap", "busy_stream", "registration")))
def test_tables_of_the_hosts_time_have_a_row_a_case(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    measured = [case for case, status in found if status != "unsupported"]

    def of(test: str, *points: int) -> list[Case]:
        return [c for c in measured if c.test == test and (not points or c.point in points)]

    overlaps = Counter((row.transport, row.bytes, row.variant) for row in overlaps_of(run))
    assert overlaps == places(of("send_overlap", 100))
    overheads = overheads_of(run)
    calls = [row for row in overheads if row.calls_ns is not None and row.side == "send"]
    assert Counter((r.transport, r.bytes, r.variant) for r in calls) == places(of("host_overhead"))
    beside = [row for row in overheads if row.beside_work_ns is not None]
    assert Counter((r.transport, r.bytes, r.variant) for r in beside) == places(
        of("send_overlap", 200)
    )
    points = Counter(
        (curve.transport, curve.bytes, curve.variant)
        for curve in availabilities_of(run)
        for _ in curve.points
    )
    busy = places(of("busy_stream"))
    assert points == Counter({place: count for place, count in busy.items() if count > 1})
    registered = Counter(
        (r.transport, r.bytes, r.variant) for r in registrations_of(run, summaries)
    )
    assert registered == places(good_cases(found, "registration"))


@ANY
@given(found=planned(("ping_pong", "put_ping_pong", "put_notify_ping_pong"), "wait"))
def test_variants_beside_each_other_differ_in_one_axis_only(tmp_path: Path, found: Planned) -> None:
    run = record_of(tmp_path / "r.jsonl", found)
    summaries = summarise(run)
    rows = completions_of(run, summaries)
    rows_at = Counter((r.transport, r.test, r.bytes, r.variant, r.mode) for r in rows)
    assert not [place for place, count in rows_at.items() if count > 1]
    told = Counter((r.transport, r.kind, r.bytes, r.variant) for r in rows)
    assert Counter(
        (r.transport, r.kind, r.bytes, r.variant) for r in rows if r.is_cheapest
    ) == dict.fromkeys(told, 1)
    cases = good_cases(found, "ping_pong", "put_ping_pong", "put_notify_ping_pong")
    rails = [case for case in cases if case.transport == "tcp:turn"]
    pairs = [c for c in rails if any(one == c.but_for("transport") for one in _over("tcp", cases))]
    ratios = Counter((r.test, r.bytes, r.variant) for r in rail_ratios(run, summaries))
    assert ratios == Counter((case.test, case.bytes, case.variant) for case in pairs)
    for scheme in ("turn", "reuse"):
        series = [one for one in reuse_of(run, summaries) if one.scheme == scheme]
        names = Counter((one.name, one.points[0].buffers if scheme == "reuse" else 0)
                        for one in series)  # fmt: skip
        assert not [name for name, count in names.items() if count > 1]


def _over(transport: str, cases: Iterable[Case]) -> list[Case]:
    return [case.but_for("transport") for case in cases if case.transport == transport]


@pytest.mark.parametrize("test", TESTS)
def test_the_records_of_these_tests_have_figures(tmp_path: Path, test: str) -> None:
    """What is tested above would hold of records without any."""
    case = Case(test=test, transport="tcp", bytes=8, point=POINTS.get(test, (None,))[0])
    [summary] = summarise(record_of(tmp_path / "r.jsonl", [(case, "ok")]))
    assert summary.status == "ok"
    assert summary.latency_ns or summary.bandwidth_bytes_per_s
