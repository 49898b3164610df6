"""What each layer of a stack adds to the one below, by message size. Pure.

All figures of a record are medians over launches with 95 % intervals (docs/how-numbers-are-
computed.md). The difference of two has the interval [b.low - a.high, b.high - a.low]: it covers the
true difference whenever both intervals cover their medians, so in at least 90 % of cases and, as
the launches are independent, in far more. Where the two intervals overlap it holds zero, and the
answer is "cannot tell".
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weft.analysis.intervals import Estimate
from weft.errors import WeftError
from weft.units import format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.analysis.summary import CaseSummary

# From the wire up. TCP is the wire's own layer where no network card offers a lower one.
STACK = ("verbs", "tcp", "ofi", "ucx", "mpi")
Verdict = Literal["adds", "saves", "cannot tell"]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one layer adds to the one below at one size, in ns of one operation's time."""

    bytes: int
    below_ns: Estimate
    above_ns: Estimate
    added_ns: float
    low_ns: float
    high_ns: float
    verdict: Verdict


class LayerPair(msgspec.Struct, frozen=True, kw_only=True):
    """A layer and the one below it in one test, over all sizes that both have."""

    test: str
    below: str
    above: str
    steps: tuple[Step, ...]

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        clear = [step for step in self.steps if step.verdict != "cannot tell"]
        if not clear:
            return f"{self.above} and {self.below} cannot be told apart at any size"
        least = min(clear, key=lambda step: step.bytes)
        unclear = len(self.steps) - len(clear)
        rest = f"; cannot tell at {unclear} of {len(self.steps)} sizes" if unclear else ""
        return (
            f"{self.above} {least.verdict} {format_time(abs(least.added_ns))} at {least.bytes} B"
            f" over {self.below}{rest}"
        )


def layers_of(summaries: Sequence[CaseSummary], order: Sequence[str] = ()) -> list[LayerPair]:
    """Each layer against the one below it, for every test with a latency.

    `order` names the transports from the wire up; without it they are in the order of STACK, and
    those that are not in it come last. Raises WeftError where fewer than two were measured.
    """
    timed = [s for s in summaries if s.latency_ns is not None and s.status == "ok"]
    measured = tuple(dict.fromkeys(s.transport for s in timed))
    stack = _ordered(measured, order)
    if len(stack) < 2:
        raise WeftError(
            f"layers need two transports with latencies, there is {', '.join(stack) or 'none'}",
            "measure them in one run: weft run ping_pong --transport ucx,mpi",
        )
    pairs = []
    for test in dict.fromkeys(s.test for s in timed):
        for below, above in itertools.pairwise(stack):
            steps = _steps(timed, test, below, above)
            if steps:
                pairs.append(LayerPair(test=test, below=below, above=above, steps=tuple(steps)))
    if not pairs:
        raise WeftError(
            f"{' and '.join(stack)} share no test and size", "measure both with the same --sizes"
        )
    return pairs


def _ordered(measured: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    for name in order:
        if name not in measured:
            raise WeftError(
                f"{name} has no latency in this record", f"it has {', '.join(measured) or 'none'}"
            )
    if order:
        return tuple(order)
    families = {name: name.partition(":")[0] for name in measured}
    return tuple(sorted(measured, key=lambda name: _height(families[name])))


def _height(family: str) -> int:
    return STACK.index(family) if family in STACK else len(STACK)


def _steps(timed: Sequence[CaseSummary], test: str, below: str, above: str) -> list[Step]:
    lower = {s.bytes: s for s in timed if (s.test, s.transport) == (test, below)}
    upper = {s.bytes: s for s in timed if (s.test, s.transport) == (test, above)}
    steps = []
    for size in sorted(lower.keys() & upper.keys()):
        a, b = lower[size].latency_ns, upper[size].latency_ns
        if a is not None and b is not None:
            steps.append(step_between(size, a, b))
    return steps


def step_between(size: int, below: Estimate, above: Estimate) -> Step:
    """The difference of two latencies in ns, with its interval and what can be said of it."""
    low, high = above.low - below.high, above.high - below.low
    verdict: Verdict = "adds" if low > 0 else "saves" if high < 0 else "cannot tell"
    return Step(
        bytes=size,
        below_ns=below,
        above_ns=above,
        added_ns=above.median - below.median,
        low_ns=low,
        high_ns=high,
        verdict=verdict,
    )


def to_json(pairs: Sequence[LayerPair]) -> list[dict[str, Any]]:
    """What `weft layers --json` prints: a row a test, pair and size."""
    return [
        {
            "test": pair.test,
            "below": pair.below,
            "above": pair.above,
            "bytes": step.bytes,
            "below_ns": step.below_ns.median,
            "above_ns": step.above_ns.median,
            "added_ns": {"median": step.added_ns, "low": step.low_ns, "high": step.high_ns},
            "verdict": step.verdict,
        }
        for pair in pairs
        for step in pair.steps
    ]
