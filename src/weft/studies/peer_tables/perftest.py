"""The layout of perftest: src/perftest_parameters.h. t_typical is the median, MiB are 2^20 bytes.

A bandwidth's peak is printed as 0, which perftest prints where none was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.peers.perftest import TITLES
from weft.studies.peer_tables.layout import (
    PeerLayout,
    bytes_per_s,
    columns,
    lacks_a_count,
    latency_us,
)

if TYPE_CHECKING:
    from weft.studies.peer_tables.figures import CurveFigures

_RULE = "-" * 87
_COUNTS = (" #bytes", " #iterations")
_TIMES = ("t_min[usec]", "t_max[usec]", "t_typical[usec]", "t_avg[usec]", "t_stdev[usec]")
_TAILS = ("99", "99.9")
_RATES = ("BW peak[MiB/sec]", "BW average[MiB/sec]", "MsgRate[Mpps]")
_GAP = 4


def lines(title: str, curve: CurveFigures) -> list[str]:
    """Percentiles and extremes of latencies, and the mean of bandwidths."""
    case = curve.first
    is_bandwidth = curve.pattern.figure == "bandwidth"
    test = f"{title} Test"
    tails = [p for p in _TAILS if all(p in one.percentiles_ns for one in curve.cases)]
    heads = (*_COUNTS, *(_RATES if is_bandwidth else _times(tails)))
    widths = [8, 14, *(len(head) + _GAP for head in heads[2:])]
    rows = _rates(curve) if is_bandwidth else _latencies(curve, tails)
    return [
        _RULE,
        f"                    {test}",
        f" Transport       : {case.transport}",
        # Its own reader, and weft's, take the depth from here.
        *([f" TX depth        : {case.queue_depth}"] if is_bandwidth else []),
        _RULE,
        columns(heads, widths),
        *(columns(row, widths) for row in rows),
        _RULE,
    ]


def _times(tails: list[str]) -> tuple[str, ...]:
    return (*_TIMES, *(f"{p}% percentile[usec]" for p in tails))


def _latencies(curve: CurveFigures, tails: list[str]) -> list[list[str]]:
    return [
        [
            str(one.case.bytes),
            str(one.operations),
            *(
                f"{latency_us(curve, time):.2f}"
                for time in (
                    one.least_ns,
                    one.greatest_ns,
                    one.median_ns,
                    one.mean_ns,
                    one.deviation_ns,
                    *(one.percentiles_ns[p] for p in tails),
                )
            ),
        ]
        for one in curve.cases
    ]


def _rates(curve: CurveFigures) -> list[list[str]]:
    return [
        [
            str(one.case.bytes),
            str(one.operations),
            "0.00",
            f"{bytes_per_s(curve, one, one.mean_ns) / 2**20:.2f}",
            # Its own record states it to more digits than its bandwidth gives back.
            f"{one.stated.get(_RATES[2], curve.pattern.bandwidth_factor * 1000 / one.mean_ns):.6f}",
        ]
        for one in curve.cases
    ]


def lacks(curve: CurveFigures) -> str:
    """Its latencies are least, greatest and typical samples, and how far these scatter."""
    if curve.pattern.figure == "bandwidth":
        return lacks_a_count(curve)
    is_stated = any(one.stated_as for one in curve.cases)
    return "the record has no samples, whose extremes and deviation it prints" if is_stated else ""


PERFTEST = PeerLayout(
    name="perftest",
    program="perftest",
    definition="medians, means and extremes over all samples",
    titles=TITLES,
    lines=lines,
    lacks=lacks,
)
