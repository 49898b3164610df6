"""What is assumed of published platforms whose text states too little for a simulation.

Holmgren (2003) prints the latency of both of Fermilab's clusters and no table. What a simulation
needs beside it is named as an assumption, in words that stand under every figure.
"""

from __future__ import annotations

import msgspec


class Assumed(msgspec.Struct, frozen=True, kw_only=True):
    """Bandwidths of a platform's links, bytes/s, and why."""

    one_way_bytes_per_s: float
    both_ways_bytes_per_s: float
    why: str


ASSUMED = {
    "fermilab-topspin": Assumed(
        one_way_bytes_per_s=800e6,
        both_ways_bytes_per_s=800e6,
        why="800 MB/s one way and both ways together, the limit of PCI-X that the text names",
    ),
    "fermilab-myrinet": Assumed(
        one_way_bytes_per_s=250e6,
        both_ways_bytes_per_s=489e6,
        why="250 MB/s one way and 489 MB/s both ways, which the text reports of newer cards",
    ),
}
