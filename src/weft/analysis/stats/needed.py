"""How many launches, or sessions, would answer what is not significant, from the scatter. Pure.

The answer is for a difference that somebody asked for (a tolerance, a margin), or for the one that
was seen where that is larger. What was seen is never taken for the truth where it is smaller: the
power at an effect that chance made says nothing new (Hoenig and Heisey, The abuse of power, The
American Statistician 55, 2001).

Means of logarithms are judged by Student's t, and n units a side tell a difference d where

    n = V (z_a + z_b)^2 / d^2 + z_a^2 / 2 * (n - 1) / nu

V is the variance of the difference for one unit a side, nu its degrees of freedom, z_a and z_b are
normal quantiles of the test's level and of how often it is to tell (Guenther, Sample size formulas
for normal theory t tests, The American Statistician 35, 1981). An interval of a median of n units
is REACH / sqrt(n) standard deviations to either side, with fewer than six the widened range, whose
mean is known (Tippett, On the extreme individuals and the range of samples taken from a normal
population, Biometrika 17, 1925).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.intervals import CONFIDENCE, WIDENING
from weft.analysis.stats.precision import DOUBT, REACH, share_of_variance
from weft.estimate import Unit
from weft.plan.cases import LAUNCHES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.analysis.stats.slowdown import Slowdown
    from weft.estimate import Estimate

# How often so many are to tell what is asked.
POWER = 0.8
# A few launches know their scatter badly. Of normal ones so many suffice in this share of cases;
# less would be too few wherever a launch now and then is far slower than those that were seen.
SUFFICES = 0.7
# More than this no one measures: the difference is too small for that machine.
MOST = 10_000
FEWEST = 2
# Two sessions know their scatter badly: see FEW_SESSIONS in launches.py.
FEWEST_SESSIONS = 3
# The mean range of so many values of a normal distribution, in standard deviations.
MEAN_RANGE = {2: 1.1284, 3: 1.6926, 4: 2.0588, 5: 2.3259}
# An interval of a median that ends so far from its figure is beside a difference in POWER of cases:
# of 1.96 + 0.84 standard errors it has 1.96.
SHARE_OF_DIFFERENCE = 0.7
# The standard error of a median over the root of the launches, in their standard deviations.
ERROR_OF_MEDIAN = math.sqrt(math.pi / 2)


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """So many launches, or sessions, of each side tell a difference of that share.

    `count` is of each side in all: launches of a record of its own, sessions with those there are.
    Infinite where no number tells; `hidden` then says why.
    """

    unit: Unit
    count: float
    difference: float
    hidden: str = ""

    @property
    def is_possible(self) -> bool:
        """Whether that can be measured at all."""
        return self.count <= MOST


def at_first(unit: Unit) -> Needed:
    """What shows a scatter of which nothing is known yet."""
    count = LAUNCHES if unit == "launch" else FEWEST_SESSIONS
    return Needed(unit=unit, count=count, difference=0.0)


def in_order(several: Iterable[Needed]) -> list[Needed]:
    """From what takes least to what takes most; sessions are more than launches."""
    return sorted(several, key=lambda one: (one.unit == "session", one.count))


def half_of(several: Sequence[Needed]) -> tuple[Needed, str]:
    """What is enough for half of them, and "half of" for a sentence; "the" of one.

    Raises ValueError of none.
    """
    if not several:
        raise ValueError("nothing needs anything")
    return in_order(several)[(len(several) - 1) // 2], "half of" if len(several) > 1 else "the"


def quantile(share: float) -> float:
    """Where the normal distribution has that share below."""
    from scipy import special

    return float(special.ndtri(share))


def to_tell(found: Slowdown, units: tuple[int, int], difference: float, one_sided: float) -> Needed:
    """What tells that slowdown from none, or from a tolerance, `difference` away in logarithms.

    `units` are the launches or sessions of either side behind it, `one_sided` the level of the
    test. The ticks of the clocks leave the less of the difference, and no number helps there.
    """
    each = 2 / (1 / units[0] + 1 / units[1])
    variance = found.squared_error * each * _doubt(found.freedom)
    # What a unit a side more adds to the degrees of freedom.
    free = max(found.freedom / max(each - 1, 0.5), 1.0)
    left = difference - found.bound
    number = _of_means(variance, left, one_sided, free)
    return Needed(
        unit=found.unit,
        count=_whole(number, found.unit),
        difference=math.expm1(difference),
        hidden="a tick of the clock is more than that" if left <= 0 else "",
    )


def cheapest(
    found: Slowdown, units: tuple[int, int], difference: float, one_sided: float
) -> Needed:
    """The same of what is to hold on other days: by launches or sessions, which is less to measure.

    Of launches of one session a side no number makes the allowance for other days less; as many
    sessions as are needed do.
    """
    if found.unit == "session":
        return to_tell(found, units, difference, one_sided)
    of_days = found.of_other_days.squared_error - found.squared_error
    left = difference - found.bound
    variance = of_days + found.squared_error * _doubt(found.freedom)
    number = _of_means(variance, left, one_sided, 2.0)
    alone = to_tell(found, units, difference, one_sided)
    sessions = msgspec.structs.replace(alone, unit="session", count=_whole(number, "session"))
    reach = quantile(1 - one_sided) + quantile(POWER)
    within = math.copysign(left**2, left) - of_days * reach**2
    if within <= 0:
        return sessions
    within_days = to_tell(found, units, found.bound + math.sqrt(within), one_sided)
    launches = msgspec.structs.replace(alone, count=within_days.count)
    return launches if launches.count <= (sessions.count - 1) * max(units) else sessions


def _of_means(variance: float, difference: float, one_sided: float, free: float) -> float:
    """Guenther's number; infinite where nothing is left to be seen."""
    if difference <= 0:
        return math.inf
    reach = quantile(1 - one_sided)
    return variance * ((reach + quantile(POWER)) / difference) ** 2 + reach**2 / 2 / free


