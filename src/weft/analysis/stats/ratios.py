"""Ratios of two figures with intervals, and what may be said of them.

Where the launches of both are known it is the ratio of their geometric means, as in `weft check`
(slowdown.py); else that of the two figures. It is of speeds: over 1 the second figure is the better
one, for latency as for bandwidth.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import msgspec

from weft.analysis.stats.intervals import exp
from weft.analysis.stats.needed import Needed, cheapest, to_tell
from weft.analysis.stats.slowdown import Paces, Slowdown, ends_together, slowdown_between
from weft.estimate import PLURAL, Estimate
from weft.units import format_ratio
from weft.wording import with_ends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.units import Shape

Quantity = Literal["latency", "bandwidth"]
Verdict = Literal["better", "worse", "same", "cannot tell"]
# What is seen in these runs where other days may bring another answer.
Here = Literal["faster here", "slower here", "the same here"]
HERE: Mapping[Verdict | None, Here] = MappingProxyType(
    {"better": "faster here", "worse": "slower here", "same": "the same here"}
)
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

    The ends decide the verdict. They hold for all figures that are looked at together, and allow
    for other days where one session of each side is all there is; `in_these_runs` has the ends
    without that allowance, None of what needs none. With one launch on a side the ends are
    infinite: they are unknown. As plain data the speed is the `value`, as of every figure.
    """

    speed: float = msgspec.field(name="value")
    low: float
    high: float
    basis: str
    in_these_runs: tuple[float, float] | None = None

    @property
    def is_of_both(self) -> bool:
        """Whether the interval holds the scatter of both sides."""
        return self.basis in PLURAL.values()

    @property
    def has_interval(self) -> bool:
        """Whether its ends are known: what has none is neither significant nor not."""
        return self.basis != _ONE_LAUNCH


def ratio(
    first: Figure,
    second: Figure,
    quantity: Quantity,
    *,
    same_session: bool = False,
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
        return one_launch(middle)
    down = math.hypot(math.log(a.value / a.low), math.log(b.high / b.value))
    up = math.hypot(math.log(a.high / a.value), math.log(b.value / b.low))
    return Ratio(
        speed=exp(middle),
        low=exp(middle - down),
        high=exp(middle + up),
        basis=_basis(first.kind, second.kind),
    )


def ratios(
    pairs: Sequence[tuple[Figure | None, Figure | None]],
    quantity: Quantity,
    *,
    same_session: bool = False,
) -> list[Ratio | None]:
    """The ratios of figures that are looked at together, None where a side has none.

    Where the launches are known, all their intervals hold at once.
    """
    alone = [ratio(one, two, quantity) if one and two else None for one, two in pairs]
    known = {
        at: found
        for at, (one, two) in enumerate(pairs)
        if one and two and one.paces and two.paces
        if (found := slowdown_between(two.paces, one.paces))
    }
    joint = ratios_of([*known.values()], is_of_other_days=not same_session)
    together = dict(zip(known, joint, strict=True))
    return [together.get(at, one) for at, one in enumerate(alone)]


def ratio_of_paces(first: Paces, second: Paces, *, same_session: bool = False) -> Ratio:
    """The ratio of the geometric means of launches, or of sessions where a side has several."""
    found = slowdown_between(second, first)
    if found is None:
        return one_launch(first.mean_log - second.mean_log)
    return ratio_of(found, is_of_other_days=not same_session)


def needed(
    first: Figure,
    second: Figure,
    same: float = SAME,
    *,
    same_session: bool = False,
    together: int = 1,
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
    judge = to_tell if same_session else cheapest
    away = margin if abs(found.log) <= margin else math.hypot(found.log, found.error)
    return judge(found, units, away, ONE_SIDED / together)


def one_launch(log_speed: float) -> Ratio:
    """Of one launch on a side, which does not show the variation between launches."""
    return Ratio(speed=exp(log_speed), low=-math.inf, high=math.inf, basis=_ONE_LAUNCH)


def ratio_of(
    found: Slowdown,
    below: float = ONE_SIDED,
    above: float = ONE_SIDED,
    *,
    is_of_other_days: bool = False,
) -> Ratio:
    """The speed of a slowdown, with an interval that leaves these chances beyond its ends."""
    speed, *in_these_runs = found.speed(below, above)
    judged = found.of_other_days if is_of_other_days else found
    _, low, high = judged.speed(below, above)
    return Ratio(
        speed=speed,
        low=low,
        high=high,
        basis=PLURAL[found.unit],
        in_these_runs=(in_these_runs[0], in_these_runs[1]),
    )


def ratios_of(found: Sequence[Slowdown], *, is_of_other_days: bool = False) -> list[Ratio]:
    """The speeds of slowdowns that are looked at together, with intervals that hold at once."""
    in_runs = ends_together(found)
    judged = ends_together(found, is_of_other_days=True) if is_of_other_days else in_runs
    return [
        Ratio(
            speed=exp(-one.log),
            low=exp(-one.log - half),
            high=exp(-one.log + half),
            basis=PLURAL[one.unit],
            in_these_runs=(exp(-one.log - narrow), exp(-one.log + narrow)),
        )
        for one, half, narrow in zip(found, judged, in_runs, strict=True)
    ]


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
    return _verdict(found.low, found.high, same)


def seen(found: Ratio, same: float = SAME) -> Verdict:
    """The verdict on these runs alone, whatever other days bring."""
    if not found.has_interval or found.in_these_runs is None:
        return verdict(found, same)
    return _verdict(*found.in_these_runs, same)


def _verdict(low: float, high: float, same: float) -> Verdict:
    if same and low >= 1 / (1 + same) and high <= 1 + same:
        return "same"
    if low > 1:
        return "better"
    return "worse" if high < 1 else "cannot tell"
