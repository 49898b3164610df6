"""From which size on a stream's queue binds: planted looks whose answer is known."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import weft
from support.builders import LAUNCH_EFFECTS, pattern, synthetic_record
from support.shown import charts_of, findings_of
from weft.analysis.summary import summarise
from weft.plan.case import Case
from weft.plan.cases import make_cases, parse_variants
from weft.record.run import Run
from weft.topics.osu_paper import OsuPaper
from weft.topics.queue_depth import binds, queue_needed
from weft.wording import said_once

EAGER_BYTES = 4096


def planned(sizes: str, depths: str) -> tuple[Case, ...]:
    variants = parse_variants(depths, "one", "", single=False)
    return make_cases(
        ["stream"], ["tcp"], sizes, variants=variants, patterns={"stream": pattern("stream")}
    )


def record_with(
    path: Path, cases: tuple[Case, ...], held: Callable[[Case], int | None], suite: str = ""
) -> Run:
    """A record in whose batches the sender found so many of its queue in flight."""
    synthetic_record(path, cases, suite=suite)
    by_key = {case.key: case for case in cases}
    lines = []
    for line in path.read_text().splitlines():
        told = json.loads(line)
        if told["kind"] == "batch" and (looked := held(by_key[told["case"]])) is not None:
            told["queue_held"] = looked
        lines.append(json.dumps(told))
    path.write_text("\n".join(lines) + "\n")
    return weft.load(path)


def copies(case: Case) -> int:
    """A library that copies short messages keeps none of them in flight, and any longer one."""
    return 0 if case.bytes <= EAGER_BYTES else case.queue_depth


def told(run: Run) -> list[str]:
    return [one for one in findings_of(run, summarise(run)) if one.startswith("queue depth")]


def test_the_size_from_which_on_a_queue_binds(tmp_path: Path) -> None:
    run = record_with(tmp_path / "a.jsonl", planned("1KiB..64KiB", "64"), copies)
    assert [row.queue_held for row in summarise(run)] == [0, 0, 0, 64, 64, 64, 64]
    (sentence,) = told(run)
    assert sentence == (
        "queue depth: tcp, stream: Q = 64 binds from 8 KiB on; below it sends end as fast as they"
        " are posted (copied, or the link is faster than the sender)"
    )


def test_a_queue_that_binds_nowhere_says_so_and_one_that_always_does_is_silent(
    tmp_path: Path,
) -> None:
    (nowhere,) = told(record_with(tmp_path / "a.jsonl", planned("8,4KiB", "64"), copies))
    assert "Q = 64 does not bind up to 4 KiB" in nowhere
    # What holds of two transports is said once, behind the names of both.
    both = said_once([nowhere, nowhere.replace("tcp", "ofi")])
    assert both == [nowhere.replace("tcp, stream", "tcp, stream; ofi, stream")]
    assert told(record_with(tmp_path / "b.jsonl", planned("8KiB,16KiB", "64"), copies)) == []


def test_one_long_message_that_ends_early_moves_the_size(tmp_path: Path) -> None:
    cases = planned("1KiB..64KiB", "64")
    (sentence,) = told(
        record_with(tmp_path / "a.jsonl", cases, lambda c: 3 if c.bytes == 2**15 else copies(c))
    )
    assert "binds from 64 KiB on" in sentence


def test_records_without_a_look_say_nothing(tmp_path: Path) -> None:
    run = record_with(tmp_path / "a.jsonl", planned("1KiB..64KiB", "64"), lambda _: None)
    assert told(run) == []
    assert all(row.queue_held is None for row in summarise(run))


def test_the_queue_needed_says_where_the_queue_is_not_the_reason(tmp_path: Path) -> None:
    needed, *_ = told(record_with(tmp_path / "a.jsonl", planned("1KiB", "1..256"), copies))
    assert needed.endswith("at this size Q does not bind, so what differs has another cause")
    # The wire holds sixteen messages, whatever the queue.
    needed, *_ = told(
        record_with(
            tmp_path / "b.jsonl", planned("1KiB", "1..256"), lambda c: min(c.queue_depth, 16)
        )
    )
    assert "; Q binds up to 16 only" in needed
    needed, *_ = told(record_with(tmp_path / "c.jsonl", planned("1MiB", "1..256"), copies))
    assert needed.endswith("of Q = 1 to 256")


def test_of_one_depth_with_a_figure_none_is_called_enough(tmp_path: Path) -> None:
    run = record_with(tmp_path / "a.jsonl", planned("1KiB", "32,64"), copies)
    points = [(run.cases[one.case], one) for one in summarise(run)]
    assert queue_needed(points) is not None
    assert queue_needed(points[:1]) is None
    lost = msgspec.structs.replace(points[1][1], bandwidth_bytes_per_s=None)
    assert queue_needed([points[0], (points[1][0], lost)]) is None


def test_figure_4_and_its_table_say_it(tmp_path: Path) -> None:
    run = record_with(tmp_path / "a.jsonl", planned("1KiB..64KiB", "4,64"), copies, suite="paper")
    charts = [c for c in charts_of(run, summarise(run), "paper") if c.name == "osu-4-tcp"]
    (table,) = OsuPaper().tables(tuple(charts))
    for text in (charts[0].note, table.caption):
        assert "Q = 4 binds from 8 KiB on" in text
        assert "Q = 64 binds from 8 KiB on" in text


@given(depth=st.integers(1, 2**16), held=st.integers(0, 2**16))
def test_a_queue_binds_when_its_sender_would_have_to_wait(depth: int, held: int) -> None:
    refill = max(1, depth // 2)
    in_flight = min(held, depth)
    assert binds(depth, in_flight) == (in_flight + refill > depth)


def test_the_look_is_part_of_what_a_script_gets(tmp_path: Path) -> None:
    run = record_with(tmp_path / "a.jsonl", planned("1KiB", "64"), copies)
    assert msgspec.to_builtins(summarise(run)[0])["queue_held"] == 0


def test_the_depth_that_is_needed_is_the_first_near_the_best(tmp_path: Path) -> None:
    """Depths of 90, 96 and 100 % of the best bandwidth: the second is within 5 % of it."""
    times = {1: 3000.0, 8: 1000 / 0.9, 32: 1000 / 0.96, 128: 1000.0}
    cases = tuple(
        Case(test="stream", transport="tcp", bytes=65536, queue_depth=depth) for depth in times
    )
    path = synthetic_record(
        tmp_path / "r.jsonl", cases,
        times_ns=lambda case, round_: [times[case.queue_depth] * LAUNCH_EFFECTS[round_]] * 9,
    )  # fmt: skip
    run = weft.load(path)
    sentences = [one for one in findings_of(run, summarise(run)) if "of the best" in one]
    assert len(sentences) == 1
    assert "Q = 32 gives 95% of the best" in sentences[0]
