"""Does a machine keep its limits, or the pace of an earlier record? Answers on the interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.compare.curves import Curve, curves_of
from weft.analysis.compare.sessions import one_a_side
from weft.analysis.stats.launches import number_in_words
from weft.analysis.stats.needed import Needed, at_first, cheapest
from weft.analysis.stats.ratios import Quantity, Ratio, ratio_in_words, ratio_of
from weft.analysis.stats.slowdown import Slowdown, moderated, together
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
# The standard deviation between launches that is assumed of tables of other programs which show
# none.
ASSUMED_SCATTER = 0.05
# One-sided: a curve that is slower by just the tolerance passes so often.
PASS_LEVEL = 0.05
# Together 5 %: how often any curve, or any size by itself, fails that is slower by no more than the
# tolerance.
CURVES_FAIL_LEVEL = 0.04
SIZES_FAIL_LEVEL = 0.01
# Slower by no more standard errors a machine may be as fast as its reference.
MAY_BE_EQUAL = 2.0
# A hypothesis of a larger p-value cannot fall by chance.
STILL_OPEN = 0.9
# Nobody asks for a larger tolerance.
MOST_TOLERANCE = 10.0
WAY_THERE = "the reference has no way back: compared with its way there"
EXIT_STATUS = {"pass": 0, "fail": 1, "cannot tell": 3}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One requirement of a case, and the answer.

    `estimate` and `bound` are in ns for latency and bytes/s for bandwidth. Against a record the
    bound is the slowest figure that passes, and `speed` the ratio to the reference. Its interval
    decides: the low end holds in 95 % and must not be below the ratio that is required, the high
    end holds for all curves, or for all sizes, together. `bytes` is None for a whole curve; `curve`
    is the one of a size, which passes with it. `needed` is what would tell where the answer is
    "cannot tell" for the scatter, `passes_at` the least tolerance that these data pass.
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
    passes_at: float | None = None


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
    than the tolerance. All of it allows for other days. A way back that the reference lacks is
    compared with its way there. Raises WeftError where the records have no case in common.
    """
    lent = _ways_there(cases, reference)
    every = {**reference, **lent}
    asked = {key: known for key, known in every.items() if _has_figure(known)}
    if not set(asked) & set(cases):
        raise WeftError(
            "the record and its reference have no case in common",
            f"measure a case of the reference, e.g. {next(iter(asked))}"
            if asked
            else "use another reference after --against: this one has no figure",
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
    lacking = {(one.case.transport, one.case.test, one.case.variant) for one in lent.values()}
    return tuple(
        msgspec.structs.replace(one, why=f"{one.why}; {WAY_THERE}")
        if (one.transport, one.test, one.variant) in lacking
        else one
        for one in (*whole, *single)
    )


def _ways_there(cases: Mapping[str, Pooled], reference: Mapping[str, Pooled]) -> dict[str, Pooled]:
    """For each way back that the reference lacks, its way there."""
    found = {}
    for key, pooled in cases.items():
        there = reference.get(pooled.case.but_for("direction").key)
        if pooled.case.direction and key not in reference and there is not None:
            # Both cases may differ in more, which a check names.
            case = msgspec.structs.replace(there.case, direction=pooled.case.direction)
            found[key] = msgspec.structs.replace(there, case=case)
    return found


class JudgedCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A curve with its answer, the answers of its sizes, and the ratios that decided them."""

    curve: Curve
    outcome: Outcome
    slowdown: Slowdown | None
    speed: Ratio | None
    single: dict[str, Outcome]
    speeds: dict[str, Ratio | None]


def judged(curves: Sequence[Curve], tolerance: float = TOLERANCE) -> tuple[JudgedCurve, ...]:
    """The answers to curves and to their sizes, each kind together as against_record says."""
    known = [curve.whole for curve in curves if curve.whole is not None]
    # Sessions move all curves alike, so one curve's scatter says nothing new of another's.
    own = known if any(curve.unit == "session" for curve in curves) else moderated(known)
    level = _level_of_curves(curves, own, tolerance)
    wholes = iter(own)
    sizes = [
        one for curve in curves for one in curve.single.values()
        if one is not None and len(curve.sizes) > 1
    ]  # fmt: skip
    of_sizes = _shared_level(sizes, SIZES_FAIL_LEVEL, tolerance)
    found = []
    for curve in curves:
        whole = next(wholes) if curve.whole is not None else None
        speed = _speed(whole, level)
        outcome = _answer(speed, tolerance)
        speeds = {key: _speed(one, of_sizes) for key, one in curve.single.items()}
        single = {
            key: _of_size(one, speeds[key], outcome, tolerance) for key, one in curve.single.items()
        }
        if len(curve.sizes) == 1:
            single, speeds = dict.fromkeys(curve.single, outcome), dict.fromkeys(speeds, speed)
        found.append(
            JudgedCurve(
                curve=curve,
                outcome=outcome,
                slowdown=whole,
                speed=speed,
                single=single,
                speeds=speeds,
            )
        )
    return tuple(found)


def _level_of_curves(curves: Sequence[Curve], own: Sequence[Slowdown], tolerance: float) -> float:
    """The chance that is left beyond the end that decides a fail, of each curve.

    They share it, unless sessions move them alike: then half of it is for the mean of all, and
    where that is slower each may fail at that level, else they share the other half.
    """
    is_of_sessions = all(curve.unit == "session" and curve.whole is not None for curve in curves)
    all_of_them = together([curve.levels for curve in curves]) if is_of_sessions else None
    if all_of_them is None:
        return _shared_level(own, CURVES_FAIL_LEVEL, tolerance)
    half = CURVES_FAIL_LEVEL / 2
    if all_of_them.chance_if_at_most(tolerance) <= half:
        return half
    return _shared_level(own, half, tolerance)


def _shared_level(several: Sequence[Slowdown], level: float, tolerance: float) -> float:
    """Each one's share of a level that holds for all (Bonferroni).

    What is far on the good side of the tolerance cannot fail by chance, so it takes no share:
    hypotheses of p over STILL_OPEN are set aside and the others' divided by it (Zhao, Small and Su,
    Multiple testing when many p-values are uniformly conservative, Journal of the American
    Statistical Association 114, 2019).
    """
    chances = [one.of_other_days.chance_if_at_most(tolerance) for one in several]
    still = sum(chance <= STILL_OPEN for chance in chances)
    return STILL_OPEN * level / max(still, 1)


def _speed(found: Slowdown | None, level: float) -> Ratio | None:
    """With the interval that decides: its low end a pass, its high end a fail."""
    return ratio_of(found, PASS_LEVEL, level, is_of_other_days=True) if found else None


def _answer(speed: Ratio | None, tolerance: float) -> Outcome:
    """Pass or fail if the whole interval is on one side of the required ratio."""
    if speed is None:
        return "cannot tell"
    return _on(speed.low, speed.high, tolerance)


def _on(low: float, high: float, tolerance: float) -> Outcome:
    least = 1 / (1 + tolerance)
    return "fail" if high < least else "pass" if low >= least else "cannot tell"


def _of_size(
    one: Slowdown | None, speed: Ratio | None, whole: Outcome, tolerance: float
) -> Outcome:
    """A size's answer: its own, or its curve's where its own figure does not contradict it."""
    answer = _answer(speed, tolerance)
    with_curve = whole == "pass" and one is not None and one.log <= math.log1p(tolerance)
    return "pass" if answer == "cannot tell" and with_curve else answer


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
    bound, error = math.log1p(tolerance), found.of_other_days.error
    if found.log <= MAY_BE_EQUAL * error:
        return cheapest(found, units, max(bound, bound - found.log), PASS_LEVEL)
    level = CURVES_FAIL_LEVEL if found.log > bound else PASS_LEVEL
    return cheapest(found, units, math.hypot(found.log - bound, error), level)


def passes_at(speed: Ratio | None) -> float | None:
    """The least tolerance that an interval passes, in tenths of a per cent; None without an end."""
    if speed is None or not 0 < speed.low < math.inf:
        return None
    return max(math.ceil(1000 * (1 / speed.low - 1) - 1e-9), 0) / 1000


def _left_open(speed: Ratio | None, needed: Needed, tolerance: float) -> str:
    """The words of an open answer: the difference in these runs, the tolerance that they pass, and
    the data that would decide."""
    parts = []
    here = speed.in_these_runs if speed else None
    if here and _on(*here, tolerance) == "fail":
        parts.append("slower by more than that in these runs; whether on other days is not known")
    least = passes_at(speed)
    if least is not None and least < MOST_TOLERANCE:
        parts.append(f"these data pass a tolerance of {100 * least:.3g} %")
    return "; ".join([*parts, f"for {100 * tolerance:.3g} % {more_of(needed)}"])


def _of_curve(found: JudgedCurve, quantity: Quantity, tolerance: float) -> Checked:
    curve, speed = found.curve, found.speed
    beside = f"{counted(curve.units[0], curve.unit)} against {counted(curve.units[1], curve.unit)}"
    why = f"{beside}: one does not show the variation between {PLURAL[curve.unit]}"
    if speed is not None:
        why = (
            f"{_required(speed, tolerance)}; {counted(len(curve.sizes), 'size')} together, {beside}"
        )
    needed = None
    if found.outcome == "cannot tell":
        needed = _what_tells(found.slowdown, curve.unit, curve.units, tolerance)
        why += f"; {_left_open(speed, needed, tolerance)}"
    if limits := one_a_side(curve.sessions, decides=speed is not None):
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
        why="; ".join(filter(None, (why, curve.used, curve.assumed))),
        launches=curve.units[0],
        speed=speed,
        needed=needed,
        passes_at=passes_at(speed),
    )


def _required(speed: Ratio, tolerance: float) -> str:
    return f"{ratio_in_words(speed)} times as fast, required {1 / (1 + tolerance):.3f}"


def _of_case(
    pooled: Pooled | None, known: Pooled, found: JudgedCurve | None, tolerance: float
) -> Checked:
    quantity = known.quantity
    key = known.case.key
    speed = found.speeds.get(key) if found else None
    mine = _estimate(pooled, quantity) if pooled else None
    outcome: Outcome | None = "cannot tell"
    why = "was not measured"
    needed = None
    if pooled is not None:
        outcome, why = without_figure(pooled, mine, quantity)
    if pooled is not None and outcome is None:
        outcome = found.single[key] if found else "cannot tell"
        if outcome == "cannot tell":
            one = found.curve.single.get(key) if found else None
            needed = _what_tells(one, pooled.unit, (_units(pooled), _units(known)), tolerance)
        why = _in_words(speed, outcome, needed, found, tolerance)
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
        speed=speed,
        curve=found.curve.name if found and len(found.curve.sizes) > 1 else "",
        needed=needed,
        passes_at=passes_at(speed),
    )


def _units(pooled: Pooled) -> int:
    """How many launches, or sessions, a case has."""
    return len(pooled.known.logs(pooled.unit))


def _in_words(
    speed: Ratio | None,
    outcome: Outcome,
    needed: Needed | None,
    found: JudgedCurve | None,
    tolerance: float,
) -> str:
    if speed is None or found is None:
        unit = found.curve.unit if found else "launch"
        more = f"; {more_of(needed)}" if needed else ""
        return f"one {unit} does not show the variation between {PLURAL[unit]}{more}"
    parts = [_required(speed, tolerance)]
    if outcome == "pass" != _answer(speed, tolerance):
        parts.append("passes with its curve")
    if needed:
        parts.append(_left_open(speed, needed, tolerance))
    parts += [one_a_side(found.curve.sessions, decides=True), found.curve.assumed]
    return "; ".join(filter(None, parts))


def _estimate(pooled: Pooled, quantity: Quantity) -> Estimate | None:
    return pooled.latency_ns if quantity == "latency" else pooled.bandwidth_bytes_per_s


def _unlike(case: Case, known: Case) -> str:
    """What two cases of one key do not share."""
    return ", ".join(
        f"{name.replace('_', ' ')} {getattr(case, name)} (reference: {getattr(known, name)})"
        for name in case.__struct_fields__
        if getattr(case, name) != getattr(known, name)
    )
