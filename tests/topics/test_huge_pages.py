"""What a record says of the pages that the kernel gave unasked."""

import json
from pathlib import Path

import weft
from support.builders import pattern, synthetic_record
from weft.plan.cases import make_cases
from weft.record.run import Run
from weft.topics.pages import huge_pages_in_words, small_pages_in_words

MEBIBYTE = 1 << 20


def recorded(path: Path, huge_of: dict[int, float]) -> Run:
    """A case a size, each with 4 MiB of memory of which that share was on huge pages."""
    sizes = ",".join(map(str, huge_of))
    cases = make_cases(["ping_pong"], ["tcp"], sizes, patterns={"ping_pong": pattern("ping_pong")})
    bytes_of = {case.key: case.bytes for case in cases}
    record = synthetic_record(path / "r.jsonl", cases)
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    for line in lines:
        if line["kind"] == "batch":
            line["memory_bytes"] = 4 * MEBIBYTE
            line["huge_bytes"] = int(4 * MEBIBYTE * huge_of[bytes_of[line["case"]]])
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return weft.load(record)


def test_huge_pages_that_nobody_asked_for_are_counted(tmp_path: Path) -> None:
    run = recorded(tmp_path, {8: 0.0, 1024: 0.5, 4096: 1.0})
    (sentence,) = huge_pages_in_words(run)
    assert "2 of 3 cases (to all of the memory of 1), from 1 KiB on" in sentence


def test_nothing_is_said_where_the_kernel_gave_none(tmp_path: Path) -> None:
    assert huge_pages_in_words(recorded(tmp_path, {8: 0.0})) == ()


def test_long_messages_in_small_pages_alone_say_how_to_learn_what_huge_ones_give(
    tmp_path: Path,
) -> None:
    (sentence,) = small_pages_in_words(recorded(tmp_path, {8: 0.0, MEBIBYTE: 0.0}))
    assert "weft run ping_pong --transport tcp --sizes 1048576 --pages small,huge" in sentence


def test_short_messages_and_those_that_had_huge_pages_are_not_told_of_them(tmp_path: Path) -> None:
    shares = {"short": {8: 0.0, MEBIBYTE - 1: 0.0}, "huge": {8: 0.0, MEBIBYTE: 0.5}}
    for name, huge_of in shares.items():
        (tmp_path / name).mkdir()
        assert small_pages_in_words(recorded(tmp_path / name, huge_of)) == (), name


def test_a_record_of_before_the_engine_told_pages_says_nothing_of_them(tmp_path: Path) -> None:
    assert small_pages_in_words(recorded(tmp_path, {MEBIBYTE: 0.0})) != ()
    old = (tmp_path / "r.jsonl").read_text().replace(f'"memory_bytes": {4 * MEBIBYTE}, ', "")
    (tmp_path / "old.jsonl").write_text(old)
    assert small_pages_in_words(weft.load(tmp_path / "old.jsonl")) == ()
