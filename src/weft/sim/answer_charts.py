"""The figures of predictions: differences between fabrics, and times of algorithms. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from weft.charts import Chart, ChartAxis, Mark, SizeCurve, Track, chart_over_sizes
from weft.estimate import Estimate
from weft.sim.answers import in_percent, slower_within
from weft.sim.switches import times_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.sim.answers import PredictedFabric


def differences_chart(answers: Sequence[PredictedFabric], limit: float | None) -> Chart:
    """How much slower each fabric is than the first, in %, a track a case."""
    first, *others = answers
    tracks = []
    for at, figure in enumerate(first.figures):
        found = [slower_within(first, one, at) for one in others]
        tracks.append(
            Track(
                label=figure.case,
                x=tuple(float(place) for place in range(1, len(others) + 1)),
                y=tuple(100 * one.value for one in found),
                low=tuple(100 * (math.nan if one.low is None else one.low) for one in found),
                high=tuple(100 * (math.nan if one.high is None else one.high) for one in found),
                texts=tuple(
                    f"{one.variant}: {in_percent(each)}"
                    + ("" if each.is_known else ", interval not known")
                    for one, each in zip(others, found, strict=True)
                ),
                style="points",
                group=at,
                is_signed=True,
            )
        )
    title = f"Slower than {first.variant}"
    marks = [Mark(axis="y", at=0.0, text=first.variant)]
    if limit is not None:
        marks.append(Mark(axis="y", at=100 * limit, text=f"{100 * limit:g} %"))
    return Chart(
        name="predicted-differences",
        title=title,
        alt=f"{title}, in %, for {', '.join(one.variant for one in others)}",
        x=ChartAxis(
            "fabric",
            is_log=False,
            ticks=tuple((float(at), one.variant) for at, one in enumerate(others, 1)),
            ends=(0.5, len(others) + 0.5),
        ),
        y=ChartAxis("slower in %", is_log=False),
        tracks=tuple(tracks),
        marks=tuple(marks),
        note="Bars: as far as the calibration's error moves the difference.",
    )


def algorithms_chart(answers: Sequence[PredictedFabric]) -> Chart:
    """Time against size, a curve an algorithm. No time has an interval: repeats are identical."""
    times = times_of(answers)
    curves = [
        SizeCurve(name, times.bytes, tuple(map(_simulated, own)))
        for name, own in (*times.algorithms.items(), *times.libraries.items())
    ]
    test = answers[0].figures[0].case.partition(" ")[0]
    chart = chart_over_sizes(
        "predicted-algorithms", f"{test} on {answers[0].nodes} nodes", "latency", curves
    )
    return msgspec.structs.replace(
        chart, y=ChartAxis("time in µs"), note="Simulated, not measured."
    )


def _simulated(value: float) -> Estimate:
    return Estimate(value=value, low=-math.inf, high=math.inf, coverage=1.0, method="simulated")
