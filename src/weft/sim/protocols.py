"""How long a message takes on a simulated platform: few numbers, as LogGP names them.

SimGrid's SMPI charges a message of N bytes, which has 16 bytes of envelope on the wire,

    eager, below `eager_below_bytes`:   send(N) + a + g N + receive(N)
    rendezvous:                         a + g N, and send(N) if it was begun by MPI_Isend

and rank-sim, of several that a rank posts or takes in without a moment between, those behind the
first further_send(N) and further_receive(N): a stream has the gap of what is slowest. a and g are
of the piece that N is in, and send(N) and receive(N) lines by pieces too. Where a node
sends and receives at once and its bus carries less than both ways of the link, g is longer by
`bus_factor`. (Degomme et al., Simulating MPI Applications: The SMPI Approach, IEEE TPDS 28 (8),
2017, section 4; which sizes a piece takes was found out by asking SimGrid 3.32.)
"""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from weft.fabric.simgrid import (
    BANDWIDTH_FACTOR,
    FURTHER_RECEIVE,
    FURTHER_SEND,
    LATENCY_FACTOR,
)

ENVELOPE_BYTES = 16
# A bandwidth must be a number: steeper than any link.
LEAST_NS_PER_BYTE = 1e-4
# SimGrid gives no more than a window of 4 MiB for two latencies, as TCP does, unless it is wider.
_NO_WINDOW = "1e30"


class Piece(msgspec.Struct, frozen=True):
    """a and g of messages from a size on: `ns` and `ns_per_byte`."""

    from_bytes: int
    ns: float
    ns_per_byte: float = 0.0

    def at(self, size_bytes: int) -> float:
        """The line's value, ns."""
        return self.ns + self.ns_per_byte * size_bytes


NOTHING = (Piece(0, 0.0),)


