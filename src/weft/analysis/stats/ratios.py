"""Ratios of two figures with intervals, and what may be said of them.

Where the launches of both are known it is the ratio of their geometric means, as in `weft check`
(slowdown.py); else that of the two figures. It is of speeds: over 1 the second figure is the better
one, for latency as for bandwidth.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.stats.intervals import exp
from weft.analysis.stats.many import named
from weft.analysis.stats.needed import Needed, cheapest, to_tell
from weft.analysis.stats.slowdown import Paces, Slowdown, quantile, slowdown_between
from weft.estimate import PLURAL, Estimate
from weft.units import format_ratio
from weft.wording import with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.units import Shape

Quantity = Literal["latency", "bandwidth"]
Verdict = Literal["better", "worse", "same", "cannot tell"]
# What a figure's interval covers: the variation between launches, that within one launch, or only
# the rounding of a published figure.
Kind = Literal["launches", "one launch", "published"]
# What is left on either side of an interval of 95 %.
ONE_SIDED = 0.025
_ONE_LAUNCH: Kind = "one launch"
# Two speeds inside this margin are the same for the user, if the interval says so.
SAME = 0.02


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One side's figure at one size: latency in ns or bandwidth in bytes/s.

    The interval of a published figure is its rounding, half a unit of its last digit. `paces` are
    the launches behind it in ns, or ns a byte, where they are known.
    """

    estimate: Estimate
    kind: Kind
    launches: int = 0
    published: str = ""
    paces: Paces | None = None


class Ratio(msgspec.Struct, frozen=True, kw_only=True):
    """How many times as fast the second figure is, [low, high], and the basis of the interval.

    With one launch on a side the ends are infinite: they are unknown. `chance` is the p-value of
    equal speeds, with an allowance for other days where one session of each side is all there is;
    None where the ends decide. As plain data the speed is the `value`, as of every figure.
    """

    speed: float = msgspec.field(name="value")
    low: float
    high: float
    basis: str
    chance: float | None = None

    @property
    def is_of_both(self) -> bool:
        """Whether the interval holds the scatter of both sides."""
        return self.basis in PLURAL.values()

    @property
    def has_interval(self) -> bool:
        """Whether its ends are known: what has none is neither significant nor not."""
        return self.basis != _ONE_LAUNCH


def ratio(
    first: Figure, second: Figure, quantity: Quantity, *, same_session: bool = False
) -> Ratio:
    """The speed of the second over that of the first.

    Of geometric means where both have `paces`. Else, with medians a, b and their intervals,
    log(a / b) reaches down by hypot(log(a / a_low), log(b_high / b)) and up by hypot(log(a_high /
    a), log(b / b_low)): the method of variance estimates recovery (Zou and Donner, Construction of
    confidence limits about effect measures, Statistics in Medicine 27, 2008). Each side brings its
    own scatter and its own number of launches. The two ends stay apart on purpose: where launches
    have two modes, an interval of one standard error for both ends (Price and Bonett 2002) held the
    truth of medians in 64 % of the trials. Figures of the `same_session` share its day.
    """
    if first.paces and second.paces:
        return ratio_of_paces(first.paces, second.paces, same_session=same_session)
    upper, lower = (first, second) if quantity == "latency" else (second, first)
    a, b = upper.estimate, lower.estimate
    middle = math.log(a.value / b.value)
    if not (a.is_bounded and b.is_bounded):
        return _without_ends(middle)
    down = math.hypot(math.log(a.value / a.low), math.log(b.high / b.value))
    up = math.hypot(math.log(a.high / a.value), math.log(b.value / b.low))
    return Ratio(
        speed=exp(middle),
        low=exp(middle - down),
        high=exp(middle + up),
        basis=_basis(first.kind, second.kind),
    )


