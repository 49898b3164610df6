"""The clusters of Fermilab's study, from the few figures that its text states.

Holmgren (2003) prints the latency of both and no table. What a simulation needs beside it is named
as an assumption, in words that stand under every figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.plan.simulated import SimulatedPlatform
from weft.reference.library import find_platform
from weft.sim.crossbar import at_crossbar
from weft.sim.platforms import one_line

if TYPE_CHECKING:
    from weft.reference.library import Platform


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster of the study: what is assumed of its links, bytes/s, and why."""

    platform: str
    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float
    assumed: str


CLUSTERS = (
    Stated(
        platform="fermilab-topspin",
        one_way_bytes_per_s=800e6,
        both_ways_bytes_per_s=800e6,
        assumed="800 MB/s one way and both ways together, the limit of PCI-X that the text names",
    ),
    Stated(
        platform="fermilab-myrinet",
        one_way_bytes_per_s=250e6,
        both_ways_bytes_per_s=489e6,
        assumed="250 MB/s one way and 489 MB/s both ways, which the text reports of newer cards",
    ),
)


def published_of(cluster: Stated) -> Platform:
    """What is published of it."""
    return find_platform(cluster.platform)


def platform_of(cluster: Stated, nodes: int, flops_per_s: float) -> SimulatedPlatform:
    """So many of its nodes at one crossbar, each of which computes so much."""
    published = published_of(cluster)
    stated = {one.key: one.si or 0.0 for one in published.facts}
    protocols = one_line(
        stated["latency_zero_mpi"], cluster.one_way_bytes_per_s, cluster.both_ways_bytes_per_s
    )
    named = SimulatedPlatform(
        name=published.name,
        kind="model",
        nodes=nodes,
        origin=f"latency of {published.citation.authors}, {published.citation.date}; assumed:"
        f" {cluster.assumed}",
    )
    return at_crossbar(named, protocols, published.title, flops_per_s=flops_per_s)
