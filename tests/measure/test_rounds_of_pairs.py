"""How rounds of pairs share a budget, on ranks that live in virtual time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.builders import make_clock, pattern
from support.virtual_ranks import Machine, Sink, footer_of, launches_of, measure
from weft.launch.protocol import Answer, LaunchError
from weft.measure.checked_pairs import CheckedPairs
from weft.measure.choice import LEAST_WORTH_OF_PAIRS
from weft.measure.state import CaseState
from weft.measure.stopping import Amount, most_checked
from weft.plan.case import Case
from weft.plan.pattern import Footprint
from weft.plan.rounds import partners_in, rounds_of, usual_rounds
from weft.record.model import Batch, Launch
from weft.record.ranks import ticks_of_samples, ticks_of_slowest_pair

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
        # The two of a pair take turns.
        timed_ns = 2 * answer.timed_ns
        self.now += answer.timed_ns / 1e9
        return msgspec.structs.replace(answer, ticks=ticks, parts=own, timed_ns=timed_ns)


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


def seen_in_round_0(
    slow: tuple[tuple[int, int], tuple[int, int]], *, own: int, timed_ns: int
) -> Answer:
    """Two samples of each rank of four: `own` ticks each, but those of a pair without rank 0."""
    partners = partners_in(0, 4)
    one, other = next((one, to) for one, to in enumerate(partners) if 0 < one < to)
    parts: dict[str, tuple[int, ...]] = {f"rank{rank}": (own, own) for rank in range(1, 4)}
    parts |= {f"rank{one}": slow[0], f"rank{other}": slow[1]}
    return Answer(
        id=1, status="ok", ops_per_sample=1, timed_ns=timed_ns, ticks=(own, own), parts=parts
    )


def test_a_pass_is_as_long_as_that_of_its_slowest_pair() -> None:
    """One rank's link is slow one way."""
    case = Case(test="pair_rounds", transport="tcp", bytes=8, ranks=4, point=0)
    seen = seen_in_round_0(((20, 30), (4000, 5000)), own=10, timed_ns=20)
    assert ticks_of_slowest_pair(seen, partners_in(0, 4), 40) == 9050
    state = CaseState(case, pattern("pair_rounds"))
    state.learn(seen, 20.0, 0, make_clock(0.5))
    assert state.pace_ns == 9050 * 0.5 / 2
    state.learn(msgspec.structs.replace(seen, timed_ns=20_000), 20.0, 0, make_clock(0.5))
    assert state.pace_ns == (9050 * 0.5 + 20_000) / 4


def test_a_pass_is_shorter_than_what_both_ranks_timed() -> None:
    """A message is under way with the answer before it: of short ones a pass is half of both.

    How much of it shows in the pair of rank 0, where that has one; no pass is less than half.
    """
    partners = partners_in(0, 4)
    alike = seen_in_round_0(((100, 100), (120, 120)), own=100, timed_ns=0)
    assert ticks_of_slowest_pair(alike, partners, 220) == 440 - (400 - 220)
    assert ticks_of_slowest_pair(alike, partners, 100) == 440 / 2
    assert ticks_of_slowest_pair(alike, partners, 0) == 440, "simulated: no pass was timed"
    assert ticks_of_slowest_pair(alike, partners, 500) == 440, "the pass was interrupted"
    odd = next(point for point in range(5) if partners_in(point, 5)[0] == 5)
    standing_by = seen_in_round_0(((100, 100), (120, 120)), own=1, timed_ns=0)
    assert ticks_of_slowest_pair(standing_by, partners_in(odd, 5), 1) > 200


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


