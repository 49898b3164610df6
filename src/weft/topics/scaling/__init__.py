"""Scaling: performance per rank, efficiency and the parts of an iteration against ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from weft.analysis.stats.launches import what_would_tell
from weft.analysis.stats.needed import in_order
from weft.analysis.stats.ratios import estimate_of, ratio_in_words
from weft.large import LargeFigure, parted
from weft.tables import Table
from weft.topics.base import Topic, as_plain, cut
from weft.topics.groups import by_key
from weft.topics.scaling.charts import charts_of_group, title_of
from weft.topics.scaling.rows import COMPUTING, OWN_WORK, Cost, ScalingRow, ScalingRows, scaling_of
from weft.units import (
    format_bandwidth,
    format_flops,
    format_percent,
    format_rate,
    format_share,
    format_time,
)
from weft.wording import WIDEST, counted, half_or_none, middle_or_none, with_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft.charts import Chart
    from weft.plan.pattern import Pattern
    from weft.record.run import Run
    from weft.topics.base import Results
# What costs, and why that is not the fabric.
BESIDE = "computing beside each other costs"
NOT_THE_FABRIC = "a shared cache, the memory or shared cores, not the fabric"
FACES = "work at the faces costs"
OF_THE_RANKS = "the ranks' own work, not the fabric"
BOTH = "the ranks' own work and waiting for messages together cost"
_MESSAGES = "the fabric costs"
_WITHIN = "messages within the host cost"


class Scaling(Topic[ScalingRows]):
    """What an application gets on more and more ranks."""

    name = "scaling"
    title = "Scaling of applications"
    is_on_cards = True

    def rows(self, results: Results) -> ScalingRows:
        """A row per lattice and number of ranks, and what each lattice loses."""
        return scaling_of(results)

    def owns(self, run: Run, pattern: Pattern) -> bool:
        """Applications are shown against ranks."""
        del run
        return pattern.figure == "iteration"

    def tables(self, rows: ScalingRows) -> list[Table]:
        """Performance and efficiency, the parts of an iteration, what is lost."""
        tables = [_performance(rows.all), _parts(rows.all), _costs(rows.costs)]
        return [table for table in tables if table.rows]

    def large(self, rows: ScalingRows) -> list[LargeFigure]:
        """What the smallest and the largest lattice keep on the most ranks, and what costs most."""
        return [
            figure
            for title in dict.fromkeys(map(title_of, rows.costs))
            for cost in _smallest_and_largest(rows.costs, title)
            for figure in _large(cost)
        ]

    def headline(self, rows: ScalingRows) -> str:
        """What the smallest and the largest lattice keep of their performance."""
        if not rows.costs:
            return ""
        of_first = _smallest_and_largest(rows.costs, title_of(rows.costs[0]))
        kept = [
            f"{cost.lattice} keeps {format_percent(100 - 100 * cost.cost.speed)} on"
            f" {counted(cost.ranks, 'rank')}"
            for cost in of_first
        ]
        return f"{_name(of_first[0])} {' and '.join(kept)}"

    def brief(self, rows: ScalingRows, room: int) -> list[Table]:
        """The parts of iterations are the first to go."""
        names = ["scaling", "scaling_costs"]
        if room >= 4 * len(rows.all):
            names.append("scaling_parts")
        return [cut(table, room) for table in self.tables(rows) if table.name in names]

    def charts(self, rows: ScalingRows) -> list[Chart]:
        """Performance, efficiency and parts, of each group of lattices."""
        return [
            chart
            for number, group in enumerate(rows.groups)
            for chart in charts_of_group(group, number)
        ]

    def overlaid(self, records: Sequence[tuple[str, ScalingRows]]) -> list[Chart]:
        """The same figure of each record beside the other's, on the same scale."""
        charts = super().overlaid(records)
        if len(records) == 1:
            return charts
        highest: dict[str, float] = {}
        for chart in charts:
            ends = chart.y.ends or (0.0, 0.0)
            highest[chart.y.label] = max(highest.get(chart.y.label, 0.0), ends[1])
        return [_up_to(chart, highest[chart.y.label]) for chart in charts]

    def findings(self, rows: ScalingRows) -> list[str]:
        """At which lattices the fabric costs more than is worth a word."""
        groups = ([row for curve in group for row in curve.rows] for group in rows.groups)
        found = [words for own in groups if (words := _verdict(own, rows.costs))]
        hidden = in_order(cost.needed for cost in rows.costs if cost.needed)
        if hidden:
            purpose = f"tell what {counted(len(hidden), 'lattice')} without a verdict cost"
            found.append(
                f"scaling: {what_would_tell(hidden[-1], purpose, [rows.again], in_place=True)}"
            )
        return [*found, *(f"scaling: {line}" for line in rows.rests_on)] if rows.costs else found

    def plain(self, rows: ScalingRows) -> list[dict[str, Any]]:
        """The rows, then what each lattice loses."""
        return as_plain((*rows.all, *rows.costs))

    def of_cases(self, rows: ScalingRows) -> dict[str, dict[str, Any]]:
        """Beside a case's summary, its row."""
        return by_key("scaling", rows.all)


