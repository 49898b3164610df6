"""Does a machine keep its limits, or the pace of an earlier record? Answers on the interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.compare.curves import Curve, curves_of
from weft.analysis.compare.sessions import ONE_A_SIDE
from weft.analysis.stats.ratios import Quantity, Ratio, ratio_in_words, ratio_of
from weft.analysis.stats.slowdown import Slowdown, moderated, rejected, together
from weft.errors import WeftError
from weft.estimate import PLURAL, Estimate, Unit
from weft.names import choose
from weft.plan.suites import tests_of_suites
from weft.units import format_bandwidth, format_bytes, format_time
from weft.wording import counted, with_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weft.analysis.compare.bounds import Limit
    from weft.analysis.compare.pool import Pooled
    from weft.plan.case import Case

Outcome = Literal["pass", "fail", "cannot tell"]
# Slower than the reference by this much still passes.
TOLERANCE = 0.05
# One-sided: a curve that is slower by just the tolerance passes so often.
PASS_LEVEL = 0.05
# Together 5 %: how often any curve, or any size by itself, fails that is slower by no more than the
# tolerance.
CURVES_FAIL_LEVEL = 0.04
SIZES_FAIL_LEVEL = 0.01
MORE = "it takes more launches, or sessions"
MORE_SESSIONS = "measure again at other times, and give all records"
EXIT_STATUS = {"pass": 0, "fail": 1, "cannot tell": 3}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a case, and the answer.

    `estimate` and `bound` are in ns for latency and bytes/s for bandwidth. Against a record the
    bound is the slowest figure that passes, and `speed` the ratio to the reference: each end of its
    interval holds in 95 %. `bytes` is None for a whole curve; `curve` is the one of a size.
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
    curve: str = ""


def overall(checks: Iterable[Checked]) -> Outcome:
    """One failure fails all; all must pass for a pass."""
    outcomes = {check.outcome for check in checks}
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes == {"pass"} else "cannot tell"


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
            "no limit applies to any case of the record",
            f"write limits for the tests that it has: {tests}",
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
    """The answer where there is no good figure; None where there is one."""
    if pooled.failed:
        return "fail", f"failed: {pooled.failed}"
    if pooled.launches == 0:
        return "cannot tell", pooled.lost[0] if pooled.lost else "was not measured"
    if estimate is None:
        return "cannot tell", f"{pooled.case.test} has no {quantity}"
    return None, ""


def _never_better(pooled: Pooled, outcome: Outcome, why: str) -> tuple[Outcome, str]:
    """One launch gives no answer, and a lost launch keeps a case from passing."""
    if pooled.launches < 2:
        return "cannot tell", f"{why}; one launch does not show the variation between launches"
    if outcome == "pass" and pooled.lost:
        return "cannot tell", f"{why}; but {pooled.lost[0]}"
    if outcome == "cannot tell":
        return outcome, f"{why}; {more_of(pooled.unit)}"
    return outcome, why


def against_record(
    cases: Mapping[str, Pooled], reference: Mapping[str, Pooled], tolerance: float = TOLERANCE
) -> tuple[Checked, ...]:
    """Every curve of the reference, then every case of it, on the ratio of speeds.

    A curve passes where its geometric mean over the sizes, launch by launch, is not slower by the
    tolerance (one-sided, PASS_LEVEL), and fails where it is slower by more, no curve of an equal
    machine in 1 - CURVES_FAIL_LEVEL of checks. A size fails by itself in the same way, all sizes
    together by SIZES_FAIL_LEVEL; it passes with its curve unless its own figure is slower by more
    than the tolerance. Raises WeftError where the records have no case in common.
    """
    asked = {key: known for key, known in reference.items() if _has_figure(known)}
    if not set(asked) & set(cases):
        raise WeftError(
            "the record and its reference have no case in common",
            f"measure a case of the reference, e.g. {next(iter(asked))}"
            if asked
            else "type another reference after --against: this one has no figure",
        )
    curves = judged(curves_of(cases, asked), tolerance)
    by_case = {key: curve for curve in curves for key in curve.curve.single}
    whole = [
        _of_curve(curve, asked[next(iter(curve.curve.single))].quantity, tolerance)
        for curve in curves
        if len(curve.curve.sizes) > 1
    ]
    single = [
        _of_case(cases.get(key), known, by_case.get(key), tolerance) for key, known in asked.items()
    ]
    return (*whole, *single)


class JudgedCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A curve with its answer, the answers of its sizes, and their basis."""

    curve: Curve
    outcome: Outcome
    slowdown: Slowdown | None
    single: dict[str, Outcome]


