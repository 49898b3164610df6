"""From times of pairs to what is slow, or to nothing. Pure.

Each pair's logarithm, less the median of the pairs as far apart and that of what ran at once, is
turned into a normal score by its rank (van der Waerden, 1952), so that no outlier counts for more
than its rank, and averaged over the pair's visits. A cause divides the pairs into those that it
touches and the others: z is Student's t between the two as a normal deviate. The cause that fits
best has the greatest, for pairs that it does not touch, or touched pairs that it leaves out, make
it smaller. It is named where chance would give so large a z to any of the causes in 5 of 1,000
maps, and where its pairs are slower by LEAST. Its pairs are taken out, and what is left is looked
at again.

Pairs of one round that share a cable are slow together by chance too: z is less by what that adds
to the variance of the cause's mean.

Of fewer than eight endpoints the logarithms themselves, each cut off beyond its pair's own scatter,
are tried beside their ranks, and so are the times where every pair of a cause is slower than any
other, and the best counts: three ways of twelve that are slower a hundred times have no higher
ranks than those that are slower by a scatter.

The confidence is the likelihood of the cause against that of all others, exp(z^2 / 2) each: causes
that make the same pairs slow share it.

Several endpoints may be slow together (weft.analysis.diagnosis.split). Such a set is the answer if
it fits better than any single cause although it was chosen of all sets of as many endpoints, and if
single causes do not name the same endpoints one by one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weft.analysis.diagnosis.causes import Cause, causes_of
from weft.analysis.diagnosis.collisions import least_loaded
from weft.analysis.diagnosis.fit import fits_of, least_fit
from weft.analysis.diagnosis.pair_times import PairTimes, medians_by, medians_of
from weft.analysis.diagnosis.split import split_of
from weft.analysis.diagnosis.together import Pairs
from weft.analysis.stats.intervals import interval_of_median
from weft.analysis.stats.median_deviation import spread
from weft.fabric.known import KnownFabric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEAST = 0.02
MOST_FINDINGS = 8
FEWEST = 4
# Rounds of fewer pairs have no median of their own to take off.
_FEWEST_AT_ONCE = 8
# Likelihoods that differ by less than e^2 do not distinguish causes.
_ALIKE = 4.0
_EVIDENCE = 5


class SlowPair(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that shows a finding, and how much longer its messages take."""

    source: str
    target: str
    slower: float


class FoundCause(msgspec.Struct, frozen=True, kw_only=True):
    """What is slow. More than one of `causes`: all of them fit, and these pairs tell none apart.

    `slower` is the share by which its pairs take longer, the median over them with its 95 %
    interval; `also` are others that fit nearly as well. With `others` all of `causes` are slow: the
    endpoints are two groups, and `others` are those of the fast one.
    """

    causes: tuple[Cause, ...]
    also: tuple[Cause, ...]
    slower: float
    slower_low: float
    slower_high: float
    confidence: float
    pairs: int
    evidence: tuple[SlowPair, ...]
    others: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether one cause alone fits, or one set of them."""
        return bool(self.others) or (len(self.causes) == 1 and not self.also)


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What is slow, the worst first, and who did not answer at all.

    `rest` are the times of those that answer, but for what is slow. `has_more`: more causes fit
    than the MOST_FINDINGS that are named.
    """

    findings: tuple[FoundCause, ...]
    dead: tuple[str, ...]
    scatter: float
    fabric: KnownFabric
    rest: PairTimes
    has_more: bool = False


def diagnose(times: PairTimes, fabric: KnownFabric, gone: Sequence[str] = ()) -> Diagnosis:
    """What explains the times. Fewer than FEWEST endpoints that answer tell nothing apart.

    Endpoints that are `gone` died meanwhile: what was measured of them says nothing.
    """
    silent = {*dead_of(times), *gone}
    dead = tuple(name for name in times.names if name in silent)
    is_dead = np.isin(np.array(times.names), dead)
    used = times.at(np.isfinite(times.time_ns) & ~is_dead[times.source] & ~is_dead[times.target])
    used = least_loaded(used)
    scatter = spread(excess_of(used, fabric))
    findings, rest, has_more = _single_causes(used, fabric)
    if grouped := _slow_together(used, fabric, findings):
        first, fast = grouped
        findings, rest, has_more = _single_causes(fast, fabric)
        findings = (first, *findings)
    return Diagnosis(
        findings=findings,
        dead=dead,
        scatter=math.expm1(scatter),
        fabric=fabric,
        rest=rest,
        has_more=has_more,
    )


