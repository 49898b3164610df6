"""The delay method's measurements of a record, one a size and launch.

The engine's `burst` is PRTT(n, 0, s), `ping_pong` is PRTT(1, 0, s). `paused_burst` is PRTT(n, d, s)
less its pauses, each of which was four round trips long; one read of the clock for each
pause is still in it and is taken off here, as the pair of reads is of `late_receive`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.record.run import Run

# burst_messages in engine/patterns/delay_method.hpp.
MESSAGES = 8
SINGLE, BURST, PAUSED, LATE = "ping_pong", "burst", "paused_burst", "late_receive"
# The engine pauses so many round trips; any number over 1 gives the same overhead.
PAUSE_TRIPS = 4


class DelayTest(msgspec.Struct, frozen=True, kw_only=True):
    """What the delay method measures at one size in one launch: medians, ns.

    PRTT(n, d, s) is the time from the first of n messages of s bytes, sent with a pause of d
    between them, to the one answer of s bytes that the receiver sends when it has all of them.
    `single_ns` is PRTT(1, 0, s), `burst_ns` is PRTT(n, 0, s), `delayed_ns` is PRTT(n, d, s) with
    d = `delay_ns`, at least PRTT(1, 0, s). `receive_ns` is the time in the receive call of a
    message that has arrived before; None where it was not measured.
    """

    bytes: int
    messages: int
    single_ns: float
    burst_ns: float
    delayed_ns: float
    delay_ns: float
    receive_ns: float | None = None

    @property
    def gap_ns(self) -> float:
        """The time a further message of a burst takes: g + (s - 1) G."""
        return (self.burst_ns - self.single_ns) / (self.messages - 1)

    @property
    def send_ns(self) -> float:
        """o_s(s): while the sender pauses longer than a round trip, only sending adds to it."""
        return (self.delayed_ns - self.single_ns) / (self.messages - 1) - self.delay_ns


def delay_tests_of(run: Run, transport: str) -> tuple[tuple[DelayTest, ...], ...]:
    """A tuple of tests a launch, of the launches with the most sizes; empty without any.

    `receive_ns` is there if every launch measured `late_receive` at every such size.
    """
    launches = _medians_by_launch(run, transport)
    needed = (SINGLE, BURST, PAUSED)
    shared = {
        number: set.intersection(*(set(tests.get(test, {})) for test in needed))
        for number, tests in launches.items()
    }
    # Late launches measure only what was not yet precise: they are left out.
    most = max((len(own) for own in shared.values()), default=0)
    sizes = next((sorted(own) for own in shared.values() if len(own) == most), [])
    whole = {number: launches[number] for number, own in shared.items() if own >= set(sizes)}
    if not sizes:
        return ()
    received = all(set(sizes) <= tests.get(LATE, {}).keys() for tests in whole.values())
    return tuple(
        tuple(_test(size, tests, read_ns(run, number), received=received) for size in sizes)
        for number, tests in whole.items()
    )


def _test(
    size: int, tests: dict[str, dict[int, float]], read_ns: float, *, received: bool
) -> DelayTest:
    single = tests[SINGLE][size]
    pause = PAUSE_TRIPS * single
    return DelayTest(
        bytes=size,
        messages=MESSAGES,
        single_ns=single,
        burst_ns=tests[BURST][size],
        delayed_ns=tests[PAUSED][size] + (MESSAGES - 1) * (pause - read_ns),
        delay_ns=pause,
        receive_ns=max(tests[LATE][size] - read_ns, 0.0) if received else None,
    )


def read_ns(run: Run, launch: int) -> float:
    """The measured cost of one read of the clock in a launch, ns."""
    clock = run.clocks[launch]
    return clock.overhead_ticks * clock.tick_ns


def _medians_by_launch(run: Run, transport: str) -> dict[int, dict[str, dict[int, float]]]:
    """By launch, test and size: the median time of an operation, ns, in the usual way only."""
    import numpy as np  # noqa: PLC0415 - not needed to start the program

    launches: dict[int, dict[str, dict[int, float]]] = {}
    for batch in run.measured:
        case = run.cases[batch.case]
        if case.transport == transport and not case.variant:
            tests = launches.setdefault(batch.launch, {})
            tests.setdefault(case.test, {})[case.bytes] = float(np.median(run.time_ns(batch)))
    return launches
