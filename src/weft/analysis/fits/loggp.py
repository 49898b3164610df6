"""LogP, LogGP and PLogP: what a message costs the sender, the wire and the receiver.

L is the time on the wire, o_s(s) and o_r(s) the time of the processor to send and to receive s
bytes, g the least time between two messages and G the same for every further byte (Alexandrov,
Ionescu, Schauser and Scheiman, LogGP: Incorporating Long Messages into the LogP Model, 1997). A
message of s bytes then takes L + o_s + o_r + (s - 1) G, and n of them follow each other at
g + (s - 1) G. In PLogP the gap is a curve g(s), and a message takes L + g(s) (Kielmann, Bal and
Verstoep, Fast Measurement of LogP Parameters for Message Passing Platforms, 2000).

Two ways lead there. From ping_pong and stream come L + o_s + o_r, g, G and PLogP. From the delay
method (Hoefler, Lichei and Rehm, Low-Overhead LogGP Parameter Assessment for Modern Interconnection
Networks, 2007) come o_s(s), o_r(s) and L by itself too; its measurements are `DelayTest`.

All parameters are of mean times, which add up as the model wants it (means.py): medians do not.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.sweeps import check_sizes, more_launches_of
from weft.analysis.stats.launches import what_would_tell
from weft.analysis.stats.means import uninterrupted_mean
from weft.analysis.stats.needed import to_be_beside
from weft.analysis.stats.parameters import of_mean_times
from weft.errors import WeftError
from weft.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.analysis.fits.delays import DelayTest
    from weft.analysis.fits.sweeps import Series, Sweep
    from weft.plan.command import NextSession


# Over TCP's loopback the kernel's work for the receiver is done inside the sender's call.
BELOW_ZERO = (
    "L is below zero: o_s and o_r together are longer than the transfer, so they overlap; the"
    " sender's call does work of the receiver, as over TCP's loopback: read o_s and o_r as the cost"
    " of the calls, and L + o_s + o_r as the latency"
)


class Overhead(msgspec.Struct, frozen=True, kw_only=True):
    """The processor's time for a message of this size; None where it was not measured."""

    bytes: int
    send_ns: Estimate
    receive_ns: Estimate | None


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """A point of PLogP's g(s)."""

    bytes: int
    gap_ns: Estimate


