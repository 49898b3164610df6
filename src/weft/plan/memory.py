"""What cases take in memory, by the engine's own formula, and which of them fit. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.plan.case import Schedule
from weft.plan.pattern import Footprint
from weft.plan.plan import SAMPLES
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern

# The engine's formula of memory (engine/run/footprint.cpp); docs/engine-protocol.md has it in
# words.
PAGE_BYTES = 4096
CHECKED_BYTES = 8 << 20
# As many messages a rank has in the untimed pass at most. Of many ranks a rank has fewer, for all
# have enough together: what it has for them in memory, and waits for, grows with their number.
MOST_CHECKED = 256
MOST_CHECKED_OF_MANY = 64
MANY_RANKS = 16
WORD_BYTES = 16 * PAGE_BYTES
WORD_BYTES_A_LANE = 4 * PAGE_BYTES
BYTES_A_PLACE = 96
BYTES_A_VALUE = 96
# What a rank has as its share before any case, and more of it for each rank on its host: the law
# of the table in docs/validation/many-ranks.md; of 4,096 ranks the share is twice that of few.
RANK_BYTES = 4_500_000
RANK_BYTES_A_RANK = 1100


def all_ranks(ranks: int) -> int:
    """How many of so many ranks are on a host that has them all."""
    return ranks


def within_memory(
    cases: Sequence[Case],
    available_bytes: int,
    patterns: Mapping[str, Pattern] | None = None,
    samples: int = SAMPLES,
    ranks_here: Callable[[int], int] = all_ranks,
) -> tuple[Case, ...]:
    """The cases that fit a host's memory; `ranks_here` says how many of a case's ranks it has."""
    footprints = _footprints(patterns)

    def fits(case: Case) -> bool:
        here = ranks_here(case.ranks)
        return needed_bytes(case, footprints.get(case.test), samples, here) <= available_bytes

    return tuple(filter(fits, cases))


def needed_bytes(
    case: Case, footprint: Footprint | None = None, samples: int = SAMPLES, ranks_here: int = 0
) -> int:
    """The most memory of a case, in bytes over its ranks on a host that take part.

    `samples` are with their warm-up. A host has `ranks_here` of the case's ranks (0: all), rank 0
    and as many as may be of those that take part among them. Buffers of both
    sides with pages of their own, those of the checked pass among them, the order of the buffers,
    and the series; or what an operation of all ranks gives and gets, each without gaps. The engine
    refuses a case by the same formula.
    """
    known = footprint or Footprint()
    pages = max(-(-case.message_bytes // PAGE_BYTES), 1)
    receives = (
        known.receives
        + known.receives_per_queue * case.queue_depth
        + known.receives_per_point * (case.point or 0)
    )
    schedule = case.schedule
    if schedule.kind == "one" and known.buffers > 1:
        schedule = Schedule(kind="turn", count=known.buffers)
    checked = _checked_slots(case, known)
    # Both passes take the same memory, but for buffers that nothing may have used before.
    buffers = sum(
        max(timed, checked) if case.schedule.is_repeated else timed + checked
        for timed in schedule.slots(receives)
    )
    order = schedule.places(receives) * BYTES_A_PLACE
    series = samples * known.series * BYTES_A_VALUE
    own = known.own_messages_of(case.ranks)
    taking = known.ranks_of(case.ranks, case.point or 0)
    here = min(ranks_here or case.ranks, taking)
    lanes = here + taking - 2 if known.is_star else here
    messages = lanes * case.lanes * (buffers * pages * PAGE_BYTES + order)
    if own:
        # What it gets begins at a page of its own.
        of_one = (max(-(-own * case.message_bytes // PAGE_BYTES), 1) + 1) * PAGE_BYTES
        messages = here * of_one
    of = case.of_application
    sites = int(of.sites_of_rank(case.ranks)) if of else 0
    of_rank = WORD_BYTES + sites * known.bytes_per_site + series
    return messages + here * of_rank + (lanes - here) * WORD_BYTES_A_LANE


def most_checked_of(case: Case, footprint: Footprint) -> int:
    """How many messages of a rank the untimed pass of a case looks at, by the ranks in it."""
    taking = footprint.ranks_of(case.ranks, case.point or 0)
    return MOST_CHECKED_OF_MANY if taking > MANY_RANKS else MOST_CHECKED


def _checked_slots(case: Case, footprint: Footprint) -> int:
    """Buffers each way of the pass in which every byte is checked: one a message, but few in turn
    for long ones."""
    fits = CHECKED_BYTES // max(case.message_bytes, 1) // case.lanes
    is_long = fits < 2 and not footprint.streams
    messages = min(max(fits, 1 if is_long else 2), most_checked_of(case, footprint) // case.lanes)
    operations = max(messages // footprint.messages_per_operation, 1)
    if footprint.streams:
        depth = min(case.queue_depth, max(messages // 2, 2))
        refill = max(depth // 2, 1)
        operations = -(-max(operations, depth) // refill) * refill
    every = operations * footprint.messages_per_operation + footprint.messages_before
    return min(every, max(2, footprint.receives)) if is_long else every


def _footprints(patterns: Mapping[str, Pattern] | None) -> dict[str, Footprint]:
    return {name: pattern.footprint for name, pattern in (patterns or {}).items()}


def check_memory(
    cases: Sequence[Case],
    available_bytes: int,
    patterns: Mapping[str, Pattern] | None = None,
    samples: int = SAMPLES,
    ranks_here: Callable[[int], int] = all_ranks,
) -> None:
    """Raises WeftError for the first case that does not fit a host's memory."""
    footprints = _footprints(patterns)
    for case in cases:
        footprint = footprints.get(case.test)
        here = ranks_here(case.ranks)
        needed = needed_bytes(case, footprint, samples, here)
        if needed <= available_bytes:
            continue
        empty = msgspec.structs.replace(case, bytes=0)
        least = needed_bytes(empty, footprint, samples, here)
        largest = case.bytes * max(available_bytes - least, 0) // needed
        raise WeftError(
            too_large(case, available_bytes, patterns, samples, ranks_here),
            f"use sizes up to {largest >> 20} MiB: --sizes 0..{largest >> 20}MiB"
            if largest >> 20
            else f"use {_fewer(case, footprint or Footprint())}",
        )


