"""The map of all pairs: who is slow, in which direction, behind which switch.

Of each pair the median of a launch's samples counts, from one rank to the other, in a round of
`pair_rounds`; weft.analysis.diagnosis explains them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weft.analysis.diagnosis.diagnose import FEWEST, FoundCause, SlowPair, diagnose, slowest_pairs
from weft.analysis.diagnosis.guess import guessed
from weft.analysis.diagnosis.pair_times import PairTimes
from weft.errors import WeftError
from weft.fabric.known import Group, KnownFabric
from weft.plan.rounds import partners_in, rounds_of
from weft.tables import Table
from weft.topics.base import Topic
from weft.topics.rows import SizeRow
from weft.topics.series import medians_of_ranks
from weft.units import format_time
from weft.wording import counted, in_a_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plan.case import Case
    from weft.plan.pattern import Pattern
    from weft.record.model import Batch, Launch
    from weft.record.run import Run
    from weft.topics.base import Results

PAIR_ROUNDS = "pair_rounds"
_MOST_PAIRS = 20
_MOST_SHOWN = 3


class MapRow(SizeRow, frozen=True, kw_only=True):
    """The map of one size: what is slow, the worst first, and the slowest pairs.

    `rounds` were measured of the `all_rounds` in which every pair meets once; `scatter` is that of
    a pair from visit to visit, a share, and `usual_ns` the median time of all pairs. `groups` are
    those that the times showed where none were given.
    """

    endpoints: int
    launches: int
    rounds: int
    all_rounds: int
    usual_ns: float
    scatter: float
    findings: tuple[FoundCause, ...]
    dead: tuple[str, ...]
    worst: tuple[SlowPair, ...]
    groups: int
    is_guessed: bool


class PairMap(Topic[tuple[MapRow, ...]]):
    """Who is slow among all pairs."""

    name = "map"
    title = "Map of all pairs"

    def rows(self, results: Results) -> tuple[MapRow, ...]:
        """A row for each size over each transport; nothing is known of the fabric."""
        return maps_of(results.run, None)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Its rounds are no curves."""
        del run
        return pattern.name == PAIR_ROUNDS

    def lays_out(self, run: Run) -> bool:
        """A record of nothing else."""
        return {case.test for case in run.cases.values()} == {PAIR_ROUNDS}

    def tables(self, rows: tuple[MapRow, ...]) -> list[Table]:
        """The slowest pairs of each size, where somebody is slow."""
        return [_table(row) for row in rows if row.findings]

    def findings(self, rows: tuple[MapRow, ...]) -> list[str]:
        """Who is slow, the sizes that show it first; or that nobody is."""
        shown_first = sorted(rows, key=lambda row: not (row.findings or row.dead))
        return [line for row in shown_first for line in sentences(row)]


def maps_of(run: Run, fabric: KnownFabric | None) -> tuple[MapRow, ...]:
    """A row for each size over each transport that was measured; without a fabric it is guessed."""
    maps: dict[Case, list[tuple[Case, Batch]]] = {}
    for key, batches in run.measured_by_case.items():
        case = run.cases[key]
        if case.test == PAIR_ROUNDS:
            own = maps.setdefault(case.but_for("point"), [])
            own += [(case, batch) for batch in batches]
    return tuple(_row(run, case, own, fabric) for case, own in maps.items())


def _row(
    run: Run, case: Case, measured: Sequence[tuple[Case, Batch]], fabric: KnownFabric | None
) -> MapRow:
    times = _times_of(run, case.ranks, measured)
    known = guessed(times) if fabric is None else _on_endpoints(fabric, times.names)
    known = msgspec.structs.replace(known, groups=(*known.groups, *_hosts(times.names)))
    found = diagnose(times, known)
    return MapRow(
        **MapRow.of(case, "ranks", "point"),
        endpoints=case.ranks,
        launches=len({batch.launch for _, batch in measured}),
        rounds=len({one.point for one, _ in measured}),
        all_rounds=rounds_of(case.ranks),
        usual_ns=float(np.median(times.time_ns)),
        scatter=found.scatter,
        findings=found.findings,
        dead=found.dead,
        worst=slowest_pairs(times, known, _MOST_PAIRS),
        groups=len(known.groups),
        is_guessed=known.is_guessed,
    )


