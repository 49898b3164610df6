"""A record with an impossible value is refused in one line where it is read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.builders import make_cases, synthetic_record
from support.ended import status_of
from weft.errors import WeftError
from weft.sources.records import record_named

HUGE = 1 << 64
Lines = list[dict[str, Any]]


def changed(folder: Path, change: Callable[[Lines], object]) -> Path:
    """A small record with one change."""
    path = synthetic_record(folder / "r.jsonl", make_cases(("ping_pong",), ("tcp",), (8, 1024)))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def put(kind: str, *where: str | int, value: object) -> Callable[[Lines], object]:
    """Put a value into each line of a kind."""

    def change(lines: Lines) -> None:
        for line in lines:
            if line["kind"] == kind:
                at: Any = line
                for step in where[:-1]:
                    at = at[step]
                at[where[-1]] = value

    return change


IMPOSSIBLE = {
    "a date that is none": put("header", "created_utc", value="not a date"),
    "a date without a zone": put("header", "created_utc", value="2026-01-01T00:00:00"),
    "a date out of time": put("header", "created_utc", value="9999-12-31T23:59:59-23:00"),
    "a slash in a test": put("header", "plan", "cases", 0, "test", value="ping/pong"),
    "a slash in a transport": put("launch", "transport", value="a/b"),
    "a name of 2 KB": put("launch", "transport", value="t" * 2000),
    "a size over 64 bits": put("header", "plan", "cases", 0, "bytes", value=HUGE),
    "a negative size": put("header", "plan", "cases", 0, "bytes", value=-8),
    "too many operations": put("batch", "ops_per_sample", value=1 << 62),
    "too many ticks": put("batch", "ticks", value=[(1 << 63) - 1] * 9),
    "a launch over 64 bits": put("launch", "launch", value=HUGE),
    "a negative launch": put("launch", "launch", value=-1),
    "an order over 64 bits": put("batch", "order", value=HUGE),
    "a tick of ages": put("launch", "clock", "tick_ns", value=1.7e308),
    "a tick of nothing": put("launch", "clock", "tick_ns", value=0),
    "a budget below 0": put("footer", "budget_s", value=-1e308),
    "a lack of ages": put("footer", "lacking_s", value=1e308),
    "a negative divisor": put("header", "patterns", 0, "latency_divisor", value=-2),
    "no cases": put("header", "plan", "cases", value=[]),
    "20,000 details": put("launch", "details", value={str(at): "" for at in range(20_000)}),
    "devices that are a number": put("header", "hosts", value={"n": {"rdma": 5}}),
    "interfaces that are words": put("header", "hosts", value={"n": {"interfaces": ["eth0"]}}),
    "interfaces that are null": put("header", "hosts", value={"n": {"interfaces": None}}),
    "a processor that is a number": put("header", "hosts", value={"n": {"cpu": 5}}),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_an_impossible_value_is_one_line(tmp_path: Path, what: str) -> None:
    path = changed(tmp_path, IMPOSSIBLE[what])
    with pytest.raises(WeftError, match="damaged in line") as refused:
        record_named(path)
    assert len(str(refused.value)) < 1000


def test_a_number_of_5000_digits_is_one_line(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    path.write_text(path.read_text().replace('"order": 1,', f'"order": {"1" * 5000},'))
    with pytest.raises(WeftError, match="damaged in line"):
        record_named(path)


def test_a_trend_goes_on_with_the_other_records(tmp_path: Path) -> None:
    good = synthetic_record(tmp_path / "good.jsonl", make_cases(("ping_pong",), ("tcp",), (8,)))
    bad = changed(tmp_path, IMPOSSIBLE["a date that is none"])
    status, errors = status_of(["trend", good, bad])
    assert status == 0, errors


def test_dollar_signs_of_a_label_are_drawn_as_they_are(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    other = tmp_path / "x$\\frac$.jsonl"
    other.write_text(path.read_text().replace("tcp", "$\\\\foo$"))
    for words in (["figure", other, "-o", tmp_path / "a.svg"], ["show", other]):
        status, errors = status_of(words)
        assert status == 0, errors
