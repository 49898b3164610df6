"""Settings beside each other, from records whose ratios are known."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

import weft
from support.builders import make_cases, synthetic_record
from weft.analysis.stats.ratios import Verdict, verdict
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.variations import Variation
from weft.topics import results_of
from weft.topics.settings import SettingRow, SettingsBeside, speeds_beside

A, B = (Variation(of="ucx", options={"ucx.rendezvous": value}) for value in ("1", "2"))
# What moves both launches of a round, and what scatters each by itself.
OF_ROUND = (1.0, 1.6, 0.7, 1.3, 0.9, 2.0)
OWN = {A.label: (1, 1.01, 1.0, 0.99, 1, 1.0), B.label: (1, 1.0, 1.01, 1.0, 0.99, 1.0)}
TOPIC = SettingsBeside()


def rows(
    path: Path, factor: dict[int, float], test: str = "stream", launches: int = len(OF_ROUND)
) -> tuple[SettingRow, ...]:
    """Of a record in which an operation with the second setting takes so many times as long."""
    cases = make_cases((test,), (A.label, B.label), tuple(factor))

    def times(case: Case, round_: int) -> list[float]:
        slower = factor[case.bytes] if case.transport == B.label else 1.0
        return [1000 * slower * OF_ROUND[round_] * OWN[case.transport][round_]] * 21

    variations = {one.label: one for one in (A, B)}
    record = synthetic_record(
        path / "r.jsonl", cases, times_ns=times, launches=launches, variations=variations
    )
    run = weft.load(record)
    return TOPIC.rows(results_of(run, summarise(run)))


@pytest.mark.parametrize("test", ["ping_pong", "stream"])
def test_ratios_are_of_launches_of_one_round(tmp_path: Path, test: str) -> None:
    """Rounds differ by a factor of almost three, and the ratio is known to a per cent."""
    found = rows(tmp_path, {8: 0.5, 4096: 1.25, 65536: 1.0}, test)
    assert [row.bytes for row in found] == [8, 4096, 65536]
    assert [row.verdict for row in found] == ["better", "worse", "same"]
    for row, speed in zip(found, (2.0, 0.8, 1.0), strict=True):
        assert row.speed.low < speed < row.speed.high
        assert row.speed.high / row.speed.low < 1.03
        assert (row.setting, row.reference) == ("rendezvous=2", "rendezvous=1")
        assert (row.transport, row.test, row.rounds) == ("ucx", test, len(OF_ROUND))


def test_one_launch_of_each_has_no_interval_and_no_verdict(tmp_path: Path) -> None:
    [row] = rows(tmp_path, {8: 0.5}, launches=1)
    assert row.speed.speed == pytest.approx(2.0)
    assert (row.speed.low, row.speed.high) == (-math.inf, math.inf)
    assert (row.verdict, row.rounds) == ("cannot tell", 1)


def test_the_sentence_says_how_often_and_where_most(tmp_path: Path) -> None:
    found = rows(tmp_path, {8: 0.5, 4096: 1.25, 65536: 4.0})
    [told] = TOPIC.findings(found)
    assert told.startswith(
        "settings: stream, ucx: rendezvous=2 beside rendezvous=1: faster at 1 of 3 sizes and slower"
        " at 2 of 3 sizes, most at 64 KiB: 0.2"
    )


@pytest.mark.parametrize(
    ("factor", "told"), [(1.0, "the same at 1 of 1 size"), (1.02, "no difference is shown")]
)
def test_what_shows_no_difference_is_not_named(tmp_path: Path, factor: float, told: str) -> None:
    launches = 6 if factor == 1.0 else 2
    assert told in TOPIC.findings(rows(tmp_path, {8: factor}, launches=launches))[0]


def test_a_record_without_settings_has_no_rows(tmp_path: Path) -> None:
    run = weft.load(synthetic_record(tmp_path / "r.jsonl"))
    assert TOPIC.rows(results_of(run, summarise(run))) == ()


def test_a_line_at_1_says_what_the_speeds_are_beside(tmp_path: Path) -> None:
    found = rows(tmp_path, {8: 0.5, 4096: 1.25})
    [chart] = TOPIC.charts(found)
    assert [(one.axis, one.at, one.text) for one in chart.marks] == [("y", 1.0, "rendezvous=1")]
    # It has a colour that no curve has.
    assert chart.marks[0].group not in {track.group for track in chart.tracks}
    other = msgspec.structs.replace(found[0], reference="mpi=openmpi", setting="mpi=mpich")
    [chart] = TOPIC.charts((*found, other))
    assert chart.marks[0].text == "the first setting"


RUNS = 400


def verdicts_of_runs(factor: float, launches: int, sizes: int = 4) -> list[tuple[Verdict, ...]]:
    """What drawn runs say of a setting that takes so many times as long, size by size.

    Rounds differ by 30 %, launches of a round by 2 % on top.
    """
    random = np.random.default_rng(launches)
    found = []
    for _ in range(RUNS):
        of_round = np.exp(0.3 * random.standard_normal(launches))
        pairs = []
        for _ in range(sizes):
            own = np.exp(0.02 * random.standard_normal((2, launches)))
            first, other = (dict(enumerate((1000 * of_round * one).tolist())) for one in own)
            pairs.append((first, {number: factor * time for number, time in other.items()}))
        answers = speeds_beside(pairs, dict.fromkeys(range(launches), 0))
        assert {rounds for _, rounds, _ in answers} == {launches}
        found.append(tuple(verdict(speed) for speed, _, _ in answers))
    return found


@pytest.mark.parametrize("launches", [2, 3, 5, 10])
def test_equal_settings_are_told_apart_in_a_twentieth_of_runs_at_most(launches: int) -> None:
    """Of a run with four sizes any of them would be a false alarm."""
    found = verdicts_of_runs(1.0, launches)
    false = sum(bool({"better", "worse"} & set(one)) for one in found)
    # 5 % of 400 runs, and by chance 10 more in one of a thousand.
    assert false <= 0.05 * RUNS + 13


def test_a_setting_that_takes_a_tenth_longer_is_found() -> None:
    for launches, least in ((5, 0.9), (10, 0.99)):
        found = verdicts_of_runs(1.1, launches)
        assert not any("better" in one for one in found)
        assert sum("worse" in one for one in found) >= least * RUNS
