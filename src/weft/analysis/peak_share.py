"""Per cent of a link's peak, beside every bandwidth whose link is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weft.estimate import Estimate
    from weft.fabric.peaks import Link
    from weft.plan.pattern import Pattern


class PeakShare(msgspec.Struct, frozen=True, kw_only=True):
    """A link, its peak for a test's directions, and a bandwidth's share of it.

    `is_over`: the whole interval is over the peak.
    """

    link: str
    peak_bytes_per_s: float
    percent: float
    is_over: bool


def directions_of(latency_divisor: int, bandwidth_factor: int) -> int:
    """How many directions a test loads at once: 2 if its bandwidth counts both, else 1.

    `ping_pong` moves its two messages one after the other: factor 2 over divisor 2 is one way.
    """
    return 2 if bandwidth_factor // max(latency_divisor, 1) == 2 else 1


def share_of_peak(
    bandwidth: Estimate | None, ranks: int, pattern: Pattern, link: Link | None
) -> PeakShare | None:
    """A bandwidth beside its link's peak in as many directions; None where nothing is known.

    Only between two ranks: what more of them may share is not known. A bandwidth whose whole
    interval is over the peak did not go over that link alone.
    """
    if link is None or bandwidth is None or ranks != 2:
        return None
    directions = directions_of(pattern.latency_divisor, pattern.bandwidth_factor)
    peak = link.peak_bytes_per_s(directions)
    return PeakShare(
        link=link.name,
        peak_bytes_per_s=peak,
        percent=100 * bandwidth.value / peak,
        is_over=(bandwidth.low if bandwidth.is_bounded else bandwidth.value) > peak,
    )
