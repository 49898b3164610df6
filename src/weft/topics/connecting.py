"""Connecting: what it costs a rank to set up its connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.estimate import Estimate
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import TransportRow
from weft.topics.series import positive_of_case
from weft.units import format_time
from weft.wording import with_half

if TYPE_CHECKING:
    from weft.record.model import Launch
    from weft.record.run import Run
    from weft.topics.base import Results


class Connecting(TransportRow, frozen=True, kw_only=True):
    """The time that a transport takes to connect a rank with its first peers, over their number."""

    peers: int
    launches: int
    time_per_peer_ns: Estimate


class ConnectingRanks(Topic[tuple[Connecting, ...]]):
    """What it costs to connect."""

    name = "connecting"
    title = "Connecting"
    group = "memory"

    def rows(self, results: Results) -> tuple[Connecting, ...]:
        """One row per transport and number of peers."""
        return connecting_of(results.run)

    def tables(self, rows: tuple[Connecting, ...]) -> list[Table]:
        """One row per transport and number of peers."""
        if not rows:
            return []
        return [
            Table(
                name="connecting",
                caption="Connecting, per peer: set-up of the first connections over their number.",
                head=("transport", "peers", "launches", "time per peer"),
                rows=tuple(
                    (
                        row.transport,
                        str(row.peers),
                        str(row.launches),
                        with_half(row.time_per_peer_ns, format_time),
                    )
                    for row in rows
                ),
            )
        ]


def connecting_of(run: Run) -> tuple[Connecting, ...]:
    """One row per transport and number of peers: the median with its interval."""
    groups: dict[tuple[str, int], dict[int, float]] = {}
    for launch in run.lines.launches:
        time_ns = _connect_ns(launch)
        if time_ns is not None:
            peers = peers_at_start(launch)
            groups.setdefault((launch.transport, peers), {})[launch.launch] = time_ns / peers
    return tuple(
        Connecting(
            transport=transport,
            peers=peers,
            launches=len(times),
            time_per_peer_ns=positive_of_case(run, times),
        )
        for (transport, peers), times in groups.items()
    )


def _connect_ns(launch: Launch) -> float | None:
    """What the engine reported; None in records of an older one, or with nobody to connect to."""
    reported = launch.details.get("connect_ns", "")
    return (
        float(reported)
        if reported.isdigit() and int(reported) > 0 and len(launch.ranks) > 1
        else None
    )


def peers_at_start(launch: Launch) -> int:
    """How many peers the ranks connect with before the first case: as reported, or all others."""
    reported = launch.details.get("connected_peers", "")
    return int(reported) if reported.isdigit() and int(reported) > 0 else len(launch.ranks) - 1
