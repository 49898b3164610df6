"""Does a machine keep its limits, or the pace of an earlier record? Answers on the interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.intervals import Estimate
from weft.analysis.ratios import Figure, Kind, Quantity, Ratio, ratio
from weft.errors import WeftError
from weft.units import format_bandwidth, format_bytes, format_time
from weft.written import with_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.limits import Limit
    from weft.analysis.pool import Pooled
    from weft.record.model import Case

Outcome = Literal["pass", "fail", "cannot tell"]
# Slower than the reference by this much still passes.
TOLERANCE = 0.05
EXIT_STATUS = {"pass": 0, "fail": 1, "cannot tell": 3}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was asked of a case, and the answer.

    `estimate` and `bound` are in ns for latency and bytes/s for bandwidth. Against a record the
    bound is the slowest figure that passes, and `speed` the ratio to the reference.
    """

    case: str
    test: str
    transport: str
    bytes: int | None
    asked: str
    quantity: Quantity
    outcome: Outcome
    why: str
    launches: int = 0
    estimate: Estimate | None = None
    bound: float | None = None
    speed: Ratio | None = None


def overall(checks: Iterable[Checked]) -> Outcome:
    """One failure fails all; a pass wants every single one to pass."""
    outcomes = {check.outcome for check in checks}
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes == {"pass"} else "cannot tell"


def against_limits(cases: Mapping[str, Pooled], limits: Sequence[Limit]) -> tuple[Checked, ...]:
    """Every limit on every case that it is for, in the order of the file.

    A single size that a limit names and nobody measured cannot be told. Raises WeftError where no
    limit is for any case.
    """
    checks: list[Checked] = []
    any_taken = False
    for limit in limits:
        taken = [pooled for pooled in cases.values() if limit.takes(pooled)]
        any_taken = any_taken or bool(taken)
        checks += [_against_limit(pooled, limit) for pooled in taken]
        there = {pooled.case.bytes for pooled in taken}
        missing: list[int | None] = [size for size in limit.wanted if size not in there]
        if not taken and not missing:
            missing = [None]
        checks += [_not_planned(limit, size) for size in missing]
    if not any_taken:
        tests = ", ".join(dict.fromkeys(pooled.case.test for pooled in cases.values()))
        raise WeftError(
            "no limit is for any case of the record", f"the record has {tests}; name one of them"
        )
    return tuple(checks)


def _not_planned(limit: Limit, size: int | None) -> Checked:
    where = f"{limit.test} over {limit.transport or 'any transport'}"
    where += f" at {format_bytes(size)}" if size is not None else ""
    return Checked(
        case=f"{limit.transport or '*'}/{limit.test}/{'*' if size is None else size}",
        test=limit.test,
        transport=limit.transport,
        bytes=size,
        asked=limit.text,
        quantity="latency" if limit.kind == "latency_at_most" else "bandwidth",
        outcome="cannot tell",
        why=f"{where} was not measured",
    )


def _against_limit(pooled: Pooled, limit: Limit) -> Checked:
    quantity: Quantity = "latency" if limit.kind == "latency_at_most" else "bandwidth"
    estimate = pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s
    bound = limit.bound_for(pooled)
    shape = format_time if quantity == "latency" else format_bandwidth
    outcome, why = _without_figure(pooled, estimate, quantity)
    if estimate is not None and not outcome:
        outcome = _on_interval(estimate, bound, quantity)
        why = f"{with_ends(estimate, shape)}, {limit.text}"
        outcome, why = _never_better(pooled, outcome, why)
    return Checked(
        case=pooled.case.key,
        test=pooled.case.test,
        transport=pooled.case.transport,
        bytes=pooled.case.bytes,
        asked=limit.text,
        quantity=quantity,
        outcome=outcome or "cannot tell",
        why=why,
        launches=pooled.launches,
        estimate=estimate,
        bound=bound,
    )


def _on_interval(estimate: Estimate, bound: float, quantity: Quantity) -> Outcome:
    """pass or fail when the whole interval is on one side of the bound."""
    if quantity == "latency":
        inside, outside = estimate.high <= bound, estimate.low > bound
    else:
        inside, outside = estimate.low >= bound, estimate.high < bound
    return "pass" if inside else "fail" if outside else "cannot tell"


