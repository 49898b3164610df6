"""The figures of predictions: differences between fabrics, and times of algorithms. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.charts import (
    Chart,
    ChartAxis,
    ChartPoint,
    Mark,
    SizeCurve,
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


def differences_chart(answers: Sequence[PredictedFabric], limit: float | None) -> Chart:
    """How much slower each fabric is than the first, in %, a track a case."""
    first, *others = answers
    tracks = []
    for at, figure in enumerate(first.figures):
        points = [
            _difference(place, one.variant, slower_within(first, one, at))
            for place, one in enumerate(others, 1)
        ]
        tracks.append(track_of(figure.case, points, at, style="points", is_signed=True))
    marks = [Mark(axis="y", at=0.0, text=first.variant)]
    if limit is not None:
        marks.append(Mark(axis="y", at=100 * limit, text=f"{100 * limit:g} %"))
    return chart_of(
        "predicted-differences",
        f"Slower than {first.variant}",
        ChartAxis(
            "fabric",
            is_log=False,
            ticks=tuple((float(at), one.variant) for at, one in enumerate(others, 1)),
            ends=(0.5, len(others) + 0.5),
        ),
        ChartAxis("slower in %", is_log=False),
        tracks,
        marks=marks,
        note="Bars: as far as the calibration's error moves the difference.",
    )


def _difference(place: int, variant: str, found: Slower) -> ChartPoint:
    low, high = (math.nan if end is None else 100 * end for end in (found.low, found.high))
    text = f"{variant}: {in_percent(found)}" + ("" if found.is_known else ", interval not known")
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
