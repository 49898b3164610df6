"""The OSU paper's figures from a record whose truth is known."""

from pathlib import Path

import pytest

import weft
from support.builders import make_cases, synthetic_record, usual_time_ns
from support.shown import charts_of, render_page, size_charts
from weft.analysis.summary import CaseSummary, summarise
from weft.charts import Chart
from weft.plan.case import Case, Schedule
from weft.record.run import Run
from weft.topics import results_of
from weft.topics.osu_paper import OsuPaper

HALVES_NS = {
    ("ping_pong", ""): 2000.0,
    ("ping_pong", "block"): 9000.0,
    ("put_ping_pong", ""): 1500.0,
    ("put_notify_ping_pong", ""): 1900.0,
    ("put_notify_ping_pong", "block"): 8900.0,
}


def measured(folder: Path, cases: tuple[Case, ...], suite: str = "paper") -> Run:
    def times(case: Case, round_: int) -> list[float]:
        half = HALVES_NS.get((case.test, case.wait))
        middle = usual_time_ns(case) if half is None else 2 * half
        return [middle * (1 + 0.001 * (round_ - 2)) * (1 + step / 1e4) for step in range(-50, 51)]

    path = synthetic_record(folder / "r.jsonl", cases, times_ns=times, suite=suite)
    return weft.load(path)


def named_charts(run: Run) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts_of(run, summarise(run), "paper")}


def test_latencies_in_microseconds_and_rates_in_the_papers_unit(tmp_path: Path) -> None:
    streams = tuple(
        Case(test="stream", transport=transport, bytes=size, queue_depth=queue)
        for transport in ("mpi", "tcp")
        for queue in (1, 4, 256)
        for size in (4096, 1 << 20)
    )
    run = measured(tmp_path, (*make_cases(tests=("ping_pong",)), *streams))
    charts = named_charts(run)
    assert list(charts) == ["osu-2-ping_pong", "osu-3-stream", "osu-4-mpi", "osu-4-tcp"]
    latency = charts["osu-2-ping_pong"]
    assert latency.title == "Figure 2. Latency, send and receive"
    assert not latency.y.is_log
    assert [track.label for track in latency.tracks] == ["mpi", "tcp"]
    assert latency.tracks[0].y == pytest.approx([2.0] * 5, rel=1e-3)
    rate = charts["osu-3-stream"].tracks[1]
    truth = (1 << 20) / usual_time_ns(streams[-1]) * 1e9 / 2**20
    assert rate.y[-1] == pytest.approx(truth, rel=1e-3)
    assert [track.label for track in charts["osu-4-tcp"].tracks] == ["Q = 1", "Q = 4", "Q = 256"]


def test_what_notices_and_sleep_add(tmp_path: Path) -> None:
    cases = tuple(Case(test=test, transport="ofi", bytes=8, wait=wait) for test, wait in HALVES_NS)
    charts = named_charts(measured(tmp_path, cases))
    added = {name: charts[name].tracks[0].y[0] for name in charts if not name.startswith("osu-2")}
    truth = {
        "osu-9-put_notify_ping_pong": 0.4,
        "osu-10-ping_pong": 7.0,
        "osu-10-put_notify_ping_pong": 7.0,
    }
    assert added == pytest.approx(truth, rel=2e-3)
    for name, value in truth.items():
        track = charts[name].tracks[0]
        assert track.low[0] <= value <= track.high[0]


def test_buffers_in_turn_and_shares_of_reuse(tmp_path: Path) -> None:
    turns = tuple(
        Case(test="stream", transport="mpi", bytes=524288, schedule=Schedule(kind="turn", count=n))
        for n in (1, 2, 1024)
    )
    shares = tuple(
        Case(
            test="ping_pong",
            transport="mpi",
            bytes=4096,
            schedule=Schedule(kind="reuse", count=256, reuse_percent=percent),
        )
        for percent in (0, 50, 100)
    )
    charts = named_charts(measured(tmp_path, (*turns, *shares)))
    assert list(charts) == ["osu-11", "osu-12"]
    assert charts["osu-11"].tracks[0].x == (1.0, 2.0, 1024.0)
    assert charts["osu-12"].tracks[0].x == (0.0, 50.0, 100.0)
    assert charts["osu-12"].tracks[0].y == pytest.approx([2.0] * 3, rel=1e-3)


def test_a_figure_as_a_table_names_every_size(tmp_path: Path) -> None:
    charts = named_charts(measured(tmp_path, make_cases(tests=("ping_pong",))))
    [table] = OsuPaper().tables((charts["osu-2-ping_pong"],))
    assert table.head == ("message size", "mpi", "tcp")
    assert [row[0] for row in table.rows] == ["0 B", "8 B", "1 KiB", "64 KiB", "1 MiB"]
    assert table.rows[1][1].startswith("2.00 ±0.0")


@pytest.mark.usefixtures("undrawn")
def test_only_a_record_of_the_suite_is_laid_out_so(tmp_path: Path) -> None:
    cases = (*make_cases(tests=("ping_pong", "sendrecv")),)
    of_tests = measured(tmp_path, cases, suite="")
    summaries: tuple[CaseSummary, ...] = summarise(of_tests)
    assert charts_of(of_tests, summaries, "paper") == []
    assert results_of(of_tests, summaries).with_tables() == summaries
    (tmp_path / "r.jsonl").unlink()
    full = measured(tmp_path, cases, suite="full")
    summaries = summarise(full)
    assert {one.test for one in results_of(full, summaries).with_tables()} == {"sendrecv"}
    page = render_page([(full, summaries)])
    assert page.index("Figure 2. Latency, send and receive") < page.index("<h3>SendRecv")
    assert "<h3>Latency</h3>" not in page


def test_a_variant_measured_at_one_size_is_a_point_over_sizes(tmp_path: Path) -> None:
    turn = Case(
        test="ping_pong", transport="mpi", bytes=4096, schedule=Schedule(kind="turn", count=4)
    )
    run = measured(tmp_path, (*make_cases(tests=("ping_pong",)), turn), suite="")
    [figure] = size_charts([(run, summarise(run))])
    assert [track.label for track in figure.tracks] == ["mpi", "tcp", "mpi turn4"]
    assert [len(track.x) for track in figure.tracks] == [5, 5, 1]


@pytest.mark.usefixtures("undrawn")
def test_figures_of_two_records_are_told_apart(tmp_path: Path) -> None:
    runs = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run = measured(tmp_path / name, make_cases(tests=("ping_pong",)))
        runs.append((run, summarise(run)))
    page = render_page(runs)
    for at in (0, 1):
        assert page.count(f'id="plot-osu-2-ping_pong-{at}"') == 1
