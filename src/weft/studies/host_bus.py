"""The path between each card of this host and memory, as it is shown."""

from __future__ import annotations

from weft.analysis.bus import buses_here
from weft.errors import WeftError
from weft.host.manifest import collect
from weft.studies.shown import ShownTables
from weft.topics.bus import bottlenecks, bus_in_words, bus_tables


def buses_of_this_host() -> ShownTables:
    """A table and a sentence a card. Raises WeftError where there is none."""
    buses = buses_here(collect())
    if not buses:
        raise WeftError("this host shows no card on a bus", 'name a link: weft peak "PCIe 4 x16"')
    return ShownTables(
        tables=tuple(bus_tables(buses)),
        findings=tuple(map(bus_in_words, buses)),
        plain=bottlenecks(buses),
    )
