"""How long a case may go without an answer grows with what it has to move, make and check."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.builders import pattern
from weft.measure.stopping import Amount, calibration_amount
from weft.measure.timeouts import timeout_s
from weft.plan.case import Case, Schedule

PING = pattern("ping_pong")
# Of shorter ones the checked pass has more messages, the longer they are the fewer.
sizes = st.integers(2**25, 2**32)


def of(size: int, operation_ns: float = 0, samples: int = 3, count: int = 0) -> float:
    schedule = Schedule(kind="turn", count=count) if count else Schedule()
    case = Case(test="ping_pong", transport="tcp", bytes=size, schedule=schedule)
    return timeout_s(case, Amount(samples=samples, warmup=1, ops_per_sample=1), operation_ns)


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
    assert timeout_s(long, calibration_amount(long, PING), 0) > 2 * takes_s
    assert of(8) < 2
