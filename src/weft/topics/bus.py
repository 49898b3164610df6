"""Host bus: the path between a card and memory, and the stage of it that is the bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.bus import buses_of
from weft.fabric.peaks import parse_link
from weft.tables import Table
from weft.topics.base import Topic
from weft.units import format_bandwidth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.bus import Bus, BusStage
    from weft.analysis.summary import CaseSummary
    from weft.fabric.peaks import Link
    from weft.topics.base import Results


class HostBus(Topic[tuple["Bus", ...]]):
    """What each stage between a card and memory carries at best."""

    name = "bus"
    title = "Host bus"
    group = "memory"

    def rows(self, results: Results) -> tuple[Bus, ...]:
        """The path of every device that was used, on each host."""
        link = results.link or _link_of(results.summaries)
        return buses_of(results.run, results.summaries, link)

    def tables(self, rows: tuple[Bus, ...]) -> list[Table]:
        """A table a device."""
        return bus_tables(rows)

    def findings(self, rows: tuple[Bus, ...]) -> list[str]:
        """The bottleneck of each device."""
        return [bus_in_words(bus) for bus in rows]

    def plain(self, rows: tuple[Bus, ...]) -> list[dict[str, Any]]:
        """The paths, with the stage that limits each direction."""
        return bottlenecks(rows)


def _link_of(summaries: Sequence[CaseSummary]) -> Link | None:
    """The link that the figures are shown against, where it is one."""
    names = {summary.link for summary in summaries if summary.link}
    return parse_link(names.pop()) if len(names) == 1 else None


def bus_tables(buses: Sequence[Bus]) -> list[Table]:
    """A table a device: every stage with what it lets through, the bottleneck of either marked."""
    return [
        Table(
            name="bus",
            caption=_caption(bus),
            head=("stage", "one way", "both ways together", "note"),
            rows=tuple(_row(bus, stage) for stage in bus.stages),
        )
        for bus in buses
        if bus.stages
    ]


def _caption(bus: Bus) -> str:
    over = f", over {', '.join(bus.transports)}" if bus.transports else ""
    return f"Path between {_place(bus)} and memory{over}: what each stage carries at best."


def _place(bus: Bus) -> str:
    """The device, and the host that it is in where that is known."""
    return f"{bus.device} on {bus.host}" if bus.host else bus.device


def _row(bus: Bus, stage: BusStage) -> tuple[str, ...]:
    notes = [stage.note] if stage.note else []
    if stage is bus.one_way:
        notes.append("bottleneck one way")
    if stage is bus.both_ways:
        notes.append("bottleneck both ways")
    return (
        stage.name,
        format_bandwidth(stage.one_way_bytes_per_s),
        format_bandwidth(stage.both_ways_bytes_per_s),
        "; ".join(notes),
    )


def bottlenecks(buses: Sequence[Bus]) -> list[dict[str, Any]]:
    """The paths as plain data, with the stage that limits each direction."""
    rows = []
    for bus in buses:
        row: dict[str, Any] = msgspec.to_builtins(bus)
        row["bottleneck_one_way"] = bus.one_way.name if bus.one_way else None
        row["bottleneck_both_ways"] = bus.both_ways.name if bus.both_ways else None
        rows.append(row)
    return rows


def bus_in_words(bus: Bus) -> str:
    """The bounds and what sets them, one sentence; what is not known may be lower."""
    if bus.one_way is None or bus.both_ways is None:
        return f"host bus: {_place(bus)}: nothing is known of {', '.join(bus.unknown)}"
    words = (
        f"host bus: {_place(bus)}: one way at most"
        f" {format_bandwidth(bus.one_way.one_way_bytes_per_s)} by {bus.one_way.name}; both ways"
        f" together at most {format_bandwidth(bus.both_ways.both_ways_bytes_per_s)} by"
        f" {bus.both_ways.name}"
    )
    return words + (f" (not known: {', '.join(bus.unknown)})" if bus.unknown else "")