def test_a_pair_is_looked_at_once_in_a_launch_of_each_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five ranks meet in five tournaments of five rounds: only in the first one."""
    sink, _ = measure(monkeypatch, CASES, 30, overhead_s=0.005, ranks=Pairs, launches=2)
    assert len(launches_of(sink)) == len(CASES)
    looked = Counter(size for size, verify in sink.checks if verify)
    assert looked == {8: 2 * RANKS, 65536: 2 * RANKS}


def test_rounds_of_which_only_some_pairs_were_looked_at_are_looked_at() -> None:
    """Of five ranks round 0 of one tournament has pairs of several rounds of another."""
    pairs = pattern("pair_rounds")
    rounds = [CaseState(case, pairs) for case in CASES if case.bytes == 8]
    checked = CheckedPairs()
    for state in rounds[:RANKS]:
        assert not checked.has_all(state, 1)
        checked.add(state, 1)
        assert checked.has_all(state, 1)
        assert checked.has_all(rounds[RANKS], 1) == (state in rounds[2:RANKS])
    assert not checked.has_all(rounds[0], 2), "another launch has other connections"
    checked.add(rounds[0], 2)
    assert not checked.has_all(rounds[1], 2)
    other = CaseState(next(case for case in CASES if case.bytes != 8), pairs)
    assert not checked.has_all(other, 1)


def test_a_sixteenth_of_a_round_s_messages_is_looked_at() -> None:
    amounts = [Amount(samples=count, warmup=4, ops_per_sample=2) for count in (3, 60, 5000)]
    case = msgspec.structs.replace(CASES[0], ranks=16)
    assert [most_checked(case, pattern("pair_rounds"), one) for one in amounts] == [2, 8, 256]
    assert [most_checked(case, pattern("stream"), one) for one in amounts] == [256] * 3


def test_of_many_ranks_each_looks_at_fewer_messages() -> None:
    """What a rank of a halo had for them was more than all else of it in a launch of 1,024."""
    amounts = [Amount(samples=count, warmup=4, ops_per_sample=2) for count in (3, 60, 5000)]
    many = msgspec.structs.replace(CASES[0], ranks=17)
    assert [most_checked(many, pattern("pair_rounds"), one) for one in amounts] == [2, 8, 64]
    assert [most_checked(many, pattern("stream"), one) for one in amounts] == [64] * 3
    # Those that stand by are none of them.
    pair = msgspec.structs.replace(pattern("stream"), footprint=Footprint(ranks=2))
    assert [most_checked(many, pair, one) for one in amounts] == [256] * 3


def test_what_a_round_costs_beside_its_samples_is_not_taken_from_those_of_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rounds of 0.3 s where 10 ms were guessed, and time for all: each has six times as long.

    The plan of a launch was made of the guess, and the last rounds had the least samples; then
    none had more than three quarters of a second.
    """
    sink, left_s = measure(monkeypatch, CASES, 600, overhead_s=0.3, ranks=Pairs, launches=1)
    timed = [one for one in sink if isinstance(one, Batch) and one.role == "measure"]
    # The first of a size has what was guessed.
    assert min(one.timed_ns for one in timed) > 0.4e9
    own = sorted(one.timed_ns for one in timed)
    assert own[2] == pytest.approx(LEAST_WORTH_OF_PAIRS * 0.3e9, rel=0.05)
    assert own[-1] == pytest.approx(LEAST_WORTH_OF_PAIRS * 0.3e9, rel=0.05)
    assert left_s > 300


class Overlapping(Pairs):
    """Messages as short as answers: the two of a pair take as long as one of them times."""

    def run(self, case: Mapping[str, Any], wait_s: float) -> Answer:
        answer = super().run(case, wait_s)
        self.now -= answer.timed_ns / 2 / 1e9
        return msgspec.structs.replace(answer, timed_ns=answer.timed_ns // 2)


def test_a_map_takes_at_most_half_as_long_again_as_its_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the budget has room, whatever a round costs beside them."""
    sink, left_s = measure(monkeypatch, CASES, 900, overhead_s=0.25, ranks=Overlapping, launches=1)
    timed_ns = sum(one.timed_ns for one in sink if isinstance(one, Batch))
    assert len(launches_of(sink)) == len(CASES)
    assert 600 < left_s < 900 - timed_ns / 1e9
    assert 900 - left_s < 1.5 * timed_ns / 1e9


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
        monkeypatch, CASES, 30, overhead_s=0.005, ranks=Dies, silent=lambda: {"n3": "n3"}
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
