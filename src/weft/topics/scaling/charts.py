"""The figures of scaling: performance and efficiency against ranks, an iteration in its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.charts import Chart, ChartAxis, Mark, Track
from weft.topics.scaling.rows import MOST_COST
from weft.units import format_rate, format_time
from weft.wording import over, percent, with_ends

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


def format_flops(flops_per_s: float) -> str:
    """A rate of arithmetic with three digits: "812 MFlop/s", "1.05 GFlop/s"."""
    for unit, size in (("GFlop/s", 1e9), ("MFlop/s", 1e6)):
        if flops_per_s >= size:
            digits = ".3g" if flops_per_s < 1000 * size else ".0f"
            return f"{flops_per_s / size:{digits}} {unit}"
    return f"{flops_per_s / 1e6:.3g} MFlop/s"


def title_of(row: ScalingRow | Cost) -> str:
    """What a group is of: "halo over mpi, weak scaling"."""
    how = "strong" if row.is_global else "weak"
    return f"{row.test} over {over(row.transport, row.variant)}, {how} scaling"


def _performance(row: ScalingRow) -> tuple[Estimate, float, str]:
    """The figure of the axis, its unit in SI, and the figure in words."""
    if row.flops_per_s is not None:
        return row.flops_per_s, 1e6, with_ends(row.flops_per_s, format_flops)
    return (
        row.iterations_per_s,
        1.0,
        with_ends(row.iterations_per_s, lambda rate: f"{format_rate(rate)}/s"),
    )


def _against_ranks(group: Sequence[LatticeCurve], name: str, what: str) -> Chart:
    first = group[0].rows[0]
    ranks = sorted({row.ranks for curve in group for row in curve.rows})
    is_rate = what == "performance"
    unit = "MFlop/s per rank" if first.flops_per_s is not None else "iterations/s"
    label = (
        unit
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
    return Chart(
        name=name,
        title=f"{title_of(first)}: {what}",
        alt=f"{label} against ranks for {', '.join(curve.rows[0].lattice for curve in group)}",
        x=ChartAxis("ranks", ticks=tuple((float(one), str(one)) for one in ranks)),
        y=ChartAxis(label, is_log=False, ends=(0.0, ROOM * highest)),
        tracks=tracks,
        marks=marks,
        note="A curve a lattice. Bars are 95 % intervals.",
    )


def _rate_track(curve: LatticeCurve, group: int) -> Track:
    figures = [_performance(row) for row in curve.rows]
    return Track(
        label=curve.rows[0].lattice,
        x=tuple(float(row.ranks) for row in curve.rows),
        y=tuple(figure.value / unit for figure, unit, _ in figures),
        low=tuple(figure.low / unit for figure, unit, _ in figures),
        high=tuple(figure.high / unit for figure, unit, _ in figures),
        texts=tuple(
            f"{row.ranks} ranks: {words}, {with_ends(row.iteration_ns, format_time)} an iteration"
            for row, (_, _, words) in zip(curve.rows, figures, strict=True)
        ),
        group=group,
    )


def _efficiency_track(curve: LatticeCurve, group: int) -> Track:
    shares = [
        (row, 1.0, 1.0, 1.0)
        if row.efficiency is None
        else (row, row.efficiency.speed, row.efficiency.low, row.efficiency.high)
        for row in curve.rows
    ]
    return Track(
        label=curve.rows[0].lattice,
        x=tuple(float(row.ranks) for row, *_ in shares),
        y=tuple(100 * middle for _, middle, _, _ in shares),
        low=tuple(100 * low for _, _, low, _ in shares),
        high=tuple(100 * high for *_, high in shares),
        texts=tuple(f"{row.ranks} ranks: {percent(100 * middle)}" for row, middle, *_ in shares),
        group=group,
    )


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
        tracks.append(
            Track(
                label=part,
                x=places,
                y=tuple(top),
                base=tuple(bottom),
                texts=tuple(
                    f"{part}: {format_time(own)} of {format_time(all_)}"
                    for own, all_ in zip(spent, whole, strict=True)
                ),
                style="bar",
                group=at,
            )
        )
        bottom = top
    return [
        Chart(
            name=name,
            title=f"{title_of(rows[0])}: parts of an iteration",
            alt=f"shares of an iteration for {', '.join(row.lattice for row in rows)}",
            x=ChartAxis(
                "lattice, ranks",
                is_log=False,
                ticks=tuple(
                    (place, f"{row.lattice}\n{row.ranks}")
                    for place, row in zip(places, rows, strict=True)
                ),
            ),
            y=ChartAxis("% of an iteration", is_log=False, ends=(0.0, 100.0)),
            tracks=tuple(tracks),
            note="Means over the ranks, which add up.",
        )
    ]