def _single_causes(
    used: PairTimes, fabric: KnownFabric
) -> tuple[tuple[FoundCause, ...], PairTimes, bool]:
    """Causes found one by one, the remaining times, and whether those have causes too."""
    logs = excess_of(used, fabric)
    findings: list[FoundCause] = []
    while len(np.union1d(used.source, used.target)) >= FEWEST:
        found, taken = _worst(used, logs, fabric)
        if found is None or len(findings) == MOST_FINDINGS:
            return tuple(findings), used, found is not None
        findings.append(found)
        used, logs = used.at(~taken), logs[~taken]
    return tuple(findings), used, False


def _slow_together(
    used: PairTimes, fabric: KnownFabric, single: Sequence[FoundCause]
) -> tuple[FoundCause, PairTimes] | None:
    """Endpoints that are slow with any partner, and the times of the others among each other.

    None where there are none, or where single causes explain the times as well.
    """
    there = np.union1d(used.source, used.target)
    if len(there) < FEWEST:
        return None
    kinds = np.unique(distances(used, fabric), return_inverse=True)[1]
    split = split_of(used, kinds, LEAST)
    if split is None:
        return None
    own = tuple(Cause("node", used.names[at]) for at in there[split.is_slow[there]].tolist())
    certain = [one.causes[0] for one in single if one.is_certain]
    if len(certain) == len(single) and set(certain) == set(own):
        return None
    known = np.isfinite(split.logs)
    times, logs = used.at(known), split.logs[known]
    pairs = pairs_of(times, logs)
    hit = split.is_slow[pairs.source] | split.is_slow[pairs.target]
    causes = causes_of(times.names, pairs.source, pairs.target, fabric)
    places = np.flatnonzero(hit)
    z, *single_z = fits_of(times, logs, pairs, [places, *causes.places])
    chosen_of = math.comb(len(there), len(own))
    evidence = z**2 - 2 * math.log(chosen_of)
    doubt = float(np.exp((np.maximum(single_z, 0) ** 2 - evidence) / 2).sum())
    if z < least_fit(chosen_of) or evidence < max(single_z, default=0.0) ** 2 + _ALIKE:
        return None
    finding = _finding(times.names, pairs, places, pairs.log[places] - np.median(pairs.log[~hit]))
    finding = msgspec.structs.replace(
        finding,
        causes=own,
        confidence=1 / (1 + doubt),
        others=tuple(used.names[at] for at in there[~split.is_slow[there]].tolist()),
    )
    return finding, used.at(~(split.is_slow[used.source] | split.is_slow[used.target]))


def dead_of(times: PairTimes) -> tuple[str, ...]:
    """Endpoints of which every measurement failed while others went well."""
    is_ok = np.isfinite(times.time_ns)
    tried = np.union1d(times.source, times.target)
    alive = np.union1d(times.source[is_ok], times.target[is_ok])
    if not len(alive):
        return ()
    return tuple(times.names[at] for at in np.setdiff1d(tried, alive).tolist())


def excess_of(times: PairTimes, fabric: KnownFabric) -> NDArray[Any]:
    """Logarithms of the times beyond what is usual so far apart, and in what ran at once."""
    logs: NDArray[Any] = np.log(times.time_ns)
    kinds = distances(times, fabric)
    for _ in range(2):
        logs = logs - medians_by(kinds, logs)
        if len(times.names) >= _FEWEST_AT_ONCE:
            logs = logs - medians_by(times.visit, logs)
    return logs


