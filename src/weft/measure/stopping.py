"""When a case is measured well enough, and how much to measure at a time. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from weft.plan.memory import most_checked_of
from weft.plan.plan import MOST_WHOLE_VALUES
from weft.units import format_bytes
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Clock

# A sample is at least this many times the clock's own cost, so that the cost is under 1 %.
CLOCK_SHARE = 100
# A stream's sample holds unloaded latencies, of its first message and of words: under 1 % too.
LATENCIES_SHARE = 100
FEWEST_SAMPLES = 3
# Bounds of the time of a batch's samples, however short or long the budget is.
SHORTEST_SHARE_S = 0.002
LONGEST_SHARE_S = 0.5
MOST_SAMPLES = 2000
# Of a round of pairs the samples of every rank are kept: of all ranks together no more than so
# many, for nothing is measured while they reach the record.
MOST_VALUES_OF_ROUND = 1 << 14
# Of a test whose every sample is one operation: its tail is what it is about.
MOST_OPERATIONS = 10_000
MOST_OPS = 1 << 20
# A simulator's messages cost more than real ones, and small ones that are under way at once cost
# their number squared.
MOST_SIMULATED_OPS = 512
WARMUP_SHARE = 0.1
# A batch that is faster than expected is measured again so often, with longer samples.
MOST_TRIES = 3
# Room for an operation that is a little faster than the probe of it.
MARGIN = 1.1
MOST_WARMUP = 50
PROBE_DEPTH = 4
# Of a round of pairs no more than this part of those that are timed: there are many rounds, and
# each pair is looked at in its own.
PAIRS_CHECKED = 1 / 16
FEWEST_CHECKED = 2
VERY_LONG_BYTES = 16 << 20
# Messages whose time is known well enough from the first one after the warm-up.
LONG_BYTES = 1 << 16
# Buffers in turn: whole turns before the first sample and in all of them, so that a figure is of
# buffers that were used before.
TURNS_OF_WARMUP = 1
TURNS_MEASURED = 2
# What a case's turns may take of a launch's part of the budget.
TURNS_SHARE = 0.5
# A stream that is long to keep its last word small is still bounded by this.
LONGEST_SAMPLE_NS = 50e6
# On a busy machine every rank loses its core now and then, and while two ranks lose theirs in turn,
# a message takes milliseconds. A case that was timed for less than this may not have met that yet:
# its next batch has at most GROWTH times the operations of all batches before.
SEEN_NS = 50e6
GROWTH = 8
FIRST_OPERATIONS = 20
STEP_SAMPLES = 16
# Where no message's latency is known.
GUESSED_LATENCY_NS = 20_000.0


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """How much one batch measures.

    In samples shorter than `least_sample_ns` the clock, or a stream's latencies, cost too much.
    `queue_depth` is another one than the case's, which a probe may take; 0: the case's own.
    """

    samples: int
    warmup: int
    ops_per_sample: int
    least_sample_ns: float = 0.0
    queue_depth: int = 0


class Looked(Protocol):
    """A case, and how long its operation takes as far as that is known; 0: not yet."""

    case: Case
    pattern: Pattern

    @property
    def operation_ns(self) -> float:
        """The time until the next operation."""


_L = TypeVar("_L", bound=Looked)


def too_short(case: Case, chosen: Amount, sample_ns: float, ops_per_sample: int) -> bool:
    """Whether a sample was shorter than intended, and could have been longer."""
    return ops_per_sample < _most_ops(case) and 0 < sample_ns < chosen.least_sample_ns


def _most_ops(case: Case) -> int:
    """The longest sample; where buffers are used once a few samples must have enough of them.

    The engine takes fewer samples, and no sample shorter than the queue.
    """
    messages = case.schedule.most_messages
    return MOST_OPS if messages is None else max(1, messages // (FEWEST_SAMPLES + 1))


def is_to_check(case: Case, launches: int) -> bool:
    """Whether a case that was measured in so many launches is to be checked message by message.

    Very long ones only once: it takes as long as measuring them. What is left in the buffers of a
    timed run is compared in any case.
    """
    return launches == 0 or case.bytes <= VERY_LONG_BYTES


def most_checked(case: Case, pattern: Pattern, chosen: Amount) -> int:
    """How many messages the untimed pass of a batch may have, each of which is looked at."""
    most = most_checked_of(case, pattern.footprint)
    if pattern.figure != "pairs":
        return most
    timed = (chosen.samples + chosen.warmup) * chosen.ops_per_sample
    return min(max(int(timed * PAIRS_CHECKED), FEWEST_CHECKED), most)


def calibration_amount(case: Case, pattern: Pattern) -> Amount:
    """A short probe of how long an operation takes; one is enough for long messages.

    A stream of them takes a short queue: its own would be as long as the measurement.
    """
    if case.bytes > LONG_BYTES:
        depth = min(case.queue_depth, PROBE_DEPTH)
        return Amount(samples=1, warmup=1, ops_per_sample=1, queue_depth=depth)
    streams = pattern.latencies_per_sample > 0
    return Amount(samples=3 if streams else 20, warmup=1, ops_per_sample=1)


def amount(
    case: Case,
    pattern: Pattern,
    *,
    operation_ns: float,
    latency_ns: float,
    clock: Clock,
    share_ns: float,
    pace_ns: float = 0.0,
    asked_samples: int = 0,
    most_ops: int = MOST_OPS,
) -> Amount:
    """What a batch of `share_ns` measures, given an operation's time and the unloaded latency.

    With `asked_samples` it takes as many, however long that is. `operation_ns` is the usual time of
    an operation, `pace_ns` what one took on average with all interruptions, where that is known: on
    a busy machine a few hold nearly all of the time.

    The operations of a sample are chosen so that the clock's cost is under 1 % of it, and for
    streams so that all unloaded latencies that a sample holds are under 1 % too, unless that would
    take longer than LONGEST_SAMPLE_NS, the batch's share, or more than `most_ops`. Where
    MOST_SAMPLES of these take less than the share they are longer. Buffers in turn are used in
    whole turns, however long those are (`too_many_turns`).
    """
    operation_ns = max(operation_ns, 1.0)
    least_ns = CLOCK_SHARE * clock.cost_ns
    fewest_ops = 1
    is_one = (case.single or pattern.every_operation) and pattern.latencies_per_sample == 0
    if pattern.latencies_per_sample > 0:
        long_ns = LATENCIES_SHARE * pattern.latencies_per_sample * latency_ns
        most_ns = min(LONGEST_SAMPLE_NS, share_ns / FEWEST_SAMPLES) / MARGIN
        least_ns = max(least_ns, min(long_ns, most_ns))
        fewest_ops = case.queue_depth
    elif is_one:
        least_ns = 0.0
    ops = math.ceil(MARGIN * least_ns / operation_ns)
    ops = min(max(ops, fewest_ops), _most_ops(case))
    if ops > most_ops:
        ops, least_ns = max(most_ops, fewest_ops), 0.0
    cost_ns = max(pace_ns, operation_ns * pattern.time_factor)
    if pattern.figure == "pairs" and pace_ns > 0:
        # The two ways of a pair overlap: of short messages both take as long as one.
        cost_ns = pace_ns
    samples = int(share_ns / (ops * cost_ns))
    most = _most_samples(case, pattern)
    if samples > most and not asked_samples and not is_one:
        # The time that is left over goes into longer samples, not into more of them.
        longest = max(1, int(LONGEST_SAMPLE_NS / operation_ns))
        whole = math.ceil if pattern.figure == "pairs" else math.floor
        ops = min(whole(ops * samples / most), max(ops, longest), _most_ops(case))
        samples = int(share_ns / (ops * cost_ns))
    # A stream's sample that takes longer than the share has a queue of messages in itself.
    is_enough = fewest_ops > 1 and ops * cost_ns >= share_ns
    fewest = 1 if is_enough else FEWEST_SAMPLES
    samples = asked_samples or min(max(samples, fewest), most)
    warmup = min(max(1, int(samples * WARMUP_SHARE)), MOST_WARMUP)
    chosen = Amount(samples=samples, warmup=warmup, ops_per_sample=ops, least_sample_ns=least_ns)
    return _in_whole_turns(case, chosen, by_samples=not asked_samples, by_operations=not is_one)


def step_towards(chosen: Amount, seen_operations: int, seen_ns: float) -> Amount:
    """The chosen amount, or a part of it while too little was seen to know that it will end."""
    most = GROWTH * max(seen_operations, FIRST_OPERATIONS)
    if seen_ns >= SEEN_NS or (chosen.samples + chosen.warmup) * chosen.ops_per_sample <= most:
        return chosen
    ops = min(chosen.ops_per_sample, max(1, most // STEP_SAMPLES))
    samples = min(chosen.samples, max(1, most // ops - 1))
    return msgspec.structs.replace(
        chosen, samples=samples, warmup=1, ops_per_sample=ops, least_sample_ns=0.0
    )


def _most_samples(case: Case, pattern: Pattern) -> int:
    """Of one batch. Of more ranks than keep every value quantiles are kept, and those are few."""
    if pattern.every_operation:
        return MOST_OPERATIONS
    if pattern.figure != "pairs" or case.ranks * MOST_SAMPLES > MOST_WHOLE_VALUES:
        return MOST_SAMPLES
    return min(MOST_SAMPLES, MOST_VALUES_OF_ROUND // case.ranks)


def unloaded_latency_ns(states: Sequence[Looked], case: Case) -> float:
    """The unloaded latency of a case's transport with its way of waiting, of a small message.

    Only a message's own latency counts: a copy or a registration takes far less time.
    """
    known = [
        state.operation_ns / state.pattern.latency_divisor
        for state in states
        if state.operation_ns > 0 and _has_latency_of(state, case)
    ]
    return min(known, default=GUESSED_LATENCY_NS)


def latencies_first(todo: Sequence[_L]) -> list[_L]:
    """The same order, but where no latency is known yet a smallest message is measured first."""
    first: list[_L] = []
    for stream in todo:
        if not stream.pattern.latencies_per_sample:
            continue
        same = [state for state in todo if _has_latency_of(state, stream.case)]
        if same and all(state.operation_ns == 0 and state not in first for state in same):
            first.append(min(same, key=lambda state: state.case.bytes))
    return first + [state for state in todo if state not in first]


def _has_latency_of(state: Looked, case: Case) -> bool:
    """Whether a case measures a message's latency as another case of its transport has it."""
    own = state.case
    same = own.transport == case.transport and own.wait == case.wait
    return same and state.pattern.figure == "latency"


