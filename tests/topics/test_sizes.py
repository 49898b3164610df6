"""Curves over sizes."""

from pathlib import Path

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
