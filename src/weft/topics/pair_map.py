"""The map of all pairs: who is slow, in which direction, behind which switch.

weft.analysis.diagnosis explains the times of `weft.analysis.diagnosis.measured`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from weft.analysis.diagnosis.bisection import answer_of, bisection_of_map
from weft.analysis.diagnosis.delays import delayed_in
from weft.analysis.diagnosis.diagnose import (
    MOST_FINDINGS,
    FoundCause,
    diagnose,
    slowest_pairs,
)
from weft.analysis.diagnosis.distinguished import distinguished_of
from weft.analysis.diagnosis.guess import GUESSED
from weft.analysis.diagnosis.matrix import matrix_of
from weft.analysis.diagnosis.measured import FabricOf, MeasuredMap, is_map, measured_maps
from weft.analysis.stats.launches import command_for_launches, next_session_of
from weft.fabric.known import host_of
from weft.host.manifest import asked_name
from weft.plan.command import map_in_rounds, map_of_hosts
from weft.plan.rounds import rounds_of, usual_rounds
from weft.tables import Table
from weft.topics.base import Topic, as_plain
from weft.topics.map_bisection import bisection_in_words, bisection_table, link_of
from weft.topics.map_charts import distribution_of, matchings_chart, matrix_charts
from weft.topics.map_distinguished import distinguished_in_words, guessed_in_words
from weft.topics.map_findings import (
    ON_AVERAGE,
    beyond,
    finding_in_words,
    slowest_way,
    usual_time,
    who_is_slow,
)
from weft.topics.map_row import MapRow
from weft.topics.map_verdict import (
    amount_of,
    has_few,
    is_told,
    nobody_in_words,
    of_who_answers,
)
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart
    from weft.fabric.peaks import Link
    from weft.large import LargeFigure
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.topics.base import Results

PAIR_ROUNDS = "pair_rounds"
_MOST_PAIRS = 20
# So many hosts of a leaf tell it from the one that was measured.
_MORE_OF_LEAF = 2


class PairMap(Topic[tuple[MapRow, ...]]):
    """Who is slow among all pairs."""

    name = "map"
    title = "Map of all pairs"
    is_on_cards = True

    def rows(self, results: Results) -> tuple[MapRow, ...]:
        """A row for each size over each transport."""
        return maps_of(results.run, results.fabric_of, results.link)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Its rounds are no curves."""
        del run
        return pattern.name == PAIR_ROUNDS

    def lays_out(self, run: Run) -> bool:
        """A record of nothing else."""
        return is_map(run.header)

    def tables(self, rows: tuple[MapRow, ...]) -> list[Table]:
        """The slowest pairs of each size, where somebody is slow; what matchings got."""
        slow = [_table(row) for row in rows if row.findings]
        halved = [(row.place, found) for row in rows if (found := row.bisection)]
        return [*slow, bisection_table(halved)] if halved else slow

    def charts(self, rows: tuple[MapRow, ...]) -> list[Chart]:
        """The matrix of each size, and how the times of its pairs are distributed."""
        return self.overlaid([("", rows)])

    def overlaid(self, records: Sequence[tuple[str, tuple[MapRow, ...]]]) -> list[Chart]:
        """The same of several records, the colours of a size on one scale."""
        drawn = [
            (name, row.place, row.matrix)
            for name, rows in records
            for row in rows
            if row.matrix is not None
        ]
        places = dict.fromkeys(place for _, place, _ in drawn)
        found: list[Chart] = []
        for at, place in enumerate(places):
            own = [(name, matrix) for name, where, matrix in drawn if where == place]
            found += [*matrix_charts(own, place, at), distribution_of(own, place, at)]
        halved = [
            (name, row.place, row.bisection)
            for name, rows in records
            for row in rows
            if row.bisection
        ]
        return found + ([matchings_chart(halved)] if halved else [])

    def plain(self, rows: tuple[MapRow, ...]) -> list[dict[str, Any]]:
        """The rows without their matrices: weft export has those."""
        found = as_plain(msgspec.structs.replace(row, matrix=None) for row in rows)
        for one in found:
            del one["matrix"]
        return found

    def large(self, rows: tuple[MapRow, ...]) -> list[LargeFigure]:
        """Of the size that shows it first: what is usual, the slowest way, and who is slow."""
        return _large(_shown_first(rows)[0]) if rows else []

    def headline(self, rows: tuple[MapRow, ...]) -> str:
        """Who is slow by the size that shows it first, without the pairs that show it."""
        said = [line for row in _shown_first(rows) for line in sentences(row)]
        return said[0].partition("; ")[0] if said else ""

    def alarm(self, rows: tuple[MapRow, ...]) -> str:
        """The headline, where somebody is slow or did not answer."""
        return self.headline(rows) if any(row.findings or row.dead for row in rows) else ""

    def findings(self, rows: tuple[MapRow, ...]) -> list[str]:
        """Who is slow, the sizes that show it first; or that nobody is."""
        said = [line for row in _shown_first(rows) for line in sentences(row)]
        return said + [
            bisection_in_words(row.place, row.bisection) for row in rows if row.bisection
        ]


