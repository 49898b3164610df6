"""How much a batch measures, at both sides of each bound."""

import pytest

from support.builders import make_clock, pattern
from weft.measure.stopping import amount, too_short
from weft.plan.case import Case, Schedule

CLOCK = make_clock()


@pytest.mark.parametrize(
    ("schedule", "most"),
    [
        (Schedule(), 1 << 20),
        # Of buffers that are used once there are samples enough: a quarter of them in each.
        (Schedule(kind="reuse", count=400, reuse_percent=0), 100),
        (Schedule(kind="reuse", count=403, reuse_percent=0), 100),
        (Schedule(kind="reuse", count=404, reuse_percent=0), 101),
        (Schedule(kind="reuse", count=3, reuse_percent=0), 1),
    ],
)
def test_a_sample_as_long_as_can_be_is_not_too_short(schedule: Schedule, most: int) -> None:
    case = Case(test="ping_pong", transport="mpi", bytes=8, schedule=schedule)
    chosen = amount(
        case, pattern("ping_pong"), operation_ns=100, latency_ns=5_000, clock=CLOCK, share_ns=1e8
    )
    held_ns = 0.5 * chosen.least_sample_ns
    assert too_short(case, chosen, held_ns, most - 1)
    assert not too_short(case, chosen, held_ns, most)
    assert chosen.ops_per_sample <= most


@pytest.mark.parametrize(("share_ns", "samples", "warmup"), [
    (0, 3, 1), (3.9e6, 3, 1), (4e6, 4, 1), (19e6, 19, 1), (20e6, 20, 2), (500e6, 500, 50),
    (501e6, 501, 50), (2000e6, 2000, 50), (9000e6, 2000, 50),
])  # fmt: skip
def test_a_batch_has_three_samples_to_two_thousand(
    share_ns: float, samples: int, warmup: int
) -> None:
    case = Case(test="ping_pong", transport="mpi", bytes=8)
    chosen = amount(
        case,
        pattern("ping_pong"),
        operation_ns=1e6,
        latency_ns=5_000,
        clock=CLOCK,
        share_ns=share_ns,
    )
    assert (chosen.samples, chosen.warmup) == (samples, warmup)
