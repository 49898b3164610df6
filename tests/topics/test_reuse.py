"""Where performance drops with less reuse, from records whose answer is known."""

from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, synthetic_record
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.cases import make_cases, parse_variants
from weft.topics.reuse import Reuse, reuse_charts, reuse_in_words, reuse_of, reuse_rows


def found(
    path: Path, test: str, size: str, buffers: str, time_ns: Callable[[Case], float]
) -> tuple[Reuse, ...]:
    """The series of a record in which a case takes so long, launches scatter by half a per cent."""
    cases = make_cases(
        [test], ["tcp"], size, variants=parse_variants("64", buffers, "", single=False)
    )

    def times(case: Case, round_: int) -> list[float]:
        time = time_ns(case)
        return [time * LAUNCH_EFFECTS[round_]] * 21 if time else []

    run = weft.load(synthetic_record(path / "r.jsonl", cases, times_ns=times))
    return reuse_of(run, summarise(run))


@pytest.mark.parametrize("known", [1, 5, 64, 1000, 1024])
@pytest.mark.parametrize("test", ["ping_pong", "stream"])
def test_a_card_that_knows_so_many_buffers(tmp_path: Path, test: str, known: int) -> None:
    """As memory_test.cpp scripts it: one more buffer than it knows, and each is looked up."""
    slow = lambda case: 2600.0 if case.schedule.count > known else 2000.0  # noqa: E731
    (series,) = found(tmp_path, test, "4KiB", "turn:1..1024", slow)
    assert series.kept_at is not None
    assert series.kept_at <= known
    if known == 1024:
        assert (series.kept_at, series.dropped_at) == (1024, None)
    else:
        assert series.dropped_at is not None
        assert known < series.dropped_at <= 2 * series.kept_at


def test_a_share_of_look_ups_is_that_share_of_the_time(tmp_path: Path) -> None:
    """Each new buffer costs half a message: 5 % are reached with a tenth of them."""
    new = lambda case: 2000.0 + 1000 * (1 - case.schedule.reuse_percent / 100)  # noqa: E731
    buffers = "reuse:256:0..100:25%,reuse:256:95%,reuse:256:85%"
    (series,) = found(tmp_path, "ping_pong", "4KiB", buffers, new)
    assert [point.at for point in series.points] == [100, 95, 85, 75, 50, 25, 0]
    assert (series.kept_at, series.dropped_at) == (95, 85)
    assert reuse_in_words(series) == (
        "buffer reuse: tcp, ping_pong, 4 KiB: worse by over 5% with R = 85 % and less, and not"
        " with R = 95 %"
    )


@pytest.mark.parametrize("edges", [{16, 32, 64}, {16}])
def test_what_cannot_be_told_is_said(tmp_path: Path, edges: set[int]) -> None:
    """Just at the bound: neither kept nor dropped. A point beyond that is well closes no gap."""
    edge = lambda case: 2000.0 * (1.05 if case.schedule.count in edges else 1.0)  # noqa: E731
    (series,) = found(tmp_path, "ping_pong", "4KiB", "turn:1..64", edge)
    assert (series.kept_at, series.dropped_at) == (8, None)
    assert reuse_in_words(series).endswith(
        "no drop over 5% up to a working set of 32 KiB; from there to 256 KiB it is not known"
    )
    (row,) = reuse_rows([series])
    assert (row["kept_bytes"], row["dropped_bytes"]) == (32 << 10, None)


def test_one_launch_tells_no_drop(tmp_path: Path) -> None:
    cases = make_cases(
        ["ping_pong"], ["tcp"], "8", variants=parse_variants("64", "turn:1..64", "", single=False)
    )
    path = synthetic_record(
        tmp_path / "r.jsonl",
        cases,
        launches=1,
        times_ns=lambda case, round_: [1e3 * case.schedule.count + round_] * 21,
    )
    run = weft.load(path)
    (series,) = reuse_of(run, summarise(run))
    assert (series.kept_at, series.dropped_at) == (1, None)
    assert "one launch shows no drop" in reuse_in_words(series)


def test_a_gap_or_a_single_point_is_no_series(tmp_path: Path) -> None:
    missing = lambda case: 0.0 if case.schedule.count == 2 else 2000.0  # noqa: E731
    assert found(tmp_path, "ping_pong", "8", "turn:1..4", missing) == ()
    (tmp_path / "r.jsonl").unlink()
    assert found(tmp_path, "ping_pong", "8", "turn:4", lambda _: 2000.0) == ()


def test_both_schemes_and_other_numbers_of_buffers_are_apart(tmp_path: Path) -> None:
    buffers = "one,turn:4,reuse:10:0%,reuse:10:50%,reuse:99:0%,reuse:99:50%"
    series = found(tmp_path, "ping_pong", "8", buffers, lambda _: 2000.0)
    assert [one.scheme for one in series] == ["turn", "reuse", "reuse"]
    assert [len(one.points) for one in series] == [2, 2, 2]
    # A curve is in the chart of its own scheme.
    charts = reuse_charts([("", series)])
    assert {one.name: [track.label for track in one.tracks] for one in charts} == {
        "turn-latency": [series[0].name],
        "reuse-latency": [one.name for one in series[1:]],
    }


def test_the_launches_of_a_series_are_the_fewest_of_its_cases(tmp_path: Path) -> None:
    cases = make_cases(
        ["ping_pong"], ["tcp"], "8", variants=parse_variants("64", "turn:1..4", "", single=False)
    )

    def times(case: Case, round_: int) -> list[float]:
        made = {1: 5, 2: 3, 4: 4}[case.schedule.count]
        return [(2000.0 + round_)] * 21 if round_ < made else []

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, launches=5, times_ns=times))
    (series,) = reuse_of(run, summarise(run))
    assert series.launches == 3


def test_a_point_behind_one_that_may_have_dropped_is_not_kept(tmp_path: Path) -> None:
    """With 2 buffers up to 7 % are open, so that 4 buffers without a drop prove nothing."""

    def times(case: Case, round_: int) -> list[float]:
        scatter = 0.06 if case.schedule.count == 2 else 0.001
        return [2000.0 * (1 + scatter * (round_ % 2))] * 21

    cases = make_cases(
        ["ping_pong"], ["tcp"], "8", variants=parse_variants("64", "turn:1..4", "", single=False)
    )
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times))
    (series,) = reuse_of(run, summarise(run))
    assert (series.kept_at, series.dropped_at) == (1, None)
