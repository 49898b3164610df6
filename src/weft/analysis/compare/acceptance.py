"""Does a machine keep its limits, or the pace of an earlier record? Answers on the interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.compare.curves import Curve, curves_of
from weft.analysis.compare.sessions import one_a_side
from weft.analysis.stats.launches import number_in_words
from weft.analysis.stats.needed import Needed, at_first, cheapest, to_tell
from weft.analysis.stats.ratios import Quantity, Ratio, ratio_in_words, ratio_of
from weft.analysis.stats.slowdown import Slowdown, moderated, rejected, together
from weft.errors import WeftError
from weft.estimate import PLURAL, Estimate, Unit
from weft.stages import counted_off
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
# Slower by no more standard errors a machine may be as fast as its reference.
MAY_BE_EQUAL = 2.0
EXIT_STATUS = {"pass": 0, "fail": 1, "cannot tell": 3}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a case, and the answer.

    `estimate` and `bound` are in ns for latency and bytes/s for bandwidth. Against a record the
    bound is the slowest figure that passes, and `speed` the ratio to the reference: each end of its
    interval holds in 95 %. `bytes` is None for a whole curve; `curve` is the one of a size.
    `needed` is what would tell where the answer is "cannot tell" for the scatter.
    """

    case: str
    test: str
    transport: str
    variant: str = ""
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
    needed: Needed | None = None


def overall(checks: Iterable[Checked]) -> Outcome:
    """One failure fails all; all must pass for a pass."""
    outcomes = {check.outcome for check in checks}
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes == {"pass"} else "cannot tell"


def without_figure(
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
        _of_case(cases.get(key), known, by_case.get(key), tolerance)
        for key, known in counted_off(asked.items(), "checking cases")
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


def more_of(needed: Needed, sides: int = 2) -> str:
    """What it takes for an answer."""
    return f"it takes {number_in_words(needed, sides=sides)}"


def _what_tells(
    found: Slowdown | None, unit: Unit, units: tuple[int, int], tolerance: float
) -> Needed:
    """What would pass a machine as fast as the reference, or one that is as far from the tolerance
    as this one may be, or fail it.

    A machine that may be as fast is taken for equal, unless it looks further from the tolerance.
    One that is just at the tolerance nothing tells.
    """
    if found is None:
        return at_first(unit)
    bound = math.log1p(tolerance)
    if found.log <= MAY_BE_EQUAL * found.error:
        return to_tell(found, units, max(bound, bound - found.log), PASS_LEVEL)
    distance = math.hypot(found.log - bound, found.error)
    if found.log > bound:
        return cheapest(found, units, distance, CURVES_FAIL_LEVEL)
    return to_tell(found, units, distance, PASS_LEVEL)


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
    needed = None
    if found.outcome == "cannot tell":
        needed = _what_tells(found.slowdown, curve.unit, curve.units, tolerance)
        why += f"; {more_of(needed)}"
    if limits := one_a_side(curve.sessions, decides=found.outcome == "fail"):
        why += f"; {limits}"
    case = curve.case
    return Checked(
        case=curve.name,
        test=case.test,
        transport=case.transport,
        variant=case.variant,
        bytes=None,
        asked=_asked(tolerance),
        quantity=quantity,
        outcome=found.outcome,
        why=f"{why}; {curve.used}" if curve.used else why,
        launches=curve.units[0],
        speed=speed,
        needed=needed,
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
    needed = None
    if pooled is not None:
        outcome, why = without_figure(pooled, mine, quantity)
    if pooled is not None and outcome is None:
        outcome = found.single[key] if found else "cannot tell"
        if outcome == "cannot tell":
            units = (_units(pooled), _units(known))
            needed = _what_tells(one, pooled.unit, units, tolerance)
        why = _in_words(one, outcome, needed, found, tolerance)
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
        variant=known.case.variant,
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
        needed=needed,
    )


def _units(pooled: Pooled) -> int:
    """How many launches, or sessions, a case has."""
    return len(pooled.known.logs(pooled.unit))


def _in_words(
    one: Slowdown | None,
    outcome: Outcome,
    needed: Needed | None,
    found: JudgedCurve | None,
    tolerance: float,
) -> str:
    more = f"; {more_of(needed)}" if needed else ""
    if one is None or found is None:
        unit = found.curve.unit if found else "launch"
        return f"one {unit} does not show the variation between {PLURAL[unit]}{more}"
    why = f"{ratio_in_words(_speed(one))} times as fast, required {1 / (1 + tolerance):.3f}"
    if outcome == "cannot tell" and one.log > math.log1p(tolerance):
        return f"{why}: slower, but not significantly{more}"
    if limits := one_a_side(found.curve.sessions, decides=outcome == "fail"):
        return f"{why}; {limits}"
    return why + more


def _estimate(pooled: Pooled, quantity: Quantity) -> Estimate | None:
    return pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s


def _unlike(case: Case, known: Case) -> str:
    """What two cases of one key do not share."""
    return ", ".join(
        f"{name.replace('_', ' ')} {getattr(case, name)} (reference: {getattr(known, name)})"
        for name in case.__struct_fields__
        if getattr(case, name) != getattr(known, name)
    )
