"""From times of messages to the numbers of a simulated platform: a model, or a table.

The model is LogGP with one switch of protocol (Alexandrov, Ionescu, Schauser and Scheiman, LogGP,
SPAA 1995; the switch as in Hockney's two lines): two lines of time against size for each test. The
table has a piece for each size and is right at each of them: a fit with as many numbers as there
are figures, which predicts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

import msgspec

from weft.errors import WeftError
from weft.sim.protocols import (
    ENVELOPE_BYTES,
    LEAST_NS_PER_BYTE,
    NOTHING,
    Piece,
    Protocols,
    piece_at,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# No message of these tests is as long.
ALWAYS_EAGER = 1 << 30
_FEWEST = 2
# Of more sizes a search for lines takes fewer: it grows as their cube.
_MOST_SIZES = 128
_DECIMALS = 12
# Of a fit with as many lines as the times need; nothing is known better than to so much.
MOST_LINES = 5
_SIZES_OF_LINE = 3
_LEAST_MISSED = 1e-4
# Where such a fit sees the rendezvous protocol begin: not where a card sends data in its command.
LEAST_SWITCH = 256
LEAST_JUMP = 1.05
# A stream of rendezvous whose gap is so many times what the link takes waits for its hosts.
_FAR_ABOVE = 1.5
# A bus that carries one way of the link and no more.
_ONE_WAY_ONLY = 2.0


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform is calibrated from: times by size, ns.

    `ping_pong` is one way, `sendrecv` an exchange of both. `switch_bytes` is the first size of the
    rendezvous protocol where that is known. `posting_ns` and `receiving_ns` are what a message
    alone takes of its hosts, and `gaps` the time between the messages of a stream; without them
    what follows costs what one alone does. Messages of `eager_bytes` were seen to arrive without
    their receiver.
    """

    ping_pong: Mapping[int, float]
    sendrecv: Mapping[int, float] = {}
    switch_bytes: int | None = None
    posting_ns: float = 0.0
    receiving_ns: float = 0.0
    gaps: Mapping[int, float] = {}
    eager_bytes: int = 0


def model_of(times: Times) -> Protocols:
    """LogGP with a switch of protocol. Raises WeftError for fewer than two sizes."""
    if len(times.ping_pong) < _FEWEST:
        raise WeftError("a model needs times of two sizes", "measure ping_pong at more --sizes")
    switch = times.switch_bytes
    if switch is None:
        switch = _best_switch(times.ping_pong)
    return _of_lines(times, [0, switch] if switch else [0], switch)


def lines_of(times: Times) -> Protocols:
    """The same with as many lines as the times need, up to five. Raises WeftError.

    Copies in memory have a rate for each cache: of more lines those are taken with the least
    Bayesian information criterion for errors as Laplace drew them (Schwarz, Estimating the
    Dimension of a Model, Annals of Statistics 6, 1978), three numbers a line. The switch of
    protocol is where the time jumps most, above the sizes that are known to be eager (a jump there
    is of packets); without a jump all messages are eager.
    """
    if len(times.ping_pong) < _FEWEST:
        raise WeftError("a model needs times of two sizes", "measure ping_pong at more --sizes")
    starts = _best_starts(times.ping_pong)
    lines = _lines_from(times.ping_pong, starts)
    jumps = [
        ((after[0] + after[1] * start) / (before[0] + before[1] * start), start)
        for before, after, start in zip(lines, lines[1:], starts[1:], strict=False)
        if start >= max(LEAST_SWITCH, times.eager_bytes + 1)
    ]
    jump, switch = max(jumps, default=(1.0, 0))
    return _of_lines(times, starts, switch if jump > LEAST_JUMP else ALWAYS_EAGER)