def ratio_of_paces(first: Paces, second: Paces, *, same_session: bool = False) -> Ratio:
    """The ratio of the geometric means of launches, or of sessions where a side has several."""
    found = slowdown_between(second, first)
    if found is None:
        return _without_ends(first.mean_log - second.mean_log)
    judged = found if same_session else found.of_other_days
    return msgspec.structs.replace(ratio_of(found), chance=judged.chance_of_none)


def needed(
    first: Figure, second: Figure, same: float = SAME, *, same_session: bool = False
) -> Needed | None:
    """What would give these two a verdict: the margin, or a difference as large as it may be.

    What is seen and is more than the margin may be larger by its error: where nothing is
    significant it looks smaller than it is (to_be_beside). None where their launches are not known,
    or leave nothing to judge by.
    """
    if not (first.paces and second.paces):
        return None
    found = slowdown_between(second.paces, first.paces)
    if found is None:
        return None
    margin = math.log1p(same)
    units = (len(first.paces.logs(found.unit)), len(second.paces.logs(found.unit)))
    if abs(found.log) <= margin:
        return to_tell(found, units, margin, ONE_SIDED)
    judge = to_tell if same_session else cheapest
    return judge(found, units, math.hypot(found.log, found.error), ONE_SIDED)


def _without_ends(log_speed: float) -> Ratio:
    """Of one launch on a side, which does not show the variation between launches."""
    return Ratio(speed=exp(log_speed), low=-math.inf, high=math.inf, basis=_ONE_LAUNCH)


def ratio_of(found: Slowdown, one_sided: float = ONE_SIDED) -> Ratio:
    """The speed of a slowdown, with an interval that leaves as much beyond each end."""
    speed, low, high = found.speed(quantile(found.freedom, 1 - one_sided))
    return Ratio(speed=speed, low=low, high=high, basis=PLURAL[found.unit])


def ratio_in_words(found: Ratio, shape: Shape = format_ratio) -> str:
    """A ratio with its interval: "1.023 [1.001, 1.046]"; of one launch without."""
    return with_ends(estimate_of(found), shape)


def estimate_of(found: Ratio) -> Estimate:
    """A ratio as any other figure: the second side's speed over the first's."""
    return Estimate(
        value=found.speed,
        low=found.low,
        high=found.high,
        coverage=1 - 2 * ONE_SIDED,
        method=found.basis,
        launches=0 if found.has_interval else 1,
    )


def _basis(first: Kind, second: Kind) -> str:
    if _ONE_LAUNCH in (first, second):
        return _ONE_LAUNCH
    if first == second == "published":
        return "as published"
    return "published on one side" if "published" in (first, second) else "launches"


def verdict(found: Ratio, same: float = SAME) -> Verdict:
    """The verdict of the ratio on the second figure.

    same: the whole interval is inside 1 / (1 + same) to 1 + same. better, worse: the whole interval
    is on one side of 1. cannot tell: neither, or one launch on a side. Where both figures are
    published the interval is their rounding alone and so is the margin.
    """
    if not found.has_interval:
        return "cannot tell"
    if found.basis == "as published":
        same = 0.0
        if found.low <= 1 <= found.high:
            return "same"
    if same and found.low >= 1 / (1 + same) and found.high <= 1 + same:
        return "same"
    if found.low > 1:
        return "better"
    return "worse" if found.high < 1 else "cannot tell"


def verdicts(ratios: Sequence[Ratio | None], same: float = SAME) -> tuple[Verdict | None, ...]:
    """The verdicts of ratios that are looked at together: of all sizes of one test.

    better and worse are named only where that many of them do not make one by chance (many.py).
    """
    chances = [found.chance for found in ratios if found and found.chance is not None]
    kept = iter(named(chances))
    answers: list[Verdict | None] = []
    for found in ratios:
        answer = verdict(found, same) if found else None
        if found and found.chance is not None and not next(kept) and answer in ("better", "worse"):
            answer = "cannot tell"
        answers.append(answer)
    return tuple(answers)
