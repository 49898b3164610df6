"""What a map says beside who is slow: who is delayed now and then, and what it guessed."""

import re
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import msgspec
import pytest

from support.maps import HOSTS, map_record
from support.typed import request_of_map
from weft.analysis.diagnosis.causes import Cause
from weft.fabric.known import Group, KnownFabric, on_endpoints
from weft.plan.rounds import usual_rounds
from weft.record.run import Run
from weft.topics.map_distinguished import guessed_in_words
from weft.topics.map_findings import LONGER_BEFORE, ON_AVERAGE, SLOWER, finding_in_words
from weft.topics.pair_map import PairMap, maps_of, sentences

RANKS = len(HOSTS)


def test_who_is_delayed_now_and_then_is_named_though_no_median_shows_it(tmp_path: Path) -> None:
    run = map_record(tmp_path / "m.jsonl", {}, now_and_then={"n5": 10})
    (row,) = maps_of(run, None)
    assert row.findings == ()
    assert [one.causes for one in row.unsteady] == [(Cause("send", "n5"),)]
    said = sentences(row)
    assert "no slow node found" in said[0]
    words = "n5 when it sends is delayed now and then: 100 % [100, 100] more on average than at its"
    assert any(f"{words} median over 6 ways" in line for line in said)
    # Who is slow all the time is not delayed now and then, nor is whoever does a little more.
    for slow, rarely in (({"n5": 1.5}, {}), ({}, {"n5": 1.8})):
        other = map_record(tmp_path / "o.jsonl", slow, now_and_then=rarely)
        assert maps_of(other, None)[0].unsteady == ()
        other.path.unlink()
    # Ranks that share a core are all kept from their messages by each other.
    twos = tuple(f"n{rank // 2}" for rank in range(RANKS))
    crowded = map_record(tmp_path / "o.jsonl", {}, hosts=twos, now_and_then={"rank 4": 10})
    assert maps_of(crowded, None)[0].unsteady == ()


def test_where_nobody_would_have_been_named_nobody_is_said_to_be_well(tmp_path: Path) -> None:
    """Four ranks on two cores: "no slow node found (1.41 ms there and back, scatter 15723.4%"."""
    (row,) = maps_of(map_record(tmp_path / "m.jsonl", {}), None)
    assert sentences(row)[0].partition(": ")[2].startswith("no slow node found (")
    never = tuple(msgspec.structs.replace(one, slower=None) for one in row.distinguished)
    blind = msgspec.structs.replace(row, scatter=157.2, distinguished=never)
    [said] = sentences(blind)
    assert said.partition("endpoints: ")[2].startswith(
        "cannot tell which node is slow: a pair differs too much from visit to visit ("
    )
    assert "scatter 158 times, " in said
    assert f"; more endpoints or launches tell: {row.with_more_launches}" in said
    *_, slow = PairMap().large((blind,))
    assert slow.value == "not known"
    # One kind of cause that would be named is enough.
    some = (row.distinguished[0], *never[1:])
    assert "no slow node found" in sentences(msgspec.structs.replace(blind, distinguished=some))[0]


def test_what_is_slow_between_two_groups_are_ways(tmp_path: Path) -> None:
    (row,) = maps_of(map_record(tmp_path / "m.jsonl", {"n5": 2.0}), None)
    [found] = row.findings
    between = msgspec.structs.replace(found, causes=(Cause("between", "leaf a and leaf b"),))
    for finding, does in ((found, "n5 when it sends is slow"), (between, "leaf b are slow")):
        assert does in sentences(msgspec.structs.replace(row, findings=(finding,)))[0]


def test_groups_that_nobody_named_are_said_to_be_guessed_with_who_is_in_them(
    tmp_path: Path,
) -> None:
    for slow in ({}, {"n5": 1.5}):
        run = map_record(tmp_path / f"m{len(slow)}.jsonl", slow, near=(0, 1, 2))
        said = sentences(*maps_of(run, None))
        [words] = [line.partition(": ")[2] for line in said if "guessed from" in line]
        assert words == (
            "guessed from the times alone: guessed group 1 (n1, n2, n3), guessed group 2 (n4, n5,"
            " n6, n7); --topology takes what is known"
        )
    fabric = KnownFabric(groups=(Group(name="leaf a", members=frozenset(HOSTS)),))
    said = sentences(*maps_of(run, partial(on_endpoints, fabric)))
    assert not any("guessed" in line for line in said)