def _of_lines(times: Times, starts: Sequence[int], switch: int) -> Protocols:
    """The protocols of a line from each start on, which are eager below the switch.

    What an eager message takes longer than the wire is a copy by the sender. What an exchange takes
    longer than one way is MPI_Isend's and not MPI_Send's, up to all that a post takes.
    """
    lines = _lines_from(times.ping_pong, starts)
    exchanges = _lines_from(times.sendrecv, starts) if times.sendrecv else []
    wire = lines[-1][1]
    bus_factor = 1.0
    if exchanges:
        wanted = exchanges[-1][1] / wire
        bus_factor = min(max(wanted, 1.0), _ONE_WAY_ONLY)
    blocking = times.posting_ns
    if exchanges and switch:
        longer = exchanges[0][0] - lines[0][0] - (bus_factor - 1) * ENVELOPE_BYTES * wire
        blocking = max(0.0, blocking - longer)
    hosts = blocking + times.receiving_ns
    transfer = tuple(
        Piece(start, a - (hosts if start < switch else 0.0), min(g, wire))
        for start, (a, g) in zip(starts, lines, strict=True)
    )
    sender = tuple(
        Piece(start, blocking, max(0.0, g - wire))
        for start, (_, g) in zip(starts, lines, strict=True)
        if start < switch
    )
    # A rendezvous is posted and not copied: its bytes are the wire's.
    posted = (Piece(switch, blocking),) if sender and switch < ALWAYS_EAGER else ()
    found = Protocols(
        transfer=transfer,
        blocking_send=sender or NOTHING,
        send=(*sender, *posted) or NOTHING,
        receive=(Piece(0, times.receiving_ns),) if times.receiving_ns else NOTHING,
        eager_below_bytes=switch,
        bus_factor=bus_factor,
    )
    if exchanges:
        found = msgspec.structs.replace(found, send=_left_to_send(found, starts, exchanges))
    return with_gaps(found, times)


def with_gaps(known: Protocols, times: Times) -> Protocols:
    """The same with messages that follow others as near as those of the streams that were measured.

    The gap by size is a curve through what was measured, as PLogP's g(s). It is the receiver's
    where one message alone takes it as long or that is not known, and else the sender's, or its
    card's. A sender that does not make the gap takes what a post alone does, if that is less. Where
    no stream was measured, a post behind others takes no more than one that was timed alone,
    whatever an exchange takes longer. Of rendezvous the gap is the sender's where it is far above
    what the link takes, as over sockets, whose processors copy; a card moves one after the other.
    """
    switch = known.eager_below_bytes
    eager = {size: gap for size, gap in times.gaps.items() if size < switch}
    behind: tuple[Piece, ...] = ()
    if switch < ALWAYS_EAGER:
        # A rendezvous that follows another costs what one alone does.
        first = msgspec.structs.replace(piece_at(known.send, switch), from_bytes=switch)
        behind = (first, *(one for one in known.send if one.from_bytes > switch))
        behind = _slow_rendezvous(known, times.gaps) or behind
    posting = (Piece(0, times.posting_ns), *behind) if times.posting_ns and switch else ()
    if len(eager) < _FEWEST:
        return msgspec.structs.replace(known, further_send=posting)
    gaps = _chords(_never_less(eager))
    least = gaps[0].at(min(eager))
    receives = not 0 < times.receiving_ns < least
    sends = not (receives and 0 < times.posting_ns < least)
    return msgspec.structs.replace(
        known,
        further_send=(*gaps, *behind) if sends else posting,
        further_receive=gaps if receives else (),
    )


def _slow_rendezvous(known: Protocols, gaps: Mapping[int, float]) -> tuple[Piece, ...]:
    """What a rendezvous behind others takes of its sender; none where the link is what is slow."""
    switch = known.eager_below_bytes
    own = {size: gap for size, gap in gaps.items() if size >= switch}
    slow = [gap > _FAR_ABOVE * known.gap_ns(size) for size, gap in own.items()]
    if len(own) < _FEWEST or not all(slow):
        return ()
    first, *others = _chords(_never_less(own))
    return (msgspec.structs.replace(first, from_bytes=switch), *others)


def table_of(times: Times) -> Protocols:
    """A piece for each size. Raises WeftError for fewer than two sizes."""
    sizes = sorted(times.ping_pong)
    if len(sizes) < _FEWEST:
        raise WeftError("a table needs times of two sizes", "measure ping_pong at more --sizes")
    switch = times.switch_bytes
    if switch is None:
        switch = _best_switch(times.ping_pong)
    through = [_through(times.ping_pong, sizes, at) for at in range(len(sizes))]
    eager = {size: times.ping_pong[size] for size in sizes if size < switch}
    wire = through[-1].ns_per_byte
    begun = min((time - wire * size for size, time in eager.items()), default=0.0)
    left_to_sender = {size: time - begun - wire * size for size, time in eager.items()}
    transfer = tuple(one for one in through if one.from_bytes >= switch)
    if eager:
        transfer = (Piece(0, begun, wire), *transfer)
    transfer = (msgspec.structs.replace(transfer[0], from_bytes=0), *transfer[1:])
    plain = Protocols(
        transfer=transfer,
        blocking_send=_chords(left_to_sender) if eager else NOTHING,
        eager_below_bytes=switch,
    )
    both = sorted(set(times.sendrecv) & set(times.ping_pong))
    if not both:
        return plain
    bare = {size: piece_at(transfer, size) for size in both}
    room = [
        (times.sendrecv[n] - one.ns + ENVELOPE_BYTES * one.ns_per_byte)
        / ((n + ENVELOPE_BYTES) * one.ns_per_byte)
        for n, one in bare.items()
        if n >= switch
    ]
    factor = min(max(min(room, default=1.0), 1.0), _ONE_WAY_ONLY)
    with_bus = msgspec.structs.replace(plain, bus_factor=factor)
    with_bus = _paid_by_blocking(with_bus, {n: t for n, t in times.sendrecv.items() if n < switch})
    left = {n: max(0.0, times.sendrecv[n] - with_bus.sendrecv_ns(n)) for n in both}
    return msgspec.structs.replace(with_bus, send=_chords(left))


