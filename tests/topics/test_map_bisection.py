"""What a map says of halves that send to each other: in its table, its sentence and its chart."""

import copy
import json
from pathlib import Path
from typing import cast

import msgspec
import pytest

import weft
from support.maps import map_record
from weft.analysis.diagnosis.bisection import Bisection
from weft.estimate import Estimate
from weft.fabric.peaks import parse_link
from weft.plan.rounds import usual_rounds
from weft.plan.simulated import Kind, SimulatedPlatform
from weft.record.run import Run
from weft.reference.library import platforms
from weft.topics.base import Results
from weft.topics.map_bisection import bisection_in_words, bisection_table, link_of
from weft.topics.map_charts import matchings_chart
from weft.topics.pair_map import PairMap, maps_of
from weft.units import format_bandwidth
from weft.wording import with_half

RANKS = 7


def test_what_a_link_gets_of_matchings_is_said_with_the_worst_by_name(tmp_path: Path) -> None:
    """A byte takes a nanosecond, half of 1 us goes for the answer, n5 sends at half of that."""
    run = map_record(tmp_path / "m.jsonl", {"n5": 2.0}, sizes=(8, 1 << 20))
    small, large = maps_of(run, None)
    assert small.bisection is None
    assert large.bisection is not None
    # Who begins is drawn: no matching has been there before.
    assert large.bisection.matchings == 2 * usual_rounds(RANKS)
    assert large.bisection.greatest == pytest.approx(1e9, rel=0.03)
    assert large.bisection.least == pytest.approx(5 / 6 * 1e9, rel=0.03)
    assert large.bisection.worst[0][0] == "n5"
    *_, line = PairMap().findings((small, large))
    least = format_bandwidth(large.bisection.least)
    pairs = ", ".join(f"{one} to {other}" for one, other in large.bisection.worst)
    assert large.bisection.effective is not None
    assert line == (
        "tcp 1 MiB: effective bisection bandwidth"
        f" {with_half(large.bisection.effective, format_bandwidth)} a link, over 56 matchings;"
        f" the worst gets {least}: {pairs}; no share of a peak, for no link is known: name it, as"
        ' --link "IB 4x HDR"'
    )
    table = PairMap().tables((small, large))[-1]
    [row] = table.rows
    assert table.head == ("", "mean", "of peak", "least", "5 %", "95 %")
    found = large.bisection
    ends = (found.least, found.shares[0], found.shares[-1])
    assert row[0] == "tcp 1 MiB"
    assert row[1:] == (
        with_half(found.effective, format_bandwidth),
        "-",
        *map(format_bandwidth, ends),
    )
    # A long transport, a figure of five places and a link leave room on 80 columns.
    wide = ("ucx:tag+ib 1 MiB", "1.125 GB/s ±0.013", "100 %", *["99.9 GB/s"] * 3)
    assert msgspec.structs.replace(table, rows=(wide,)).width <= 80
    chart = PairMap().charts((small, large))[-1]
    assert chart.name == "map-bisection"
    [track] = chart.tracks
    assert (track.y[0], track.y[-1]) == (0, 100)
    assert track.x[0] == pytest.approx(large.bisection.least / 1e6)
    [_, plain] = json.loads(json.dumps(PairMap().plain((small, large))))
    assert plain["bisection"]["least"] == large.bisection.least


def test_each_share_of_the_matchings_has_its_own_figure_in_the_table_and_the_chart() -> None:
    """Of a record most matchings get as much, and one figure looks like the next."""
    effective = Estimate(value=4e8, low=3.9e8, high=4.1e8, coverage=0.95, method="", launches=9)
    found = Bisection(
        effective=effective, least=1e8, shares=(2e8, 3e8, 4e8, 5e8, 6e8), greatest=7e8,
        matchings=9, worst=(("a", "b"),), link="IB 4x SDR", percent_of_peak=40.0,
    )  # fmt: skip
    [row] = bisection_table([("tcp 1 MiB", found)]).rows
    assert row == (
        "tcp 1 MiB", with_half(effective, format_bandwidth), "40 %",
        "100 MB/s", "200 MB/s", "600 MB/s",
    )  # fmt: skip
    [track] = matchings_chart([("", "tcp 1 MiB", found)]).tracks
    assert track.x == pytest.approx((100, 200, 300, 400, 500, 600, 700))
    assert track.y == pytest.approx((0, 5, 25, 50, 75, 95, 100))


def test_of_peak_is_of_the_link_that_is_named_or_of_the_platform(tmp_path: Path) -> None:
    """A byte takes a nanosecond; IB 4x SDR carries as much, and IB 4x HDR 25 times of it."""
    run = map_record(tmp_path / "m.jsonl", {}, sizes=(8, 1 << 20))
    named = PairMap().rows(Results(run, (), (), parse_link("IB 4x HDR")))[1].bisection
    assert named is not None
    assert named.link == parse_link("IB 4x HDR").name
    assert named.percent_of_peak == pytest.approx(4, rel=0.05)
    assert "no link is known" not in bisection_in_words("tcp 1 MiB", named)
    platforms = (("escher", "predicted"), ("escher, 8/16 full", "predicted"), ("escher", "given"))
    on = [
        with_platform(run, SimulatedPlatform(name=name, kind=cast("Kind", kind), nodes=RANKS))
        for name, kind in platforms
    ]
    assert [link_of(one, "sim") for one in on] == [*2 * [parse_link("IB 4x SDR")], None]


def with_platform(run: weft.Run, platform: SimulatedPlatform) -> weft.Run:
    """The record as one of ranks that were simulated on that platform."""
    replace = msgspec.structs.replace
    header = replace(run.header, plan=replace(run.header.plan, simulated=platform))
    found = copy.copy(run)
    found.lines = replace(run.lines, header=header)
    return found


def test_the_link_of_a_simulated_map_is_that_of_its_platform(tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {})
    known = [one for one in platforms() if one.link]
    assert len(known) > 2
    for one in (*known, *(one for one in platforms() if not one.link)):
        simulated = SimulatedPlatform(name=one.name, kind="model", nodes=8)
        plan = msgspec.structs.replace(run.header.plan, simulated=simulated)
        header = msgspec.structs.replace(run.header, plan=plan)
        there = Run(run.path, msgspec.structs.replace(run.lines, header=header))
        assert link_of(there, "mpi") == (parse_link(one.link) if one.link else None)