def too_large(
    case: Case,
    available_bytes: int,
    patterns: Mapping[str, Pattern] | None = None,
    samples: int = SAMPLES,
    ranks_here: Callable[[int], int] = all_ranks,
) -> str:
    """What a case needs of a host that has less."""
    here = ranks_here(case.ranks)
    needed = needed_bytes(case, _footprints(patterns).get(case.test), samples, here)
    of = f" on a host with {here:,} of its ranks" if here < case.ranks else ""
    return (
        f"{case.key} needs {needed / 2**30:.1f} GiB of memory{of} where"
        f" {available_bytes / 2**30:.1f} GiB are free"
    )


def _fewer(case: Case, footprint: Footprint) -> str:
    """What makes a case smaller whose size does not."""
    if case.of_application:
        return case.of_application.smaller
    if footprint.ranks_of(case.ranks, case.point or 0) < case.ranks:
        return "fewer --buffers or --samples"
    return "fewer --buffers, --samples or --ranks"


def check_ranks(
    ranks: int, available_bytes: int, ranks_here: Callable[[int], int] = all_ranks
) -> None:
    """Raises WeftError for more ranks than a host can hold, whatever they measure."""
    here = ranks_here(ranks)
    most = _ranks_within(available_bytes)
    if here <= most:
        return
    of = f"{here:,} of " if here < ranks else ""
    raise WeftError(
        f"{of}{counted(ranks, 'rank')} on a host take {_bytes_of_ranks(here) / 2**30:.1f} GiB"
        " before they measure anything,"
        f" where {available_bytes / 2**30:.1f} GiB are free",
        f"use --ranks {max(ranks * most // here, 1)} or fewer, or more --nodes",
    )


def _bytes_of_ranks(here: int) -> int:
    return here * (RANK_BYTES + here * RANK_BYTES_A_RANK)


def _ranks_within(available_bytes: int) -> int:
    """The most ranks that a host can hold."""
    of_one = RANK_BYTES / RANK_BYTES_A_RANK / 2
    return int(math.sqrt(of_one**2 + available_bytes / RANK_BYTES_A_RANK) - of_one)