def judged(curves: Sequence[Curve], tolerance: float = TOLERANCE) -> tuple[JudgedCurve, ...]:
    """The answers to curves and to their sizes, each kind together as against_record says."""
    known = [curve.whole for curve in curves if curve.whole is not None]
    # Sessions move all curves alike, so one curve's scatter says nothing new of another's.
    own = known if any(curve.unit == "session" for curve in curves) else moderated(known)
    fails = _failing(curves, [one.of_other_days for one in own], tolerance)
    wholes = iter(zip(own, fails, strict=True))
    sizes = {
        key: one for curve in curves for key, one in curve.single.items()
        if one is not None and len(curve.sizes) > 1
    }  # fmt: skip
    chances = [one.of_other_days.chance_if_at_most(tolerance) for one in sizes.values()]
    bad = rejected(chances, SIZES_FAIL_LEVEL)
    slow = {key for key, falls in zip(sizes, bad, strict=True) if falls}
    found = []
    for curve in curves:
        whole, falls = next(wholes) if curve.whole is not None else (None, False)
        outcome: Outcome = "cannot tell"
        if whole is not None:
            passes = whole.chance_if_at_least(tolerance) <= PASS_LEVEL
            outcome = "fail" if falls else "pass" if passes else "cannot tell"
        single = {
            key: _of_size(one, outcome, key in slow, tolerance) for key, one in curve.single.items()
        }
        if len(curve.sizes) == 1:
            single = dict.fromkeys(curve.single, outcome)
        found.append(JudgedCurve(curve=curve, outcome=outcome, slowdown=whole, single=single))
    return tuple(found)


def _failing(curves: Sequence[Curve], own: Sequence[Slowdown], tolerance: float) -> list[bool]:
    """Which curves fail: each by itself, or all of them together where sessions move them alike.

    Together half of the level is for either. Where they fail together those are named that are
    slower at that level by themselves, at least the surest one.
    """
    chances = [one.chance_if_at_most(tolerance) for one in own]
    is_of_sessions = all(curve.unit == "session" and curve.whole is not None for curve in curves)
    all_of_them = together([curve.levels for curve in curves]) if is_of_sessions else None
    if all_of_them is None:
        return rejected(chances, CURVES_FAIL_LEVEL)
    level = CURVES_FAIL_LEVEL / 2
    falls = rejected(chances, level)
    if all_of_them.chance_if_at_most(tolerance) <= level:
        least = max(level, min(chances))
        falls = [fell or chance <= least for fell, chance in zip(falls, chances, strict=True)]
    return falls


def _of_size(one: Slowdown | None, whole: Outcome, falls: bool, tolerance: float) -> Outcome:
    """A size's answer: its own, or its curve's where its own figure does not contradict it."""
    if one is None:
        return "cannot tell"
    if falls:
        return "fail"
    if one.chance_if_at_least(tolerance) <= PASS_LEVEL:
        return "pass"
    return "pass" if whole == "pass" and one.log <= math.log1p(tolerance) else "cannot tell"


def _has_figure(known: Pooled) -> bool:
    return not known.failed and any(known.paces)


def _asked(tolerance: float) -> str:
    return f"at most {100 * tolerance:g} % slower than the reference"


def more_of(unit: Unit) -> str:
    """What to do for an answer."""
    return MORE if unit == "launch" else MORE_SESSIONS


