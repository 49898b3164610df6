"""Limits from records of a machine as it should be. Pure.

A limit lies as far from the figure as the records' own scatter needs: were the scatter known, an
equal machine that is measured in the same way on another day would keep it in AIM of cases. A limit
is kept where the whole
interval is within it, so with figures of standard error e and sessions that differ by s its
logarithm is

    H + z sqrt(2 e^2 + 2 s^2)

away, H half the interval of a figure, z the normal quantile of AIM, and e = H / 1.96. What is
slower by twice that fails as often.
"""

from __future__ import annotations

import math

import msgspec

from weft.analysis.compare.bounds import Kind
from weft.analysis.compare.pool import Pooled
from weft.analysis.stats.needed import quantile
from weft.analysis.stats.slowdown import SESSION_SCATTER
from weft.estimate import Estimate

# A file has dozens of limits, and all are to be kept.
AIM = 0.99
# What is promised: tests/analysis/compare/test_made_limits.py, from three launches on.
KEEPS = 0.95
STANDARD_ERRORS = 1.96


class MadeLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A limit of one case: `bound` in ns or bytes/s lies by the share `tolerance` from `figure`."""

    pooled: Pooled
    kind: Kind
    figure: Estimate
    tolerance: float
    bound: float


def limit_of(pooled: Pooled) -> MadeLimit | str:
    """The limit of a case, or why it has none."""
    is_latency = pooled.quantity == "latency"
    figure = pooled.latency_ns if is_latency else pooled.bandwidth_bytes_per_s
    if pooled.failed:
        return pooled.failed
    if figure is None:
        return "it was not measured"
    if not figure.is_bounded or figure.low <= 0:
        return f"one {figure.unit} has no interval"
    # Whole per cent, and never none.
    tolerance = max(math.ceil(100 * math.expm1(_distance(figure, pooled)) - 1e-9), 1) / 100
    return MadeLimit(
        pooled=pooled,
        kind="latency_at_most" if is_latency else "bandwidth_at_least",
        figure=figure,
        tolerance=tolerance,
        bound=figure.value * (1 + tolerance) if is_latency else figure.value / (1 + tolerance),
    )


def _distance(figure: Estimate, pooled: Pooled) -> float:
    """Of the limit's logarithm from the figure's."""
    half = (math.log(figure.high) - math.log(figure.low)) / 2
    error = half / STANDARD_ERRORS
    # Intervals over sessions have in them what sessions differ by.
    between = 0.0 if pooled.unit == "session" else SESSION_SCATTER
    return half + quantile(AIM) * math.sqrt(2 * error**2 + 2 * between**2)