def slowest_pairs(times: PairTimes, fabric: KnownFabric, most: int) -> tuple[SlowPair, ...]:
    """The directed pairs that are slower than is usual so far apart, the slowest first."""
    used = least_loaded(times.at(np.isfinite(times.time_ns)))
    pairs = pairs_of(used, excess_of(used, fabric))
    worst = [at for at in np.argsort(-pairs.log, kind="stable")[:most] if pairs.log[at] > 0]
    return tuple(_slow(used.names, pairs, at, float(pairs.log[at])) for at in worst)


def distances(times: PairTimes, fabric: KnownFabric) -> NDArray[Any]:
    """How far each pair is apart: the level of the smallest group that holds both, else 0.

    Where the ways are known, those of one length are as far apart that share a cable with as many.
    """
    found = np.zeros(len(times.source), dtype=int)
    for group in sorted(fabric.groups, key=lambda one: -one.level):
        has = np.array([name in group.members for name in times.names])
        found[has[times.source] & has[times.target]] = group.level
    if not fabric.ways:
        return found
    names = times.names
    number = times.source * len(names) + times.target
    unique, of_value = np.unique(number, return_inverse=True)
    pairs = zip((unique // len(names)).tolist(), (unique % len(names)).tolist(), strict=True)
    lengths = [len(fabric.ways.get((names[i], names[j]), ())) for i, j in pairs]
    found *= 1 + max(lengths, default=0)
    found += np.array(lengths, dtype=int)[of_value]
    return (
        found if times.load is None else found * (1 + int(times.load.max(initial=0))) + times.load
    )


def _worst(
    times: PairTimes, logs: NDArray[Any], fabric: KnownFabric
) -> tuple[FoundCause | None, NDArray[Any]]:
    """The cause that fits best, if chance does not give it; and the mask of its values."""
    pairs = pairs_of(times, logs)
    causes = causes_of(times.names, pairs.source, pairs.target, fabric)
    nothing = np.zeros(len(logs), dtype=bool)
    if not causes.alike:
        return None, nothing
    z = fits_of(times, logs, pairs, causes.places)
    least = least_fit(len(z))
    for best in np.argsort(-z).tolist():
        if z[best] < least:
            return None, nothing
        places = causes.places[best]
        rest = np.delete(pairs.log, places)
        beyond = pairs.log[places] - np.median(rest)
        if float(np.median(beyond)) < math.log1p(LEAST):
            continue
        weight = np.exp((np.maximum(z, 0) ** 2 - z[best] ** 2) / 2)
        others = np.flatnonzero((z > 0) & (z**2 > z[best] ** 2 - _ALIKE)).tolist()
        finding = _finding(times.names, pairs, places, beyond)
        finding = msgspec.structs.replace(
            finding,
            causes=causes.alike[best],
            also=tuple(one for at in others if at != best for one in causes.alike[at]),
            confidence=float(1 / weight.sum()) / len(causes.alike[best]),
        )
        return finding, np.isin(pairs.of_value, places)
    return None, nothing


def pairs_of(times: PairTimes, logs: NDArray[Any]) -> Pairs:
    """The directed pairs of these values, each with the median of its own `logs`."""
    number = times.source * len(times.names) + times.target
    unique, first, of_value = np.unique(number, return_index=True, return_inverse=True)
    return Pairs(
        source=times.source[first],
        target=times.target[first],
        log=medians_of(of_value, logs, len(unique)),
        of_value=of_value,
    )


def _slow(names: tuple[str, ...], pairs: Pairs, at: int, log: float) -> SlowPair:
    return SlowPair(
        source=names[pairs.source[at]], target=names[pairs.target[at]], slower=math.expm1(log)
    )


def _finding(
    names: tuple[str, ...], pairs: Pairs, places: NDArray[Any], beyond: NDArray[Any]
) -> FoundCause:
    middle = float(np.median(beyond))
    low, high = middle, middle
    if len(beyond) > 1:
        low, high, _ = interval_of_median(beyond.tolist())
    worst = np.argsort(-beyond, kind="stable")[:_EVIDENCE]
    return FoundCause(
        causes=(),
        also=(),
        slower=math.expm1(middle),
        slower_low=math.expm1(low),
        slower_high=math.expm1(high),
        confidence=0.0,
        pairs=len(places),
        evidence=tuple(_slow(names, pairs, places[at], float(beyond[at])) for at in worst),
    )
