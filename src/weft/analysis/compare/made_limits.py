"""Limits from records of a machine as it should be. Pure.

A limit lies as far from the figure as the records' own scatter needs: were the scatter known, an
equal machine that is measured in the same way on another day would keep it in AIM of cases. A limit
is kept where the whole interval is within it, so with figures of standard error e and sessions that
differ by s (what compare and check allow for too) its logarithm is

    H + z sqrt(2 e^2 + 2 s^2)

away, H half the interval of a figure, e = H / 1.96, and z Student's quantile of AIM: where what
sessions differ by is taken from the launches it is known no better than a few launches know it.
What is slower by twice that fails as often.
"""

from __future__ import annotations

import math

import msgspec

from weft.analysis.compare.bounds import Kind
from weft.analysis.compare.pool import Pooled
from weft.analysis.stats.needed import FEWEST_SESSIONS
from weft.analysis.stats.slowdown import Slowdown, quantile, variance_of
from weft.estimate import Estimate
from weft.wording import WIDEST

# A file has dozens of limits, and all are to be kept.
AIM = 0.99
# What is promised, of normal launches from five on, of three where they scatter by up to 2 %, and
# of launches with a tail from TAILED_LAUNCHES on: tests/analysis/compare/test_made_limits.py.
KEEPS = 0.95
STANDARD_ERRORS = 1.96
# Launches with a tail to slow times, or of two modes, show a few of them too small a scatter more
# often than normal ones do: what days differ by is taken from theirs with so much of its variance.
# Of ten launches an equal machine then keeps its limits in KEEPS for exponential tails too.
TAILED_VARIANCE = 1.25
TAILED_LAUNCHES = 10
# Launches that scatter by less than this leave hardly anything to their tail: sessions differ by
# more.
QUIET = 0.01


class MadeLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A limit of one case: `bound` in ns or bytes/s lies by the share `tolerance` from `figure`."""

    pooled: Pooled
    kind: Kind
    figure: Estimate
    tolerance: float
    bound: float

    @property
    def is_for_a_tail(self) -> bool:
        """Whether a machine whose launches have a tail to slow times keeps it as often."""
        known = self.pooled.known.logs(self.figure.unit)
        return (
            self.figure.unit == "session"
            or self.figure.launches >= TAILED_LAUNCHES
            or variance_of(known) <= QUIET**2
        )


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
    if figure.unit == "session" and figure.launches < FEWEST_SESSIONS:
        return "two sessions do not show how far sessions differ: give a third, or one alone"
    distance = _distance(figure, pooled)
    if distance > math.log(WIDEST):
        return "its launches scatter by so much that a limit would say nothing"
    # Whole per cent, and never none.
    tolerance = max(math.ceil(100 * math.expm1(distance) - 1e-9), 1) / 100
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
    one_more = Slowdown(
        log=0.0,
        squared_error=2 * (half / STANDARD_ERRORS) ** 2,
        # Of both figures' launches; what one session is not like, only other sessions show.
        freedom=(figure.launches - 1) * (1.0 if figure.unit == "session" else 2.0),
        unit=figure.unit,
        launch_variance=TAILED_VARIANCE * variance_of(pooled.known.logs(figure.unit)),
    ).of_other_days
    return half + quantile(one_more.freedom, AIM) * math.sqrt(one_more.squared_error)
