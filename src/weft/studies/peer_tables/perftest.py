"""The layout of perftest: src/perftest_parameters.h. t_typical is the median, MiB are 2^20 bytes.

A bandwidth's peak is printed as 0, which perftest prints where none was measured. What perftest
stated itself is printed as it stood there, a deviation that it had not as -nan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.sources.peers.perftest import TITLES
from weft.sources.peers.perftest_rows import UNITS
from weft.studies.peer_tables.layout import (
    PeerLayout,
    bytes_per_s,
    columns,
    lacks_a_count,
    latency_us,
)

if TYPE_CHECKING:
    from weft.studies.peer_tables.figures import CaseFigures, CurveFigures

_RULE = "-" * 87
_COUNTS = (" #bytes", " #iterations")
_TIMES = ("t_min[usec]", "t_max[usec]", "t_typical[usec]", "t_avg[usec]", "t_stdev[usec]")
_TAILS = ("99", "99.9")
_RATES = ("BW peak[{}]", "BW average[{}]", "MsgRate[Mpps]")
_UNIT, _GBITS = "MiB/sec", "Gb/sec"
_MEAN, _DEVIATION = _TIMES[3:]
# The same unit, as it was called up to 2024.
_OLD_PEAK = "BW peak[MB/sec]"
_GAP = 4


def lines(title: str, curve: CurveFigures) -> list[str]:
    """Percentiles and extremes of latencies, and the mean of bandwidths."""
    case = curve.first
    is_bandwidth = curve.pattern.figure == "bandwidth"
    test = f"{title} Test"
    tails = [p for p in _TAILS if all(p in one.percentiles_ns for one in curve.cases)]
    unit = _unit(curve)
    rates = tuple(head.format(unit) for head in _RATES)
    heads = (*_COUNTS, *(rates if is_bandwidth else _times(tails)))
    widths = [8, 14, *(len(head) + _GAP for head in heads[2:])]
    rows = _rates(curve, unit) if is_bandwidth else _latencies(curve, tails)
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
                )
            ),
            *(_stated(curve, one, head) for head in (_MEAN, _DEVIATION)),
            *(f"{latency_us(curve, one.percentiles_ns[p]):.2f}" for p in tails),
        ]
        for one in curve.cases
    ]


def _stated(curve: CurveFigures, one: CaseFigures, head: str) -> str:
    if one.stated_as:
        return f"{one.stated[head]:.2f}" if head in one.stated else "-nan"
    return f"{latency_us(curve, one.mean_ns if head == _MEAN else one.deviation_ns):.2f}"


def _unit(curve: CurveFigures) -> str:
    """Of rates that perftest stated in Gb/s they are."""
    stated = any(head.endswith(f"[{_GBITS}]") for one in curve.cases for head in one.stated)
    return _GBITS if stated else _UNIT


def _rates(curve: CurveFigures, unit: str) -> list[list[str]]:
    per_s, digits = float(UNITS[unit]), 6 if unit == _GBITS else 2
    return [
        [
            str(one.case.bytes),
            str(one.operations),
            f"{one.stated.get(_RATES[0].format(unit), one.stated.get(_OLD_PEAK, 0)):.{digits}f}",
            f"{bytes_per_s(curve, one, one.mean_ns) / per_s:.{digits}f}",
            # Its own record states it to more digits than its bandwidth gives back.
            f"{one.stated.get(_RATES[2], curve.pattern.bandwidth_factor * 1000 / one.mean_ns):.6f}",
        ]
        for one in curve.cases
    ]


def lacks(curve: CurveFigures) -> str:
    """Its latencies are least, greatest and typical samples, and how far these scatter."""
    if curve.pattern.figure == "bandwidth":
        return lacks_a_count(curve)
    is_stated = any(one.stated_as and _MEAN not in one.stated for one in curve.cases)
    return "the record has no samples, whose extremes and deviation it prints" if is_stated else ""


PERFTEST = PeerLayout(
    name="perftest",
    program="perftest",
    definition="medians, means and extremes over all samples",
    titles=TITLES,
    lines=lines,
    lacks=lacks,
)
