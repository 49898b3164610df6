"""The figures of scaling: performance and efficiency against ranks, an iteration in its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.charts import (
    BARS,
    AxisUnit,
    Chart,
    ChartAxis,
    ChartPoint,
    Mark,
    Track,
    axis_over_counts,
    chart_of,
    track_of,
)
from weft.topics.scaling.rows import MOST_COST
from weft.units import format_flops, format_percent, format_rate, format_time
from weft.wording import counted, with_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.estimate import Estimate
    from weft.topics.scaling.rows import Cost, LatticeCurve, ScalingRow

# A little room above the highest point.
ROOM = 1.05


def charts_of_group(group: Sequence[LatticeCurve], number: int) -> list[Chart]:
    """The charts of curves that differ in their lattice only; none of one number of ranks."""
    if all(len(curve.rows) < 2 for curve in group):
        return []
    name = f"scaling-{number}" if number else "scaling"
    return [
        _against_ranks(group, f"{name}", "performance"),
        _against_ranks(group, f"{name}-efficiency", "efficiency"),
        *_parts(group, f"{name}-parts"),
    ]


def title_of(row: ScalingRow | Cost) -> str:
    """What a group is of: "halo over mpi, weak scaling"."""
    how = "strong" if row.is_global else "weak"
    return f"{row.test} over {row.over}, {how} scaling"


def _per_second(rate: float, step: float | None = None, /) -> str:
    return f"{format_rate(rate, step)}/s"


def _performance(row: ScalingRow) -> tuple[Estimate, AxisUnit]:
    """The figure of the axis and its unit."""
    if row.flops_per_s is not None:
        return row.flops_per_s, AxisUnit("MFlop/s per rank", 1e-6, format_flops)
    unit = AxisUnit("iterations/s", 1.0, _per_second)
    return row.iterations_per_s, unit


def _against_ranks(group: Sequence[LatticeCurve], name: str, what: str) -> Chart:
    first = group[0].rows[0]
    is_rate = what == "performance"
    label = (
        _performance(first)[1].label
        if is_rate
        else f"efficiency in % of {first.base_ranks} rank" + ("s" if first.base_ranks > 1 else "")
    )
    tracks = tuple(
        _rate_track(curve, at) if is_rate else _efficiency_track(curve, at)
        for at, curve in enumerate(group)
    )
    highest = max(y for track in tracks for y in track.y)
    marks = (
        () if is_rate else (Mark(axis="y", at=100 * (1 - MOST_COST), text=f"{MOST_COST:.0%} lost"),)
    )
    return chart_of(
        name,
        f"{title_of(first)}: {what}",
        axis_over_counts("ranks", (row.ranks for curve in group for row in curve.rows)),
        ChartAxis(label, is_log=False, ends=(0.0, ROOM * highest)),
        tracks,
        marks=marks,
        note=f"A curve a lattice. {BARS}",
    )


def _rate_track(curve: LatticeCurve, group: int) -> Track:
    points = []
    for row in curve.rows:
        figure, unit = _performance(row)
        words = f"{counted(row.ranks, 'rank')}: {with_ends(figure, unit.shape)}"
        text = f"{words}, {with_ends(row.iteration_ns, format_time)} an iteration"
        points.append(unit.point(row.ranks, figure, text))
    return track_of(curve.rows[0].lattice, points, group)


def _efficiency_track(curve: LatticeCurve, group: int) -> Track:
    points = []
    for row in curve.rows:
        one = row.efficiency
        ends = (1.0, 1.0, 1.0) if one is None else (one.speed, one.low, one.high)
        share, low, high = (100 * end for end in ends)
        text = f"{counted(row.ranks, 'rank')}: {format_percent(share)}"
        points.append(ChartPoint(row.ranks, share, low, high, text))
    return track_of(curve.rows[0].lattice, points, group)


def _parts(group: Sequence[LatticeCurve], name: str) -> list[Chart]:
    """Each lattice on its largest number of ranks: shares of an iteration, one upon the other."""
    known = ([row for row in curve.rows if row.parts_ns] for curve in group)
    rows = [own[-1] for own in known if own]
    if not rows:
        return []
    places = tuple(float(at) for at in range(len(rows)))
    bottom = [0.0] * len(rows)
    tracks = []
    # A part of one lattice may be none of another: the rest of an iteration, where there is one.
    for at, part in enumerate(dict.fromkeys(part for row in rows for part in row.parts_ns)):
        spent = [row.parts_ns[part].value if part in row.parts_ns else 0.0 for row in rows]
        whole = [sum(one.value for one in row.parts_ns.values()) or 1.0 for row in rows]
        top = [low + 100 * own / all_ for low, own, all_ in zip(bottom, spent, whole, strict=True)]
        points = (
            ChartPoint(x, y, text=f"{part}: {format_time(own)} of {format_time(all_)}")
            for x, y, own, all_ in zip(places, top, spent, whole, strict=True)
        )
        tracks.append(track_of(part, points, at, style="bar", base=bottom))
        bottom = top
    return [
        chart_of(
            name,
            f"{title_of(rows[0])}: parts of an iteration",
            ChartAxis(
                "lattice, ranks",
                is_log=False,
                ticks=tuple(
                    (place, f"{row.lattice}\n{row.ranks}")
                    for place, row in zip(places, rows, strict=True)
                ),
            ),
            ChartAxis("% of an iteration", is_log=False, ends=(0.0, 100.0)),
            tracks,
            note="Means over the ranks, which add up.",
        )
    ]
