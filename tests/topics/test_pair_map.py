"""The map of a record whose answer is known."""

import json
from pathlib import Path

import msgspec
import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from support.shown import tables_of
from weft.analysis.diagnosis.causes import Cause
from weft.analysis.summary import summarise
from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric
from weft.plan.case import Case
from weft.plan.rounds import partners_in, usual_rounds
from weft.topics.exchange import exchanges_of
from weft.topics.pair_map import PAIR_ROUNDS, maps_of, sentences

RANKS = 7


def record_of(path: Path, slow: int, rounds: int = 0) -> weft.Run:
    """Each rank's way to its partner takes 1 us, twice as long where the slow rank sends."""

    def time_ns(case: Case, rank: int, launch: int) -> list[float]:
        share = 1 + 0.003 * ((rank * 31 + (case.point or 0) * 17) % 7)
        return [1000 * share * LAUNCH_EFFECTS[launch] * (2 if rank == slow else 1)] * 9

    def parts(case: Case, launch: int) -> dict[str, list[float]]:
        partners = partners_in(case.point or 0, RANKS)
        return {
            f"rank{rank}": time_ns(case, rank, launch)
            for rank in range(1, RANKS)
            if partners[rank] < RANKS
        }

    cases = tuple(
        Case(test=PAIR_ROUNDS, transport="tcp", bytes=8, ranks=RANKS, point=point)
        for point in range(rounds or usual_rounds(RANKS))
    )
    file = synthetic_record(
        path / "m.jsonl", cases, times_ns=lambda c, launch: time_ns(c, 0, launch), parts_ns=parts
    )
    return weft.load(file)


def test_the_rank_that_sends_slowly_is_named(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    [finding] = row.findings
    assert [one.kind for one in finding.causes] == ["send"]
    assert finding.slower == pytest.approx(1.0, abs=0.03)
    assert (row.endpoints, row.launches, row.rounds) == (RANKS, 5, usual_rounds(RANKS))
    assert row.usual_ns == pytest.approx(1009, rel=0.01)
    [line] = sentences(row)
    assert "/4 when it sends is slow: 10" in line


def test_rank_0_has_no_time_where_it_stands_by(tmp_path: Path) -> None:
    """Its samples are there in any round, for they are the batch's own."""
    (row,) = maps_of(record_of(tmp_path, 9), None)
    assert row.findings == ()
    assert "nobody is slow" in sentences(row)[0]


def test_ranks_of_a_host_are_a_group(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    # All ranks of the record are on one host, which no measurement tells from everybody.
    assert row.groups == 1


def test_a_host_below_no_switch_is_named(tmp_path: Path) -> None:
    run = record_of(tmp_path, 4)
    fabric = KnownFabric(groups=(Group(name="leaf a", members=frozenset({"elsewhere"})),))
    with pytest.raises(WeftError, match=r"is below no switch, and 6 more"):
        maps_of(run, fabric)


def test_the_tables_are_the_map_s_and_no_other_topic_has_it(tmp_path: Path) -> None:
    run = record_of(tmp_path, 4)
    assert exchanges_of(run) == ()
    (table,) = tables_of(run, summarise(run), "map")
    assert table.head == ("from", "to", "slower")
    assert len(table.rows) == len(set(table.rows))
    assert all("/4" in row[0] for row in table.rows[: RANKS - 1])


def test_rows_are_plain_data(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    plain = json.loads(json.dumps(msgspec.to_builtins(row)))
    assert plain["findings"][0]["causes"][0]["kind"] == "send"


def test_fewer_rounds_than_all_say_what_would_tell(tmp_path: Path) -> None:
    (row,) = maps_of(record_of(tmp_path, 4), None)
    finding = msgspec.structs.replace(row.findings[0], also=(Cause("node", "x"),))
    few = msgspec.structs.replace(row, findings=(finding,), rounds=3)
    assert "weft map --rounds 7" in sentences(few)[0]
    all_ = msgspec.structs.replace(row, findings=(finding,))
    assert "weft map --launches 10" in sentences(all_)[0]