def _without_figure(
    pooled: Pooled, estimate: Estimate | None, quantity: Quantity
) -> tuple[Outcome | None, str]:
    """What is answered before any figure is looked at; nothing where there is a good one."""
    if pooled.failed:
        return "fail", f"failed: {pooled.failed}"
    if pooled.launches == 0:
        return "cannot tell", pooled.lost[0] if pooled.lost else "was not measured"
    if estimate is None:
        return "cannot tell", f"{pooled.case.test} has no {quantity}"
    return None, ""


def _never_better(pooled: Pooled, outcome: Outcome, why: str) -> tuple[Outcome, str]:
    """One launch tells nothing, and a launch that gave nothing keeps a case from passing."""
    if pooled.launches < 2:
        return "cannot tell", f"{why}; one launch knows nothing of the variation between launches"
    if outcome == "pass" and pooled.lost:
        return "cannot tell", f"{why}; but {pooled.lost[0]}"
    if outcome == "cannot tell":
        return outcome, f"{why}; measure more launches (--launches) or for longer (--budget)"
    return outcome, why


def against_record(
    cases: Mapping[str, Pooled], reference: Mapping[str, Pooled], tolerance: float = TOLERANCE
) -> tuple[Checked, ...]:
    """Every case that the reference has a good figure of: not slower than it by the tolerance.

    pass: the whole interval of the speed ratio is at or over 1 / (1 + tolerance); fail: the whole
    of it is under that. Raises WeftError where the records have no case in common.
    """
    figures = {key: _main_figure(known) for key, known in reference.items()}
    good = {key: figure for key, figure in figures.items() if figure is not None}
    if not set(good) & set(cases):
        raise WeftError(
            "the record and its reference have no case in common",
            f"measure what the reference has, like {next(iter(good), 'nothing: it has no figure')}",
        )
    return tuple(
        _against_figure(cases.get(key), reference[key], *found, tolerance)
        for key, found in good.items()
    )


def _main_figure(known: Pooled) -> tuple[Figure, Quantity] | None:
    """What a reference's case is about: its latency, or its bandwidth where it has none."""
    if known.failed:
        return None
    quantity: Quantity = "latency" if known.latency_ns else "bandwidth"
    figure = _figure(known, quantity)
    return (figure, quantity) if figure else None


def _against_figure(
    pooled: Pooled | None, known: Pooled, theirs: Figure, quantity: Quantity, tolerance: float
) -> Checked:
    least = 1 / (1 + tolerance)
    mine = _figure(pooled, quantity) if pooled else None
    outcome: Outcome | None = "cannot tell"
    why = "was not measured"
    found = None
    if pooled is not None:
        outcome, why = _without_figure(pooled, mine.estimate if mine else None, quantity)
    if pooled is not None and mine is not None and outcome is None:
        found = ratio(theirs, mine, quantity)
        outcome = "pass" if found.low >= least else "fail" if found.high < least else "cannot tell"
        why = f"{found.speed:.3f} [{found.low:.3f}, {found.high:.3f}] times as fast"
        outcome, why = _never_better(pooled, outcome, f"{why}, asked {least:.3f}")
        if theirs.kind == "one launch":
            outcome = "cannot tell"
            why += "; the reference has one launch, which knows nothing of others"
        if pooled.case != known.case:
            outcome = "cannot tell"
            why += f"; but they were measured differently: {_unlike(pooled.case, known.case)}"
    return Checked(
        case=known.case.key,
        test=known.case.test,
        transport=known.case.transport,
        bytes=known.case.bytes,
        asked=f"at most {100 * tolerance:g} % slower than the reference",
        quantity=quantity,
        outcome=outcome or "cannot tell",
        why=why,
        launches=pooled.launches if pooled else 0,
        estimate=mine.estimate if mine else None,
        bound=theirs.estimate.median * ((1 + tolerance) if quantity == "latency" else least),
        speed=found,
    )


def _unlike(case: Case, known: Case) -> str:
    """What two cases of one key do not share."""
    return ", ".join(
        f"{name.replace('_', ' ')} {getattr(case, name)}, the reference {getattr(known, name)}"
        for name in case.__struct_fields__
        if getattr(case, name) != getattr(known, name)
    )


def _figure(pooled: Pooled, quantity: Quantity) -> Figure | None:
    estimate = pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s
    if estimate is None:
        return None
    kind: Kind = "launches" if pooled.launches > 1 else "one launch"
    return Figure(estimate=estimate, kind=kind, launches=pooled.launches)
