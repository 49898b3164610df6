"""Per cent of a link's peak, beside every bandwidth whose link is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.analysis.summary import CaseSummary
    from weft.fabric.peaks import Link
    from weft.plan.pattern import Pattern


def directions_of(latency_divisor: int, bandwidth_factor: int) -> int:
    """How many directions a test loads at once: 2 if its bandwidth counts both, else 1.

    `ping_pong` moves its two messages one after the other: factor 2 over divisor 2 is one way.
    """
    return 2 if bandwidth_factor // max(latency_divisor, 1) == 2 else 1


def with_peak(summary: CaseSummary, pattern: Pattern, link: Link | None) -> CaseSummary:
    """The summary with its link, the peak for its directions, and its share of that peak.

    Only between two ranks: what more of them may share is not known. A bandwidth whose whole
    interval is over the peak did not go over that link alone, and is flagged.
    """
    bandwidth = summary.bandwidth_bytes_per_s
    if link is None or bandwidth is None or summary.ranks != 2:
        return summary
    directions = directions_of(pattern.latency_divisor, pattern.bandwidth_factor)
    peak = link.peak_bytes_per_s(directions)
    flags = summary.flags
    if (bandwidth.low if bandwidth.is_bounded else bandwidth.median) > peak:
        flags += (f"over the peak of {link.name}: the traffic did not go over this link alone",)
    return msgspec.structs.replace(
        summary,
        link=link.name,
        peak_bytes_per_s=peak,
        percent_of_peak=100 * bandwidth.median / peak,
        flags=flags,
    )
