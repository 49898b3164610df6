"""The layout of the OSU Micro-Benchmarks 7.4: util/osu_util_mpi.c, print_only_header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.peers.omb import ALIKE, TITLES
from weft.studies.peer_tables.layout import PeerLayout, bytes_per_s, lacks_a_mean, latency_us

if TYPE_CHECKING:
    from weft.studies.peer_tables.figures import CurveFigures

_VERSION = "7.4"
_SIZE, _WIDTH = 10, 18
_TAILS = ("50", "99")


def lines(title: str, curve: CurveFigures) -> list[str]:
    """Means, and percentiles where samples are of single operations."""
    head = [f"# OSU {title} Test v{_VERSION}"]
    if not curve.pattern.has_size:
        [only] = curve.cases
        return [*head, "# Avg Latency(us)", f"{latency_us(curve, only.mean_ns):17.2f}"]
    if curve.pattern.figure == "bandwidth":
        rows = [
            (one.case.bytes, [bytes_per_s(curve, one, one.mean_ns) / 1e6]) for one in curve.cases
        ]
        return [*head, *_table(["Bandwidth (MB/s)"], rows)]
    singles = not any(one.is_of_means for one in curve.cases)
    tails = [p for p in _TAILS if singles and all(p in c.percentiles_ns for c in curve.cases)]
    rows = [
        (
            one.case.bytes,
            [
                latency_us(curve, time)
                for time in (one.mean_ns, *(one.percentiles_ns[p] for p in tails))
            ],
        )
        for one in curve.cases
    ]
    heads = ["Avg Latency(us)", *(f"P{p} Tail Lat(us)" for p in tails)]
    return [*head, *_table(heads, rows)]


def _table(heads: list[str], rows: list[tuple[int, list[float]]]) -> list[str]:
    first = "# Size".ljust(_SIZE) + "".join(head.rjust(_WIDTH) for head in heads)
    return [
        first,
        *(
            str(size).ljust(_SIZE) + "".join(f"{value:.2f}".rjust(_WIDTH) for value in values)
            for size, values in rows
        ),
    ]


OSU = PeerLayout(
    name="osu",
    program=f"OMB {_VERSION}",
    definition="means over all samples",
    titles=TITLES,
    alike=ALIKE,
    lines=lines,
    lacks=lacks_a_mean,
)