def test_of_many_guessed_groups_some_are_named_and_the_others_counted() -> None:
    groups = [(f"g{at}", [f"n{at}-{node}" for node in range(10)]) for at in range(6)]
    words = guessed_in_words(groups)
    assert "g0 (n0-0, n0-1, n0-2, n0-3, n0-4, n0-5, n0-6, n0-7 and 2 more), g1" in words
    assert "n3-7 and 2 more) and 2 more; --topology" in words


@pytest.mark.parametrize(("typed", "at_once"), [(3, 3), (4, 0), (9, 0)])
def test_as_many_pairs_at_once_as_a_round_has_are_all_of_them(
    monkeypatch: pytest.MonkeyPatch, typed: int, at_once: int
) -> None:
    """Such a map has a bisection, and is held against one without the option."""
    asked = request_of_map(f"weft map --hosts n1,n2 --ranks 8 --at-once {typed}", monkeypatch)
    [experiment] = asked.experiments
    assert experiment.variants.at_once == at_once


@pytest.mark.parametrize(
    ("slow", "told"),
    [
        ({}, "n1 to n2 takes 1.01 µs there and back, 24 rounds"),
        ({"n1": 3.0}, "n2 to n1 takes 1.01 µs there and back, n1 to n2 3.03 µs"),
    ],
)
def test_of_few_endpoints_nobody_is_named_and_the_ends_of_their_ways_are_told(
    tmp_path: Path, slow: dict[str, float], told: str
) -> None:
    """They had no figure at all."""
    run = map_record(tmp_path / "m.jsonl", slow, hosts=("n1", "n2"))
    [said] = sentences(*maps_of(run, None))
    begin, end = "too few to tell a slow one from its partners (", "; measure 4 or more"
    assert begin in said
    assert said.endswith(end)
    assert told in said


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        (("n5",), "no other slow node found ("),
        (("n4", "n5"), "too few to tell a slow one from its"),
    ],
)
def test_who_did_not_answer_does_not_count_among_enough(
    tmp_path: Path, gone: tuple[str, ...], told: str
) -> None:
    run = map_record(tmp_path / "m.jsonl", {}, hosts=HOSTS[:5], gone=gone)
    assert sum(told in said for said in sentences(*maps_of(run, None))) == 1


def test_of_two_endpoints_that_nobody_measured_no_way_is_told(tmp_path: Path) -> None:
    (row,) = maps_of(map_record(tmp_path / "m.jsonl", {}, hosts=("n1", "n2")), None)
    bare = msgspec.structs.replace(row, matrix=None)
    assert "(no way was measured, " in sentences(bare)[0]


def test_the_advised_map_has_a_budget_by_what_its_rounds_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four rounds of a budget of 3 min took as many seconds, and 48 min were advised for 63."""
    run = map_record(tmp_path / "m.jsonl", {"n5": 2.0}, rounds=3)
    assert run.footer is not None
    soon = (datetime.fromisoformat(run.launches[0].started_utc) + timedelta(seconds=6)).isoformat()
    footer = msgspec.structs.replace(run.footer, finished_utc=soon)
    quick = Run(run.path, msgspec.structs.replace(run.lines, footer=footer))
    asked = request_of_map(maps_of(quick, None)[0].with_all_rounds, monkeypatch)
    more_s = (usual_rounds(RANKS) - 3) * 6 / 3
    assert asked.budget_s == pytest.approx(run.header.plan.budget_s + more_s, abs=60)


def test_what_is_many_times_as_slow_is_said_in_times(tmp_path: Path) -> None:
    """A shaped link was 42994 % slower, and its ways +47788%."""
    (row,) = maps_of(map_record(tmp_path / "m.jsonl", {"n5": 400.0}), None)
    said = sentences(row)[0]
    assert re.search(r"n5 when it sends is slow: \d+ \[\d+, \d+\] times as slow over 6 ways", said)
    assert re.search(r"n5 to n\d 4\d\d times", said)
    assert "%" not in said.replace("confidence over 99%", "")
    assert all(cells[2].endswith(" times") for cells in PairMap().tables((row,))[0].rows[:6])
    [found] = row.findings
    words = {
        finding_in_words(found, "is", much=much).partition("] ")[2].partition(" over 6")[0]
        for much in (SLOWER, LONGER_BEFORE, ON_AVERAGE)
    }
    assert words == {
        "times as slow", "times as long before", "times as much on average as at its median",
    }  # fmt: skip
