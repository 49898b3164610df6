"""The figures of predictions: differences between fabrics, and times of algorithms. Pure."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from weft.charts import (
    Chart,
    ChartAxis,
    ChartPoint,
    Mark,
    SizeCurve,
    Track,
    chart_of,
    chart_over_sizes,
    track_of,
)
from weft.estimate import Estimate
from weft.sim.answers import in_percent, slower_within
from weft.sim.switches import times_of
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.sim.answers import PredictedFabric, Slower


# An axis of differences reaches as far at least, in %: what is less is no difference to anybody.
_LEAST_AXIS = 1.0


def has_differences(answers: Sequence[PredictedFabric]) -> bool:
    """Whether there is more than the one difference that a table says as well as a chart."""
    return (len(answers) - 1) * len(answers[0].figures) > 1


def differences_chart(answers: Sequence[PredictedFabric], limit: float | None) -> Chart:
    """How much slower each fabric is than the first, in %, a track a case; of one other fabric
    the cases stand side by side, and it has the track.
    """
    first, *others = answers
    cases = [figure.case for figure in first.figures]
    fabrics = [one.variant for one in others]
    found = [[slower_within(first, one, at) for one in others] for at in range(len(cases))]
    along, places, tracks = "fabric", fabrics, cases
    if len(fabrics) == 1:
        along, places, tracks = "case", cases, fabrics
        found = [[of_case for [of_case] in found]]
    marks = [Mark(axis="y", at=0.0, text=first.variant)]
    if limit is not None:
        marks.append(Mark(axis="y", at=100 * limit, text=f"{100 * limit:g} %"))
    drawn = [
        track_of(label, map(_difference, count(1), places, own), at, style="points", is_signed=True)
        for at, (label, own) in enumerate(zip(tracks, found, strict=True))
    ]
    return chart_of(
        "predicted-differences",
        f"Slower than {first.variant}",
        ChartAxis(
            along,
            is_log=False,
            ticks=tuple((float(at), place) for at, place in enumerate(places, 1)),
            ends=(0.5, len(places) + 0.5),
        ),
        ChartAxis("slower in %", is_log=False, ends=_least_ends(drawn, marks)),
        drawn,
        marks=marks,
        note="Bars: as far as the calibration's error moves the difference.",
    )


def _least_ends(tracks: Sequence[Track], marks: Sequence[Mark]) -> tuple[float, float] | None:
    """The ends of an axis of differences that are all less; None where one is not."""
    reached = [abs(one.at) for one in marks]
    for track in tracks:
        reached += [abs(end) for end in (*track.y, *track.low, *track.high) if math.isfinite(end)]
    return (-_LEAST_AXIS, _LEAST_AXIS) if max(reached) < _LEAST_AXIS else None


def _difference(place: int, name: str, found: Slower) -> ChartPoint:
    low, high = (math.nan if end is None else 100 * end for end in (found.low, found.high))
    text = f"{name}: {in_percent(found)}" + ("" if found.is_known else ", interval not known")
    return ChartPoint(place, 100 * found.value, low, high, text)


def algorithms_chart(answers: Sequence[PredictedFabric]) -> Chart:
    """Time against size, a curve an algorithm. No time has an interval: repeats are identical."""
    times = times_of(answers)
    curves = [
        SizeCurve(name, times.bytes, tuple(map(_simulated, own)))
        for name, own in (*times.algorithms.items(), *times.libraries.items())
    ]
    test = answers[0].figures[0].case.partition(" ")[0]
    chart = chart_over_sizes(
        "predicted-algorithms", f"{test} on {counted(answers[0].nodes, 'node')}", "latency", curves
    )
    return msgspec.structs.replace(
        chart, y=ChartAxis("time in µs"), note="Simulated, not measured."
    )


def _simulated(value: float) -> Estimate:
    return Estimate(value=value, low=-math.inf, high=math.inf, coverage=1.0, method="simulated")
