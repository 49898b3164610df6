"""What a batch measures, computed by hand: every bound, share and part of the sum."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from support.builders import make_clock
from weft.measure.stopping import (
    MOST_VALUES_OF_ROUND,
    Amount,
    amount,
    budget_of_turns_s,
    calibration_amount,
    is_to_check,
    latencies_first,
    too_many_turns,
    too_short,
    unloaded_latency_ns,
)
from weft.plan.case import Case, Schedule
from weft.plan.pattern import Pattern

# A pair of reads takes 20 ns, so the shortest good sample 2,000 ns.
CLOCK = make_clock(0.5)
TIMED = Pattern(
    name="one_way", title="", summary="", ranks=2, latency_divisor=2, bandwidth_factor=1,
    figure="latency",
)  # fmt: skip
STREAM = Pattern(
    name="many", title="", summary="", ranks=2, latency_divisor=0, bandwidth_factor=1,
    figure="bandwidth", latencies_per_sample=2,
)  # fmt: skip
DUE = Pattern(
    name="due", title="", summary="", ranks=2, latency_divisor=1, bandwidth_factor=0,
    every_operation=True,
)  # fmt: skip
PAUSED = Pattern(
    name="paused", title="", summary="", ranks=2, latency_divisor=1, bandwidth_factor=0,
    time_factor=2,
)  # fmt: skip


def case(**fields: Any) -> Case:
    usual: dict[str, Any] = {"test": "one_way", "transport": "mpi", "bytes": 8}
    return Case(**(usual | fields))


def of(one: Case, pattern: Pattern, operation_ns: float, share_ns: float, **more: Any) -> Amount:
    known = {"latency_ns": 5_000.0, **more}
    return amount(one, pattern, operation_ns=operation_ns, clock=CLOCK, share_ns=share_ns, **known)


def amounts(found: Amount) -> tuple[int, int, int, float]:
    return found.samples, found.warmup, found.ops_per_sample, found.least_sample_ns


@pytest.mark.parametrize(
    ("pattern", "operation_ns", "share_ns", "more", "expected"),
    [
        # 1.1 of 2,000 ns in operations of 100 ns are 22; a millisecond has 454 of these.
        (TIMED, 100, 1e6, {}, (454, 45, 22, 2_000)),
        (TIMED, 103, 1e6, {}, (441, 44, 22, 2_000)),
        (TIMED, 0.25, 1e6, {}, (454, 45, 2_200, 2_000)),
        # What waits beside what is timed, and what took longer on average, make fewer.
        (PAUSED, 100, 1e6, {}, (227, 22, 22, 2_000)),
        (TIMED, 100, 1e6, {"pace_ns": 300.0}, (151, 15, 22, 2_000)),
        (PAUSED, 100, 1e6, {"pace_ns": 150.0}, (227, 22, 22, 2_000)),
        # More than 2,000 samples become longer ones, of 50 ms at most.
        (TIMED, 100, 1e7, {}, (2_000, 50, 49, 2_000)),
        (TIMED, 1e6, 1e11, {}, (2_000, 50, 50, 2_000)),
        (TIMED, 1e6, 2e11, {}, (2_000, 50, 50, 2_000)),
        (TIMED, 1e6, 2.001e9, {}, (2_000, 50, 1, 2_000)),
        # As many as were asked for, however long that is.
        (TIMED, 100, 1e6, {"asked_samples": 7}, (7, 1, 22, 2_000)),
        (TIMED, 100, 1e6, {"asked_samples": 5_000}, (5_000, 50, 22, 2_000)),
        # A simulator's messages are fewer, and no sample of theirs is too short.
        (TIMED, 100, 1e6, {"most_ops": 22}, (454, 45, 22, 2_000)),
        (TIMED, 100, 1e6, {"most_ops": 21}, (476, 47, 21, 0)),
        # A sample of one operation.
        (DUE, 100, 1e5, {}, (1_000, 50, 1, 0)),
        (DUE, 100, 1e8, {}, (10_000, 50, 1, 0)),
    ],
)  # fmt: skip
def test_a_batch_is_what_its_share_has_room_for(
    pattern: Pattern,
    operation_ns: float,
    share_ns: float,
    more: dict[str, float],
    expected: tuple[int, int, int, float],
) -> None:
    assert amounts(of(case(), pattern, operation_ns, share_ns, **more)) == expected


def test_a_sample_of_one_operation_is_not_made_longer() -> None:
    assert amounts(of(case(single=True), TIMED, 100, 1e8)) == (2_000, 50, 1, 0)
    # Of a stream the latencies count all the same.
    assert of(case(single=True), STREAM, 1_000, 1e7).ops_per_sample == 1_100


@pytest.mark.parametrize(
    ("depth", "share_ns", "more", "expected"),
    [
        # Two latencies of 5 us are a hundredth of 1 ms: 1,100 operations of 1 us.
        (4, 1e7, {}, (9, 1, 1_100, 1e6)),
        (1_101, 1e7, {}, (9, 1, 1_101, 1e6)),
        # Three samples fit the share in any case.
        (4, 1e6, {}, (3, 1, 334, 1e6 / 3 / 1.1)),
        # But where a queue is as long as the share, one is enough.
        (1_000, 1e6, {}, (1, 1, 1_000, 1e6 / 3 / 1.1)),
        (999, 1e6, {}, (3, 1, 999, 1e6 / 3 / 1.1)),
        # A latency of 1 ms: not 200 ms, but 50, with what may be faster.
        (4, 1e9, {"latency_ns": 1e6}, (20, 2, 49_500, 45e6)),
        # A clock that costs more than the latencies.
        (4, 1e7, {"latency_ns": 1.0}, (2_000, 50, 5, 2_000)),
        # The simulator's bound leaves a queue whole.
        (4, 1e7, {"most_ops": 512}, (19, 1, 512, 0)),
        (600, 1e7, {"most_ops": 512}, (16, 1, 600, 0)),
    ],
)  # fmt: skip
def test_a_streams_samples_hide_its_latencies(
    depth: int, share_ns: float, more: dict[str, float], expected: tuple[int, int, int, float]
) -> None:
    found = of(case(queue_depth=depth), STREAM, 1_000, share_ns, **more)
    assert found.samples == expected[0]
    assert found.warmup == expected[1]
    assert found.ops_per_sample == pytest.approx(expected[2], rel=0.011)
    assert found.least_sample_ns == pytest.approx(expected[3], rel=0.011)


@pytest.mark.parametrize(
    ("size", "depth", "pattern", "expected"),
    [
        (1 << 16, 64, TIMED, (20, 1, 1, 0)),
        (1 << 16, 64, STREAM, (3, 1, 1, 0)),
        ((1 << 16) + 1, 64, STREAM, (1, 1, 1, 4)),
        ((1 << 16) + 1, 3, TIMED, (1, 1, 1, 3)),
    ],
)
def test_a_probe_is_short(
    size: int, depth: int, pattern: Pattern, expected: tuple[int, int, int, int]
) -> None:
    found = calibration_amount(case(bytes=size, queue_depth=depth), pattern)
    own = (found.samples, found.warmup, found.ops_per_sample, found.queue_depth)
    assert own == expected
    assert found.least_sample_ns == 0


@pytest.mark.parametrize(
    ("size", "launches", "checked"),
    [(16 << 20, 9, True), ((16 << 20) + 1, 1, False), ((16 << 20) + 1, 0, True)],
)
def test_very_long_messages_are_checked_once(size: int, launches: int, checked: bool) -> None:
    assert is_to_check(case(bytes=size), launches) is checked


def test_a_sample_is_too_short_below_what_was_intended_alone() -> None:
    chosen = Amount(samples=3, warmup=1, ops_per_sample=22, least_sample_ns=2_000)
    held = [too_short(case(), chosen, ns, 22) for ns in (0, 0.1, 1_999.9, 2_000, 2_001)]
    assert held == [False, True, True, False, False]


def state(pattern: Pattern, operation_ns: float, **fields: Any) -> Any:
    return SimpleNamespace(case=case(**fields), pattern=pattern, operation_ns=operation_ns)


def test_the_unloaded_latency_is_the_least_of_the_same_transport_and_wait() -> None:
    states = [
        state(TIMED, 0.0, bytes=1),
        state(TIMED, 9_000.0),
        state(TIMED, 8_000.0, bytes=64),
        state(TIMED, 6_000.0, transport="tcp"),
        state(TIMED, 5_000.0, wait="block"),
        state(PAUSED, 4_000.0),
    ]
    assert unloaded_latency_ns(states, case()) == 4_000
    assert unloaded_latency_ns(states, case(transport="tcp")) == 3_000
    assert unloaded_latency_ns(states, case(wait="block")) == 2_500
    # Nothing is known of it.
    assert unloaded_latency_ns(states, case(transport="ucx")) == 20_000


def test_a_smallest_message_is_measured_before_the_first_stream() -> None:
    stream, large = state(STREAM, 0.0), state(TIMED, 0.0, bytes=64)
    small, other = state(TIMED, 0.0, bytes=16), state(TIMED, 0.0, bytes=1, transport="tcp")
    todo = [stream, other, large, small, state(STREAM, 0.0, bytes=9)]
    assert latencies_first(todo) == [small, stream, other, large, todo[4]]
    # One that is known is enough, and without streams the order is the same.
    large.operation_ns = 5.0
    assert latencies_first(todo) == todo
    assert latencies_first([other, small]) == [other, small]
    assert latencies_first([stream]) == [stream]


TURN = Schedule(kind="turn", count=50)


@pytest.mark.parametrize(
    ("schedule", "ranks", "more", "expected"),
    [
        # Two turns in all samples, one before them.
        (TURN, 2, {}, (454, 45, 22)),
        (Schedule(kind="turn", count=5_001), 2, {}, (455, 228, 22)),
        (Schedule(kind="turn", count=2_000), 3, {}, (454, 182, 22)),
        (Schedule(kind="turn", count=2_000), 4, {}, (546, 273, 22)),
        # Where the samples are asked for they are longer.
        (Schedule(kind="turn", count=90), 2, {"asked_samples": 7}, (7, 4, 26)),
        (Schedule(kind="turn", count=77), 2, {"asked_samples": 7}, (7, 4, 22)),
        (Schedule(kind="turn", count=1), 2, {"asked_samples": 1}, (1, 1, 22)),
        (Schedule(kind="reuse", count=400, reuse_percent=50), 2, {}, (454, 45, 22)),
    ],
)
def test_buffers_are_used_in_whole_turns(
    schedule: Schedule, ranks: int, more: dict[str, int], expected: tuple[int, int, int]
) -> None:
    found = of(case(schedule=schedule, ranks=ranks), TIMED, 100, 1e6, **more)
    assert amounts(found)[:3] == expected


def test_a_single_operation_is_not_made_longer_for_a_turn() -> None:
    one = case(single=True, schedule=TURN)
    assert amounts(of(one, TIMED, 100, 1e6, asked_samples=7))[:3] == (7, 50, 1)


def test_turns_need_a_budget_and_say_so() -> None:
    one = case(bytes=1 << 20, schedule=TURN, ranks=3)
    # Three turns of 100 buffers, 1 ms twice each, in half of five launches' time.
    needed_s = budget_of_turns_s(one, PAUSED, 1e6, 5)
    assert needed_s == pytest.approx(300 * 2e-3 * 5 / 0.5)
    assert budget_of_turns_s(case(), PAUSED, 1e6, 5) == 0
    assert too_many_turns(one, needed_s, needed_s, 5) == ""
    assert too_many_turns(one, 6.1, 4.0, 5) == (
        "50 buffers of 1 MiB in turn need 0.61 s in each launch for one turn of warm-up and two of"
        " samples, where this budget has 0.4 s; use fewer --buffers, or --budget 7s"
    )
    assert math.isclose(budget_of_turns_s(one, TIMED, 1e6, 5), needed_s / 2)


PAIRS = Pattern(
    name="pairs", title="", summary="", ranks=2, latency_divisor=1, bandwidth_factor=1,
    figure="pairs", time_factor=2,
)  # fmt: skip


def test_a_round_of_pairs_is_as_long_as_its_pairs_took() -> None:
    """The two ways of a pair overlap: what was counted as two took as long as one."""
    first = of(case(ranks=8), PAIRS, 1e6, 1e9)
    known = of(case(ranks=8), PAIRS, 1e6, 1e9, pace_ns=1.25e6)
    assert (first.samples, known.samples) == (500, 800)
    other = of(case(ranks=8), PAUSED, 1e6, 1e9, pace_ns=1.25e6)
    assert other.samples == 500


@pytest.mark.parametrize(
    ("ranks", "samples", "ops"),
    [(2, 1750, 2), (8, 1750, 2), (16, 875, 4), (64, 250, 14), (131, 125, 28), (132, 1750, 2)],
)
def test_ranks_of_a_round_have_fewer_and_longer_samples_where_all_are_kept(
    ranks: int, samples: int, ops: int
) -> None:
    """Of more ranks than keep all of theirs only quantiles reach the record."""
    found = of(case(ranks=ranks), PAIRS, 1e6, 3.5e9, pace_ns=1e6)
    assert (found.samples, found.ops_per_sample) == (samples, ops)
    if 8 < ranks < 132:
        assert found.samples * ranks <= MOST_VALUES_OF_ROUND