def _shown_first(rows: tuple[MapRow, ...]) -> list[MapRow]:
    return sorted(rows, key=lambda row: (not (row.findings or row.dead), not row.unsteady))


def maps_of(run: Run, fabric_of: FabricOf | None, link: Link | None = None) -> tuple[MapRow, ...]:
    """A row for each size over each transport that was measured; without a fabric it is guessed.

    `link` is what the traffic went over; without it, what the record's manifests or its simulated
    platform tell.
    """
    maps = measured_maps(run, fabric_of)
    return tuple(
        _row(run, one, answer_of(one, maps), link or link_of(run, one.case.transport))
        for one in maps
    )


def _row(run: Run, measured: MeasuredMap, answer_ns: float, link: Link | None) -> MapRow:
    case, times, known = measured.case, measured.times, measured.fabric
    silent = set(run.footer.silent_hosts) if run.footer else set[str]()
    gone = [name for name in times.names if host_of(name) in silent]
    found = diagnose(times, known, gone)
    manifests = run.header.hosts.items()
    others = [asked_name(host, facts) for host, facts in manifests if host not in silent]
    matrix = matrix_of(times, known)
    return MapRow(
        **MapRow.of(case, "ranks", "point"),
        endpoints=case.ranks,
        launches=measured.launches,
        rounds=measured.rounds,
        all_rounds=rounds_of(case.ranks),
        usual_ns=float(np.nanmedian(times.time_ns)),
        scatter=found.scatter,
        ways=int((matrix.visits > 0).sum()),
        distinguished=() if measured.lacks_topology else distinguished_of(found.rest, known),
        findings=() if measured.lacks_topology else found.findings,
        has_more=not measured.lacks_topology and found.has_more,
        unsteady=delayed_in(measured.delays, known, gone),
        dead=found.dead,
        worst=slowest_pairs(times, known, _MOST_PAIRS),
        groups=len(known.groups),
        is_guessed=known.is_guessed,
        guessed=tuple(
            (group.name, tuple(name for name in times.names if name in group.members))
            for group in known.groups
            if known.is_guessed and group.name.startswith(GUESSED)
        ),
        with_neighbours=tuple(_with_neighbours(run, measured, one) for one in found.findings),
        with_all_rounds=map_in_rounds(
            case,
            run.header.plan,
            len(run.header.hosts) or 1,
            _telling_rounds(case.ranks),
            known.typed,
            _round_s(run),
        ),
        with_the_others=map_of_hosts(case, run.header.plan, others, known.typed) if silent else "",
        with_more_launches=_with_more_launches(run),
        bisection=bisection_of_map(measured, answer_ns, link),
        matrix=matrix,
        lacks_topology=measured.lacks_topology,
    )


def _round_s(run: Run) -> float:
    """What all launches of a round of one size took, with its part of what they cost besides."""
    session = next_session_of(run)
    return session.launch_s * session.made * run.header.plan.launches / max(1, len(run.measured))


def _with_neighbours(run: Run, measured: MeasuredMap, found: FoundCause) -> str:
    """A leaf with one host of this map is not distinguished from it: a second one does."""
    names = {cause.name for cause in found.causes}
    alone = [one for one in measured.fabric.groups if len(set(map(host_of, one.members))) == 1]
    more = [host for one in alone if one.name in names for host in one.absent[:_MORE_OF_LEAF]]
    plan = run.header.plan
    if found.is_certain or len(found.causes) < 2 or not more or plan.simulated:
        return ""
    own = (asked_name(host, facts) for host, facts in run.header.hosts.items())
    hosts = dict.fromkeys((*own, *more))
    return map_of_hosts(measured.case, plan, [*hosts], measured.fabric.typed)