def _of_curve(found: JudgedCurve, quantity: Quantity, tolerance: float) -> Checked:
    curve = found.curve
    speed = _speed(found.slowdown) if found.slowdown else None
    beside = f"{counted(curve.units[0], curve.unit)} against {counted(curve.units[1], curve.unit)}"
    why = f"{beside}: one does not show the variation between {PLURAL[curve.unit]}"
    if speed is not None:
        why = (
            f"{ratio_in_words(speed)} times as fast, required {1 / (1 + tolerance):.3f};"
            f" {counted(len(curve.sizes), 'size')} together, {beside}"
        )
    if found.outcome == "cannot tell":
        why += f"; {more_of(curve.unit)}"
    if found.outcome == "fail" and curve.unit == "launch":
        why += f"; {ONE_A_SIDE}"
    case = curve.case
    return Checked(
        case=curve.name,
        test=case.test,
        transport=case.transport,
        bytes=None,
        asked=_asked(tolerance),
        quantity=quantity,
        outcome=found.outcome,
        why=f"{why}; {curve.used}" if curve.used else why,
        launches=curve.units[0],
        speed=speed,
    )


def _speed(found: Slowdown) -> Ratio:
    """With the interval whose ends each hold in 95 %: the low one decides a pass."""
    return ratio_of(found, PASS_LEVEL)


def _of_case(
    pooled: Pooled | None, known: Pooled, found: JudgedCurve | None, tolerance: float
) -> Checked:
    quantity = known.quantity
    key = known.case.key
    one = found.curve.single.get(key) if found else None
    mine = _estimate(pooled, quantity) if pooled else None
    outcome: Outcome | None = "cannot tell"
    why = "was not measured"
    if pooled is not None:
        outcome, why = _without_figure(pooled, mine, quantity)
    if pooled is not None and outcome is None:
        outcome = found.single[key] if found else "cannot tell"
        why = _in_words(one, outcome, found, tolerance)
        if outcome == "pass" and pooled.lost:
            outcome, why = "cannot tell", f"{why}; but {pooled.lost[0]}"
        if pooled.case != known.case:
            why = f"they were measured differently: {_unlike(pooled.case, known.case)}"
    least = 1 / (1 + tolerance)
    theirs = _estimate(known, quantity)
    bound = theirs.value * ((1 + tolerance) if quantity == "latency" else least) if theirs else None
    return Checked(
        case=key,
        test=known.case.test,
        transport=known.case.transport,
        bytes=known.case.bytes,
        asked=_asked(tolerance),
        quantity=quantity,
        outcome=outcome or "cannot tell",
        why=why,
        launches=pooled.launches if pooled else 0,
        estimate=mine,
        bound=bound,
        speed=_speed(one) if one else None,
        curve=found.curve.name if found and len(found.curve.sizes) > 1 else "",
    )


def _in_words(
    one: Slowdown | None, outcome: Outcome, found: JudgedCurve | None, tolerance: float
) -> str:
    if one is None or found is None:
        unit = found.curve.unit if found else "launch"
        return f"one {unit} does not show the variation between {PLURAL[unit]}; {more_of(unit)}"
    why = f"{ratio_in_words(_speed(one))} times as fast, required {1 / (1 + tolerance):.3f}"
    more = more_of(found.curve.unit)
    if outcome == "cannot tell" and one.log > math.log1p(tolerance):
        return f"{why}: slower, but not significantly; {more}"
    if outcome == "fail" and found.curve.unit == "launch":
        return f"{why}; {ONE_A_SIDE}"
    return f"{why}; {more}" if outcome == "cannot tell" else why


def _estimate(pooled: Pooled, quantity: Quantity) -> Estimate | None:
    return pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s


def _unlike(case: Case, known: Case) -> str:
    """What two cases of one key do not share."""
    return ", ".join(
        f"{name.replace('_', ' ')} {getattr(case, name)} (reference: {getattr(known, name)})"
        for name in case.__struct_fields__
        if getattr(case, name) != getattr(known, name)
    )
