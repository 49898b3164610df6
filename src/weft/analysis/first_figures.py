"""What a reader wants of each transport first: four figures, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.half_bandwidth import HalfBandwidth, half_bandwidth
from weft.estimate import Estimate
from weft.plan.cases import BANDWIDTH, LATENCY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary
    from weft.record.run import Run


class FirstFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A transport's latency at its smallest size, and its best bandwidth with the size.

    `half` is n½ of its bandwidths, `percent_of_peak` of the bandwidth, where the link is known.
    """

    transport: str
    latency_bytes: int = 0
    latency_ns: Estimate | None = None
    bandwidth_bytes: int = 0
    bandwidth_bytes_per_s: Estimate | None = None
    half: HalfBandwidth | None = None
    link: str = ""
    percent_of_peak: Estimate | None = None


def first_figures(run: Run, summaries: Sequence[CaseSummary]) -> tuple[FirstFigures, ...]:
    """The figures of each transport that has a latency or a bandwidth between two ranks."""
    good = [one for one in summaries if one.status == "ok" and one.ranks == 2]
    every = [_of(run, name, good) for name in dict.fromkeys(one.transport for one in good)]
    return tuple(one for one in every if one.latency_ns or one.bandwidth_bytes_per_s)


def _of(run: Run, transport: str, summaries: Sequence[CaseSummary]) -> FirstFigures:
    latencies = _curve(summaries, transport, LATENCY)
    rates = _curve(summaries, transport, BANDWIDTH)
    first = min(latencies, key=lambda one: one.bytes, default=None)
    known = [(one, rate) for one in rates if (rate := one.bandwidth_bytes_per_s)]
    best, bandwidth = max(known, key=lambda pair: pair[1].value, default=(None, None))
    share = None
    if best and bandwidth and (peak := best.peak_bytes_per_s):
        share = bandwidth.mapped(lambda rate: 100 * rate / peak)
    return FirstFigures(
        transport=transport,
        latency_bytes=first.bytes if first else 0,
        latency_ns=first.latency_ns if first else None,
        bandwidth_bytes=best.bytes if best else 0,
        bandwidth_bytes_per_s=bandwidth,
        half=half_bandwidth(run, [run.cases[one.case] for one in rates]) if rates else None,
        link=best.link if best else "",
        percent_of_peak=share,
    )


def _curve(summaries: Sequence[CaseSummary], transport: str, test: str) -> list[CaseSummary]:
    """The cases of a test over a transport: without further options where that was measured."""
    own = [one for one in summaries if (one.transport, one.test) == (transport, test)]
    plain = [one for one in own if not one.variant]
    if plain:
        return plain
    return [one for one in own if one.variant == own[0].variant]