def for_half_width(figure: Estimate, half: float) -> Needed:
    """What makes the interval of a median that wide to either side, in its own unit.

    `half` is positive, the figure has an interval. Raises ValueError where it has none.
    """
    difference = half / abs(figure.value) if figure.value else math.inf
    number = _of_median(_in_doubt(figure), half)
    return Needed(unit=figure.unit, count=_whole(number, figure.unit), difference=difference)


def to_be_beside(figure: Estimate, place: float, least: float = 0.0, together: int = 1) -> Needed:
    """What makes the interval of a median lie beside a place, as a limit or zero, in its own unit.

    For the distance that it may well have: the root mean square over what its interval leaves open,
    for those whose interval holds the place look nearer to it than they are. Or for `least`, where
    that is more. What has no interval yet needs one first. Of so many figures `together` each has
    its share of the level.
    """
    if not figure.is_bounded or figure.launches < FEWEST:
        return at_first(figure.unit)
    level = (1 - CONFIDENCE) / 2
    wider = quantile(1 - level / together) / quantile(1 - level)
    error = ERROR_OF_MEDIAN * scatter_of(figure) / math.sqrt(figure.launches)
    distance = max(math.hypot(figure.value - place, error), least)
    return for_half_width(figure, SHARE_OF_DIFFERENCE * distance / wider)


def apart(one: Estimate, other: Estimate, difference: float) -> Needed:
    """What tells two positive medians apart that differ by so much in logarithms.

    The interval of their ratio reaches as far as both intervals together (ratios.py).
    """
    freedom = one.launches + other.launches - 2
    spread = math.hypot(_relative(one), _relative(other)) * math.sqrt(_doubt(freedom))
    number = _of_median(spread, SHARE_OF_DIFFERENCE * difference)
    unit: Unit = "session" if "session" in (one.unit, other.unit) else "launch"
    return Needed(unit=unit, count=_whole(number, unit), difference=math.expm1(difference))


def to_settle(figure: Estimate, precision: float) -> Needed:
    """How many launches end a case: its interval is within the precision, beyond doubt.

    The doubt about the scatter of n launches (precision.py) is a factor of 1 + DOUBT / sqrt(2 n) on
    it, so with A launches for the interval itself it takes A + DOUBT sqrt(2 A) and some.
    """
    alone = (REACH * _in_doubt(figure) / (precision * abs(figure.value))) ** 2
    number = alone + DOUBT * math.sqrt(2 * alone) + DOUBT**2
    return Needed(unit=figure.unit, count=_whole(number, figure.unit), difference=precision)


def scatter_of(figure: Estimate) -> float:
    """The standard deviation of the launches, or sessions, that a median's interval speaks of.

    Raises ValueError of a figure without an interval.
    """
    if not figure.is_bounded or figure.launches < FEWEST:
        raise ValueError("one launch does not show how launches scatter")
    return (figure.high - figure.low) / 2 / reach_of(figure.launches)


def _in_doubt(figure: Estimate) -> float:
    return scatter_of(figure) * math.sqrt(_doubt(figure.launches - 1))


def _relative(figure: Estimate) -> float:
    logs = figure.mapped(math.log) if figure.low > 0 else None
    return scatter_of(logs) if logs else scatter_of(figure) / figure.value


def reach_of(count: int) -> float:
    """Half the mean width of a median's interval over so many, in standard deviations."""
    if count in WIDENING:
        return (WIDENING[count] + 0.5) * MEAN_RANGE[count]
    return REACH / math.sqrt(count)


def _doubt(freedom: float) -> float:
    """How many times the variance seen the true one is at most, in SUFFICES of cases."""
    return 1 / share_of_variance(freedom, quantile(SUFFICES))


def _of_median(scatter: float, half: float) -> float:
    """The number whose interval is that wide, of that scatter."""
    few = (count for count in WIDENING if reach_of(count) * scatter <= half)
    return next(few, (REACH * scatter / half) ** 2)


def _whole(number: float, unit: Unit) -> float:
    least = FEWEST if unit == "launch" else FEWEST_SESSIONS
    return max(math.ceil(number), least) if number < 1e15 else math.inf