def _turn(case: Case) -> int:
    """The operations in which every buffer is used: 0 where they are not taken in turn.

    An operation may be a message of any of many streams, each of which has its own buffers.
    """
    in_turn = case.schedule.kind == "turn" and case.schedule.count > 1
    return case.schedule.count * max(1, case.ranks - 1) if in_turn else 0


def _in_whole_turns(case: Case, chosen: Amount, *, by_samples: bool, by_operations: bool) -> Amount:
    """More samples where their number is free, else longer ones where that is; else the same."""
    turn = _turn(case)
    if turn == 0:
        return chosen
    ops, samples = chosen.ops_per_sample, chosen.samples
    if by_samples:
        samples = max(samples, math.ceil(TURNS_MEASURED * turn / ops))
    elif by_operations:
        ops = max(ops, math.ceil(TURNS_MEASURED * turn / samples))
    warmup = max(chosen.warmup, math.ceil(TURNS_OF_WARMUP * turn / ops))
    return msgspec.structs.replace(chosen, samples=samples, warmup=warmup, ops_per_sample=ops)


def budget_of_turns_s(case: Case, pattern: Pattern, operation_ns: float, launches: int) -> float:
    """The least budget whose launches have room for the turns of a case's buffers."""
    turns = (TURNS_OF_WARMUP + TURNS_MEASURED) * _turn(case)
    return turns * operation_ns * pattern.time_factor / 1e9 * launches / TURNS_SHARE


def too_many_turns(case: Case, needed_s: float, budget_s: float, launches: int) -> str:
    """Why turns of a case's buffers that need such a budget are too many; empty if they are not."""
    if needed_s <= budget_s:
        return ""
    share = TURNS_SHARE / launches
    return (
        f"{counted(case.schedule.count, 'buffer')} of {format_bytes(case.bytes)} in turn need"
        f" {needed_s * share:.3g} s in each launch for one turn of warm-up and two of samples,"
        f" where this budget has {budget_s * share:.3g} s; use fewer --buffers, or --budget"
        f" {math.ceil(needed_s)}s"
    )