def _smallest_and_largest(costs: Sequence[Cost], title: str) -> list[Cost]:
    own = [cost for cost in costs if title_of(cost) == title]
    return list(dict.fromkeys((own[0], own[-1])))


def _large(cost: Cost) -> list[LargeFigure]:
    """What a lattice keeps of its performance, and what an iteration spends more on than alone."""
    place, ranks = (cost.transport, cost.variant), counted(cost.ranks, "rank")
    lost = cost.cost
    kept = msgspec.structs.replace(lost, speed=1 - lost.speed, low=1 - lost.high, high=1 - lost.low)
    value, interval = parted(estimate_of(kept), format_share, with_ends)
    found = [
        LargeFigure(
            *place,
            f"{cost.test} {_lattice(cost)} on {ranks}: efficiency",
            value,
            "; ".join(filter(None, (interval if kept.has_interval else "", _said_of(cost)))),
        )
    ]
    if cost.most_ns > 0:
        most = f"+{format_time(cost.most_ns)}"
        took = f"of {middle_or_none(cost.iteration_ns, format_time)} an iteration"
        found.append(LargeFigure(*place, f"most in {cost.most_in}", most, took))
    return found


def _said_of(cost: Cost) -> str:
    """The verdict, with what costs: "the fabric costs more than 10%"."""
    if cost.verdict == "cannot tell":
        return cost.verdict
    what = _what_grew(cost) if cost.verdict == "costs more" else _messages(cost)
    return f"{what} {_verdict_in_words(cost)}"


def _up_to(chart: Chart, highest: float) -> Chart:
    axis = msgspec.structs.replace(chart.y, ends=(0.0, highest))
    return msgspec.structs.replace(chart, y=axis)


def _lattice(row: ScalingRow | Cost) -> str:
    return f"{row.lattice} in all" if row.is_global else row.lattice


def _name(row: ScalingRow | Cost) -> str:
    return f"{row.test} {row.over}"


def _performance(rows: Sequence[ScalingRow]) -> Table:
    with_flops = any(row.flops_per_s for row in rows)
    notes = [
        "Iteration: of the slowest rank. Efficiency: against the smallest number of ranks.",
    ]
    if with_flops:
        counts = dict.fromkeys(_counts_in_words(row) for row in rows if row.flops_per_site)
        notes.append(f"Flops are counted a site and iteration: {', '.join(counts)}.")
    solved = [row for row in rows if row.residual is not None]
    if solved:
        worst = max(solved, key=lambda row: row.residual or 0.0)
        notes.append(
            "True residual |b - A x| / |b| of the last solutions, as far as their iterations came:"
            f" at most {worst.residual:.2g}"
            f" ({worst.test} {worst.lattice} on {counted(worst.ranks, 'rank')})."
        )
        notes += _flush_in_words({row.flush_to_zero for row in solved} - {""})
    from_file = next((row for row in rows if row.gauge and row.plaquettes), None)
    if from_file is not None:
        space, time = from_file.plaquettes or (0.0, 0.0)
        notes.append(
            f"Links of {from_file.gauge}: plaquettes {space:.9f} in space, {time:.9f} with t."
        )
    if any(row.shares_cores for row in rows):
        notes.append("*: ranks share cores, so the times are the scheduler's too; no verdict.")
    return Table(
        name="scaling",
        caption="Scaling: an iteration, its rate (flop/s are of each rank), what is left of it",
        head=("", "lattice", "ranks", "iteration", "rate", "efficiency", "sends", "set in"),
        rows=tuple(
            (
                _name(row),
                _lattice(row),
                f"{row.ranks}*" if row.shares_cores else str(row.ranks),
                half_or_none(row.iteration_ns, format_time),
                middle_or_none(row.flops_per_s, format_flops)
                if row.flops_per_s
                else f"{middle_or_none(row.iterations_per_s, format_rate)}/s",
                ratio_in_words(row.efficiency, format_share) if row.efficiency else "base",
                middle_or_none(row.sent_bytes_per_s, format_bandwidth),
                row.level or "-",
            )
            for row in rows
        ),
        notes=tuple(notes),
    )


def _counts_in_words(row: ScalingRow) -> str:
    words = f"{row.test} {row.flops_per_site}"
    if row.moved_bytes_per_s is None:
        return words
    moved = row.moved_bytes_per_s.value / row.iterations_per_s.value / row.sites
    return f"{words}, with {moved:.0f} bytes moved"


