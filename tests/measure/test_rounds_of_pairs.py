"""How rounds of pairs share a budget, on ranks that live in virtual time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.virtual_ranks import Machine, Sink, footer_of, launches_of, measure
from weft.launch.protocol import Answer, LaunchError
from weft.plan.case import Case
from weft.plan.rounds import partners_in, rounds_of, usual_rounds
from weft.record.model import Batch, Launch
from weft.record.ranks import ticks_of_samples

if TYPE_CHECKING:
    from collections.abc import Mapping


RANKS = 5
CASES = tuple(
    Case(test="pair_rounds", transport="tcp", bytes=size, ranks=RANKS, point=point)
    for point in range(usual_rounds(RANKS))
    for size in (8, 65536)
)


class Pairs(Machine):
    """Every rank has its own times, but rank 0 where it stands by: a tick each."""

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        answer = super().run(case, wait_s)
        partners = partners_in(case["point"], RANKS)
        own = {f"rank{rank}": answer.ticks for rank in range(1, RANKS) if partners[rank] != RANKS}
        ticks = (1,) * len(answer.ticks) if partners[0] == RANKS else answer.ticks
        return msgspec.structs.replace(answer, ticks=ticks, parts=own)


def test_the_figure_of_pairs_is_the_median_over_the_ranks() -> None:
    """Where rank 0 stands by its samples say nothing."""
    parts: dict[str, tuple[int, ...]] = {"rank1": (5, 7), "rank2": (6, 9), "rank2.other": (0, 0)}
    seen = Answer(id=1, status="ok", ticks=(1, 1), parts=parts)
    assert list(ticks_of_samples("pairs", seen)) == [5, 7]


def test_a_round_in_which_rank_0_stands_by_takes_no_longer_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, left_s = measure(monkeypatch, CASES, 30, overhead_s=0.005, ranks=Pairs)
    batches = [one for one in sink if isinstance(one, Batch)]
    by_size: dict[str, set[int]] = {}
    for batch in batches:
        if batch.role == "measure":
            by_size.setdefault(batch.case.split("/")[2], set()).add(batch.ops_per_sample)
    assert max(by_size["8"]) < 20 * min(by_size["8"])
    assert set(launches_of(sink).values()) == {5}
    assert footer_of(sink).outcome == "precise"
    assert left_s >= 0


def test_one_round_tells_what_another_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, _ = measure(monkeypatch, CASES, 30, overhead_s=0.005, ranks=Pairs)
    looks = Counter(
        one.case.split("/")[2] for one in sink if isinstance(one, Batch) and one.role == "calibrate"
    )
    assert sum(looks.values()) < len(CASES) / 4, looks


def test_all_pairs_meet_once_before_any_meets_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sink, _ = measure(monkeypatch, CASES, 30, overhead_s=0.005, ranks=Pairs)
    point_of = {case.key: case.point or 0 for case in CASES}
    first = [
        point_of[one.case] // rounds_of(RANKS)
        for one in sink
        if isinstance(one, Batch) and one.launch == 0 and one.role == "measure"
    ]
    assert first == sorted(first)
    assert len(set(first)) > 1


def test_a_round_that_scatters_gets_no_more_launches_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sink, left_s = measure(
        monkeypatch, CASES, 60, overhead_s=0.005, ranks=Pairs, launches=2,
        effect=lambda case, launch: launch**2 if case["point"] == 3 else 1.0,
    )  # fmt: skip
    assert set(launches_of(sink).values()) == {2}
    assert footer_of(sink).outcome == "precise"
    assert left_s > 0


class Dies(Pairs):
    """A rank's host dies in the second launch, and no launch comes up after that."""

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        if self.launches > 1:
            raise LaunchError("failed", "Connection to n3 closed by remote host.")
        return super().run(case, wait_s)


def test_a_dead_host_ends_the_run_at_once_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(Sink, "trouble", lambda _, text: said.append(text))
    sink, left_s = measure(
        monkeypatch, CASES, 30, overhead_s=0.005, ranks=Dies, silent=lambda: ("n3",)
    )
    assert len([one for one in sink if isinstance(one, Launch)]) == 2
    assert footer_of(sink).silent_hosts == ("n3",)
    assert [gone.reason for gone in footer_of(sink).given_up] == ["n3 does not answer any more"]
    assert left_s > 15
    # What was measured before stands.
    good = [one.case for one in sink if isinstance(one, Batch) and one.status == "ok"]
    assert set(good) == {case.key for case in CASES}


def test_a_launch_that_fails_while_all_hosts_are_there_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Sink, "trouble", lambda *_: None)
    sink, _ = measure(monkeypatch, CASES, 30, overhead_s=0.005, ranks=Dies)
    assert len([one for one in sink if isinstance(one, Launch)]) > 2
    assert footer_of(sink).silent_hosts == ()


class Turns(Pairs):
    """Two pairs of which one runs at a time: the second one's time passes too."""

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        answer = super().run(case, wait_s)
        self.now += answer.timed_ns / 1e9
        return answer


def test_pairs_in_turn_have_as_many_fewer_samples_within_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def samples_of(sink: Sink) -> float:
        measured = [one for one in sink if isinstance(one, Batch) and one.role == "measure"]
        return sum(len(one.ticks) * one.ops_per_sample for one in measured) / len(measured)

    asked: dict[str, Any] = {"budget_s": 30, "overhead_s": 0.005, "launches": 2}
    in_turn = tuple(msgspec.structs.replace(case, at_once=1) for case in CASES)
    together, _ = measure(monkeypatch, CASES, ranks=Pairs, **asked)
    turns, left_s = measure(monkeypatch, in_turn, ranks=Turns, **asked)
    assert left_s >= 0
    assert set(launches_of(turns).values()) == {2}
    assert samples_of(turns) == pytest.approx(samples_of(together) / 2, rel=0.15)
