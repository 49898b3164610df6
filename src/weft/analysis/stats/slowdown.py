"""By how much one machine is slower than another, and whether that is over a tolerance. Pure.

The one estimator of `weft compare` and `weft check`: the ratio of geometric means.

Everything is on logarithms: a slowdown of 5 % is log 1.05. docs/validation/check.md has the error
rates, and `python -m bench.decisions` measures them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.analysis.stats.in_time import times_wider
from weft.analysis.stats.intervals import exp
from weft.estimate import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

# The standard deviation of sessions that is allowed for where only one of either side is there to
# judge by: what a boot, a day's temperature and its neighbours move a quiet machine by. Where the
# launches of a session scatter by more, sessions are taken to differ by as much as those.
SESSION_SCATTER = 0.02
# That variance of launches is known with so much of the degrees of freedom that their number has,
# for slow times have a tail (gamma tails, three to twelve launches).
TAILED_FREEDOM = 0.5
# Where one side alone scatters, nothing outweighs the tail of its few launches, so the interval is
# longer by up to this share: tails of gamma distributions, five to twenty launches, five times the
# scatter of the other side. So it is where a side has one session: of a day with a tail, or in the
# slower of two modes, there is one value.
ONE_SIDED_TAIL = 0.35
# Student's distribution of more degrees of freedom is the normal one.
MOST_FREEDOM = 1e6
# A clock whose tick is longer than the time itself says nothing; the logarithm stays finite.
MOST_HALF_TICK = 0.5


class Paces(msgspec.Struct, frozen=True):
    """What the launches of one case took, session by session: positive times of any one unit.

    `half_tick` is half a tick of the clock over the shortest of them: each is known to that much.
    `assumed` is the standard deviation of a launch where one alone does not show it; 0: unknown.
    """

    sessions: tuple[tuple[float, ...], ...]
    half_tick: float = 0.0
    assumed: float = 0.0

    def logs(self, unit: Unit) -> list[float]:
        """Their logarithms: of each launch, or the mean of each session."""
        logs = [[math.log(time) for time in own] for own in self.sessions]
        if unit == "session":
            return [_mean(own) for own in logs]
        return [log for own in logs for log in own]

    @property
    def mean_log(self) -> float:
        """The logarithm of their geometric mean; of sessions, each counts alike."""
        return _mean(self.logs("session"))

    @property
    def bound(self) -> float:
        """How far the clock may have moved all of their logarithms alike."""
        return -math.log1p(-min(self.half_tick, MOST_HALF_TICK))


class Slowdown(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of two mean logarithms: by how much mine is slower, and how well it is known.

    `squared_error` is the variance of `log`, with `freedom` degrees of freedom. `bound` is what the
    ticks of both clocks may have added: no scatter shows it and no further launch makes it less.
    `launch_variance` is that of one launch, the mean of both sides; 0 of sessions. `one_sided` is
    how much of a tail that both sides have is in the difference: 0 where they scatter alike, 1 or
    -1 where one does alone, or is one session.
    """

    log: float
    squared_error: float
    freedom: float
    bound: float = 0.0
    unit: Unit = "launch"
    launch_variance: float = 0.0
    one_sided: float = 0.0

    def chance_if_at_most(self, slack: float) -> float:
        """The p-value of the hypothesis that it is at most log(1 + slack): small says slower."""
        return self._student(math.log1p(slack) - self.log + self.bound)

    def chance_if_at_least(self, slack: float) -> float:
        """The p-value of the hypothesis that it is at least that: small says not slower."""
        return self._student(self.log + self.bound - math.log1p(slack))

    @property
    def of_other_days(self) -> Slowdown:
        """The same as a statement on the machines and not on two sessions of them.

        Over launches of one session a side, with an allowance for what sessions differ by; over
        sessions it is one already.
        """
        if self.unit == "session":
            return self
        allowed = variance_of_sessions(self.launch_variance)
        error = self.squared_error + 2 * allowed
        share = error / self.squared_error if self.squared_error > 0 else math.inf
        # An allowance that the launches make is known no better than they know their scatter.
        is_assumed = allowed > self.launch_variance
        freedom = min(self.freedom * (share**2 if is_assumed else TAILED_FREEDOM), MOST_FREEDOM)
        # What days differ by has no side.
        tail = self.one_sided / share**1.5
        return msgspec.structs.replace(self, squared_error=error, freedom=freedom, one_sided=tail)

    @property
    def chance_of_none(self) -> float:
        """The two-sided p-value of no difference at all."""
        return min(1.0, 2 * min(self.chance_if_at_most(0.0), self.chance_if_at_least(0.0)))

    def _student(self, distance: float) -> float:
        """The chance of a Student's t below `distance` in standard errors."""
        from scipy import special

        if self.squared_error <= 0:
            return 0.0 if distance < 0 else 1.0 if distance > 0 else 0.5
        return float(special.stdtr(self.freedom, distance / self.error))

    def speed(self, below: float, above: float) -> tuple[float, float, float]:
        """The ratio of speeds, mine over theirs, and the ends that leave such chances beyond them.

        The ticks widen the interval by as much as they may have moved it.
        """
        down, up = (
            quantile(self.freedom, 1 - chance) * self.error + self.bound
            for chance in (below, above)
        )
        return exp(-self.log), exp(-self.log - down), exp(-self.log + up)

    @property
    def error(self) -> float:
        """The standard error, longer where one side scatters alone.

        What a tail costs an interval goes with the square of the skewness of the mean (Hall, The
        Bootstrap and Edgeworth Expansion, 1992, section 2.6).
        """
        return math.sqrt(self.squared_error) * (1 + ONE_SIDED_TAIL * self.one_sided**2)