def _lines_from(times: Mapping[int, float], starts: Sequence[int]) -> list[tuple[float, float]]:
    """The lines of the sizes from each start to the next."""
    ends = (*starts[1:], float("inf"))
    return [
        _line({n: t for n, t in times.items() if first <= n < end})
        for first, end in zip(starts, ends, strict=True)
    ]


def _best_starts(times: Mapping[int, float]) -> list[int]:
    """Where lines begin, the first of them at 0: each has three sizes at least."""
    times = _thinned(times)
    sizes = sorted(times)
    count = len(sizes)
    least = min(_SIZES_OF_LINE, count)
    missed = {
        part: own for part, own in _missed_of_parts(times).items() if part[1] - part[0] >= least
    }
    # The least that is missed of the first sizes in so many lines, and where the lines begin.
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    chosen: tuple[float, list[int]] = (float("inf"), [0])
    for lines in range(1, MOST_LINES + 1):
        best = {
            end: min(
                (before + missed[start, end], [*starts, start])
                for start, (before, starts) in best.items()
                if (start, end) in missed
            )
            for end in range(1, count + 1)
            if any((start, end) in missed for start in best)
        }
        if count not in best:
            break
        left = max(best[count][0] / count, _LEAST_MISSED)
        criterion = 2 * count * log(left) + 3 * lines * log(count)
        chosen = min(chosen, (criterion, best[count][1]))
    return [0, *(sizes[at] for at in chosen[1][1:])]


def _paid_by_blocking(known: Protocols, exchanges: Mapping[int, float]) -> Protocols:
    """What one way takes longer than an exchange, both eager, is MPI_Send's, which none has."""
    free = msgspec.structs.replace(known, send=NOTHING)
    more = max((free.sendrecv_ns(n) - time for n, time in exchanges.items()), default=0.0)
    if more <= 0:
        return known
    first, *others = known.transfer
    return msgspec.structs.replace(
        known,
        transfer=(msgspec.structs.replace(first, ns=first.ns - more), *others),
        blocking_send=tuple(
            msgspec.structs.replace(one, ns=one.ns + more) for one in known.blocking_send
        ),
    )


def _left_to_send(
    known: Protocols, starts: Sequence[int], exchanges: Sequence[tuple[float, float]]
) -> tuple[Piece, ...]:
    """What MPI_Isend takes, so that an exchange takes what its line says."""
    found = []
    for start, (a, g) in zip(starts, exchanges, strict=True):
        line = piece_at(known.transfer, start)
        ns = a - line.ns - (known.bus_factor - 1) * ENVELOPE_BYTES * line.ns_per_byte
        if start < known.eager_below_bytes:
            ns -= piece_at(known.receive, start).ns
        steeper = g - known.bus_factor * line.ns_per_byte
        found.append(Piece(start, max(0.0, ns), max(0.0, steeper)))
    return tuple(found)


def _best_switch(times: Mapping[int, float]) -> int:
    """The first size of the second of the two lines that miss least; 0 where one does as well."""
    times = _thinned(times)
    sizes = sorted(times)
    count = len(sizes)
    missed = _missed_of_parts(times)
    best, least = 0, 0.5 * missed[0, count]
    for at in range(_FEWEST, count - 1):
        both = missed[0, at] + missed[at, count]
        if both < least:
            best, least = sizes[at], both
    return best


