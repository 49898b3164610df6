"""From times of messages to the numbers of a simulated platform: a model, or a table.

The model is LogGP with one switch of protocol (Alexandrov, Ionescu, Schauser and Scheiman, LogGP,
SPAA 1995; the switch as in Hockney's two lines): two lines of time against size for each test. The
table has a piece for each size and is right at each of them: a fit with as many numbers as there
are figures, which predicts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
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

_FEWEST = 2
# A bus that carries one way of the link and no more.
_ONE_WAY_ONLY = 2.0


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform is calibrated from: times by size, ns.

    `ping_pong` is one way, `sendrecv` an exchange of both. `switch_bytes` is the first size of the
    rendezvous protocol where that is known; `overhead_ns` the host's of both sides of a message.
    """

    ping_pong: Mapping[int, float]
    sendrecv: Mapping[int, float] = {}
    switch_bytes: int | None = None
    overhead_ns: float = 0.0


def model_of(times: Times) -> Protocols:
    """LogGP with a switch of protocol. Raises WeftError for fewer than two sizes."""
    if len(times.ping_pong) < _FEWEST:
        raise WeftError("a model needs times of two sizes", "measure ping_pong at more --sizes")
    switch = times.switch_bytes
    if switch is None:
        switch = _best_switch(times.ping_pong)
    lines = [
        _line({n: t for n, t in times.ping_pong.items() if first <= n < end})
        for first, end in _ranges(switch)
    ]
    starts = [first for first, _ in _ranges(switch)]
    half = times.overhead_ns / 2
    wire = lines[-1][1]
    # What an eager message takes longer than the wire is a copy by the sender.
    transfer = tuple(
        Piece(start, a - (2 * half if start < switch else 0.0), min(g, wire))
        for start, (a, g) in zip(starts, lines, strict=True)
    )
    sender = (Piece(0, half, max(0.0, lines[0][1] - wire)),)
    plain = Protocols(
        transfer=transfer,
        blocking_send=sender,
        send=sender,
        receive=(Piece(0, half),) if half else NOTHING,
        eager_below_bytes=switch,
    )
    if not times.sendrecv:
        return plain
    exchanges = [
        _line({n: t for n, t in times.sendrecv.items() if first <= n < end})
        for first, end in _ranges(switch)
    ]
    wanted = exchanges[-1][1] / transfer[-1].ns_per_byte
    with_bus = msgspec.structs.replace(plain, bus_factor=min(max(wanted, 1.0), _ONE_WAY_ONLY))
    if switch:
        with_bus = _paid_by_blocking(with_bus, {0: exchanges[0][0]})
    return msgspec.structs.replace(with_bus, send=_left_to_send(with_bus, starts, exchanges))


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


def _ranges(switch: int) -> list[tuple[int, float]]:
    """Of the eager sizes and of the others."""
    return [(0, switch), (switch, float("inf"))] if switch else [(0, float("inf"))]


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
    sizes = sorted(times)
    plain = _missed(times, _line(times))
    best, least = 0, 0.5 * plain
    for at in range(_FEWEST, len(sizes) - 1):
        parts = [
            {n: times[n] for n in sizes[:at]},
            {n: times[n] for n in sizes[at:]},
        ]
        missed = sum(_missed(part, _line(part)) for part in parts)
        if missed < least:
            best, least = sizes[at], missed
    return best


def _line(times: Mapping[int, float]) -> tuple[float, float]:
    """a and g of the line with the least mean of relative distances; it passes through two points.

    (Bloomfield and Steiger, Least Absolute Deviations, 1983, section 1.3.) Raises WeftError for
    fewer than two sizes.
    """
    if len(times) < _FEWEST:
        raise WeftError(
            "a protocol has fewer than two sizes", "measure more --sizes on both sides of it"
        )
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