def variance_of_sessions(launch_variance: float) -> float:
    """What one session may differ from the next by where nothing shows it: variance of logarithms.

    The one allowance of compare, check and limits: SESSION_SCATTER, or that of a launch where
    launches scatter by more.
    """
    return max(SESSION_SCATTER**2, launch_variance)


def quantile(freedom: float, level: float) -> float:
    """How many standard errors a one-sided interval of that level reaches: Student's quantile."""
    from scipy import special

    return float(special.stdtrit(freedom, level))


def slowdown_between(mine: Paces, theirs: Paces) -> Slowdown | None:
    """By how much one case is slower, over sessions where a side has several, else over launches.

    None where that leaves nothing to judge by.
    """
    unit: Unit = "session" if max(len(mine.sessions), len(theirs.sessions)) > 1 else "launch"
    bound, assumed = mine.bound + theirs.bound, (mine.assumed, theirs.assumed)
    return judged_over(unit, mine.logs(unit), theirs.logs(unit), bound, assumed)


def judged_over(
    unit: Unit,
    mine: Sequence[float],
    theirs: Sequence[float],
    bound: float,
    assumed: tuple[float, float] = (0.0, 0.0),
) -> Slowdown | None:
    """The slowdown of logarithms over that unit, whose clocks may have moved it by `bound`.

    `assumed` is what one launch of mine, and one of theirs, scatters by, where that is not seen.
    """
    found = (
        slowdown_of_sessions(mine, theirs) if unit == "session" else slowdown(mine, theirs, assumed)
    )
    return None if found is None else msgspec.structs.replace(found, bound=bound, unit=unit)


def slowdown(
    mine: Sequence[float], theirs: Sequence[float], assumed: tuple[float, float] = (0.0, 0.0)
) -> Slowdown | None:
    """Of mean logarithms over launches: Welch's, each side with its own scatter.

    With Satterthwaite's degrees of freedom (Welch, The generalization of Student's problem when
    several different population variances are involved, Biometrika 34, 1947). Student's t is exact
    for a tail that both sides have alike; what of it one side has more than the other, the skewness
    of the difference, makes the interval longer. None where a side has one launch, which does not
    show the variation between launches, and no standard deviation is `assumed` for it.
    """
    counts = [len(mine), len(theirs)]
    is_assumed = [count == 1 and one > 0 for count, one in zip(counts, assumed, strict=True)]
    if any(count < 2 and not known for count, known in zip(counts, is_assumed, strict=True)):
        return None
    variances = [
        one**2 if known else variance_of(side)
        for side, one, known in zip((mine, theirs), assumed, is_assumed, strict=True)
    ]
    # What is assumed is taken for known.
    each = [
        MOST_FREEDOM if known else count - 1
        for count, known in zip(counts, is_assumed, strict=True)
    ]
    parts = [own / count for own, count in zip(variances, counts, strict=True)]
    error = sum(parts)
    lost = sum(part**2 / free for part, free in zip(parts, each, strict=True))
    freedom = min(error**2 / lost if lost > 0 else float(sum(each)), MOST_FREEDOM)
    # Third moments add up as the parts to the power of 3/2 do, those of one side turned round; an
    # assumed scatter has no tail.
    tails = [
        0.0 if known or error <= 0 else (part / error) ** 1.5
        for part, known in zip(parts, is_assumed, strict=True)
    ]
    return Slowdown(
        log=_mean(mine) - _mean(theirs),
        squared_error=error,
        freedom=freedom,
        launch_variance=sum(variances) / 2,
        one_sided=tails[0] - tails[1],
    )


