"""Charts against another axis than the size: every value, end of a bar and unit, from the rows."""

from pathlib import Path

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from support.shown import MANY, charts_of
from weft.analysis.summary import summarise
from weft.charts import Chart
from weft.plan.case import Case
from weft.record.run import Run
from weft.topics.availability import availabilities_of
from weft.topics.completion import notified_over_polled
from weft.topics.offered_load import loads_of
from weft.topics.overhead import overheads_of
from weft.topics.streams import streams_of

PAPERS_MB = 2.0**20


def times(case: Case, round_: int) -> list[float]:
    effect = LAUNCH_EFFECTS[round_] ** 5
    if case.test == "offered_load":
        behind = max(0.0, 1000 - 1e5 / (case.point or 1))
        return [(2000 + 3 * number + number * behind) * effect for number in range(1000)]
    if case.test.startswith("put_"):
        return [(3000 if case.test == "put_ping_pong" else 3800) * effect] * 9
    return [(400 + 10 * (case.point or 0)) * effect] * 9


def parts(case: Case, round_: int) -> dict[str, list[float]]:
    effect = LAUNCH_EFFECTS[round_] ** 5
    if case.test == "offered_load":
        return {"interval": [1e5 / (case.point or 1)] * 1000, "late": [100.0] * 1000}
    if case.test == "host_overhead":
        named = {"post_send": 90, "complete_send": 20, "post_receive": 140, "complete_receive": 70}
        return {name: [ns * effect] * 9 for name, ns in named.items()}
    if case.test == "busy_stream":
        return {"alone": [400 * effect] * 9, "work": [4.0 * (case.point or 0)] * 9}
    if case.test in ("hot_spot_receive", "message_rate"):
        return {f"rank{peer}": [400 * effect] * 9 for peer in range(1, (case.point or 2) + 1)}
    return {}


def record_of(folder: Path, cases: tuple[Case, ...], suite: str = "") -> Run:
    path = folder / "r.jsonl"
    return weft.load(synthetic_record(path, cases, times_ns=times, parts_ns=parts, suite=suite))


def by_name(charts: list[Chart]) -> dict[str, Chart]:
    return {chart.name: chart for chart in charts}


def test_streams_are_in_microseconds_and_million_messages(tmp_path: Path) -> None:
    cases = tuple(
        Case(test=test, transport="tcp", bytes=1000, ranks=5, point=at)
        for test, points in (("hot_spot_receive", (1, 2, 4)), ("message_rate", (1, 2)))
        for at in points
    )
    run = record_of(tmp_path, cases)
    summaries = summarise(run)
    charts = by_name(charts_of(run, summaries, *MANY))
    rows = streams_of(run, summaries)
    for test, unit in (("hot_spot_receive", 1e-3), ("message_rate", 1e-6)):
        own = [row for row in rows if row.test == test]
        found = [row.time_ns if test == "hot_spot_receive" else row.rate_per_s for row in own]
        [track] = charts[f"many-{test}"].tracks
        assert track.x == tuple(float(row.streams) for row in own)
        assert track.y == pytest.approx([one.value * unit for one in found])
        assert track.low == pytest.approx([one.low * unit for one in found])
        assert track.high == pytest.approx([one.high * unit for one in found])
        assert all(one.low < one.value < one.high for one in found)


def test_loads_are_in_thousand_messages_and_each_percentile_is_its_own(tmp_path: Path) -> None:
    cases = tuple(
        Case(test="offered_load", transport="tcp", bytes=8, point=load) for load in (50, 80, 125)
    )
    run = record_of(tmp_path, cases)
    summaries = summarise(run)
    rows, _ = loads_of(run, summaries)
    [chart] = charts_of(run, summaries, *MANY)
    assert [track.label for track in chart.tracks] == ["50 %", "99 %"]
    for track in chart.tracks:
        own = [row.percentiles_ns[track.label.removesuffix(" %")] for row in rows]
        assert track.x == pytest.approx([row.offered_per_s.value / 1e3 for row in rows])
        assert track.y == pytest.approx([one.value / 1e3 for one in own])
        assert track.low == pytest.approx([one.low / 1e3 for one in own])
        assert track.high == pytest.approx([one.high / 1e3 for one in own])
    assert chart.tracks[0].y[0] < 0.9 * chart.tracks[1].y[0]


def test_the_papers_figure_7_has_each_sides_calls(tmp_path: Path) -> None:
    cases = tuple(Case(test="host_overhead", transport="tcp", bytes=size) for size in (8, 1024))
    run = record_of(tmp_path, cases, suite="paper")
    charts = by_name(charts_of(run, summarise(run), "paper"))
    for side in ("send", "receive"):
        rows = [row for row in overheads_of(run) if row.side == side and row.calls_ns is not None]
        [track] = charts[f"osu-7-{side}"].tracks
        values = [row.calls_ns.value / 1e3 for row in rows if row.calls_ns is not None]
        assert track.y == pytest.approx(values)
    send, receive = (charts[f"osu-7-{side}"].tracks[0].y[0] for side in ("send", "receive"))
    assert receive > 1.5 * send


def test_the_papers_figure_8_is_in_its_mb(tmp_path: Path) -> None:
    cases = tuple(
        Case(test="busy_stream", transport="tcp", bytes=65536, point=at) for at in (0, 50, 100)
    )
    run = record_of(tmp_path, cases, suite="paper")
    [curve] = availabilities_of(run)
    chart = by_name(charts_of(run, summarise(run), "paper"))["osu-8"]
    [track] = [track for track in chart.tracks if len(track.x) == len(curve.points)]
    wanted = [point.bandwidth_bytes_per_s for point in curve.points]
    assert track.y == pytest.approx([one.value / PAPERS_MB for one in wanted])
    assert track.low == pytest.approx([one.low / PAPERS_MB for one in wanted])
    assert track.high == pytest.approx([one.high / PAPERS_MB for one in wanted])


def test_the_papers_figure_9_has_the_intervals_of_the_differences(tmp_path: Path) -> None:
    cases = tuple(
        Case(test=test, transport="ofi", bytes=size)
        for test in ("put_ping_pong", "put_notify_ping_pong")
        for size in (8, 1024)
    )
    run = record_of(tmp_path, cases, suite="paper")
    summaries = summarise(run)
    [increase] = notified_over_polled(run, summaries)
    [track] = by_name(charts_of(run, summaries, "paper"))["osu-9-put_notify_ping_pong"].tracks
    assert track.y == pytest.approx([step.added_ns.value / 1e3 for step in increase.steps])
    assert track.low == pytest.approx([step.added_ns.low / 1e3 for step in increase.steps])
    assert track.high == pytest.approx([step.added_ns.high / 1e3 for step in increase.steps])
    assert track.low[0] < track.y[0] < track.high[0]
