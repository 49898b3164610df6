"""How long a case may go without an answer grows with what it has to move, make and check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.builders import make_cases, pattern
from support.virtual_ranks import Machine, measure
from weft.measure import one_case
from weft.measure.stopping import Amount, calibration_amount
from weft.measure.timeouts import (
    connecting_s,
    overtime_s,
    timeout_s,
    within_budget_s,
    without_overtime_s,
)
from weft.plan.case import Case, Schedule
from weft.plan.memory import CHECKED_BYTES, needed_bytes
from weft.plan.pattern import Footprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.launch.protocol import Answer

PING = pattern("ping_pong")
# Of shorter ones the checked pass has more messages, the longer they are the fewer.
sizes = st.integers(2**25, 2**32)


def of(size: int, operation_ns: float = 0, samples: int = 3, count: int = 0) -> float:
    schedule = Schedule(kind="turn", count=count) if count else Schedule()
    case = Case(test="ping_pong", transport="tcp", bytes=size, schedule=schedule)
    chosen = Amount(samples=samples, warmup=1, ops_per_sample=1)
    return timeout_s(case, Footprint(), chosen, operation_ns)


@given(small=sizes, more=st.integers(2**20, 2**31), operation_ns=st.sampled_from([0.0, 1e6]))
def test_larger_messages_may_take_longer(small: int, more: int, operation_ns: float) -> None:
    assert of(small + more, operation_ns) > of(small, operation_ns)


def test_more_buffers_more_samples_and_slower_operations_may_take_longer() -> None:
    assert of(2**20, count=1024) > 10 * of(2**20)
    assert of(2**20, 1e6, samples=3000) > of(2**20, 1e6, samples=3)
    assert of(2**20, 1e9) > of(2**20, 1e6)
    assert of(2**20, 1e6, samples=3000) >= 5 * 3000 * 1e6 / 1e9


def test_the_look_at_a_long_message_has_time_on_a_slow_host_and_a_short_one_hangs_shortly() -> None:
    # Four round trips at Gigabit Ethernet, and 18 buffers made and compared at 0.25 GB/s.
    long = Case(test="ping_pong", transport="tcp", bytes=352 << 20)
    takes_s = 8 * long.bytes / 125e6 + 18 * long.bytes / 250e6
    assert timeout_s(long, Footprint(), calibration_amount(long, PING), 0) > 2 * takes_s
    assert of(8) < 2


def test_ranks_that_connect_within_the_case_have_time_to_name_those_that_did_not_come() -> None:
    case = Case(test="alltoall", transport="tcp", bytes=8, ranks=1024)
    chosen = Amount(samples=3, warmup=1, ops_per_sample=1)
    assert connecting_s(3) == 0
    assert connecting_s(4) > 20.08
    assert timeout_s(case, Footprint(), chosen, 0) > connecting_s(1024) > 40.48


@given(wait_s=st.floats(0, 1e4), left_s=st.floats(-1e3, 1e4), budget_s=st.floats(1, 1e5))
def test_no_case_takes_much_longer_than_the_budget(
    wait_s: float, left_s: float, budget_s: float
) -> None:
    bound_s = within_budget_s(wait_s, left_s, budget_s)
    assert bound_s <= wait_s
    assert bound_s <= 1.000001 * (max(left_s, 0) + max(2, budget_s / 10))
    assert bound_s == wait_s or bound_s >= 2


@pytest.mark.parametrize(("budget_s", "end_s"), [(5, 10), (20, 20)])
def test_a_batch_is_waited_for_within_the_budget_and_a_little(
    monkeypatch: pytest.MonkeyPatch, budget_s: float, end_s: float
) -> None:
    ends: list[float] = []
    usual = Machine.run

    def listen(machine: Machine, case: Mapping[str, Any], wait_s: float) -> Answer:
        ends.append(machine.now + wait_s)
        return usual(machine, case, wait_s)

    monkeypatch.setattr(Machine, "run", listen)
    measure(monkeypatch, make_cases(("ping_pong",), ("tcp",), (8, 64)), budget_s, overhead_s=0.1)
    # The machine's clock begins at 100; the deadline of a case is 20 s. One case may take longer
    # than a short budget, until it has all of its launches.
    assert max(ends) <= 100 + end_s + 2


def test_a_test_with_pauses_has_time_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What of its operations is timed is a sixteenth of what they take."""
    paces: list[float] = []

    def listen(case: Case, footprint: Footprint, chosen: Amount, pace_ns: float) -> float:
        paces.append(pace_ns)
        return timeout_s(case, footprint, chosen, pace_ns)

    monkeypatch.setattr(one_case, "timeout_s", listen)
    for factor in (1, 16):
        paused = msgspec.structs.replace(PING, time_factor=factor)
        monkeypatch.setattr("support.virtual_ranks.PATTERNS", (paused,))
        paces.clear()
        measure(monkeypatch, make_cases(("ping_pong",), ("tcp",), (64,)), 20, overhead_s=0.1)
        # An operation takes 1,016 ns; nothing is known before the first.
        assert paces[0] == 0
        assert paces[1:] == pytest.approx([factor * 1016.0] * (len(paces) - 1), rel=1e-3)
        assert len(paces) > 2


