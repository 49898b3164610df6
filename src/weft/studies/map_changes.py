"""Two maps of the same endpoints: who got slower, who faster, and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.compare.acceptance import Checked, Outcome
from weft.analysis.diagnosis.change import MapChange, change_between
from weft.analysis.diagnosis.diagnose import FEWEST, slowest_pairs
from weft.analysis.diagnosis.distinguished import distinguished_of
from weft.analysis.diagnosis.matrix import matrix_of
from weft.analysis.diagnosis.measured import FabricOf, MeasuredMap, is_map, measured_maps
from weft.analysis.diagnosis.pair_times import joined
from weft.errors import WeftError
from weft.large import LargeFigure
from weft.plan.case import Case
from weft.plan.command import resume
from weft.tables import Table
from weft.topics.map_charts import difference_chart, matrix_charts
from weft.topics.map_findings import LONGER_BEFORE, finding_in_words, who_is_slow
from weft.topics.map_verdict import FEWEST_ROUNDS, NO_TOPOLOGY, far_off, is_blind
from weft.units import format_bytes, format_change
from weft.wording import between, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.charts import Chart
    from weft.record.run import Run


class SizeChange(msgspec.Struct, frozen=True, kw_only=True):
    """The maps of one size over a transport in two records, and what changed between them."""

    case: Case
    before: MeasuredMap
    after: MeasuredMap
    change: MapChange
    silent: tuple[str, ...]

    @property
    def place(self) -> str:
        """For a sentence: "tcp 64 KiB, 16 endpoints"."""
        endpoints = counted(self.change.endpoints, "endpoint")
        return f"{self.case.transport} {format_bytes(self.case.bytes)}, {endpoints}"

    @property
    def lacks_topology(self) -> bool:
        """Whether the fabric of the second map, which both are explained by, is not known."""
        return self.after.lacks_topology

    @property
    def tells(self) -> bool:
        """Whether enough was measured to tell one endpoint from another."""
        rounds = min(self.before.rounds, self.after.rounds)
        return self.change.endpoints >= FEWEST and rounds >= FEWEST_ROUNDS


def are_maps(runs: Sequence[Run]) -> bool:
    """Whether all of these records are maps."""
    return bool(runs) and all(is_map(run.header) for run in runs)


def changed_maps(
    before: Sequence[Run], after: Sequence[Run], fabric_of: FabricOf | None = None
) -> list[SizeChange]:
    """One for each size that both sides have, of each side all maps together.

    `fabric_of` gives the topology where it is known. Raises WeftError where they have no pair in
    common.
    """
    first, second = _measured_maps(before, fabric_of), _measured_maps(after, fabric_of)
    silent = silent_hosts_of(after)
    found = []
    for alike, one in second.items():
        other = first.get(alike)
        change = change_between(other.times, one.times, one.fabric) if other else None
        if other and change:
            whole = SizeChange(case=one.case, before=other, after=one, change=change, silent=silent)
            found.append(_without_parts(whole) if whole.lacks_topology else whole)
    if not found:
        raise WeftError(
            f"{before[0].path} and {after[0].path} are maps without a pair in common",
            "measure the same hosts, transport and sizes, with the same --wait and --at-once",
        )
    return found


def _without_parts(one: SizeChange) -> SizeChange:
    """Without its topology a change names no part."""
    slower, faster = (
        msgspec.structs.replace(found, findings=())
        for found in (one.change.slower, one.change.faster)
    )
    change = msgspec.structs.replace(one.change, slower=slower, faster=faster)
    return msgspec.structs.replace(one, change=change)


def _measured_maps(runs: Sequence[Run], fabric_of: FabricOf | None) -> dict[Case, MeasuredMap]:
    """Raises WeftError where nothing was measured."""
    found = maps_together(runs, fabric_of)
    if not found:
        raise WeftError(
            f"{runs[0].path} has no map that was measured", f"run {resume(runs[0].path)}"
        )
    return found


def silent_hosts_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """Hosts that did not answer any more at the end of one of the runs."""
    return tuple(
        dict.fromkeys(host for run in runs if run.footer for host in run.footer.silent_hosts)
    )


def maps_together(
    runs: Sequence[Run], fabric_of: FabricOf | None = None
) -> dict[Case, MeasuredMap]:
    """The maps of all runs as one for each size, by what their cases have in common.

    The fabric is that of the first one, or of all endpoints where it is known.
    """
    maps: dict[Case, list[MeasuredMap]] = {}
    for one in (one for run in runs for one in measured_maps(run, fabric_of)):
        maps.setdefault(_alike(one.case), []).append(one)
    return {
        alike: msgspec.structs.replace(
            own[0],
            times=joined([one.times for one in own]),
            launches=sum(one.launches for one in own),
            rounds=max(one.rounds for one in own),
        )
        for alike, own in maps.items()
    }


def _alike(case: Case) -> Case:
    """Maps of more or fewer endpoints are compared in those that both have."""
    return case.but_for("ranks", "point")


def sentences_of(one: SizeChange) -> list[str]:
    """Who got slower or faster beside the others, and what all have in common."""
    return [f"{one.place}: {change}" for change in _changes_in_words(one)]


def _changes_in_words(one: SizeChange) -> list[str]:
    change = one.change
    lines = [finding_in_words(found, "got slower") for found in change.slower.findings]
    lines += [
        finding_in_words(found, "got faster", much=LONGER_BEFORE)
        for found in change.faster.findings
    ]
    lines += [f"{name} did not answer: dead, not slow" for name in one.silent]
    if not lines:
        lines = ["nobody got slower beside the others"]
    if not one.tells:
        lines = [f"too little was measured: {FEWEST} endpoints in {FEWEST_ROUNDS} rounds tell"]
    elif one.lacks_topology:
        lines = [NO_TOPOLOGY]
    low, high = 100 * change.longer_low, 100 * change.longer_high
    ways = counted(change.pairs, "way")
    longer = between(format_change(100 * change.longer), low, high, format_change)
    lines.append(f"all together {longer} longer over {ways}")
    return lines


def checks_of(found: Sequence[SizeChange], tolerance: float) -> tuple[Checked, ...]:
    """Fail where somebody is dead, or slower than the tolerance at the interval's lower end.

    A pass needs both maps to tell who is slow, and no interval that reaches beyond the tolerance.
    """
    return tuple(_checked(one, tolerance) for one in found)


def _checked(one: SizeChange, tolerance: float) -> Checked:
    slower, why = one.change.slower.findings, _unsure(one, tolerance)
    outcome: Outcome = "cannot tell" if why else "pass"
    beyond = max([one.change.longer_low, *(found.slower_low for found in slower)])
    if one.silent or beyond > tolerance:
        outcome, why = "fail", ""
    return Checked(
        case=one.case.key,
        test=one.case.test,
        transport=one.case.transport,
        variant=one.case.variant,
        bytes=one.case.bytes,
        asked=f"nobody slower than before by more than {100 * tolerance:.3g} %",
        quantity="latency",
        outcome=outcome,
        why="; ".join(filter(None, (f"{one.place}: {'; '.join(_changes_in_words(one))}", why))),
        launches=one.after.launches,
    )


def _unsure(one: SizeChange, tolerance: float) -> str:
    """Why these maps do not show that nothing is slower by more than the tolerance; empty if so."""
    change, slower = one.change, one.change.slower
    reach = max([change.longer_high, *(found.slower_high for found in slower.findings)])
    if not one.tells or one.lacks_topology:
        return "too little is known to pass"
    if reach > tolerance:
        return f"its interval reaches beyond {100 * tolerance:.3g} %"
    ways = slowest_pairs(slower.rest, slower.fabric, 1)
    if far := far_off(ways, slower.scatter, tolerance):
        amount = format_change(100 * far.slower)
        return f"no cause is sure, though {far.source} to {far.target} takes {amount} longer"
    if is_blind(distinguished_of(slower.rest, slower.fabric)):
        return "a pair differs too much from visit to visit to tell who is slow"
    return ""


def change_charts(found: Sequence[SizeChange], names: tuple[str, str]) -> list[Chart]:
    """Both matrices on one scale and the difference, of each size."""
    charts: list[Chart] = []
    for number, one in enumerate(found):
        first, second = (matrix_of(side.times, side.fabric) for side in (one.before, one.after))
        charts += matrix_charts([(names[0], first), (names[1], second)], one.place, number)
        drawn = difference_chart(first, second, one.place, number, names=names)
        charts += [drawn] if drawn else []
    return charts


def change_figures(found: Sequence[SizeChange]) -> list[LargeFigure]:
    """Who got slower and how much longer all together take, of the size that shows it first."""
    if not found:
        return []
    one = min(found, key=lambda size: not (size.change.slower.findings or size.silent))
    case, change = _alike(one.case), one.change
    slower = who_is_slow(
        case,
        change.slower.findings if one.tells else (),
        one.silent,
        is_told=one.tells,
        amount="beside the others",
        what=f"got slower, {format_bytes(case.bytes)}",
    )
    low, high = 100 * change.longer_low, 100 * change.longer_high
    value = format_change(100 * change.longer)
    ends = between(value, low, high, format_change).removeprefix(value)
    below = f"{ends} longer over {counted(change.pairs, 'way')}".lstrip()
    together = LargeFigure(case.transport, case.variant, "all together", value, below)
    return [slower, together]


def change_table(found: Sequence[SizeChange], names: tuple[str, str]) -> Table:
    """The sentences, as what stands below a page's heading."""
    lines = tuple(line for one in found for line in sentences_of(one))
    return Table(name="map", caption=f"{names[1]} against {names[0]}", notes=lines)


def change_as_plain(found: Sequence[SizeChange]) -> list[dict[str, Any]]:
    """What changed, as JSON has it; the fabric is that of the record."""
    rows = []
    for one in found:
        change = msgspec.to_builtins(
            msgspec.structs.replace(
                one.change,
                slower=one.change.slower.findings,
                faster=one.change.faster.findings,
            )
        )
        place = {"transport": one.case.transport, "bytes": one.case.bytes}
        rows.append(place | change | {"dead": list(one.silent)})
    return rows
