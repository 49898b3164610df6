"""The network signature: bandwidth against transfer time (Snell, Mikler and Gustafson, NetPIPE: A
Network Protocol Independent Performance Evaluator, 1996).

The curve leaves the time axis at the latency of an empty message and ends at the saturation
bandwidth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.analysis.fits.segments import fit_piecewise
from weft.analysis.stats.intervals import median_of_case
from weft.estimate import Estimate
from weft.units import format_bytes

if TYPE_CHECKING:
    from weft.analysis.fits.sweeps import Series

# The largest message should come this near to saturation, or it is drawn out.
REACHED = 0.9


class SignaturePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One message size; the zero-byte message has a time and no bandwidth."""

    bytes: int
    time_ns: Estimate
    bandwidth_bytes_per_s: Estimate


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """The curve of one series and its two marks.

    `zero_length_ns` is the measured time of zero bytes, else the first line's intercept.
    `saturation_bytes_per_s` is one over the slope of the piecewise model's last line.
    """

    name: str
    points: tuple[SignaturePoint, ...]
    zero_length_ns: Estimate
    saturation_bytes_per_s: Estimate
    notes: tuple[str, ...]


def _rate(time_ns: Estimate, moved: float) -> Estimate:
    return time_ns.mapped(lambda time: moved / time)


def signature_of(series: Series) -> Signature:
    """The signature of a series with latencies. Raises WeftError for fewer than six sizes."""
    model = fit_piecewise(series)
    moved = 1e9 * series.directions
    ticks_ns = series.ticks_ns or (0.0,) * len(series.sizes_bytes)
    points = []
    for index, size in enumerate(int(value) for value in series.sizes_bytes):
        medians = [float(sweep.medians_ns[index]) for sweep in series.launches]
        time = median_of_case(medians, series.sessions, ticks_ns[index])
        points.append(
            SignaturePoint(
                bytes=size, time_ns=time, bandwidth_bytes_per_s=_rate(time, moved * size)
            )
        )
    notes = list(series.notes)
    first, last = points[0], points[-1]
    zero = model.segments[0].latency_ns
    if first.bytes == 0:
        at = first.time_ns
        zero = Estimate(
            value=at.value,
            low=at.low,
            high=at.high,
            coverage=at.coverage,
            method=at.method,
            launches=at.launches,
            unit=at.unit,
        )
    else:
        notes.append(
            "zero bytes were not measured: the latency is extrapolated from"
            f" {format_bytes(first.bytes)}"
        )
    saturation = model.asymptotic_bandwidth_bytes_per_s
    share = last.bandwidth_bytes_per_s.value / saturation.value
    if share < REACHED:
        notes.append(
            f"saturation is extrapolated: {format_bytes(last.bytes)} reaches {share:.0%} of it;"
            " measure larger messages"
        )
    return Signature(
        name=series.name,
        points=tuple(points),
        zero_length_ns=zero,
        saturation_bytes_per_s=saturation,
        notes=tuple(notes),
    )
