"""Scaling: what an iteration of an application takes on more and more ranks, and what is lost.

Weak scaling has a lattice of the same extents on each rank, as the curves of MILC's staggered
solver on Fermilab's clusters (Holmgren, 2003); strong scaling divides one lattice.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from weft.analysis.stats.launches import next_session_of, rests_on
from weft.analysis.stats.needed import Needed
from weft.analysis.stats.ratios import Ratio
from weft.analysis.stats.slowest import SlowestRank, slowest_rank, speed_of, to_be_told
from weft.applications import case_of
from weft.applications.answers import plaquettes_of, residual_of
from weft.estimate import Estimate
from weft.plan.command import NextSession
from weft.record.launches import by_launch
from weft.record.rank_times import medians_of_ranks, shares_cores
from weft.topics.rows import CaseRow, VariantRow
from weft.topics.scaling.conditions import flush_to_zero, gauge_of
from weft.topics.scaling.iterations import parts_ns
from weft.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.applications.interface import ApplicationCase
    from weft.plan.case import Case
    from weft.record.model import Batch
    from weft.record.run import Run
    from weft.topics.base import Results

# What the fabric may cost before it is worth a word: of the performance that one rank has alone.
MOST_COST = 0.10
# The parts of an iteration in which a rank computes and waits for nobody.
COMPUTING = ("compute", "local", "fields")
# In which it does so with what goes to others or came from them.
AT_FACES = ("pack", "remote")
# Whatever else grew is waiting for others.
OWN_WORK = (*COMPUTING, *AT_FACES)

CostVerdict = Literal["costs more", "costs less", "cannot tell"]


class ScalingRow(CaseRow, frozen=True, kw_only=True):
    """An application on so many ranks, with `sites` each; all rates are of one rank.

    `iteration_ns` is the slowest rank's median time, `parts_ns` the mean over ranks of what its
    parts and the rest of it take: means, which add up. `efficiency` is over `base_ranks`, the
    smallest number that was measured, and None on it: the time of an iteration there over the time
    here; of a lattice that is divided also times `base_ranks` over `ranks`. `flops_per_s` counts
    `flops_per_site`. The working set of a rank is `set_bytes` long and fits the `level` of the
    memory. `residual` is the largest of the true ones of a solver, |b - A x| / |b|; None where
    nothing was solved. `gauge` names the file of its links, if it is one, and `plaquettes` are the
    mean Re Tr of their plaquettes in space and with t; None where there are no links.
    `flush_to_zero` is "off", "on" or, of launches that differ, "off, on", as rank 0 found it; empty
    where the record does not have it. With `shares_cores` ranks wait for each other's core, and the
    times are the scheduler's too.
    """

    lattice: str
    is_global: bool
    ranks: int
    sites: float
    sent_bytes: int
    sent_messages: int
    shares_cores: bool
    iteration_ns: Estimate
    iterations_per_s: Estimate
    flops_per_site: int
    flops_per_s: Estimate | None
    moved_bytes_per_s: Estimate | None
    sent_bytes_per_s: Estimate | None
    base_ranks: int
    efficiency: Ratio | None
    parts_ns: dict[str, Estimate]
    set_bytes: int
    level: str
    residual: float | None = None
    gauge: str = ""
    plaquettes: tuple[float, float] | None = None
    flush_to_zero: str = ""


def _share(base_ranks: int, ranks: int, *, is_global: bool) -> float:
    """What each of more ranks has of the work of one of `base_ranks`."""
    return base_ranks / ranks if is_global else 1.0


class Cost(VariantRow, frozen=True, kw_only=True):
    """What a lattice loses on the largest number of ranks, of the performance on `base_ranks`.

    That is the largest whose ranks have a core each; where there is none nothing can be said.
    `cost` is 1 less the efficiency, with its interval. `first_ranks` is the smallest number of
    ranks at which it is surely over `limit`; 0 where none is. `most_in` is the part of an iteration
    that takes most longer than on `base_ranks` (of a lattice that is divided, than its share), and
    `waits_ns` how much longer all parts take together in which a rank waits for others.
    `needed` launches would tell, where the scatter is what hides it. Where the ranks were
    `within_a_host` no link is in it.
    """

    test: str
    lattice: str
    is_global: bool
    base_ranks: int
    ranks: int
    limit: float
    cost: Ratio
    verdict: CostVerdict
    base_ns: Estimate
    iteration_ns: Estimate
    first_ranks: int
    most_in: str
    most_ns: float
    waits_ns: float
    needed: Needed | None = None
    within_a_host: bool = False

    @property
    def waits_cost(self) -> float:
        """What the performance loses by waiting alone, were all else as on `base_ranks`."""
        share = _share(self.base_ranks, self.ranks, is_global=self.is_global)
        return 1 - 1 / (1 + max(0.0, self.waits_ns) / (share * self.base_ns.value))


class _Point(NamedTuple):
    """A row with the launches of its slowest rank."""

    row: ScalingRow
    slowest: SlowestRank


class LatticeCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One lattice on all its numbers of ranks, which ascend."""

    rows: tuple[ScalingRow, ...]


