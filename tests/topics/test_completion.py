"""What each way to learn of a completion adds, and what it leaves of the processor."""

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

import weft
from support.builders import lost_batch, synthetic_record
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.topics.completion import Completion, completions_in_words, completions_of

# Half a round trip, ns, and the processor's share of the two ranks.
PUTS = {
    ("put_ping_pong", ""): (2000.0, (1.0, 1.0)),
    ("put_notify_ping_pong", ""): (2400.0, (1.0, 1.0)),
    ("put_notify_ping_pong", "block"): (9000.0, (0.3, 0.2)),
}


def rows_of(
    folder: Path, ways: Mapping[tuple[str, str], tuple[float, tuple[float, ...]]]
) -> tuple[Completion, ...]:
    def times(case: Case, round_: int) -> list[float]:
        draw = Random(f"{case.key}/{round_}")  # noqa: S311 - noise, no secret
        launch = draw.gauss(1, 0.003)
        half = ways[case.test, case.wait][0]
        return [2 * half * launch * draw.gauss(1, 0.01) for _ in range(51)]

    cases = tuple(Case(test=test, transport="ofi", bytes=8, wait=wait) for test, wait in ways)
    path = synthetic_record(
        folder / "r.jsonl",
        cases,
        launches=6,
        times_ns=times,
        cpu_shares=lambda case, _: ways[case.test, case.wait][1],
    )
    run = weft.load(path)
    return completions_of(run, summarise(run))


def test_notices_and_sleep_against_polled_memory(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, PUTS)
    assert [row.mode for row in rows] == [
        "memory polled",
        "notified, usual wait",
        "notified, block",
    ]
    cheapest, notified, asleep = rows
    assert cheapest.is_cheapest
    assert cheapest.added_ns is None
    for row, truth in ((notified, 400), (asleep, 7000)):
        assert row.verdict == "adds"
        assert row.added_ns is not None
        assert row.added_ns.low <= truth <= row.added_ns.high
        assert row.added_ns.high - row.added_ns.low < 0.25 * truth
    for row, shares in zip(rows, ((100, 100), (100, 100), (30, 20)), strict=True):
        assert [share.value for share in row.cpu_percent] == pytest.approx(shares, abs=0.1)
    (sentence,) = completions_in_words(rows)
    assert sentence.startswith("completion: ofi, put, 8 B: memory polled is cheapest; notified,")
    assert "notified, block adds 7.0" in sentence


def test_waits_whose_intervals_overlap_do_not_differ(tmp_path: Path) -> None:
    _, other = rows_of(
        tmp_path,
        {("ping_pong", "spin"): (2000.0, ()), ("ping_pong", "library"): (2001.0, ())},
    )
    assert other.verdict == "cannot tell"
    assert other.added_ns is not None
    assert other.added_ns.low <= 0 <= other.added_ns.high
    assert other.cpu_percent == ()


def test_a_group_with_a_failed_case_tells_nothing(tmp_path: Path) -> None:
    cases = tuple(Case(test=test, transport="ofi", bytes=8, wait=wait) for test, wait in PUTS)
    bad = lost_batch(cases[1], 0, 999, "failed", "wrong byte")
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, more=[bad]))
    assert completions_of(run, summarise(run)) == ()


def test_polled_memory_is_one_way_whatever_the_case_calls_it(tmp_path: Path) -> None:
    ways = {("put_ping_pong", "spin"): (2000.0, ()), ("put_ping_pong", "library"): (2000.0, ())}
    assert rows_of(tmp_path, ways) == ()


def test_waits_over_unlike_pages_are_not_compared(tmp_path: Path) -> None:
    waits = {"spin": "small", "block": "huge"}
    cases = tuple(
        Case(test="ping_pong", transport="ofi", bytes=8, wait=wait, pages=pages)
        for wait, pages in waits.items()
    )
    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases))
    assert completions_of(run, summarise(run)) == ()
    alike = tuple(Case(test="ping_pong", transport="ofi", bytes=8, wait=w) for w in waits)
    run = weft.load(synthetic_record(tmp_path / "alike.jsonl", alike))
    assert len(completions_of(run, summarise(run))) == 2
