"""How long a case may go without an answer. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plan.memory import CHECKED_BYTES, needed_bytes
from weft.plan.rounds import turns_of

if TYPE_CHECKING:
    from weft.measure.stopping import Amount
    from weft.plan.case import Case
    from weft.plan.pattern import Footprint

# What even a slow network moves, and a busy host makes and compares, when nothing is known yet.
SLOW_LINK_BYTES_PER_S = 50e6
SLOW_MEMORY_BYTES_PER_S = 100e6
# Of short messages the checked pass takes up to so much for each side of a rank.
BOTH_SIDES_BYTES = 2 * CHECKED_BYTES
# Of long ones it takes a few, as many as a few operations have; the end of a pass has some too.
CHECKED_OPERATIONS = 4
# How often the memory of a case is written or read to make and check what is in it.
TIMES_MADE = 2
# The ranks before and behind each are connected when the launch starts, others when a case needs
# them: so long ranks wait for each other, as the engine has it (bootstrap/patience.hpp), and until
# they have said who is missing.
CONNECTED_AT_START = 3
CONNECTING_S = 20.0
CONNECTING_A_RANK_S = 0.02
TELLING_S = 10.0
# How much longer than expected a case may take.
PATIENCE = 5
# So much longer than the budget a case may take that was begun in time, of the budget or at least.
OVERTIME_SHARE = 0.1
LEAST_OVERTIME_S = 2.0


def without_overtime_s(budget_s: float) -> float:
    """The budget with which a case that was begun in time ends within this one."""
    return max(min(budget_s - LEAST_OVERTIME_S, budget_s / (1 + OVERTIME_SHARE)), 0.0)


def overtime_s(budget_s: float) -> float:
    """How much longer than the budget a case may take that was begun in time."""
    return max(LEAST_OVERTIME_S, OVERTIME_SHARE * budget_s)


def within_budget_s(wait_s: float, left_s: float, budget_s: float) -> float:
    """How long to wait for a batch, seconds: no longer than the budget and a little."""
    return min(wait_s, max(left_s, 0.0) + overtime_s(budget_s))


def timeout_s(case: Case, footprint: Footprint, chosen: Amount, pace_ns: float) -> float:
    """Seconds beyond the fixed wait that a batch may take: to move, make and check its messages.

    `pace_ns` is the average time of an operation, 0 while it is unknown.
    """
    operations = (chosen.samples + chosen.warmup) * chosen.ops_per_sample + CHECKED_OPERATIONS
    operations *= turns_of(case.ranks, case.at_once)
    moved_bytes = operations * _bytes_of_operation(case, footprint)
    made_bytes = TIMES_MADE * needed_bytes(case, footprint) + BOTH_SIDES_BYTES * case.ranks
    return (
        PATIENCE * operations * pace_ns / 1e9
        + (moved_bytes / SLOW_LINK_BYTES_PER_S if pace_ns == 0 else 0.0)
        + made_bytes / SLOW_MEMORY_BYTES_PER_S
        + connecting_s(case.ranks)
    )


def _bytes_of_operation(case: Case, footprint: Footprint) -> int:
    """The most bytes that an operation moves over one link, in both directions together.

    All ranks may share the link in an operation of all ranks, whatever algorithm the library uses.
    """
    if own := footprint.own_messages_of(case.ranks):
        return case.ranks * own * case.message_bytes
    return 2 * footprint.messages_per_operation * case.lanes * case.message_bytes


def connecting_s(ranks: int) -> float:
    """Seconds until a rank of so many says which of them did not connect with it."""
    if ranks <= CONNECTED_AT_START:
        return 0.0
    return CONNECTING_S + CONNECTING_A_RANK_S * ranks + TELLING_S