@pytest.mark.parametrize("pace_ns", [0.0, 700.0])
def test_each_part_of_a_timeout_is_of_its_own_speed(pace_ns: float) -> None:
    """37 operations of 4 more, in 3 turns of 7 ranks: moved both ways while nothing is known."""
    case = Case(test="pair_rounds", transport="tcp", bytes=3 << 20, ranks=7, at_once=1)
    chosen = Amount(samples=31, warmup=6, ops_per_sample=5)
    operations = 3 * (37 * 5 + 4)
    made = 2 * needed_bytes(case) + 7 * 2 * CHECKED_BYTES
    moved_s = 2 * operations * (3 << 20) / 50e6 if pace_ns == 0 else 0
    wanted = 5 * operations * pace_ns / 1e9 + moved_s + made / 100e6 + 20 + 7 * 0.02 + 10
    assert timeout_s(case, Footprint(), chosen, pace_ns) == pytest.approx(wanted, rel=1e-12)


def test_an_alltoall_has_time_for_the_messages_of_all_pairs() -> None:
    """Each of 64 ranks has 64 messages of 1 MiB each way, all of which may go over one link."""
    alltoall = Footprint(own_messages_per_rank=2)
    case = Case(test="alltoall", transport="mpi", bytes=1 << 20, ranks=64)
    probe = Amount(samples=1, warmup=1, ops_per_sample=1)
    memory_bytes = 64 * 2 * 64 * (1 << 20)
    unknown_s = timeout_s(case, alltoall, probe, 0.0)
    assert unknown_s > 6 * memory_bytes / 50e6
    # If its pace is known it still makes and compares all of its memory.
    assert timeout_s(case, alltoall, probe, 1e6) > 2 * memory_bytes / 100e6
    short = msgspec.structs.replace(case, bytes=8)
    assert timeout_s(short, alltoall, probe, 0.0) == pytest.approx(
        timeout_s(short, Footprint(), probe, 0.0), rel=0.2
    )


@pytest.mark.parametrize(
    ("footprint", "bytes_of_operation"),
    [
        (Footprint(), 2),
        (Footprint(messages_per_operation=3), 6),
        (Footprint(own_messages=1), 4),
        (Footprint(own_messages=1, own_messages_per_rank=1), 4 * 5),
    ],
)
def test_an_operation_moves_all_messages_of_its_test(
    footprint: Footprint, bytes_of_operation: int
) -> None:
    """Operations beyond the first cost what they move while their pace is unknown."""
    case = Case(test="x", transport="tcp", bytes=50_000_000, ranks=4)
    several, one = (
        timeout_s(case, footprint, Amount(samples=n, warmup=1, ops_per_sample=1), 0.0)
        for n in (11, 1)
    )
    assert several - one == pytest.approx(10 * bytes_of_operation)


def test_ranks_are_waited_for_from_the_fourth_on() -> None:
    found = [connecting_s(ranks) for ranks in (2, 3, 4, 1024)]
    assert found == pytest.approx([0.0, 0.0, 30.08, 50.48])


def test_a_case_may_go_beyond_the_budget_by_a_tenth_and_two_seconds_at_least() -> None:
    assert [overtime_s(budget_s) for budget_s in (5.0, 19.0, 21.0, 600.0)] == pytest.approx(
        [2.0, 2.0, 2.1, 60.0]
    )
    assert within_budget_s(500.0, 30.0, 600.0) == pytest.approx(90.0)
    assert within_budget_s(50.0, 30.0, 600.0) == 50.0
    assert within_budget_s(500.0, -7.0, 600.0) == pytest.approx(60.0)


@pytest.mark.parametrize(
    ("budget_s", "without_s"),
    [(1.0, 0.0), (2.0, 0.0), (5.0, 3.0), (22.0, 20.0), (33.0, 30.0), (660.0, 600.0)],
)
def test_a_budget_without_what_goes_beyond_it_ends_within_it(
    budget_s: float, without_s: float
) -> None:
    assert without_overtime_s(budget_s) == pytest.approx(without_s)
    if without_s:
        assert without_s + overtime_s(without_s) == pytest.approx(budget_s)
