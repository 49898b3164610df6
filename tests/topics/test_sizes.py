"""Curves over sizes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import weft
from support.builders import LAUNCH_EFFECTS, make_cases, synthetic_record
from support.shown import size_charts
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.topics import TOPICS, results_of
from weft.units import format_time


def test_the_points_of_a_curve_ascend_in_whatever_order_sizes_were_planned(tmp_path: Path) -> None:
    sizes = (4096, 8, 1 << 20, 64)
    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=sizes)
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    (chart,) = size_charts([(run, summarise(run))])
    (track,) = chart.tracks
    assert track.x == tuple(map(float, sorted(sizes)))
    assert list(track.y) == sorted(track.y)


def test_the_headline_has_the_first_of_several_ways_to_measure_a_size(tmp_path: Path) -> None:
    """Of variants alone the one that was planned first speaks for its transport."""
    slower = {"spin": 1.0, "block": 9.0}

    def times_ns(case: Case, launch: int) -> list[float]:
        return [1000.0 * slower[case.wait] * LAUNCH_EFFECTS[launch]] * 9

    for waits in (("spin", "block"), ("block", "spin")):
        cases = tuple(
            msgspec.structs.replace(case, wait=wait)
            for wait in waits
            for case in make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(8,))
        )
        path = tmp_path / f"{waits[0]}.jsonl"
        run = weft.load(synthetic_record(path, cases, times_ns=times_ns))
        results = results_of(run, summarise(run))
        [topic] = [one for one in TOPICS if one.name == "figures"]
        said = topic.headline(results.of(topic))
        assert said == f"over tcp 8 B latency {format_time(500.0 * slower[waits[0]])}"


def test_without_8_bytes_the_headline_has_the_least_size(tmp_path: Path) -> None:
    cases = make_cases(tests=("ping_pong",), transports=("tcp",), sizes=(16, 64, 1024))
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    results = results_of(run, summarise(run))
    [topic] = [one for one in TOPICS if one.name == "figures"]
    assert topic.headline(results.of(topic)).startswith("over tcp 16 B latency ")


def figures_of(path: Path, cases: tuple[Case, ...], times_ns: Callable[..., list[float]]) -> Any:
    """The topic of sizes with its rows of a record, and the topic."""
    run = weft.load(synthetic_record(path / "r.jsonl", cases, times_ns=times_ns))
    [topic] = [one for one in TOPICS if one.name == "figures"]
    return topic, results_of(run, summarise(run)).of(topic)


def test_the_headline_has_8_bytes_and_the_peak_wherever_they_are(tmp_path: Path) -> None:
    """The peak is at 4 KiB: 1 MiB is slower, as where a cache ends; 8 bytes are not the least."""
    rates = {1: 1e6, 8: 1e7, 4096: 4e9, 1 << 20: 3e9}

    def times_ns(case: Case, launch: int) -> list[float]:
        if case.test == "ping_pong":
            return [2 * (1000.0 + case.bytes) * LAUNCH_EFFECTS[launch]] * 9
        return [1e9 * case.bytes / rates[case.bytes] * LAUNCH_EFFECTS[launch]] * 9

    cases = make_cases(("ping_pong", "stream"), ("tcp",), tuple(rates))
    topic, rows = figures_of(tmp_path, cases, times_ns)
    assert topic.headline(rows) == "over tcp 8 B latency 1.01 µs, peak bandwidth 4.00 GB/s at 4 KiB"


def test_a_brief_table_has_the_least_latency_and_the_largest_bandwidth(tmp_path: Path) -> None:
    def times_ns(case: Case, launch: int) -> list[float]:
        return [(1000.0 + case.bytes) * LAUNCH_EFFECTS[launch]] * 9

    cases = make_cases(("ping_pong", "stream"), ("tcp",), (8, 64, 4096))
    topic, rows = figures_of(tmp_path, cases, times_ns)
    [table] = topic.brief(rows, 2)
    assert [row[1] for row in table.rows] == ["8 B", "4 KiB"]
    assert table.notes == ("4 more figures",)
    [whole] = topic.brief(rows, 6)
    assert [row[1] for row in whole.rows] == ["8 B", "64 B", "4 KiB"] * 2
    assert whole.notes == ()