def _times_of(run: Run, ranks: int, measured: Sequence[tuple[Case, Batch]]) -> PairTimes:
    """A value for each rank that had a partner in a batch: the median of its samples."""
    source, target, visit, time_ns = [], [], [], []
    for number, (case, batch) in enumerate(sorted(measured, key=lambda one: one[1].order)):
        medians_ns = medians_of_ranks(run, [batch])
        for rank, partner in enumerate(partners_in(case.point or 0, ranks)):
            if partner == ranks or rank not in medians_ns:
                continue
            source.append(rank)
            target.append(partner)
            visit.append(number)
            time_ns.append(medians_ns[rank])
    times = np.array(time_ns)
    return PairTimes(
        names=_names_of(run, run.launches[measured[0][1].launch], ranks),
        source=np.array(source),
        target=np.array(target),
        visit=np.array(visit),
        # A clock that stood still has no logarithm.
        time_ns=np.where(times > 0, times, np.nan),
    )


def _names_of(run: Run, launch: Launch, ranks: int) -> tuple[str, ...]:
    """Each rank's host, with its number where a host has several; simulated nodes are n0, n1 ...

    A rank of which the launch says nothing has its number alone.
    """
    if run.header.plan.simulated is not None:
        return tuple(f"n{rank}" for rank in range(ranks))
    host_of = {one.rank: one.host for one in launch.ranks if one.rank < ranks}
    several = Counter(host_of.values())
    found = []
    for rank in range(ranks):
        host = host_of.get(rank, "rank")
        found.append(host if several[host] == 1 else f"{host}/{rank}")
    return tuple(found)


def _hosts(names: Sequence[str]) -> list[Group]:
    """The hosts of several endpoints."""
    members: dict[str, set[str]] = {}
    for name in names:
        host, slash, _ = name.partition("/")
        if slash and host != "rank":
            members.setdefault(host, set()).add(name)
    return [Group(name=f"host {host}", members=frozenset(own)) for host, own in members.items()]


def _on_endpoints(fabric: KnownFabric, names: Sequence[str]) -> KnownFabric:
    """A fabric of hosts as one of endpoints. Raises WeftError for a host below no switch."""
    held = frozenset[str]().union(*(group.members for group in fabric.groups))
    lost = [name for name in names if name.partition("/")[0] not in held]
    if lost:
        raise WeftError(
            f"the topology does not fit: {lost[0]} is below no switch"
            + (f", and {len(lost) - 1} more" if len(lost) > 1 else ""),
            "name the topology of these hosts, or omit --topology",
        )
    groups = tuple(
        msgspec.structs.replace(
            group,
            members=frozenset(name for name in names if name.partition("/")[0] in group.members),
        )
        for group in fabric.groups
    )
    return msgspec.structs.replace(fabric, groups=tuple(one for one in groups if one.members))


def sentences(row: MapRow) -> list[str]:
    """What the map of one size says, the finding first."""
    place = f"{row.place}, {counted(row.endpoints, 'endpoint')}"
    lines = [f"{place}: {_finding_in_words(one, row)}" for one in row.findings]
    lines += [f"{place}: {name} did not answer: dead, not slow" for name in row.dead]
    if lines:
        return lines
    if row.endpoints < FEWEST:
        return [f"{place}: too few to tell a slow one from its partners; measure {FEWEST} or more"]
    amount = f"{counted(row.rounds, 'round')} in {counted(row.launches, 'launch')}"
    usual = f"{format_time(row.usual_ns)} there and back, scatter {row.scatter:.1%}"
    return [f"{place}: nobody is slow ({usual}, {amount})"]


def _finding_in_words(found: FoundCause, row: MapRow) -> str:
    causes = [*found.causes, *found.also]
    named = [one.in_words for one in causes[:_MOST_SHOWN]]
    size = (
        f"{found.slower:.0%} [{found.slower_low:.0%}, {found.slower_high:.0%}] slower over"
        f" {counted(found.pairs, 'way')}"
    )
    pairs = ", ".join(
        f"{one.source} to {one.target} {one.slower:+.0%}" for one in found.evidence[:_MOST_SHOWN]
    )
    if found.is_certain:
        return f"{named[0]} is slow: {size}, confidence {found.confidence:.0%}; {pairs}"
    what = f"{counted(len(causes), 'cause')} fit: {in_a_row(named, 'or')}"
    return f"{what}; {size}; {pairs}; {_what_would_tell(found, row)}"


def _what_would_tell(found: FoundCause, row: MapRow) -> str:
    """The measurement that could tell the causes apart."""
    if row.rounds < row.all_rounds:
        return f"to tell them apart: weft map --rounds {row.all_rounds}"
    if found.also:
        return f"to tell them apart: weft map --launches {2 * row.launches}"
    return "no measurement among these hosts tells them apart: add hosts, or swap cables"


def _table(row: MapRow) -> Table:
    rows = [(one.source, one.target, f"{one.slower:+.1%}") for one in row.worst if one.slower > 0]
    return Table(
        name="map",
        caption=f"Slowest ways, {row.place}: beyond what is usual so far apart",
        head=("from", "to", "slower"),
        rows=tuple(rows),
        left=(0, 1),
    )
