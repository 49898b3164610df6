"""Hot spots and message rates from records whose answer is known."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.topics.streams import StreamsRow, streams_of


def rows_of(
    path: Path, cases: Sequence[Case], own_ns: Mapping[str, Mapping[str, float]]
) -> dict[str, StreamsRow]:
    """The rows by case, from what each stream takes for one of its own messages.

    The whole ends with the slowest stream, as in the engine.
    """

    def times(case: Case, round_: int) -> list[float]:
        own = own_ns[case.key]
        return [max(own.values()) / len(own) * LAUNCH_EFFECTS[round_]] * 9

    def parts(case: Case, round_: int) -> dict[str, list[float]]:
        own = own_ns[case.key]
        return {name: [t / len(own) * LAUNCH_EFFECTS[round_]] * 9 for name, t in own.items()}

    file = synthetic_record(path / "r.jsonl", tuple(cases), times_ns=times, parts_ns=parts)
    run = weft.load(file)
    return {row.case: row for row in streams_of(run, summarise(run))}


def hot(peers: int, test: str = "hot_spot_receive") -> Case:
    return Case(test=test, transport="tcp", bytes=1000, ranks=5, point=peers)


def test_a_hot_spots_figures_and_its_ratio_to_random_pairs(tmp_path: Path) -> None:
    pairs = Case(test="random_pairs", transport="tcp", bytes=1000, ranks=5)
    cases = [hot(1), hot(2), hot(4), pairs]
    own = {
        hot(1).key: {"rank1": 500.0},
        # The receiver takes one message in 400 ns: four peers wait for each other.
        hot(2).key: {"rank1": 800.0, "rank2": 800.0},
        hot(4).key: {f"rank{peer}": 1600.0 for peer in (1, 2, 3, 4)},
        pairs.key: {"own": 500.0, "rank3": 500.0},
    }
    rows = rows_of(tmp_path, cases, own)
    one, four = rows[hot(1).key], rows[hot(4).key]
    assert (one.streams, one.fairness) == (1, None)
    assert four.streams == 4
    assert four.time_ns.value == pytest.approx(400, rel=1e-3)
    assert four.bandwidth_bytes_per_s.value == pytest.approx(2.5e9, rel=1e-3)
    assert four.own_rates_per_s["rank3"].value == pytest.approx(625_000, rel=1e-3)
    assert four.fairness is not None
    assert four.fairness.value == pytest.approx(1.0)
    assert one.of_reference is not None
    assert four.of_reference is not None
    assert one.of_reference.speed == pytest.approx(1.0, rel=1e-3)
    assert four.of_reference.speed == pytest.approx(500 / 400, rel=1e-3)
    assert four.of_reference.low < 1.25 < four.of_reference.high


def test_an_unfair_hot_spot_is_told_within_its_interval(tmp_path: Path) -> None:
    case = hot(2)
    (row,) = rows_of(tmp_path, [case], {case.key: {"rank1": 1000.0, "rank2": 5000.0}}).values()
    truth = 1.2**2 / (2 * 1.04)
    assert row.fairness is not None
    assert row.fairness.low - 1e-6 <= truth <= row.fairness.high + 1e-6
    assert row.fairness.value == pytest.approx(truth, rel=1e-3)
    assert row.time_ns.value == pytest.approx(2500, rel=1e-3)


def test_pairs_are_told_together_and_each_by_itself(tmp_path: Path) -> None:
    case = Case(test="message_rate", transport="mpi", bytes=8, ranks=6, point=3)
    own = {"own": 200.0, "rank1": 250.0, "rank2": 400.0}
    (row,) = rows_of(tmp_path, [case], {case.key: own}).values()
    # All three moved as many; they had them after the slowest's 400 ns a message.
    assert row.rate_per_s.value == pytest.approx(3e9 / 400, rel=1e-3)
    assert row.own_rate_per_s.value == pytest.approx(1e9 / 250, rel=1e-3)
    assert row.own_rates_per_s["own"].value == pytest.approx(1e9 / 200, rel=1e-3)
    summed = sum(rate.value for rate in row.own_rates_per_s.values())
    assert summed > row.rate_per_s.value
    assert row.of_reference is None


def test_launches_are_those_that_were_measured_and_not_those_that_were_planned(
    tmp_path: Path,
) -> None:
    pairs = Case(test="random_pairs", transport="tcp", bytes=1000, ranks=5)
    cases = (hot(1), hot(2), pairs)

    def times(case: Case, round_: int) -> list[float]:
        return [] if round_ > 0 and case == hot(1) else [500.0] * 9

    def parts(case: Case, _: int) -> dict[str, list[float]]:
        streams = (case.point or 1) if case != pairs else 2
        return {f"rank{rank + 1}": [500.0 / streams] * 9 for rank in range(streams)}

    file = synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times, parts_ns=parts)
    run = weft.load(file)
    rows = {row.case: row for row in streams_of(run, summarise(run))}
    assert [rows[case.key].launches for case in cases] == [1, 5, 5]
    one, five = rows[hot(1).key].of_reference, rows[hot(2).key].of_reference
    assert one is not None
    assert five is not None
    assert "1 launch" in one.basis or "one launch" in one.basis
    assert "one launch" not in five.basis


def test_a_streams_share_of_the_operations_is_what_its_test_says(tmp_path: Path) -> None:
    case = hot(2)
    own = {case.key: {"rank1": 800.0, "rank2": 800.0}}
    (split,) = rows_of(tmp_path, [case], own).values()
    path = tmp_path / "r.jsonl"
    path.write_text(
        path.read_text().replace('"splits_operations":true', '"splits_operations":false')
    )
    run = weft.load(path)
    (whole,) = streams_of(run, summarise(run))
    assert whole.own_rate_per_s.value == pytest.approx(2 * split.own_rate_per_s.value)


def test_a_record_without_such_tests_has_no_rows(record: Path) -> None:
    run = weft.load(record)
    assert streams_of(run, summarise(run)) == ()