def slowdown_of_sessions(mine: Sequence[float], theirs: Sequence[float]) -> Slowdown | None:
    """Of mean logarithms over sessions: Student's, for sessions of either side scatter alike.

    So a side of one session can be judged by the scatter of the other side's, and the tail of its
    one value is all its own. None where both sides have one.
    """
    freedom = len(mine) + len(theirs) - 2
    if freedom < 1 or not mine or not theirs:
        return None
    squares = variance_of(mine) * (len(mine) - 1) + variance_of(theirs) * (len(theirs) - 1)
    error = squares / freedom * (1 / len(mine) + 1 / len(theirs))
    return Slowdown(
        log=_mean(mine) - _mean(theirs),
        squared_error=error,
        freedom=float(freedom),
        one_sided=float((len(mine) == 1) - (len(theirs) == 1)),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def variance_of(values: Sequence[float]) -> float:
    """The variance of independent values about their mean; 0 of one."""
    middle = _mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / max(len(values) - 1, 1)


def moderated(found: Sequence[Slowdown]) -> list[Slowdown]:
    """The same slowdowns, each variance drawn towards that of all curves together.

    Five launches know their scatter badly, several curves of the same machine know it better. How
    much better is estimated from how alike their variances are, so that curves of unlike scatter
    keep their own (Smyth, Linear models and empirical Bayes methods for assessing differential
    expression, Statistical Applications in Genetics 3, 2004, section 6.2). No variance is taken for
    better known than all of them together make it. Fewer than three curves keep their own.
    """
    from scipy import special

    if len(found) < 3 or min(one.squared_error for one in found) <= 0:
        return list(found)
    halves = [one.freedom / 2 for one in found]
    logs = [
        math.log(one.squared_error) - float(special.digamma(half)) + math.log(half)
        for one, half in zip(found, halves, strict=True)
    ]
    own = math.fsum(float(special.polygamma(1, half)) for half in halves) / len(halves)
    excess = variance_of(logs) - own
    half = _inverse_trigamma(excess) if excess > 0 else math.inf
    shift = float(special.digamma(half)) - math.log(half) if math.isfinite(half) else 0.0
    common = math.exp(_mean(logs) + shift)
    every = math.fsum(one.freedom for one in found)
    # Half the estimate: a few curves estimate it badly, and where it is too high the noisiest curve
    # looks more certain than it is. A million makes no difference to equal variances.
    prior = min(half, 1e6)
    return [
        msgspec.structs.replace(
            one,
            squared_error=(prior * common + one.freedom * one.squared_error)
            / (prior + one.freedom),
            freedom=min(prior + one.freedom, every),
        )
        for one in found
    ]


def ends_together(
    found: Sequence[Slowdown], level: float = 0.025, *, is_of_other_days: bool = False
) -> list[float]:
    """How far the intervals reach to either side that hold for all of these at once.

    The longer one of two. Where the same launches move all of them, they are right or wrong
    together, and each one's own interval is enough. Where each scatters by itself, each has its
    share of the level (Bonferroni), and together they know better than any alone how launches
    scatter (`moderated`).
    """
    drawn = [
        msgspec.structs.replace(
            new, launch_variance=old.launch_variance * _share(new.squared_error, old.squared_error)
        )
        for new, old in zip(moderated(found), found, strict=True)
    ]
    each = level / max(len(found), 1)
    if is_of_other_days:
        found, drawn = ([one.of_other_days for one in own] for own in (found, drawn))
    return [
        one.bound
        + max(
            one.error * quantile(one.freedom, 1 - level),
            new.error * quantile(new.freedom, 1 - each),
        )
        for one, new in zip(found, drawn, strict=True)
    ]


def _share(one: float, other: float) -> float:
    return one / other if other > 0 else 1.0


def _inverse_trigamma(value: float) -> float:
    """Newton's iteration on 1 / trigamma (Smyth 2004, appendix)."""
    from scipy import special

    found = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, found))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, found))
        found += step
        if -step / found < 1e-8:
            break
    return found


def difference_of_pairs(differences: Sequence[float]) -> Slowdown | None:
    """Student's interval of differences between paired launches, in the order of time.

    None of fewer than two.
    """
    if len(differences) < 2:
        return None
    # As many independent values know the mean, and its scatter, as well.
    count = max(len(differences) / times_wider(differences) ** 2, 2.0)
    return Slowdown(
        log=_mean(differences),
        squared_error=variance_of(differences) / count,
        freedom=count - 1,
    )


def together(sides: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Slowdown | None:
    """The slowdown of several curves together, from the levels of their sessions, mine and theirs.

    Sessions move all curves alike, so the mean over the curves knows a common slowdown better than
    any of them, and is one test where they are many. None for one curve, or where not every session
    has all of them.
    """
    counts = {(len(mine), len(theirs)) for mine, theirs in sides}
    if len(sides) < 2 or len(counts) > 1:
        return None
    both = (
        [_mean(session) for session in zip(*of_curves, strict=True)]
        for of_curves in zip(*sides, strict=True)
    )
    return slowdown_of_sessions(*both)
