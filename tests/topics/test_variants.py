"""Queue size, buffer reuse and waiting: sentences from records whose answer is known."""

from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from support.builders import LAUNCH_EFFECTS, pattern, synthetic_record
from support.shown import findings_of
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.cases import make_cases, parse_variants


def told(
    path: Path,
    cases: tuple[Case, ...],
    time_ns: Callable[[Case], float],
    launches_of: Callable[[Case], int] = lambda _: 5,
) -> list[str]:
    def times(case: Case, round_: int) -> list[float]:
        count = 21 if round_ < launches_of(case) else 0
        return [time_ns(case) * (1 + 0.001 * ((sample + round_) % 3)) for sample in range(count)]

    run = weft.load(
        synthetic_record(path / f"{len(list(path.iterdir()))}.jsonl", cases, times_ns=times)
    )
    return list(findings_of(run, summarise(run)))


def planned(
    test: str, size: str, depth: str = "64", buffers: str = "one", wait: str = ""
) -> tuple[Case, ...]:
    variants = parse_variants(depth, buffers, wait, single=False)
    return make_cases([test], ["tcp"], size, variants=variants, patterns={test: pattern(test)})


def test_the_queue_that_is_needed(tmp_path: Path) -> None:
    cases = planned("stream", "1KiB", depth="1..256")
    assert [case.queue_depth for case in cases] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    # Q messages cover the latency up to Q = 16; from there on the wire is full.
    (sentence,) = told(tmp_path, cases, lambda case: 16000 / min(case.queue_depth, 16))
    assert sentence == (
        "queue depth: tcp, stream, 1 KiB: Q = 16 gives 95% of the best bandwidth of Q = 1 to 256"
    )


def test_the_working_set_at_which_it_drops(tmp_path: Path) -> None:
    cases = planned("ping_pong", "4KiB", buffers="one,turn:8,turn:64,turn:1024")
    cached = lambda case: 2000.0 if case.schedule.count <= 16 else 3000.0  # noqa: E731
    (sentence,) = told(tmp_path, cases, cached)
    assert "worse by over 5% from a working set of 256 KiB on (64 buffers in turn)" in sentence
    assert sentence.endswith("and not at 32 KiB")
    (flat,) = told(tmp_path, cases, lambda _: 2000.0)
    assert flat.endswith("no drop over 5% up to a working set of 4 MiB")


def test_what_a_way_of_waiting_adds(tmp_path: Path) -> None:
    cases = planned("ping_pong", "8", wait="spin,block")
    (sentence,) = told(tmp_path, cases, lambda case: 8000.0 if case.wait == "block" else 2000.0)
    assert sentence == (
        "completion: tcp, ping_pong, 8 B: spin is cheapest; block adds 3.00 µs [3.00, 3.00]"
    )
    same, more = told(tmp_path, cases, lambda _: 2000.0)
    assert "to tell the 1 difference without a verdict takes about" in more
    assert "not significant" in same


def test_what_huge_pages_save(tmp_path: Path) -> None:
    variants = parse_variants("64", "turn:64", "", pages="small,huge", single=False)
    cases = make_cases(["ping_pong"], ["tcp"], "4KiB", variants=variants)
    assert [case.variant for case in cases] == ["small_pages/turn64", "huge_pages/turn64"]
    (sentence,) = told(tmp_path, cases, lambda case: 2000.0 if case.pages == "huge" else 3000.0)
    assert sentence.startswith("pages: tcp, ping_pong, 4 KiB turn64: 500.5 ns [")
    assert sentence.endswith("less with huge pages: 1.50 times the bandwidth")
    same, more = told(tmp_path, cases, lambda _: 2000.0)
    assert "to tell the 1 difference without a verdict takes about" in more
    assert same.endswith("no significant difference between huge and small pages")


@pytest.mark.parametrize("test", ["ping_pong", "stream"])
@pytest.mark.parametrize("once", ["small", "huge", "small,huge"])
def test_of_pages_that_one_launch_measured_there_is_no_verdict(
    tmp_path: Path, test: str, once: str
) -> None:
    variants = parse_variants("64", "one", "", pages="small,huge", single=False)
    cases = make_cases([test], ["tcp"], "4KiB", variants=variants)
    sentence = told(
        tmp_path, cases, lambda case: 2000.0 if case.pages == "huge" else 3000.0,
        lambda case: 1 if case.pages in once.split(",") else 5,
    )[0]  # fmt: skip
    assert sentence == (
        f"pages: tcp, {test}, 4 KiB: the difference between huge and small pages has no interval"
    )


def test_a_record_with_one_variant_has_no_finding(record: Path) -> None:
    run = weft.load(record)
    assert findings_of(run, summarise(run)) == ()


@pytest.mark.parametrize("depth", ["0", "65537"])
def test_depths_out_of_range(depth: str) -> None:
    with pytest.raises(weft.errors.WeftError, match="queue depth"):
        parse_variants(depth, "one", "", single=False)


def test_a_group_with_a_gap_tells_nothing(tmp_path: Path) -> None:
    cases = planned("stream", "1KiB", depth="1..4")

    def times(case: Case, round_: int) -> list[float]:
        time = 1000.0 * LAUNCH_EFFECTS[round_] / case.queue_depth
        return [] if case.queue_depth == 1 else [time] * 9

    run = weft.load(synthetic_record(tmp_path / "r.jsonl", cases, times_ns=times))
    assert findings_of(run, summarise(run)) == ()