def _with_more_launches(run: Run) -> str:
    """Simulated launches are all alike."""
    plan = run.header.plan
    return "" if plan.simulated else command_for_launches(run, 2 * plan.launches)


def sentences(row: MapRow) -> list[str]:
    """What the map of one size says, the finding first."""
    place = f"{row.place}, {counted(row.endpoints, 'endpoint')}"
    guessed = [f"{place}: {guessed_in_words(row.guessed)}"] if row.guessed else []
    delayed = [
        f"{place}: {finding_in_words(one, 'is delayed now and then', much=ON_AVERAGE)}"
        for one in row.unsteady
    ]
    return _what_is_slow(row, place) + delayed + guessed


def _what_is_slow(row: MapRow, place: str) -> list[str]:
    lines = [
        f"{place}: {finding_in_words(one, 'is slow', what_would_tell(one, row))}"
        for one in row.findings
    ]
    if row.has_more:
        lines.append(f"{place}: more causes fit; weft lists the {MOST_FINDINGS} that fit best")
    lines += [f"{place}: {name} did not answer: dead, not slow" for name in row.dead]
    if row.dead and row.with_the_others:
        lines[-1] += f"; map the others: {row.with_the_others}"
    if row.findings:
        return lines + _what_is_distinguished(row, place)
    lines.append(f"{place}: {nobody_in_words(row)}")
    return lines if has_few(row) else lines + _what_is_distinguished(row, place)


def _large(row: MapRow) -> list[LargeFigure]:
    """What is usual, the slowest way of those that answer, and who is slow."""
    alive = of_who_answers(row)
    return [
        usual_time(row, row.usual_ns, row.scatter),
        *(slowest_way(row, one, row.ways) for one in alive[:1]),
        who_is_slow(row, row.findings, row.dead, is_told=is_told(row), amount=amount_of(row)),
    ]


def _what_is_distinguished(row: MapRow, place: str) -> list[str]:
    """What would have been named, where nobody is or where not all ways were measured."""
    missing = _missing_ways(row)
    words = distinguished_in_words(row.distinguished)
    if not words or (row.findings and not missing):
        return []
    line = f"{place}: would be named{' too' if row.findings else ''}: {words}"
    if missing:
        line += f"; {missing:,} of {missing + row.ways:,} ways were not measured"
        line += f", all are by {_all_rounds(row)}"
    return [line]


def what_would_tell(found: FoundCause, row: MapRow) -> str:
    """The measurement that could tell the causes apart."""
    more = row.with_neighbours[row.findings.index(found)]
    is_short = bool(found.also) and row.rounds < _telling_rounds(row.endpoints)
    if not more and (is_short or _missing_ways(row)):
        more = _all_rounds(row)
    if not more and found.also:
        return f"to tell them apart: {row.with_more_launches}" if row.with_more_launches else ""
    if more:
        return f"to tell them apart: {more}"
    return "no measurement among these hosts tells them apart: add hosts, or swap cables"


def _missing_ways(row: MapRow) -> int:
    """How many ways between endpoints that answer were not measured."""
    alive = row.endpoints - len(row.dead)
    return max(0, alive * (alive - 1) - row.ways)


def _all_rounds(row: MapRow) -> str:
    """The command by which every pair meets."""
    return row.with_all_rounds or f"a map with --rounds {_telling_rounds(row.endpoints)}"


def _telling_rounds(endpoints: int) -> int:
    """In how many rounds every pair meets, as often as in any map of so few endpoints."""
    return max(rounds_of(endpoints), usual_rounds(endpoints))


def _table(row: MapRow) -> Table:
    rows = [(one.source, one.target, beyond(one.slower, 1)) for one in row.worst if one.slower > 0]
    return Table(
        name="map",
        caption=f"Slowest ways, {row.place}: time above the usual at this distance",
        head=("from", "to", "slower"),
        rows=tuple(rows),
        left=(0, 1),
    )