class Protocols(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform's messages cost. The first piece of each list is from 0 bytes on.

    `blocking_send` is what MPI_Send takes of the processor, and `send` what MPI_Isend does.
    `further_send` is what either takes for a message that follows another at once, and
    `further_receive` what taking it in does; without them each costs what one alone does.
    `bus_factor` is 1 where a node's bus carries both ways of the link, 2 where only one.
    """

    transfer: tuple[Piece, ...]
    blocking_send: tuple[Piece, ...] = NOTHING
    send: tuple[Piece, ...] = NOTHING
    receive: tuple[Piece, ...] = NOTHING
    further_send: tuple[Piece, ...] = ()
    further_receive: tuple[Piece, ...] = ()
    eager_below_bytes: int = 0
    bus_factor: float = 1.0

    @property
    def parameters(self) -> int:
        """How many numbers there are that are not 0."""
        hosts = (*self.blocking_send, *self.send, *self.receive)
        lines = (*self.transfer, *hosts, *self.further_send, *self.further_receive)
        numbers = [value for one in lines for value in (one.ns, one.ns_per_byte)]
        return sum(map(bool, numbers)) + (self.eager_below_bytes > 0) + (self.bus_factor > 1)

    @property
    def bandwidth_bytes_per_s(self) -> float:
        """Of the link, one way: that of the largest messages."""
        return 1e9 / self.transfer[-1].ns_per_byte

    @property
    def latency_ns(self) -> float:
        """Of the link: that of the smallest messages."""
        return max(self.transfer[0].ns, 1.0)

    @property
    def bus_bytes_per_s(self) -> float:
        """What a node's bus carries both ways together; 0: any."""
        return 2 * self.bandwidth_bytes_per_s / self.bus_factor if self.bus_factor > 1 else 0.0

    def ping_pong_ns(self, size_bytes: int) -> float:
        """One way of a ping-pong by MPI_Send and MPI_Recv."""
        host = self._blocking(size_bytes) if size_bytes < self.eager_below_bytes else 0.0
        return host + piece_at(self.transfer, size_bytes).at(size_bytes)

    def sendrecv_ns(self, size_bytes: int) -> float:
        """An exchange of both ways at once, by MPI_Isend and MPI_Irecv."""
        line = piece_at(self.transfer, size_bytes)
        longer = (self.bus_factor - 1) * line.ns_per_byte * (size_bytes + ENVELOPE_BYTES)
        host = max(0.0, piece_at(self.send, size_bytes).at(size_bytes))
        if size_bytes < self.eager_below_bytes:
            host += piece_at(self.receive, size_bytes).at(size_bytes)
        return host + line.at(size_bytes) + longer

    def gap_ns(self, size_bytes: int) -> float:
        """The time between two messages of a stream: of posting, the wire and taking in the most.

        A rendezvous in a stream is posted while others move.
        """
        wire = piece_at(self.transfer, size_bytes).ns_per_byte * (size_bytes + ENVELOPE_BYTES)
        if size_bytes >= self.eager_below_bytes:
            return max(wire, piece_at(self.further_send or self.send, size_bytes).at(size_bytes))
        hosts = (self.further_send or self.send, self.further_receive or self.receive)
        return max(wire, *(piece_at(pieces, size_bytes).at(size_bytes) for pieces in hosts))

    def without_bytes(self) -> Protocols:
        """The same with messages whose bytes take no time: what is left is latency and overhead."""

        def fixed(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
            return tuple(Piece(one.from_bytes, one.ns) for one in pieces)

        return msgspec.structs.replace(
            self,
            transfer=fixed(self.transfer),
            blocking_send=fixed(self.blocking_send),
            send=fixed(self.send),
            receive=fixed(self.receive),
            further_send=fixed(self.further_send),
            further_receive=fixed(self.further_receive),
        )

    def further(self) -> dict[str, str]:
        """The properties of the platform's zone for rank-sim; none where nothing is said of it."""
        lines = {FURTHER_SEND: self.further_send, FURTHER_RECEIVE: self.further_receive}
        return {name: _lines(pieces) for name, pieces in lines.items() if pieces}

    def settings(self) -> dict[str, str]:
        """SimGrid's settings for it, beside a link of this latency and bandwidth."""
        rate = self.bandwidth_bytes_per_s / 1e9
        factors = [
            (_above(one.from_bytes, ENVELOPE_BYTES), 1 / (one.ns_per_byte * rate), one)
            for one in self.transfer
        ]
        latencies = [
            (above, max(0.0, one.ns - ENVELOPE_BYTES * one.ns_per_byte) / self.latency_ns)
            for above, _, one in factors
        ]
        return {
            "network/crosstraffic": "0",
            "network/TCP-gamma": _NO_WINDOW,
            "smpi/async-small-thresh": str(self.eager_below_bytes),
            "smpi/send-is-detached-thresh": str(self.eager_below_bytes),
            BANDWIDTH_FACTOR: ";".join(f"{above}:{factor:.12g}" for above, factor, _ in factors),
            LATENCY_FACTOR: ";".join(f"{above}:{factor:.12g}" for above, factor in latencies),
            "smpi/os": _lines(self.blocking_send),
            "smpi/ois": _lines(self.send),
            "smpi/or": _lines(self.receive),
        }

    def _blocking(self, size_bytes: int) -> float:
        lines = (self.blocking_send, self.receive)
        return sum(piece_at(pieces, size_bytes).at(size_bytes) for pieces in lines)


def piece_at(pieces: tuple[Piece, ...], size_bytes: int) -> Piece:
    """The piece that a size is in."""
    return pieces[bisect_right(pieces, size_bytes, key=lambda one: one.from_bytes) - 1]


def _above(from_bytes: int, more: int) -> int:
    """SimGrid's pieces begin above their size, and the first one at 0."""
    return from_bytes + more - 1 if from_bytes else 0


def _lines(pieces: tuple[Piece, ...]) -> str:
    return ";".join(
        f"{_above(one.from_bytes, 0)}:{one.ns * 1e-9:.12g}:{one.ns_per_byte * 1e-9:.12g}"
        for one in pieces
    )
