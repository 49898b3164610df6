"""Does a machine keep the limits of a file? Answers on each case's interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.compare.acceptance import Checked, Outcome, more_of, without_figure
from weft.analysis.compare.curves import assumed_in_words
from weft.analysis.stats.needed import Needed, quantile, to_be_beside
from weft.analysis.stats.ratios import ONE_SIDED
from weft.errors import WeftError
from weft.names import choose
from weft.plan.suites import tests_of_suites
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import with_ends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.analysis.compare.bounds import Limit
    from weft.analysis.compare.pool import Pooled
    from weft.analysis.stats.ratios import Quantity
    from weft.estimate import Estimate
    from weft.plan.case import Case


def against_limits(cases: Mapping[str, Pooled], limits: Sequence[Limit]) -> tuple[Checked, ...]:
    """Every limit on every case that it is for, in the order of the file.

    A single size that a limit names and the record lacks gives "cannot tell". Raises WeftError
    where no limit is for any case.
    """
    for limit in limits:
        # Every test that a suite has: a name that neither has is no test that was not measured.
        known = dict.fromkeys((*(one.case.test for one in cases.values()), *tests_of_suites()))
        choose("test", [limit.test], tuple(known))
    checks: list[Checked] = []
    any_taken = False
    for limit in limits:
        taken = [pooled for pooled in cases.values() if _is_for(limit, pooled.case, limits)]
        any_taken = any_taken or bool(taken)
        checks += [_against_limit(pooled, limit) for pooled in taken]
        there = {pooled.case.bytes for pooled in taken}
        missing: list[int | None] = [size for size in limit.wanted if size not in there]
        if not taken and not missing:
            missing = [None]
        checks += [not_planned(limit, size) for size in missing]
    if not any_taken:
        tests = ", ".join(dict.fromkeys(pooled.case.test for pooled in cases.values()))
        raise WeftError(
            "no limit applies to any case of the record",
            f"write limits for the tests that it has: {tests}",
        )
    return tuple(checks)


def _is_for(limit: Limit, case: Case, limits: Sequence[Limit]) -> bool:
    """Whether a limit applies to a case. A way back without a limit uses the limit of the way
    there.
    """
    if limit.takes(case) or not case.direction:
        return limit.takes(case)
    own = any(one.kind == limit.kind and one.takes(case) for one in limits)
    return not own and limit.takes(case.but_for("direction"))


def not_planned(limit: Limit, size: int | None) -> Checked:
    """The answer to a limit whose cases, or whose one size, were not measured."""
    where = f"{limit.test} over {limit.transport or 'any transport'}"
    where += f" at {format_bytes(size)}" if size is not None else ""
    return Checked(
        case=f"{limit.transport or '*'}/{limit.test}/{'*' if size is None else size}",
        test=limit.test,
        transport=limit.transport,
        variant=limit.variant,
        bytes=size,
        asked=limit.text,
        quantity="latency" if limit.kind == "latency_at_most" else "bandwidth",
        outcome="cannot tell",
        why=f"{where} was not measured",
    )


def _against_limit(pooled: Pooled, limit: Limit) -> Checked:
    quantity: Quantity = "latency" if limit.kind == "latency_at_most" else "bandwidth"
    estimate = pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s
    bound = limit.bound_for(pooled.directions)
    shape = format_time if quantity == "latency" else format_bandwidth
    outcome, why = without_figure(pooled, estimate, quantity)
    needed = None
    if estimate is not None and not outcome:
        estimate = _with_assumed(estimate, pooled.assumed)
        outcome = on_interval(estimate, bound, quantity)
        if outcome == "cannot tell":
            needed = to_be_beside(estimate, bound)
        why = f"{with_ends(estimate, shape)}, {limit.text}"
        outcome, why = _never_better(pooled, outcome, why, needed)
    return Checked(
        case=pooled.case.key,
        test=pooled.case.test,
        transport=pooled.case.transport,
        variant=pooled.case.variant,
        bytes=pooled.case.bytes,
        asked=limit.text,
        quantity=quantity,
        outcome=outcome or "cannot tell",
        why=why,
        launches=pooled.launches,
        estimate=estimate,
        bound=bound,
        needed=needed,
    )


def _with_assumed(estimate: Estimate, scatter: float) -> Estimate:
    """The figure of one launch with the interval of a scatter that is assumed; 0: none is."""
    if not scatter:
        return estimate
    reach = math.exp(quantile(1 - ONE_SIDED) * scatter)
    low, high = estimate.value / reach, estimate.value * reach
    return msgspec.structs.replace(estimate, low=low, high=high)


def on_interval(estimate: Estimate, bound: float, quantity: Quantity) -> Outcome:
    """pass or fail when the whole interval is on one side of the bound."""
    if quantity == "latency":
        inside, outside = estimate.high <= bound, estimate.low > bound
    else:
        inside, outside = estimate.low >= bound, estimate.high < bound
    return "pass" if inside else "fail" if outside else "cannot tell"


def _never_better(
    pooled: Pooled, outcome: Outcome, why: str, needed: Needed | None
) -> tuple[Outcome, str]:
    """One launch gives no answer, and a lost launch keeps a case from passing."""
    if pooled.assumed:
        why = f"{why}; {assumed_in_words(pooled.assumed)}"
    elif pooled.launches < 2:
        return "cannot tell", f"{why}; one launch does not show the variation between launches"
    if outcome == "pass" and pooled.lost:
        return "cannot tell", f"{why}; but {pooled.lost[0]}"
    return outcome, f"{why}; {more_of(needed, sides=1)}" if needed else why
