"""The delay method's measurements of a record, one per size and launch.

The engine's `burst` is PRTT(n, 0, s), `paused_burst` is PRTT(n, d, s) less its pauses. Beside each,
in the same sample and by the same calls, PRTT(1, 0, s) is measured as the part `single`; records of
engines that did not do so have it from `ping_pong`. How many messages a burst has, how many round
trips a pause lasts and how many reads of the clock are still in a time stands in the record; the
reads are taken off here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.means import uninterrupted_mean
from weft.record.launches import by_launch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft.record.model import Batch
    from weft.record.run import Run

SINGLE, BURST, PAUSED, LATE = "ping_pong", "burst", "paused_burst", "late_receive"
# The series of a burst that is PRTT(1, 0, s).
ALONE = "single"


class DelayTest(msgspec.Struct, frozen=True, kw_only=True):
    """What the delay method measures at one size in one launch: means (means.py), ns.

    PRTT(n, d, s) is the time from the first of n messages of s bytes, sent with a pause of d
    between them, to the one answer of s bytes that the receiver sends when it has all of them.
    `single_ns` is PRTT(1, 0, s), `burst_ns` is PRTT(n, 0, s), `delayed_ns` is PRTT(n, d, s) with
    d = `delay_ns`, at least PRTT(1, 0, s). `receive_ns` is the time in the receive call of a
    message that has arrived before; None where it was not measured. `session` is the number of the
    launch's session.
    """

    bytes: int
    messages: int
    single_ns: float
    burst_ns: float
    delayed_ns: float
    delay_ns: float
    receive_ns: float | None = None
    session: int = 0

    @property
    def gap_ns(self) -> float:
        """The time a further message of a burst takes: g + (s - 1) G."""
        return (self.burst_ns - self.single_ns) / (self.messages - 1)

    @property
    def send_ns(self) -> float:
        """o_s(s): while the sender pauses longer than a round trip, only sending adds to it."""
        return (self.delayed_ns - self.single_ns) / (self.messages - 1) - self.delay_ns


def delay_tests_of(
    run: Run, transport: str, variant: str = ""
) -> tuple[tuple[DelayTest, ...], ...]:
    """A tuple of tests a launch, of the launches with the most sizes; empty without any.

    `receive_ns` is there if every launch measured `late_receive` at every such size.
    """
    launches = _means_by_launch(run, transport, variant)
    shared = {
        number: set.intersection(*(set(tests.get(test, {})) for test in (SINGLE, BURST, PAUSED)))
        for number, tests in launches.items()
    }
    # Late launches measure only what was not yet precise: they are omitted.
    most = max((len(own) for own in shared.values()), default=0)
    sizes = next((sorted(own) for own in shared.values() if len(own) == most), [])
    whole = {number: launches[number] for number, own in shared.items() if own >= set(sizes)}
    if not sizes:
        return ()
    received = all(set(sizes) <= tests.get(LATE, {}).keys() for tests in whole.values())
    return tuple(
        tuple(
            msgspec.structs.replace(
                _test(run, size, tests, received=received), session=run.launches[number].session
            )
            for size in sizes
        )
        for number, tests in whole.items()
    )


def _test(run: Run, size: int, tests: dict[str, dict[int, float]], *, received: bool) -> DelayTest:
    single = tests[SINGLE][size]
    messages = run.patterns[BURST].messages_per_burst
    pause = run.patterns[PAUSED].pause_trips * single
    return DelayTest(
        bytes=size,
        messages=messages,
        single_ns=single,
        burst_ns=single + tests[BURST][size],
        delayed_ns=single + tests[PAUSED][size] + (messages - 1) * pause,
        delay_ns=pause,
        receive_ns=max(tests[LATE][size], 0.0) if received else None,
    )


def reads_ns(run: Run, launch: int, test: str, part: str = "") -> float:
    """The cost of the reads of the clock in an operation of a test, or of one of its series, ns.

    As the engine says how many there are, and measured what one costs.
    """
    pattern = run.patterns[test]
    # Another rank's series has that rank before its name.
    series = part.rpartition(".")[2]
    reads = pattern.part_clock_reads.get(series, 0) if part else pattern.clock_reads
    clock = run.clocks[launch]
    return reads * clock.overhead_ticks * clock.tick_ns


def _means_by_launch(
    run: Run, transport: str, variant: str
) -> dict[int, dict[str, dict[int, float]]]:
    """By launch, test and size, of cases of one way: means without the clock's reads, ns.

    Of a burst it is what it takes longer than the single message beside it, and `ping_pong` is that
    single message. Without one the times of `ping_pong` are taken for it.
    """
    wanted = {
        key
        for key, case in run.cases.items()
        if (case.transport, case.variant) == (transport, variant)
    }
    measured = by_launch(batch for batch in run.measured if batch.case in wanted)
    return {number: _means_of(run, own) for number, own in measured.items()}


def _means_of(run: Run, batches: Iterable[Batch]) -> dict[str, dict[int, float]]:
    """Of one launch, by test and size."""
    tests: dict[str, dict[int, float]] = {}
    alone: dict[int, float] = {}
    for batch in batches:
        case = run.cases[batch.case]
        time = _mean_ns(run, batch)
        if case.test in (BURST, PAUSED) and ALONE in batch.parts:
            single = _mean_ns(run, batch, ALONE)
            time -= single
            if case.test == BURST:
                alone[case.bytes] = single
        tests.setdefault(case.test, {})[case.bytes] = time
    return _with_single(tests, alone)


def _mean_ns(run: Run, batch: Batch, part: str = "") -> float:
    """The mean of a series without its reads of the clock, ns of one operation."""
    test = run.cases[batch.case].test
    return uninterrupted_mean(run.time_ns(batch, part)) - reads_ns(run, batch.launch, test, part)


def _with_single(
    tests: dict[str, dict[int, float]], alone: dict[int, float]
) -> dict[str, dict[int, float]]:
    """The single message's time, from beside the bursts or else from `ping_pong`."""
    if alone:
        return {**tests, SINGLE: alone}
    single = tests.get(SINGLE, {})
    further = {
        test: {
            size: time - single[size]
            for size, time in tests.get(test, {}).items()
            if size in single
        }
        for test in (BURST, PAUSED)
    }
    return {**tests, **further}
