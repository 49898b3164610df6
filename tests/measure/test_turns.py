"""Buffers in turn: a whole turn before the samples, two behind, or unsupported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.builders import make_header, write_lines
from support.virtual_ranks import Machine, Sink, footer_of, launches_of, measure
from weft.plan.case import Case, Schedule
from weft.record.model import Batch
from weft.record.run import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from weft.launch.protocol import Answer

    Effect = Callable[[Mapping[str, Any], int], float]


def in_turn(count: int, size: int = 524288) -> tuple[Case, ...]:
    schedule = Schedule(kind="turn", count=count)
    return tuple(
        Case(test=test, transport="tcp", bytes=size, schedule=schedule)
        for test in ("ping_pong", "stream")
    )


@pytest.mark.parametrize("count", [2, 16, 1000, 1024])
def test_buffers_in_turn_are_used_a_turn_before_and_two_behind(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asked: list[Mapping[str, Any]] = []
    usual = Machine.run

    def listen(machine: Machine, case: Mapping[str, Any], wait_s: float) -> Answer:
        asked.append(case)
        return usual(machine, case, wait_s)

    monkeypatch.setattr(Machine, "run", listen)
    sink, _ = measure(monkeypatch, in_turn(count), 60, overhead_s=0.01)
    assert launches_of(sink).total() == 10
    measured = [case for case in asked if case["schedule"]["kind"] == "turn"]
    assert len(measured) == 10
    assert all(case["warmup"] * case["ops_per_sample"] >= count for case in measured)
    assert all(case["samples"] * case["ops_per_sample"] >= 2 * count for case in measured)
    # A look at how long an operation takes is shorter than a turn.
    assert len(asked) - len(measured) == 2


def test_turns_that_take_too_long_are_unsupported_with_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reported: list[str] = []
    monkeypatch.setattr(Sink, "trouble", lambda _, text: reported.append(text))
    # An operation takes 1.05 ms, so three turns take 3.2 s.
    sink, _ = measure(monkeypatch, in_turn(1024, size=1 << 22), 20, overhead_s=0.0)
    lost = [b for b in sink if isinstance(b, Batch) and b.role == "measure"]
    assert [batch.status for batch in lost] == ["unsupported"] * 2
    assert lost[0].reason == (
        "1,024 buffers of 4 MiB in turn need 3.22 s in each launch for one turn of warm-up and two"
        " of samples, where this budget has 2 s; use fewer --buffers, or --budget 33s"
    )
    assert reported == [f"tcp: {lost[0].reason}"]
    assert footer_of(sink).outcome == "precise"
    assert [batch.needs_budget_s for batch in lost] == [33, 33]
    again, _ = measure(monkeypatch, in_turn(1024, size=1 << 22), 33, overhead_s=0.0)
    assert all(b.status == "ok" for b in again if isinstance(b, Batch))


@pytest.mark.parametrize(("budget_s", "is_measured"), [(32, False), (33, True)])
def test_what_a_budget_was_too_short_for_is_open_again_with_a_larger_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget_s: int, is_measured: bool
) -> None:
    monkeypatch.setattr(Sink, "trouble", lambda *_: None)
    cases = in_turn(1024, size=1 << 22)
    sink, _ = measure(monkeypatch, cases, 20, overhead_s=0.0)
    before = load(write_lines(tmp_path / "r.jsonl", [make_header(cases, budget_s=20.0), *sink]))
    again, _ = measure(monkeypatch, cases, budget_s, overhead_s=0.0, before=before)
    assert bool(launches_of(again)) is is_measured
    if is_measured:
        lines = [line for line in sink if line is not footer_of(sink)]
        whole = [make_header(cases, budget_s=20.0), *lines, *again]
        assert load(write_lines(tmp_path / "s.jsonl", whole)).missing == ()