def _thinned(times: Mapping[int, float]) -> Mapping[int, float]:
    """At most _MOST_SIZES sizes: every second, third and so on, and the last."""
    step = -(-len(times) // _MOST_SIZES)
    sizes = sorted(times)
    return {size: times[size] for size in (*sizes[:-1:step], sizes[-1])} if step > 1 else times


def _missed_of_parts(times: Mapping[int, float]) -> dict[tuple[int, int], float]:
    """The error of the best line through each range of sizes, by its first and last place.

    Lines go through two sizes of the part, as in `_line`. Sums of what a line misses of the first
    sizes give it for every part.
    """
    import numpy as np

    sizes = np.array(sorted(times), dtype=float)
    values = np.array([times[size] for size in sorted(times)])
    count = len(sizes)
    one, other = np.triu_indices(count, 1)
    g = np.maximum((values[other] - values[one]) / (sizes[other] - sizes[one]), LEAST_NS_PER_BYTE)
    a = np.maximum(values[one] - g * sizes[one], ENVELOPE_BYTES * g)
    # By both sizes of a line, what it misses of so many sizes from the first on.
    sums = np.full((count, count, count + 1), np.inf)
    sums[one, other, 0] = 0
    each = np.abs((a[:, None] + g[:, None] * sizes) / values - 1)
    sums[one, other, 1:] = np.cumsum(each, axis=1)
    found: dict[tuple[int, int], float] = {}
    for begin in range(count - 1):
        own = sums[begin:-1, begin + 1 :]
        with np.errstate(invalid="ignore"):
            parts = own[:, :, begin + 2 :] - own[:, :, begin, None]
        # Of the lines through a size and one before it, then also through any before that.
        best = np.fmin.accumulate(np.nanmin(parts, axis=0, initial=np.inf), axis=0)
        for place, missed in enumerate(np.diagonal(best)):
            # Rounded so that lines which are exact are alike.
            found[begin, begin + 2 + place] = round(float(missed), _DECIMALS)
    return found


def _line(times: Mapping[int, float]) -> tuple[float, float]:
    """a and g of the line with the least mean of relative distances; it passes through two points.

    (Bloomfield and Steiger, Least Absolute Deviations, 1983, section 1.3.) Raises WeftError for
    fewer than two sizes.
    """
    if len(times) < _FEWEST:
        raise WeftError(
            "a protocol has fewer than two sizes", "measure more --sizes on both sides of it"
        )
    times = _thinned(times)
    found = []
    for one, other in combinations(sorted(times), 2):
        g = max((times[other] - times[one]) / (other - one), LEAST_NS_PER_BYTE)
        a = max(times[one] - g * one, ENVELOPE_BYTES * g)
        found.append((_missed(times, (a, g)), a, g))
    _, a, g = min(found)
    return a, g


def _missed(times: Mapping[int, float], line: tuple[float, float]) -> float:
    a, g = line
    return sum(abs((a + g * n) / time - 1) for n, time in times.items())


def _chords(times: Mapping[int, float]) -> tuple[Piece, ...]:
    """From size to size in straight lines.

    Each begins a byte above its first size, where the one before is as right: SimGrid's pieces
    begin above a size, and none can begin above less than 0 bytes.
    """
    sizes = sorted(times)
    lines = [_chord(times, sizes, at) for at in range(len(sizes))]
    return tuple(
        msgspec.structs.replace(one, from_bytes=one.from_bytes + 1 if at else 0)
        for at, one in enumerate(lines)
    )


def _never_less(times: Mapping[int, float]) -> dict[int, float]:
    """The nearest times, by least squares, of which no larger message has a shorter one.

    (Best and Chakravarti, Active Set Algorithms for Isotonic Regression, Mathematical Programming
    47, 1990.)
    """
    from scipy.optimize import isotonic_regression

    sizes = sorted(times)
    fitted = isotonic_regression([times[size] for size in sizes]).x
    return dict(zip(sizes, map(float, fitted), strict=True))


def _through(times: Mapping[int, float], sizes: Sequence[int], at: int) -> Piece:
    """A piece that is right at its first size, and at the next one if it can be."""
    line = _chord(times, sizes, at)
    size, time = sizes[at], times[sizes[at]]
    g = max(line.ns_per_byte, LEAST_NS_PER_BYTE)
    if time - g * size < ENVELOPE_BYTES * g:
        g = time / (size + ENVELOPE_BYTES)  # no latency is below 0
    return Piece(size, time - g * size, g)


def _chord(times: Mapping[int, float], sizes: Sequence[int], at: int) -> Piece:
    """The line from a size to the next one; the last goes on as the one before."""
    first = min(at, len(sizes) - 2)
    if first < 0:
        return Piece(sizes[at], times[sizes[at]])
    one, other = sizes[first], sizes[first + 1]
    g = (times[other] - times[one]) / (other - one)
    return Piece(sizes[at], times[sizes[at]] - g * sizes[at], g)