class ScalingRows(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of scaling: groups of curves that differ in their lattice only.

    `again` is how to measure the record once more, `rests_on` what its sessions do not show.
    """

    groups: tuple[tuple[LatticeCurve, ...], ...]
    costs: tuple[Cost, ...]
    again: NextSession
    rests_on: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[ScalingRow, ...]:
        """Every row, curve by curve."""
        return tuple(row for group in self.groups for curve in group for row in curve.rows)


def scaling_of(results: Results) -> ScalingRows:
    """Every application of the record; cases that are not ok are in no curve."""
    run = results.run
    good = {one.case for one in results.summaries if one.status == "ok"}
    batches = {
        key: own
        for key, own in run.measured_by_case.items()
        if key in good and run.patterns[run.cases[key].test].figure == "iteration"
    }
    groups: dict[tuple[Case, bool], dict[Case, list[_Point]]] = {}
    for key, case in run.cases.items():
        if key not in batches or case.application is None:
            continue
        of = case_of(case.application)
        bare = msgspec.structs.replace(case.but_for("ranks"), application=of.of_any_shape)
        curves = groups.setdefault((bare, of.is_global), {})
        slowest = _slowest(run, batches[key])
        row = _row(run, case, of, bare, batches[key], slowest.time)
        curves.setdefault(case.but_for("ranks"), []).append(_Point(row, slowest))
    found = [list(map(_curve, curves.values())) for curves in groups.values()]
    # Repeats of a simulation are identical: one launch says all.
    is_exact = run.header.plan.simulated is not None
    near = run.is_within_a_host
    costs = (_cost(curve, near, is_exact=is_exact) for group in found for curve in group)
    return ScalingRows(
        groups=tuple(
            tuple(LatticeCurve(rows=tuple(one.row for one in curve)) for curve in group)
            for group in found
        ),
        costs=tuple(cost for cost in costs if cost is not None),
        again=next_session_of(run),
        rests_on=rests_on(run),
    )


def rates_alone(rows: ScalingRows) -> tuple[ScalingRow, ...]:
    """What a rank computes without any other, the smallest lattice first: rows of one rank.

    Their `flops_per_s` is the rate, `sites` and `level` say how much of the memory it was had on. A
    lattice that several cases measured (transports, precisions) counts with the fastest, for one
    rank sends nothing. Empty where the record has no such row.
    """
    fastest: dict[float, ScalingRow] = {}
    for row in rows.all:
        if row.ranks > 1 or row.flops_per_s is None:
            continue
        best = fastest.get(row.sites)
        if best is None or row.iteration_ns.value < best.iteration_ns.value:
            fastest[row.sites] = row
    return tuple(fastest[sites] for sites in sorted(fastest))


def _slowest(run: Run, batches: Sequence[Batch]) -> SlowestRank:
    of_launches = by_launch(batches)
    times = [list(medians_of_ranks(run, own).values()) for own in of_launches.values()]
    return slowest_rank(times, run.resolution_ns(batches), run.sessions_of(of_launches))


def _row(
    run: Run,
    case: Case,
    of: ApplicationCase,
    bare: Case,
    batches: Sequence[Batch],
    iteration: Estimate,
) -> ScalingRow:
    info = run.patterns[case.test].application
    sites = of.sites_of_rank(case.ranks)
    usual = info.bytes.partition(",")[0]
    site = "" if usual in ("", str(case.bytes)) else f"{format_bytes(case.bytes)}_a_site"
    words = (
        bare.but_for("application").variant,
        of.words_beyond(info),
        site.replace(" ", ""),
    )
    sent = batches[0].sent_bytes
    found = (residual_of(batch.application) for batch in batches)
    residuals = [one for one in found if one is not None]
    set_bytes = round(of.set_bytes_per_site(info, case.bytes) * sites)

    def per_s(amount: float) -> Estimate | None:
        return iteration.mapped(lambda time: 1e9 * amount / time) if amount else None

    return ScalingRow(
        **ScalingRow.of(case, variant=" ".join(filter(None, words))),
        lattice=of.shape,
        is_global=of.is_global,
        sites=sites,
        sent_bytes=sent,
        sent_messages=batches[0].sent_messages,
        launches=len({batch.launch for batch in batches}),
        shares_cores=shares_cores(run, batches),
        iteration_ns=iteration,
        iterations_per_s=iteration.mapped(lambda time: 1e9 / time),
        flops_per_site=info.flops_per_site,
        flops_per_s=per_s(info.flops_per_site * sites),
        moved_bytes_per_s=per_s(of.moved_bytes_per_site(info, case.bytes) * sites),
        sent_bytes_per_s=per_s(sent),
        base_ranks=case.ranks,
        efficiency=None,
        parts_ns=parts_ns(run, run.patterns[case.test], batches),
        set_bytes=set_bytes,
        level=level_of(run, batches[0].launch, set_bytes) if set_bytes else "",
        residual=max(residuals, default=None),
        gauge=gauge_of(run, info),
        plaquettes=plaquettes_of(batches[0].application),
        flush_to_zero=flush_to_zero(run, batches),
    )


def _curve(points: Sequence[_Point]) -> list[_Point]:
    """The points of a lattice, whose rows have their efficiency."""
    base, *others = sorted(points, key=lambda one: one.row.ranks)
    return [base._replace(row=msgspec.structs.replace(base.row, base_ranks=base.row.ranks))] + [
        one._replace(
            row=msgspec.structs.replace(
                one.row, base_ranks=base.row.ranks, efficiency=_efficiency(base, one)
            )
        )
        for one in others
    ]


def _efficiency(base: _Point, here: _Point) -> Ratio:
    speed = speed_of(base.slowest, here.slowest)
    share = _share(base.row.ranks, here.row.ranks, is_global=here.row.is_global)
    return msgspec.structs.replace(
        speed, speed=speed.speed * share, low=speed.low * share, high=speed.high * share
    )


def verdict_of(efficiency: Ratio, *, is_exact: bool = False) -> CostVerdict:
    """Whether what is lost is over MOST_COST, by the whole interval: one launch has no ends.

    Where the efficiency `is_exact` it is its own interval.
    """
    low, high = efficiency.low, efficiency.high
    if is_exact:
        low = high = efficiency.speed
    if high < 1 - MOST_COST:
        return "costs more"
    return "costs less" if low >= 1 - MOST_COST else "cannot tell"


def _cost(
    curve: Sequence[_Point], is_near: Callable[[str], bool], *, is_exact: bool
) -> Cost | None:
    """None of a lattice that was measured on one number of ranks only.

    `is_near` says of a case whether its ranks were within a host.
    """
    alone = [one for one in curve[1:] if not one.row.shares_cores]
    at_last = alone[-1] if alone else curve[-1]
    base, last = curve[0].row, at_last.row
    if last.efficiency is None:
        return None
    over = [
        one.row.ranks
        for one in alone
        if one.row.efficiency is not None
        and verdict_of(one.row.efficiency, is_exact=is_exact) == "costs more"
    ]
    found = last.efficiency
    grown = _grown(base, last)
    most_in, most_ns = max(grown.items(), key=lambda one: one[1], default=("", 0.0))
    verdict = verdict_of(found, is_exact=is_exact) if alone else "cannot tell"
    is_hidden = verdict == "cannot tell" and bool(alone)
    return Cost(
        **Cost.like(last),
        limit=MOST_COST,
        cost=msgspec.structs.replace(
            found, speed=1 - found.speed, low=1 - found.high, high=1 - found.low
        ),
        verdict=verdict,
        base_ns=base.iteration_ns,
        first_ranks=min(over, default=0),
        most_in=most_in,
        most_ns=most_ns,
        waits_ns=sum(ns for part, ns in grown.items() if part not in OWN_WORK),
        needed=_needed(curve[0], at_last, found) if is_hidden else None,
        within_a_host=is_near(last.case),
    )


def _needed(base: _Point, last: _Point, efficiency: Ratio) -> Needed:
    """What tells a cost from MOST_COST that is none, or as far over it as this one looks.

    What looks faster on more ranks is taken for no cost.
    """
    limit = math.log(1 - MOST_COST)
    seen = math.log(efficiency.speed)
    is_more = seen < limit
    return to_be_told(base.slowest, last.slowest, max(-limit, limit - seen), is_slower=is_more)


def _grown(base: ScalingRow, last: ScalingRow) -> dict[str, float]:
    """By how much each part grew, in ns; no part of which one of the two is not known."""
    share = _share(base.ranks, last.ranks, is_global=last.is_global)
    return {
        part: own.value - share * base.parts_ns[part].value
        for part, own in last.parts_ns.items()
        if part in base.parts_ns
    }


def level_of(run: Run, launch: int, set_bytes: int) -> str:
    """The smallest cache that holds the sets of all ranks that share it: "L2", else "memory".

    As the host of rank 0 has its caches, which ranks share evenly; empty where they are not known.
    """
    ranks = run.launches[launch].ranks
    host = run.header.hosts.get(ranks[0].host, {}) if ranks else {}
    cpu = host.get("cpu", {})
    there = sum(rank.host == ranks[0].host for rank in ranks)
    allowed = set(cpu.get("allowed_cpus") or ())
    caches = [
        one
        for one in cpu.get("caches") or ()
        if one.get("kind") != "Instruction" and one.get("size_bytes")
    ]
    for cache in sorted(caches, key=lambda one: one["level"]):
        shared = len(allowed & set(cache.get("shared_cpus") or ())) or 1
        sharing = math.ceil(there * shared / max(len(allowed), 1))
        if sharing * set_bytes <= cache["size_bytes"]:
            return f"L{cache['level']}"
    return "memory" if caches else ""