class LogGP(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of one transport.

    `transfer_ns` is L + o_s + o_r, a message of one byte. `latency_ns` is L by itself, where the
    overheads are known. `plogp_latency_ns` is PLogP's L, the smallest message less its gap.
    """

    name: str
    transfer_ns: Estimate
    gap_ns: Estimate
    gap_ns_per_byte: Estimate
    plogp_latency_ns: Estimate
    gaps: tuple[Gap, ...]
    latency_ns: Estimate | None = None
    overheads: tuple[Overhead, ...] = ()
    notes: tuple[str, ...] = ()

    def time_ns(self, size_bytes: float) -> float:
        """LogGP's time of a message: L + o_s + o_r + (s - 1) G, G from the first byte on."""
        further = max(size_bytes - 1, 0.0)
        return self.transfer_ns.value + further * self.gap_ns_per_byte.value

    def plogp_time_ns(self, size_bytes: int) -> float | None:
        """PLogP's time L + g(s) of a message; None at a size whose gap was not measured."""
        found = [gap.gap_ns.value for gap in self.gaps if gap.bytes == size_bytes]
        return self.plogp_latency_ns.value + found[0] if found else None


class _Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One launch's one-way times and gaps by size, ns, the line through the gaps, its session."""

    times: dict[int, float]
    gaps: dict[int, float]
    gap_ns: float
    gap_ns_per_byte: float
    session: int

    @property
    def transfer_ns(self) -> float:
        smallest = min(self.times)
        return self.times[smallest] - max(smallest - 1, 0) * self.gap_ns_per_byte

    @property
    def plogp_latency_ns(self) -> float:
        both = min(self.times.keys() & self.gaps.keys())
        return self.times[both] - self.gaps[both]


def from_series(ping_pong: Series, stream: Series) -> LogGP:
    """What the latency and the stream of one transport give, launch by launch.

    The stream's time of a message is its gap. Launches of the two are paired in their order. Raises
    WeftError for fewer than two launches or three sizes of the stream, or none that both have.
    """
    check_sizes(stream)
    sessions = ping_pong.sessions or (0,) * len(ping_pong.launches)
    paired = list(zip(ping_pong.launches, stream.launches, sessions, strict=False))
    gaps = [_means(apart) for _, apart, _ in paired]
    usual = _usual(gaps)
    launches = [
        _launch(stream.name, _means(one_way), own, usual, session)
        for (one_way, _, session), own in zip(paired, gaps, strict=True)
    ]
    notes = ("o_s, o_r and L alone need the delay method: here are their sum, g and G",)
    return _parameters(ping_pong.name, launches, notes, ping_pong.more_launches)


def from_delays(
    name: str, launches: Sequence[Sequence[DelayTest]], again: NextSession | None = None
) -> LogGP:
    """LogGP by the delay method: for each launch a sequence of tests, one per size.

    L is the smallest message's one-way time less both overheads and its further bytes. It may be
    below zero, and is reported as it is with a note that says why. Raises WeftError for fewer than
    two launches or three sizes, fewer than two messages in a burst, or a pause that is shorter than
    a round trip, behind which the sending would hide.
    """
    for test in (test for launch in launches for test in launch):
        if test.messages < 2:
            raise WeftError("a burst has at least two messages", "measure with 10 or more")
        if test.delay_ns < test.single_ns:
            raise WeftError(
                f"the pause at {test.bytes} bytes is shorter than a round trip",
                "pause at least as long as PRTT(1, 0, s)",
            )
    gaps = [{test.bytes: test.gap_ns for test in launch} for launch in launches]
    usual = _usual(gaps)
    found = [
        _launch(
            name,
            {test.bytes: test.single_ns / 2 for test in launch},
            own,
            usual,
            launch[0].session,
        )
        for launch, own in zip(launches, gaps, strict=True)
    ]
    whole = _parameters(name, found, (), more_launches_of(again))
    ordered = [sorted(launch, key=lambda test: test.bytes) for launch in launches]
    overheads = tuple(_overhead(row) for row in zip(*ordered, strict=True))
    if any(overhead.receive_ns is None for overhead in overheads):
        return msgspec.structs.replace(whole, overheads=overheads)
    alone = [
        launch.transfer_ns - tests[0].send_ns - (tests[0].receive_ns or 0.0)
        for launch, tests in zip(found, ordered, strict=True)
    ]
    latency = of_mean_times(alone, _sessions(found), positive=False)
    notes = (*whole.notes, *_notes_on_latency(latency, again))
    return msgspec.structs.replace(whole, overheads=overheads, latency_ns=latency, notes=notes)


def _notes_on_latency(latency: Estimate, again: NextSession | None) -> tuple[str, ...]:
    """What an L that is not above zero means, and what would tell."""
    if latency.low > 0:
        return ()
    if latency.high < 0:
        return (BELOW_ZERO,)
    said = "L is not significantly above zero: the overheads are as long as the transfer"
    if again is None:
        return (said,)
    needed = to_be_beside(latency, 0.0)
    return (said, what_would_tell(needed, "tell this L from zero", [again], in_place=True))


def _means(sweep: Sweep) -> dict[int, float]:
    """The mean time at each size, ns."""
    return {
        int(size): uninterrupted_mean(kept)
        for size, kept in zip(sweep.sizes_bytes, sweep.kept_ns, strict=True)
    }


def _usual(gaps: Sequence[dict[int, float]]) -> dict[int, float]:
    """The median gap over all launches at each size, ns."""
    sizes = dict.fromkeys(size for own in gaps for size in own)
    return {size: statistics.median(own[size] for own in gaps if size in own) for size in sizes}


def _launch(
    name: str,
    times: dict[int, float],
    gaps: dict[int, float],
    usual: dict[int, float],
    session: int,
) -> _Launch:
    """The line g + (s - 1) G through a launch's gaps: least squares of relative deviations.

    The weights come from the usual gaps: by its own gaps, a size with a slow sample would count
    less.
    """
    import numpy as np

    if not times.keys() & gaps.keys():
        raise WeftError(
            f"{name} shares no size with the latencies", "measure both at the same --sizes"
        )
    if min(gaps.values()) <= 0 or len(gaps) < 3:
        raise WeftError(
            f"{name} has fewer than three sizes, or a gap that is not positive",
            "measure more sizes, and longer bursts",
        )
    further = np.array([max(size - 1, 0) for size in gaps], dtype=np.float64)
    apart = np.array(list(gaps.values()))
    weights = 1 / np.array([usual[size] for size in gaps]) ** 2
    centre = float(weights @ further / weights.sum())
    spread = float(weights @ (further - centre) ** 2)
    slope = float(weights @ ((further - centre) * apart)) / spread
    level = float(weights @ (apart - slope * further) / weights.sum())
    return _Launch(times=times, gaps=gaps, gap_ns=level, gap_ns_per_byte=slope, session=session)


def _parameters(
    name: str, launches: Sequence[_Launch], notes: tuple[str, ...], more_launches: str
) -> LogGP:
    if len(launches) < 2:
        raise WeftError(
            f"{name} has one launch: LogGP's intervals need at least two",
            f"run {more_launches}" if more_launches else "measure it in several launches",
        )

    def over(figure: Callable[[_Launch], float], *, positive: bool = False) -> Estimate:
        values = [figure(launch) for launch in launches]
        return of_mean_times(values, _sessions(launches), positive=positive)

    plogp_latency = over(lambda launch: launch.plogp_latency_ns)
    if plogp_latency.high < 0:
        notes += ("a message of the stream takes longer than its latency: PLogP's L is below zero",)
    shared = set.intersection(*(set(launch.gaps) for launch in launches))
    return LogGP(
        name=name,
        transfer_ns=over(lambda launch: launch.transfer_ns),
        gap_ns=over(lambda launch: launch.gap_ns),
        gap_ns_per_byte=over(lambda launch: launch.gap_ns_per_byte, positive=True),
        plogp_latency_ns=plogp_latency,
        gaps=tuple(_gap(size, launches) for size in sorted(shared)),
        notes=notes,
    )


def _gap(size: int, launches: Sequence[_Launch]) -> Gap:
    values = [launch.gaps[size] for launch in launches]
    return Gap(bytes=size, gap_ns=of_mean_times(values, _sessions(launches), positive=True))


def _sessions(launches: Sequence[_Launch] | Sequence[DelayTest]) -> list[int]:
    return [launch.session for launch in launches]


def _overhead(tests: Sequence[DelayTest]) -> Overhead:
    """The overheads at one size from its test of each launch."""
    sessions = _sessions(tests)
    received = [test.receive_ns for test in tests if test.receive_ns is not None]
    return Overhead(
        bytes=tests[0].bytes,
        send_ns=of_mean_times([test.send_ns for test in tests], sessions, positive=False),
        receive_ns=of_mean_times(received, sessions, positive=True)
        if len(received) == len(tests)
        else None,
    )