def _flush_in_words(found: set[str]) -> list[str]:
    """How the ranks took numbers too small for all their digits: a solver can come to them."""
    if not found:
        return []
    if found not in ({"on"}, {"off"}):
        return ["Flush to zero was on in some launches and off in others: compare them apart."]
    kept = "are taken for zero" if "on" in found else "keep what digits they have"
    return [f"Flush to zero is {found.pop()}: numbers too small for all their digits {kept}."]


def _parts(rows: Sequence[ScalingRow]) -> Table:
    names = list(dict.fromkeys(part for row in rows for part in row.parts_ns))
    return Table(
        name="scaling_parts",
        caption="Parts of an iteration: means over the ranks",
        head=("", "lattice", "ranks", *names),
        rows=tuple(
            (
                _name(row),
                _lattice(row),
                str(row.ranks),
                *(middle_or_none(row.parts_ns.get(name), format_time) for name in names),
            )
            for row in rows
        ),
    )


def _costs(costs: Sequence[Cost]) -> Table:
    return Table(
        name="scaling_costs",
        caption="Cost of more ranks, in % of the performance on the smallest number",
        head=("", "lattice", "ranks", "cost", "", "from", "iteration", "most in"),
        rows=tuple(
            (
                _name(cost),
                _lattice(cost),
                f"{cost.base_ranks} to {cost.ranks}",
                _cost_in_words(cost),
                _verdict_in_words(cost),
                f"{counted(cost.first_ranks, 'rank')}" if cost.first_ranks else "-",
                half_or_none(cost.iteration_ns, format_time),
                f"{cost.most_in} +{format_time(cost.most_ns)}" if cost.most_ns > 0 else "-",
            )
            for cost in costs
        ),
        notes=(
            "From: the smallest number of ranks at which it surely costs more.",
            "Most in: the part of an iteration that grew most.",
        ),
    )


def _cost_in_words(cost: Cost) -> str:
    # Of the efficiency is known how wide an interval says nothing.
    low, high = 1 - cost.cost.high, 1 - cost.cost.low
    if cost.cost.basis == "launches" and WIDEST * low < high < math.inf:
        return f"{format_share(cost.cost.speed)} [not known]"
    return ratio_in_words(cost.cost, format_share)


def _verdict_in_words(cost: Cost) -> str:
    if cost.verdict == "cannot tell":
        return cost.verdict
    return f"{cost.verdict.removeprefix('costs ')} than {cost.limit:.0%}"


def _verdict(rows: Sequence[ScalingRow], costs: Sequence[Cost]) -> str:
    """One sentence a group: where it costs more, where less, where nothing is known."""
    title = title_of(rows[0])
    own = [cost for cost in costs if title_of(cost) == title]
    if not own:
        return ""
    parts = _more_in_words(own)
    less = [cost for cost in own if cost.verdict == "costs less"]
    for what, there in _together(less, _messages):
        parts.append(f"{what} less than {own[0].limit:.0%} at {there}")
    hidden = [_in_words(cost) for cost in own if cost.verdict == "cannot tell"]
    parts += [f"no verdict at {', '.join(hidden)}"] if hidden else []
    return f"{title}: {'; '.join(parts)}"


def _more_in_words(costs: Sequence[Cost]) -> list[str]:
    """Where more ranks cost more, by what it was: waiting for others, or computing itself."""
    more = [cost for cost in costs if cost.verdict == "costs more"]
    whys = {BESIDE: f" ({NOT_THE_FABRIC})", FACES: f" ({OF_THE_RANKS})"}
    return [
        f"{what} more than {more[0].limit:.0%}{whys.get(what, '')} at {there}"
        for what, there in _together(more, _what_grew)
    ]


def _together(costs: Sequence[Cost], what_of: Callable[[Cost], str]) -> Iterator[tuple[str, str]]:
    """What costs, with all the lattices of which that is so."""
    found: dict[str, list[str]] = {}
    for cost in costs:
        found.setdefault(what_of(cost), []).append(_in_words(cost))
    for what in sorted(found, key=(_MESSAGES, _WITHIN, BOTH, BESIDE, FACES).index):
        yield what, ", ".join(found[what])


def _what_grew(cost: Cost) -> str:
    """By the part that grew most: computing is no message's, unless waiting costs too much too."""
    if cost.most_in not in OWN_WORK:
        return _messages(cost)
    if cost.waits_cost > cost.limit:
        return BOTH
    return BESIDE if cost.most_in in COMPUTING else FACES


def _messages(cost: Cost) -> str:
    """Within one host nothing crosses a link, and no fabric is at fault."""
    return _WITHIN if cost.within_a_host else _MESSAGES


def _in_words(cost: Cost) -> str:
    took = with_ends(cost.iteration_ns, format_time)
    share = format_percent(100 * cost.cost.speed)
    most = f", most in {cost.most_in}" if cost.most_ns > 0 else ""
    ranks = counted(cost.ranks, "rank")
    return f"{cost.lattice} ({share} on {ranks}, an iteration takes {took}{most})"
